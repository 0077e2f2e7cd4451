/** All that deployed rigs may include: everything but axilog/replay.h. */

#ifndef AXILOG_COMPAT_AXILOG_H
#define AXILOG_COMPAT_AXILOG_H

#include "axilog/agent.h"
#include "axilog/audit.h"
#include "axilog/canonical.h"
#include "axilog/commitment.h"
#include "axilog/dvec.h"
#include "axilog/dvm.h"
#include "axilog/dvm_compat.h"
#include "axilog/hash.h"
#include "axilog/l3_types.h"
#include "axilog/limits.h"
#include "axilog/obs.h"
#include "axilog/oracle.h"
#include "axilog/policy.h"
#include "axilog/sha256.h"
#include "axilog/types.h"
#include "axilog/validate.h"

#endif /* AXILOG_COMPAT_AXILOG_H */
