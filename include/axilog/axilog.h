/**
 * All of axilog.
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_AXILOG_H
#define AXILOG_AXILOG_H

#include "axilog/agent.h"
#include "axilog/audit.h"
#include "axilog/canonical.h"
#include "axilog/commitment.h"
#include "axilog/dvec.h"
#include "axilog/dvm.h"
#include "axilog/hash.h"
#include "axilog/limits.h"
#include "axilog/obs.h"
#include "axilog/oracle.h"
#include "axilog/policy.h"
#include "axilog/replay.h"
#include "axilog/sha256.h"
#include "axilog/types.h"
#include "axilog/validate.h"

#endif /* AXILOG_AXILOG_H */
