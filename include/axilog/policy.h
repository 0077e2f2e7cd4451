/**
 * Policies and their evaluation (SRS-004 sections 17 and 25.4).
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_POLICY_H
#define AXILOG_POLICY_H

#include "axilog/types.h"
#include "axilog/limits.h"
#include "axilog/audit.h"

struct ax_agent_ctx_t;

/**
 * The built-in policy of SRS-004 §17.3.
 */
#define AX_POLICY_ID_MAX_VELOCITY "POL-001-MAX-VELOCITY"

/**
 * What the functions that set something up return.
 */
typedef enum ax_policy_err_t {
    /**
     * Success.
     */
    AX_POLICY_OK = 0,
    /**
     * The context is NULL.
     */
    AX_POLICY_ERR_NULL_CTX = -1,
    /**
     * Another required pointer is NULL.
     */
    AX_POLICY_ERR_NULL_INPUT = -2,
    /**
     * A record did not fit its buffer.
     */
    AX_POLICY_ERR_SERIALISE = -3,
    /**
     * A record could not be committed.
     */
    AX_POLICY_ERR_COMMIT = -4,
    /**
     * An id or a selector is not one, or the ids are not strictly ascending.
     */
    AX_POLICY_ERR_INVALID_ID = -5,
    /**
     * More than AX_POLICY_MAX_COUNT policies.
     */
    AX_POLICY_ERR_OVERFLOW = -6,
} ax_policy_err_t;

/**
 * How a value is compared with its threshold: it breaches where the comparison holds. Any other
 * number always breaches (SRS-004-SHALL-028).
 */
typedef enum ax_policy_cmp_t {
    /**
     * Greater than.
     */
    AX_POLICY_CMP_GT = 0,
    /**
     * Less than.
     */
    AX_POLICY_CMP_LT = 1,
    /**
     * Greater than or equal.
     */
    AX_POLICY_CMP_GE = 2,
    /**
     * Less than or equal.
     */
    AX_POLICY_CMP_LE = 3,
} ax_policy_cmp_t;

/**
 * What a policy, or all of them together, decided.
 */
typedef enum ax_policy_result_t {
    /**
     * The value is allowed.
     */
    AX_POLICY_PERMITTED = 0,
    /**
     * The value is not allowed.
     */
    AX_POLICY_BREACH = 1,
} ax_policy_result_t;

/**
 * One policy (SRS-004 §17.5).
 */
typedef struct ax_policy_t {
    /**
     * 1 to 64 of A-Z a-z 0-9 - _ . and a NUL.
     */
    const char *policy_id;
    /**
     * Raw Q16.16.
     */
    q16_16_t threshold;
    /**
     * When a value breaches.
     */
    enum ax_policy_cmp_t comparison;
    /**
     * 0: never evaluated, no record.
     */
    uint8_t enabled;
} ax_policy_t;

/**
 * A table of policies in strictly ascending byte order of policy_id.
 */
typedef struct ax_policy_registry_t {
    /**
     * count policies; NULL where count is 0.
     */
    const struct ax_policy_t *policies;
    /**
     * At most AX_POLICY_MAX_COUNT.
     */
    size_t count;
    /**
     * The selector of each policy: a lower-case letter, then lower-case letters, digits and
     * underscores, at most 32 bytes, not ending in _q16;
     * NULL: "value" for all.
     */
    const char *const *selectors;
} ax_policy_registry_t;

/**
 * The rules an agent runs under and what they said last. Caller-owned; made by ax_policy_init.
 */
typedef struct ax_policy_ctx_t {
    /**
     * Where records are committed; for ax_agent_step the agent's own ledger.
     */
    ax_ledger_ctx_t *ledger;
    /**
     * Whose violation a breach sets; may be NULL.
     */
    struct ax_agent_ctx_t *agent;
    /**
     * 1: something breached in this cycle.
     */
    uint8_t breach_flag;
    /**
     * Policies evaluated in this cycle.
     */
    uint8_t evaluation_count;
    /**
     * Sequence of the last evaluation.
     */
    uint64_t last_eval_seq;
    /**
     * The policies.
     */
    const struct ax_policy_registry_t *registry;
    /**
     * 1: a TRUNCATED answer is evaluated like a COMPLETE one (SRS-004-SHALL-040).
     */
    uint8_t permit_truncated;
    /**
     * 1: an INVALID_OUTPUT stops the agent rather than alarming it (SRS-004 §15.2).
     */
    uint8_t stop_on_invalid;
} ax_policy_ctx_t;

/**
 * A value to evaluate and what its records are bound to.
 */
typedef struct ax_policy_input_t {
    /**
     * Raw Q16.16; INT32_MIN is no value and breaches.
     */
    q16_16_t value;
    /**
     * Sequence for the records.
     */
    uint64_t ledger_seq;
    /**
     * Sequence of the observation (SRS-004-SHALL-044).
     */
    uint64_t obs_ledger_seq;
} ax_policy_input_t;

/**
 * The fields of an AX:POLICY:v1 (SRS-004 §25.4).
 */
