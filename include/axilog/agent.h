/**
 * The agent (SRS-004 sections 19 and 25.5).
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_AGENT_H
#define AXILOG_AGENT_H

#include "axilog/policy.h"
#include "axilog/audit.h"
#include "axilog/oracle.h"

struct ax_obs_input_t;

/** Faults in ENABLED from which the agent is in ALARM. */
#define AX_FAULT_THRESHOLD_ALARM 3U
/** Faults in ENABLED from which the agent is STOPPED. */
#define AX_FAULT_THRESHOLD_STOP 5U

/**
 * How many input classes there are.
 */
#define AX_INPUT_CLASS_COUNT 5

/**
 * How many health states there are.
 */
#define AX_HEALTH_STATE_COUNT 6

/**
 * The agent's health.
 */
typedef enum ax_health_state_t {
    /**
     * Before the first reset.
     */
    AX_HEALTH_UNINIT = 0,
    /**
     * Reset; waiting for the time.
     */
    AX_HEALTH_INIT = 1,
    /**
     * Running.
     */
    AX_HEALTH_ENABLED = 2,
    /**
     * A policy was breached, or faults gather.
     */
    AX_HEALTH_ALARM = 3,
    /**
     * An alarm was handled; waiting for a reset.
     */
    AX_HEALTH_DEGRADED = 4,
    /**
     * Terminal.
     */
    AX_HEALTH_STOPPED = 5,
} ax_health_state_t;

/**
 * Which rule was violated.
 */
typedef enum ax_violation_t {
    /**
     * None.
     */
    AX_VIOLATION_NONE = 0,
    /**
     * A timestamp that does not exceed the last.
     */
    AX_VIOLATION_TIME_ROLLBACK = 1,
    /**
     * A policy said no.
     */
    AX_VIOLATION_POLICY_BREACH = 2,
    /**
     * Too many faults.
     */
    AX_VIOLATION_FAULT_EXCEEDED = 3,
    /**
     * An input that the state does not allow.
     */
    AX_VIOLATION_PROTOCOL = 4,
    /**
     * The chain does not begin with the golden genesis.
     */
    AX_VIOLATION_GENESIS_MISMATCH = 5,
    /**
     * A record could not be committed.
     */
    AX_VIOLATION_COMMIT_FAILURE = 6,
    /**
     * A sequence that does not increase.
     */
    AX_VIOLATION_SEQUENCE_ORDER = 7,
    /**
     * An input to a stopped agent.
     */
    AX_VIOLATION_TERMINALITY = 8,
} ax_violation_t;

/**
 * What kind of input the agent takes. Any other number is the unknown class, which stops it.
 */
typedef enum ax_input_class_t {
    /**
     * The time.
     */
    AX_INPUT_TIME_OBS = 0,
    /**
     * An oracle's answer.
     */
    AX_INPUT_LLM_OBS = 1,
    /**
     * An operator's handling of an alarm.
     */
    AX_INPUT_POLICY_TRIGGER = 2,
    /**
     * A fault of the machine.
     */
    AX_INPUT_FAULT_SIGNAL = 3,
    /**
     * A reset.
     */
    AX_INPUT_RESET_REQUEST = 4,
} ax_input_class_t;

/**
 * The agent and the ledger it writes. Caller-owned; made by ax_agent_init. It holds no pointer but
 * the ledger's sink and may be copied.
 */
typedef struct ax_agent_ctx_t {
    /**
     * Its ledger.
     */
    ax_ledger_ctx_t ledger;
    /**
     * Its state.
     */
    enum ax_health_state_t health;
    /**
     * Faults counted since the last reset.
     */
    uint32_t fault_accumulator;
    /**
     * The last accepted timestamp; 0 before the first.
     */
    uint64_t last_timestamp;
    /**
     * The sequence of the last observation that was acted on.
     */
    uint64_t last_seen_seq;
    /**
     * 1: the agent failed by itself, whatever its ledger says.
     */
    uint8_t local_failed_flag;
    /**
     * Zero.
     */
    uint8_t _pad[7];
    /**
     * Why the last input was refused, where no record could say so; and the violation that the next
     * ax_agent_commit_transition writes.
     */
    enum ax_violation_t violation;
} ax_agent_ctx_t;

/**
 * One input of the agent, whose observation is already in the ledger.
 */
typedef struct ax_input_t {
    /**
     * What it is.
     */
    enum ax_input_class_t type;
    /**
     * Its AX:OBS:v1 record, or for time also the bare {"timestamp":N}. Control inputs need none.
     */
    const uint8_t *payload;
    /**
     * Bytes of payload.
     */
    uint64_t payload_len;
    /**
     * The observation's sequence.
     */
    uint64_t ledger_seq;
} ax_input_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The chain value of every ledger's genesis (formats.md §1).
 */
extern const uint8_t AX_GOLDEN_GENESIS_HASH[32];

/**
 * Makes a new agent in UNINIT with a new ledger and no sink. Initialising again begins anew.
 *
 * Safety:
 * ctx is NULL (flag domain) or writable; faults is NULL or a ct_fault_flags_t.
 */
void ax_agent_init(struct ax_agent_ctx_t *ctx, ct_fault_flags_t *faults);

/**
 * Compares the genesis of the agent's ledger with the golden one. A mismatch, or a ledger that was
 * never initialised, stops the agent with GENESIS_MISMATCH (flag domain).
 *
 * Safety:
 * ctx is NULL (flag domain) or an agent; faults is NULL or a ct_fault_flags_t.
 */
void ax_agent_bind(struct ax_agent_ctx_t *ctx, ct_fault_flags_t *faults);

