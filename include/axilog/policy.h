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

/* An object that was compiled against the deployed C libraries has shorter structs, and must not link.
 * It asks for these functions by their names (docs/rigs.md). */
#ifndef ax_policy_evaluate
#define ax_policy_evaluate ax_policy_evaluate_v2
#endif
#ifndef ax_policy_evaluate_all
#define ax_policy_evaluate_all ax_policy_evaluate_all_v2
#endif
#ifndef ax_policy_get_registry
#define ax_policy_get_registry ax_policy_get_registry_v2
#endif
#ifndef ax_policy_has_breach
#define ax_policy_has_breach ax_policy_has_breach_v2
#endif
#ifndef ax_policy_init
#define ax_policy_init ax_policy_init_v2
#endif
#ifndef ax_policy_reset_cycle
#define ax_policy_reset_cycle ax_policy_reset_cycle_v2
#endif
#ifndef ax_policy_serialize
#define ax_policy_serialize ax_policy_serialize_v2
#endif

struct ax_agent_ctx_t;

/**
 * The built-in policy of SRS-004 §17.3.
 */
#define AX_POLICY_ID_MAX_VELOCITY "POL-001-MAX-VELOCITY"

/**
 * Return codes of the functions that make a policy context or write a policy record.
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
     * An id or a selector is not valid, or the ids do not ascend strictly.
     */
    AX_POLICY_ERR_INVALID_ID = -5,
    /**
     * The registry has more than AX_POLICY_MAX_COUNT policies.
     */
    AX_POLICY_ERR_OVERFLOW = -6,
} ax_policy_err_t;

/**
 * The comparison of a value with its threshold. The value breaches where the comparison holds; any
 * other number always breaches (SRS-004-SHALL-028).
 */
typedef enum ax_policy_cmp_t {
    /**
     * The value is greater than the threshold.
     */
    AX_POLICY_CMP_GT = 0,
    /**
     * The value is less than the threshold.
     */
    AX_POLICY_CMP_LT = 1,
    /**
     * The value is greater than the threshold or equal to it.
     */
    AX_POLICY_CMP_GE = 2,
    /**
     * The value is less than the threshold or equal to it.
     */
    AX_POLICY_CMP_LE = 3,
} ax_policy_cmp_t;

/**
 * The decision of one policy, or of several together.
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
     * Identity of the policy: 1 to 64 of A-Z a-z 0-9 - _ . and a NUL.
     */
    const char *policy_id;
    /**
     * Limit, raw Q16.16.
     */
    q16_16_t threshold;
    /**
     * Comparison under which a value breaches.
     */
    enum ax_policy_cmp_t comparison;
    /**
     * 0 where the policy is never evaluated and leaves no record; another number where it is.
     */
    uint8_t enabled;
} ax_policy_t;

/**
 * A table of policies in strictly ascending byte order of policy_id.
 */
typedef struct ax_policy_registry_t {
    /**
     * Array of count policies; NULL where count is 0.
     */
    const struct ax_policy_t *policies;
    /**
     * Number of policies, at most AX_POLICY_MAX_COUNT.
     */
    size_t count;
    /**
     * Array with the selector of each policy: `[oracle#]path`, at most 192 bytes of UTF-8 and a NUL. The
     * path is the name of a member at the top level of the answer (a letter or an underscore, then
     * letters, digits, underscores and hyphens) or an RFC 6901 pointer, which begins with a slash, and
     * does not end in _q16. In a pointer the step `~*` (at most twice) leads to every element of an array:
     * the value is the greatest for GT and GE and the least for LT and LE, and there is none where one
     * element has none or the array is empty. The last step `~#` leads to the number of elements of an
     * array or of members of an object, 0 to 32767. A last `~eN`, N from -9 to 9, divides the number by 10^N
     * before it is rounded to Q16.16. What stands before the first # is an oracle_id, and the policy judges the
     * answers of that oracle only; without it, those of every oracle. A selector that begins with a
     * slash is all path. "elapsed" is the time and takes no oracle. NULL: "value" for every policy.
     */
    const char *const *selectors;
} ax_policy_registry_t;

/**
 * The rules that an agent runs under, and their last decision. The caller owns the context;
 * ax_policy_init makes it.
 */