typedef struct ax_policy_record_t {
    /**
     * The value that was compared.
     */
    q16_16_t actual;
    /**
     * Sequence of the record's step.
     */
    uint64_t ledger_seq;
    /**
     * Sequence of the observation (SRS-004-SHALL-044).
     */
    uint64_t obs_ledger_seq;
    /**
     * Which policy.
     */
    const char *policy_id;
    /**
     * 0: PERMITTED; 1: BREACH.
     */
    uint8_t result;
    /**
     * The limit.
     */
    q16_16_t threshold;
} ax_policy_record_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes a context with the built-in policies and both switches off. ledger and agent may be NULL.
 *
 * Returns AX_POLICY_OK, or AX_POLICY_ERR_NULL_CTX (flag domain).
 *
 * Safety:
 * ctx is NULL or writable; ledger and agent outlive it.
 */
enum ax_policy_err_t ax_policy_init(struct ax_policy_ctx_t *ctx,
                                    ax_ledger_ctx_t *ledger,
                                    struct ax_agent_ctx_t *agent,
                                    ct_fault_flags_t *faults);

/**
 * As ax_policy_init, with a table of the caller's. An unknown operator is kept, and breaches.
 *
 * Also returns AX_POLICY_ERR_NULL_INPUT for a NULL registry or array, AX_POLICY_ERR_OVERFLOW and
 * AX_POLICY_ERR_INVALID_ID (flag domain each). On failure ctx is untouched.
 *
 * Safety:
 * As for ax_policy_init; registry is NULL or a table that outlives ctx.
 */
enum ax_policy_err_t ax_policy_init_with_registry(struct ax_policy_ctx_t *ctx,
                                                  const struct ax_policy_registry_t *registry,
                                                  ax_ledger_ctx_t *ledger,
                                                  struct ax_agent_ctx_t *agent,
                                                  ct_fault_flags_t *faults);

/**
 * SHA-256 of the canonical configuration of ctx: the input_hash of every RESET_REQUEST
 * (formats.md §5, Configuration).
 *
 * Returns AX_OK, AX_ERR_PROTOCOL for a NULL, or the code of a registry that is not one: AX_ERR_SIZE,
 * AX_ERR_SCHEMA, AX_ERR_ORDERING (flag domain each; out is zeroed).
 *
 * Safety:
 * ctx is NULL or was made by ax_policy_init; out is NULL or 32 writable bytes.
 */
int ax_policy_config_hash(const struct ax_policy_ctx_t *ctx,
                          uint8_t out[32],
                          ct_fault_flags_t *faults);

/**
 * The table compiled into the library, in static memory; never NULL.
 */
const struct ax_policy_registry_t *ax_policy_get_registry(void);

/**
 * How many policies are compiled into the library.
 */
size_t ax_policy_get_count(void);

/**
 * 1 where the built-in table is sorted and free of duplicates, as it always is; else 0.
 */
int ax_policy_verify_registry_sorted(void);

/**
 * Evaluates one policy on one value, commits the record where ctx->ledger is set. A disabled policy
 * is PERMITTED and leaves no record. BREACH also where the record cannot be committed or anything
 * required is NULL (flag domain). A breach sets ctx->breach_flag and the violation of ctx->agent.
 *
 * Safety:
 * The pointers are NULL or valid; ctx was made by ax_policy_init.
 */
enum ax_policy_result_t ax_policy_evaluate(struct ax_policy_ctx_t *ctx,
                                           const struct ax_policy_t *policy,
                                           const struct ax_policy_input_t *input,
                                           ct_fault_flags_t *faults);

/**
 * Evaluates one value against all enabled policies in order, whatever their selectors, and commits
 * their records where ctx->ledger is set. Results as ax_policy_evaluate.
 *
 * Safety:
 * The pointers are NULL or valid; ctx was made by ax_policy_init.
 */
enum ax_policy_result_t ax_policy_evaluate_all(struct ax_policy_ctx_t *ctx,
                                               const struct ax_policy_input_t *input,
                                               ct_fault_flags_t *faults);

/**
 * 1 where `actual OP threshold` holds on raw Q16.16, where OP is unknown, or where actual is
 * INT32_MIN; else 0. Pure.
 */
int ax_policy_check_breach(q16_16_t actual, q16_16_t threshold, enum ax_policy_cmp_t comparison);

/**
 * Writes the canonical record and a NUL.
 *
 * Returns the bytes written without the NUL, AX_POLICY_ERR_SERIALISE where they do not fit (flag
 * serialise), AX_POLICY_ERR_NULL_INPUT (flag domain), or AX_POLICY_ERR_INVALID_ID for an id or a
 * result that is not one (flag domain). On failure buf is untouched.
 *
 * Safety:
 * buf points to size bytes; record is NULL or readable, its id NULL or NUL-terminated.
 */
int ax_policy_serialize(char *buf,
                        size_t size,
                        const struct ax_policy_record_t *record,
                        ct_fault_flags_t *faults);

/**
 * "PERMITTED" or "BREACH"; "UNKNOWN" for another number. Never NULL.
 */
const char *ax_policy_result_to_str(enum ax_policy_result_t result);

/**
 * "GT", "LT", "GE" or "LE"; "UNKNOWN" for another number. Never NULL.
 */
const char *ax_policy_cmp_to_str(enum ax_policy_cmp_t comparison);

/**
 * 1 where something breached in this cycle, else 0; 1 for NULL.
 *
 * Safety:
 * ctx is NULL or readable.
 */
int ax_policy_has_breach(const struct ax_policy_ctx_t *ctx);

/**
 * Clears what the last cycle left: the breach flag and the count. ax_agent_step does so itself.
 *
 * Safety:
 * ctx is NULL or writable.
 */
void ax_policy_reset_cycle(struct ax_policy_ctx_t *ctx);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif /* AXILOG_POLICY_H */
