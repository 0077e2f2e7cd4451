/// axilog for C++17: the C library behind types that own, borrow and name things.
///
/// Header-only, over the C headers and libaxilog. Nothing throws, allocates or needs run-time type
/// information; no object is larger than the C structs in it, and no call costs more than the C one.
/// What each function does is said at the C function it calls; here only what C++ adds.
///
/// docs/start-cpp.md begins with a whole program.

#ifndef AXILOG_HPP
#define AXILOG_HPP

#include "axilog/agent.hpp"
#include "axilog/ledger.hpp"
#include "axilog/observation.hpp"
#include "axilog/policy.hpp"
#include "axilog/replay.hpp"
#include "axilog/text.hpp"
#include "axilog/types.hpp"

#endif