typedef struct ax_policy_ctx_t {
    /**
     * Ledger that records are committed to; for an agent that steps its own. NULL: none.
     */
    ax_ledger_ctx_t *ledger;
    /**
     * Agent whose violation a breach sets. NULL: none.
     */
    struct ax_agent_ctx_t *agent;
    /**
     * 1 where a policy was breached in this cycle, else 0.
     */
    uint8_t breach_flag;
    /**
     * Number of policies that were evaluated in this cycle.
     */
    uint8_t evaluation_count;
    /**
     * 1 where the last answer was permitted, and the agent was ENABLED after it and since, else 0;
     * what ax_agent_may_act reads.
     */
    uint8_t answer_permitted;
    /**
     * Sequence of the last step that was evaluated.
     */
    uint64_t last_eval_seq;
    /**
     * Policies of the agent.
     */
    const struct ax_policy_registry_t *registry;
    /**
     * 1 where a TRUNCATED answer is evaluated like a COMPLETE one, else 0 (SRS-004-SHALL-040).
     */
    uint8_t permit_truncated;
    /**
     * 1 where an INVALID_OUTPUT stops the agent, 0 where it alarms the agent (SRS-004 §15.2).
     */
    uint8_t stop_on_invalid;
    /**
     * 1 where the configuration names manifest, else 0.
     */
    uint8_t has_manifest;
    /**
     * SHA-256 of a document of the host's that the ledger is bound to from its first reset on; the
     * library never reads the document.
     */
    uint8_t manifest[32];
} ax_policy_ctx_t;

/**
 * A value to evaluate, and the sequences that its records carry.
 */
typedef struct ax_policy_input_t {
    /**
     * Value, raw Q16.16; INT32_MIN stands for no value and breaches.
     */
    q16_16_t value;
    /**
     * Sequence of the step, which the records carry.
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
     * Value that was compared, raw Q16.16; INT32_MIN stands for no value.
     */
    q16_16_t actual;
    /**
     * Sequence of the step.
     */
    uint64_t ledger_seq;
    /**
     * Sequence of the observation (SRS-004-SHALL-044).
     */
    uint64_t obs_ledger_seq;
    /**
     * Identity of the policy, NUL-terminated.
     */
    const char *policy_id;
    /**
     * Decision of the policy: 0 is PERMITTED, 1 is BREACH.
     */
    uint8_t result;
    /**
     * Limit that the value was compared with, raw Q16.16.
     */
    q16_16_t threshold;
} ax_policy_record_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes a policy context with the built-in policies, both switches off and no manifest.
 *
 * @param ctx Context to overwrite, owned by the caller; untouched on failure.
 * @param ledger Ledger to commit records to, which must outlive ctx; NULL: records are not
 *     committed. An agent that steps needs its own ledger here.
 * @param agent Agent whose violation a breach sets, which must outlive ctx; may be NULL.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_POLICY_ERR_NULL_INPUT.
 * @return AX_POLICY_OK, or one of these codes.
 * @retval AX_POLICY_ERR_NULL_CTX ctx is NULL (flag domain).
 * @see SRS-004 §17 and §25.4; formats.md §4
 *
 * @par Example
 * @code{.c}
 * static ax_agent_ctx_t agent;
 * ax_policy_ctx_t policy;
 * ax_policy_err_t code;
 * ct_fault_flags_t faults;
 *
 * ct_fault_init(&faults);
 * ax_agent_init(&agent, &faults);
 * code = ax_policy_init(&policy, &agent.ledger, &agent, &faults);
 * assert(code == AX_POLICY_OK && policy.registry == ax_policy_get_registry());
 * @endcode
 */
enum ax_policy_err_t ax_policy_init(struct ax_policy_ctx_t *ctx,
                                    ax_ledger_ctx_t *ledger,
                                    struct ax_agent_ctx_t *agent,
                                    ct_fault_flags_t *faults);

