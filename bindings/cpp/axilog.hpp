/// axilog for C++17: classes around the structs and functions of the C library.
///
/// The binding is header-only and calls libaxilog. It does not throw, allocate or need run-time type
/// information; no object is larger than the C structs in it, and no call costs more than the C call. The
/// C headers document what each function does; the comments here say what C++ adds.
///
/// docs/start-cpp.md begins with a complete program.

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
