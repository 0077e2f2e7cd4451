/**
 * Policies, for deployed rigs: the library's own declarations over the fault struct of this directory, and, as
 * there, the agent's context and health. A value and a record are structs without obs_ledger_seq, which the library
 * fills with the rig's ledger_seq; four policies are built in; flags may be NULL.
 */

#ifndef AXILOG_COMPAT_POLICY_H
#define AXILOG_COMPAT_POLICY_H

#include "axilog/l3_types.h"
#include "axilog/audit.h"

/* The library's own structs have another field. Its functions over them are declared under their own names, which
 * a rig does not call. */
#define ax_policy_input_t axilog_policy_input_t
#define ax_policy_record_t axilog_policy_record_t
#undef ax_policy_evaluate
#undef ax_policy_evaluate_all
#undef ax_policy_serialize
#include "../../axilog/policy.h"
#undef ax_policy_input_t
#undef ax_policy_record_t
#undef ax_policy_evaluate
#undef ax_policy_evaluate_all
#undef ax_policy_serialize
#define ax_policy_evaluate ax_compat_policy_evaluate
#define ax_policy_evaluate_all ax_compat_policy_evaluate_all
#ifdef AXILOG_COMPAT_AS_DEPLOYED
#define ax_policy_serialize ax_compat_raw_policy_serialize
#else
#define ax_policy_serialize ax_compat_policy_serialize
#endif

/** The other built-in policies. */
#define AX_POLICY_ID_MIN_ALTITUDE "POL-002-MIN-ALTITUDE"
#define AX_POLICY_ID_THERMAL_LIMIT "POL-003-THERMAL-LIMIT"
#define AX_POLICY_ID_RATE_LIMIT "POL-004-RATE-LIMIT"

/** Bytes of room for the record of a policy or a transition. */
#define AX_EVIDENCE_BUF_SIZE 1024

/** A value to judge, and the sequence of the observation that it is from. */
typedef struct ax_policy_input_t {
    q16_16_t value;
    uint64_t ledger_seq;
} ax_policy_input_t;

/** A policy's record. */
typedef struct ax_policy_record_t {
    q16_16_t actual;
    uint64_t ledger_seq;
    const char *policy_id;
    ax_policy_result_t result;
    q16_16_t threshold;
} ax_policy_record_t;

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Judges a value by one policy, enabled or not, and records the decision where the context has a ledger. BREACH also
 * for a NULL, an identity that is none, and a record that the ledger does not take.
 */
ax_policy_result_t ax_policy_evaluate(ax_policy_ctx_t *ctx, const ax_policy_t *policy,
                                      const ax_policy_input_t *input, ct_fault_flags_t *faults);

/**
 * Judges a value by every enabled policy of the context. A flag that is set, on entry or by a record that the ledger
 * does not take, ends that after the first policy, as BREACH.
 */
ax_policy_result_t ax_policy_evaluate_all(ax_policy_ctx_t *ctx, const ax_policy_input_t *input,
                                          ct_fault_flags_t *faults);

/** Writes a policy's record and a NUL; gives the bytes without the NUL, or an ax_policy_err_t. */
int ax_policy_serialize(char *buf, size_t size, const ax_policy_record_t *record, ct_fault_flags_t *faults);

#ifdef __cplusplus
}
#endif

#include "axilog/agent.h"

#endif /* AXILOG_COMPAT_POLICY_H */
