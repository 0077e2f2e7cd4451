/** All that rigs of the policies' generation have. */

#ifndef AXILOG_COMPAT_POLICY_AXILOG_H
#define AXILOG_COMPAT_POLICY_AXILOG_H

#include "axilog/policy.h"
#include "axilog/types.h"

#endif /* AXILOG_COMPAT_POLICY_AXILOG_H */