/**
 * The step behind ax_agent_step, for programs whose own function has that name. It acts on one
 * input whose observation is already in the agent's ledger (formats.md §5, rules 0 to 7): policies
 * first, then the transition, then the state. The result is in ctx and in the ledger.
 *
 * A NULL faults: nothing at all. Another NULL, a ledger that was never initialised, or a registry
 * that is not one: flag domain, nothing else. A policy->ledger other than the agent's own, or a flag
 * set on entry: STOPPED for good, no record.
 *
 * Safety:
 * The pointers are NULL or valid; ctx was made by ax_agent_init, policy by ax_policy_init.
 */
void axilog_agent_step(struct ax_agent_ctx_t *ctx,
                       ax_policy_ctx_t *policy,
                       const struct ax_input_t *input,
                       ct_fault_flags_t *faults);

/**
 * Takes an oracle's raw answer all the way (formats.md §5): admits it under the next sequence,
 * records it, evaluates the policies, commits the transition, changes state. in->ledger_seq is
 * ignored. work is scratch: it holds the record and bounds its size.
 *
 * Returns AX_OK; AX_ERR_ENCODING where input or answer were not admissible (recorded and acted on
 * all the same); AX_ERR_LEDGER (the observation may be recorded; health is STOPPED). With nothing
 * recorded: AX_ERR_PROTOCOL for a NULL (flag domain) or a flag set on entry, AX_ERR_SCHEMA (flag
 * schema), AX_ERR_ORDERING (flags ordering, protocol), AX_ERR_BUFFER where work is too small for
 * any record of it. What the oracle did wrong is in the record, never in faults.
 *
 * Safety:
 * As for ax_agent_step; work is NULL or points to work_len writable bytes.
 */
int ax_agent_observe(struct ax_agent_ctx_t *agent,
                     ax_policy_ctx_t *policy,
                     const struct ax_obs_input_t *in,
                     uint8_t *work,
                     size_t work_len,
                     ct_fault_flags_t *faults);

/**
 * Observes the time, in the integrator's unit. Returns as ax_agent_observe.
 *
 * Safety:
 * As for ax_agent_observe.
 */
int ax_agent_observe_time(struct ax_agent_ctx_t *agent,
                          ax_policy_ctx_t *policy,
                          uint64_t timestamp,
                          uint8_t *work,
                          size_t work_len,
                          ct_fault_flags_t *faults);

/**
 * Observes a control input. Returns as ax_agent_observe; AX_ERR_SCHEMA for a class that is not
 * POLICY_TRIGGER, FAULT_SIGNAL or RESET_REQUEST (flag schema), with nothing recorded.
 *
 * Safety:
 * As for ax_agent_observe.
 */
int ax_agent_observe_control(struct ax_agent_ctx_t *agent,
                             ax_policy_ctx_t *policy,
                             enum ax_input_class_t input_class,
                             uint8_t *work,
                             size_t work_len,
                             ct_fault_flags_t *faults);

/**
 * The value of the selector "value" in the answer that input holds, raw Q16.16; INT32_MIN where
 * there is none, or input is NULL (formats.md §4).
 *
 * Safety:
 * input is NULL or readable, its payload too.
 */
q16_16_t ax_agent_extract_value(const struct ax_input_t *input);

/**
 * The pure table of intended transitions (formats.md §5). A number that is no state gives STOPPED.
 */
enum ax_health_state_t ax_agent_determine_next(enum ax_health_state_t state,
                                               enum ax_input_class_t input_class);

/**
 * Commits an AX:TRANS:v1 from ctx->health to next with ctx->violation, clears the violation and
 * applies the fault count. ctx->health is the caller's to change, and only if no flag is set.
 *
 * Where the record cannot be committed (flags ledger_fail and perhaps io_error) the violation is
 * COMMIT_FAILURE. A NULL, a ledger that was never initialised or a next that is no state: flag
 * domain, nothing else.
 *
 * Safety:
 * ctx is NULL or an agent with a valid sink; input is NULL or readable; its payload is not read.
 */
void ax_agent_commit_transition(struct ax_agent_ctx_t *ctx,
                                const struct ax_input_t *input,
                                enum ax_health_state_t next,
                                ct_fault_flags_t *faults);

/**
 * The timestamp of a time payload: {"timestamp":N} itself, or the record of an ax.time observation.
 *
 * Returns 1 and writes out, or 0 and leaves it; flag domain for a NULL, and nothing at all but 0
 * for a NULL faults.
 *
 * Safety:
 * payload is NULL or points to payload_len bytes; out is NULL or writable.
 */
int ax_extract_timestamp(const uint8_t *payload,
                         uint64_t payload_len,
                         uint64_t *out,
                         ct_fault_flags_t *faults);

/**
 * The state's name, such as "ENABLED"; "UNKNOWN" for another number. Never NULL.
 */
const char *ax_health_state_to_str(enum ax_health_state_t state);

/**
 * The class's name, such as "LLM_OBS"; "UNKNOWN" for another number. Never NULL.
 */
const char *ax_input_class_to_str(enum ax_input_class_t input_class);

/**
 * The violation's name, such as "POLICY_BREACH"; NULL for none, "UNKNOWN" for another number.
 */
const char *ax_violation_to_str(enum ax_violation_t violation);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Acts on one input whose observation is already in the agent's ledger; the same as
 * axilog_agent_step. Alone in its object, so that a program that defines ax_agent_step itself links
 * against the static library all the same.
 *
 * Safety:
 * As for axilog_agent_step.
 */
void ax_agent_step(ax_agent_ctx_t *ctx,
                   ax_policy_ctx_t *policy,
                   const ax_input_t *input,
                   ct_fault_flags_t *faults);

#ifdef __cplusplus
}
#endif

#endif /* AXILOG_AGENT_H */
