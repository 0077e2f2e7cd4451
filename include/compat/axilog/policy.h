/**
 * Policies, for deployed rigs: the library's own declarations over the fault struct of this directory, the
 * names that such rigs find here, and, as there, the agent's context and health.
 *
 * ax_policy_record_t has obs_ledger_seq, as SRS-004 section 25.4 and not as deployed: a rig that fills a
 * record sets it too.
 */

#ifndef AXILOG_COMPAT_POLICY_H
#define AXILOG_COMPAT_POLICY_H

#include "axilog/l3_types.h"
#include "axilog/audit.h"

#include "../../axilog/policy.h"

/** Bytes of room for the record of a policy or a transition. */
#define AX_EVIDENCE_BUF_SIZE 1024

#ifdef __cplusplus
extern "C" {
#endif

/** An integer as Q16.16; beyond 32767 and -32768 the largest and the smallest value. */
static inline q16_16_t q16_16_from_int(int32_t value)
{
    if (value > 32767) {
        return Q16_16_MAX;
    }
    return value < -32768 ? Q16_16_MIN : Q16_16_FROM_INT(value);
}

/** 1 where a is greater than b, else 0. */
static inline int q16_16_gt(q16_16_t a, q16_16_t b)
{
    return a > b ? 1 : 0;
}

/** 1 where a is less than b, else 0. */
static inline int q16_16_lt(q16_16_t a, q16_16_t b)
{
    return a < b ? 1 : 0;
}

#ifdef __cplusplus
}
#endif

#include "axilog/agent.h"

#endif /* AXILOG_COMPAT_POLICY_H */
