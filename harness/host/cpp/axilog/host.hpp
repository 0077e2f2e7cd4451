/// Ledger files for C++17 programs on hosts: classes around the handles of axilog/host.h.
///
/// The binding is header-only and calls libaxilog_host. It throws nothing of its own; memory that it cannot get ends as
/// std::bad_alloc does. axilog/host.h says what each function does; the comments here say what C++ adds. One object is
/// used by several threads as its C handle is.
///
/// docs/host.md begins with a complete program.

#ifndef AXILOG_HOST_HPP
#define AXILOG_HOST_HPP

#include "axilog/host_bundle.hpp"
#include "axilog/host_check.hpp"
#include "axilog/host_ledger.hpp"
#include "axilog/host_reader.hpp"
#include "axilog/host_result.hpp"

#endif