/**
 * Makes a policy context with a registry of the caller's, both switches off and no manifest.
 *
 * A policy whose operator is unknown is kept, and breaches.
 *
 * @param ctx Context to overwrite, owned by the caller; untouched on failure.
 * @param registry Table of policies, which must outlive ctx unchanged.
 * @param ledger Ledger to commit records to, which must outlive ctx; NULL: records are not
 *     committed. An agent that steps needs its own ledger here.
 * @param agent Agent whose violation a breach sets, which must outlive ctx; may be NULL.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_POLICY_ERR_NULL_INPUT.
 * @return AX_POLICY_OK, or one of these codes.
 * @retval AX_POLICY_ERR_NULL_CTX ctx is NULL (flag domain).
 * @retval AX_POLICY_ERR_NULL_INPUT registry or one of its arrays is NULL (flag domain).
 * @retval AX_POLICY_ERR_OVERFLOW The registry has more than AX_POLICY_MAX_COUNT policies (flag
 *     domain).
 * @retval AX_POLICY_ERR_INVALID_ID An id or a selector is not valid, or the ids do not ascend
 *     strictly (flag domain).
 * @see SRS-004 §17.5; formats.md §4
 *
 * @par Example
 * @code{.c}
 * static const ax_policy_t policies[] = {
 *     { "POL-001-MAX-SPEED", Q16_16_FROM_INT(60), AX_POLICY_CMP_GT, 1 },
 * };
 * static const char *const selectors[] = { "speed" };
 * static const ax_policy_registry_t registry = { policies, 1, selectors };
 * static ax_agent_ctx_t agent;
 * ax_policy_ctx_t policy;
 * ax_policy_err_t code;
 * ct_fault_flags_t faults;
 *
 * ct_fault_init(&faults);
 * ax_agent_init(&agent, &faults);
 * code = ax_policy_init_with_registry(&policy, &registry, &agent.ledger, &agent, &faults);
 * assert(code == AX_POLICY_OK);
 * @endcode
 */
enum ax_policy_err_t ax_policy_init_with_registry(struct ax_policy_ctx_t *ctx,
                                                  const struct ax_policy_registry_t *registry,
                                                  ax_ledger_ctx_t *ledger,
                                                  struct ax_agent_ctx_t *agent,
                                                  ct_fault_flags_t *faults);

/**
 * Computes the SHA-256 of a context's canonical configuration, which is the input_hash of every
 * RESET_REQUEST.
 *
 * @param ctx Context that ax_policy_init made, borrowed for the call.
 * @param out Receives the 32 bytes of the digest, all zero on failure; overlaps no other argument.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_ERR_PROTOCOL.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_PROTOCOL A pointer is NULL (flag domain).
 * @retval AX_ERR_SIZE The registry has more than AX_POLICY_MAX_COUNT policies (flag domain).
 * @retval AX_ERR_SCHEMA An id or a selector of the registry is not valid (flag domain).
 * @retval AX_ERR_ORDERING The ids of the registry do not ascend strictly (flag domain).
 * @see SRS-004 §17.5; formats.md §5 (Configuration)
 */
int ax_policy_config_hash(const struct ax_policy_ctx_t *ctx,
                          uint8_t out[32],
                          ct_fault_flags_t *faults);

/**
 * Gives the registry that is compiled into the library.
 *
 * @return The registry, in static memory of the library; never NULL.
 * @see SRS-004 §17.3 and §17.5
 */
const struct ax_policy_registry_t *ax_policy_get_registry(void);

/**
 * Counts the policies that are compiled into the library.
 *
 * @return The number of policies, at most AX_POLICY_MAX_COUNT.
 * @see SRS-004 §17.5
 */
size_t ax_policy_get_count(void);

/**
 * Tells whether the built-in registry is sorted and free of duplicates.
 *
 * @return 1 where it is, as in every library that was built; else 0.
 * @see SRS-004 §17.5
 */
int ax_policy_verify_registry_sorted(void);

/**
 * Describes a return code of the policy functions in one line of English.
 *
 * @param code Code, or any other number.
 * @return A static string of the library, never NULL: "unknown code" for a number that is not a
 *     code.
 * @see SRS-004 §25.4
 */
const char *ax_policy_strerror(enum ax_policy_err_t code);

/**
 * Evaluates one policy on one value, and commits the record where ctx->ledger is set.
 *
 * A disabled policy permits and leaves no record. A breach sets ctx->breach_flag and the
 * violation of ctx->agent.
 *
 * @param ctx Context that ax_policy_init made.
 * @param policy Policy to evaluate, borrowed for the call.
 * @param input Value and sequences, borrowed for the call.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_POLICY_BREACH.
 * @return AX_POLICY_PERMITTED or AX_POLICY_BREACH. A record that cannot be committed breaches
 *     (flags ledger_fail and perhaps io_error), and so do a NULL, a policy or registry that is
 *     not valid and a ledger that was never initialised (flag domain).
 * @see SRS-004 §17.4; formats.md §4
 */
enum ax_policy_result_t ax_policy_evaluate(struct ax_policy_ctx_t *ctx,
                                           const struct ax_policy_t *policy,
                                           const struct ax_policy_input_t *input,
                                           ct_fault_flags_t *faults);

/**
 * Evaluates one value against every enabled policy in order, whatever its selector, and commits
 * the records where ctx->ledger is set.
 *
 * A breach sets ctx->breach_flag and the violation of ctx->agent. Without policies the value is
 * permitted.
 *
 * @param ctx Context that ax_policy_init made.
 * @param input Value and sequences, borrowed for the call.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_POLICY_BREACH.
 * @return AX_POLICY_PERMITTED or AX_POLICY_BREACH. A record that cannot be committed breaches
 *     (flags ledger_fail and perhaps io_error), and so do a NULL, a policy or registry that is
 *     not valid and a ledger that was never initialised (flag domain).
 * @see SRS-004 §11.1 and §17.4; formats.md §4
 */
enum ax_policy_result_t ax_policy_evaluate_all(struct ax_policy_ctx_t *ctx,
                                               const struct ax_policy_input_t *input,
                                               ct_fault_flags_t *faults);

/**
 * Compares a value with a threshold, without a context and without a record.
 *
 * @param actual Value, raw Q16.16; INT32_MIN stands for no value.
 * @param threshold Limit, raw Q16.16, any value.
 * @param comparison Operator; a number that is not an operator breaches.
 * @return 1 where the comparison holds, the operator is unknown or there is no value; else 0.
 * @see SRS-004 §17.4; formats.md §4
 */
int ax_policy_check_breach(q16_16_t actual, q16_16_t threshold, enum ax_policy_cmp_t comparison);

/**
 * Writes the canonical AX:POLICY:v1 record and a NUL.
 *
 * @param buf Receives the record and a NUL; overlaps no other argument. Untouched on failure.
 * @param size Bytes of room in buf; AX_POLICY_RECORD_MAX_BYTES always suffice.
 * @param record Record to write, borrowed for the call, with a NUL-terminated policy_id.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_POLICY_ERR_NULL_INPUT.
 * @return Bytes written, without the NUL; on failure a negative code.
 * @retval AX_POLICY_ERR_SERIALISE size is too small (flag serialise).
 * @retval AX_POLICY_ERR_NULL_INPUT buf or record is NULL (flag domain).
 * @retval AX_POLICY_ERR_INVALID_ID policy_id or result is not valid (flag domain).
 * @see SRS-004 §11.4 and §25.4; formats.md §4
 */
int ax_policy_serialize(char *buf,
                        size_t size,
                        const struct ax_policy_record_t *record,
                        ct_fault_flags_t *faults);

/**
 * Names a policy result as records do.
 *
 * @param result Result, or any other number.
 * @return A static string of the library, never NULL: "PERMITTED", "BREACH", or "UNKNOWN" for
 *     another number.
 * @see SRS-004 §11.4; formats.md §4
 */
const char *ax_policy_result_to_str(enum ax_policy_result_t result);

/**
 * Names a comparison operator as policy files do.
 *
 * @param comparison Operator, or any other number.
 * @return A static string of the library, never NULL: "GT", "LT", "GE", "LE", or "UNKNOWN" for
 *     another number.
 * @see SRS-004 §17.4; formats.md §4
 */
const char *ax_policy_cmp_to_str(enum ax_policy_cmp_t comparison);

/**
 * Tells whether a policy was breached since the last cycle began.
 *
 * @param ctx Context that ax_policy_init made, borrowed for the call; NULL counts as a breach.
 * @return 1 where one was, else 0.
 * @see SRS-004 §17.6 and §25.4
 */
int ax_policy_has_breach(const struct ax_policy_ctx_t *ctx);

/**
 * Begins a cycle: clears the breach flag, the evaluation count and the permission of a context;
 * ax_agent_step and ax_agent_observe do so themselves.
 *
 * @param ctx Context that ax_policy_init made. NULL: the call does nothing.
 * @see SRS-004 §17.6 and §25.4
 */
void ax_policy_reset_cycle(struct ax_policy_ctx_t *ctx);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif /* AXILOG_POLICY_H */
