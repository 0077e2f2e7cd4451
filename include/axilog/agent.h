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

/* An object that was compiled against the deployed C libraries has shorter structs, and must not link.
 * It asks for these functions by their names (docs/rigs.md). */
#ifndef ax_agent_bind
#define ax_agent_bind ax_agent_bind_v2
#endif
#ifndef ax_agent_init
#define ax_agent_init ax_agent_init_v2
#endif
#ifndef ax_agent_step
#define ax_agent_step ax_agent_step_v2
#endif

struct ax_obs_input_t;

/** Faults in ENABLED from which the agent is in ALARM. */
#define AX_FAULT_THRESHOLD_ALARM 3U
/** Faults in ENABLED from which the agent is STOPPED. */
#define AX_FAULT_THRESHOLD_STOP 5U

/**
 * Number of input classes.
 */
#define AX_INPUT_CLASS_COUNT 5

/**
 * Number of health states.
 */
#define AX_HEALTH_STATE_COUNT 6

/**
 * The health of an agent.
 */
typedef enum ax_health_state_t {
    /**
     * The agent waits for its first reset.
     */
    AX_HEALTH_UNINIT = 0,
    /**
     * The agent was reset and waits for the time.
     */
    AX_HEALTH_INIT = 1,
    /**
     * The agent runs.
     */
    AX_HEALTH_ENABLED = 2,
    /**
     * A policy was breached, or too many faults were counted.
     */
    AX_HEALTH_ALARM = 3,
    /**
     * An operator handled the alarm; the agent waits for a reset.
     */
    AX_HEALTH_DEGRADED = 4,
    /**
     * The agent stopped for good.
     */
    AX_HEALTH_STOPPED = 5,
} ax_health_state_t;

/**
 * A rule that an input violated.
 */
typedef enum ax_violation_t {
    /**
     * No rule was violated.
     */
    AX_VIOLATION_NONE = 0,
    /**
     * A timestamp did not exceed the last one.
     */
    AX_VIOLATION_TIME_ROLLBACK = 1,
    /**
     * A policy was breached.
     */
    AX_VIOLATION_POLICY_BREACH = 2,
    /**
     * Too many faults were counted.
     */
    AX_VIOLATION_FAULT_EXCEEDED = 3,
    /**
     * The state does not allow the input.
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
     * A sequence did not increase.
     */
    AX_VIOLATION_SEQUENCE_ORDER = 7,
    /**
     * An input came to a stopped agent.
     */
    AX_VIOLATION_TERMINALITY = 8,
} ax_violation_t;

/**
 * The class of an input. Any other number is the unknown class, which stops the agent.
 */
typedef enum ax_input_class_t {
    /**
     * The input is the time.
     */
    AX_INPUT_TIME_OBS = 0,
    /**
     * The input is an oracle's answer.
     */
    AX_INPUT_LLM_OBS = 1,
    /**
     * An operator handled an alarm.
     */
    AX_INPUT_POLICY_TRIGGER = 2,
    /**
     * The machine reports a fault.
     */
    AX_INPUT_FAULT_SIGNAL = 3,
    /**
     * An operator asks for a reset.
     */
    AX_INPUT_RESET_REQUEST = 4,
} ax_input_class_t;

/**
 * An agent and the ledger that it writes. The caller owns the context; ax_agent_init makes it. The
 * context may be copied: its only pointer is the ledger's sink.
 */
typedef struct ax_agent_ctx_t {
    /**
     * Ledger of the agent.
     */
    ax_ledger_ctx_t ledger;
    /**
     * Health of the agent.
     */
    enum ax_health_state_t health;
    /**
     * Number of faults since the last reset.
     */
    uint32_t fault_accumulator;
    /**
     * Last accepted timestamp in the integrator's unit; 0 before the first.
     */
    uint64_t last_timestamp;
    /**
     * Sequence of the last observation that the agent acted on.
     */
    uint64_t last_seen_seq;
    /**
     * 1 where the agent failed by itself, whatever the state of its ledger; else 0.
     */
    uint8_t local_failed_flag;
    /**
     * Padding; zero.
     */
    uint8_t _pad[7];
    /**
     * Rule for which the last input was refused without a record, and the violation that the next
     * ax_agent_commit_transition writes.
     */
    enum ax_violation_t violation;
} ax_agent_ctx_t;

/**
 * One input of the agent, whose observation is already in the ledger.
 */
typedef struct ax_input_t {
    /**
     * Class of the input.
     */
    enum ax_input_class_t type;
    /**
     * AX:OBS:v1 record of the input, or for the time also the bare {"timestamp":N}; may be NULL for
     * a control input.
     */
    const uint8_t *payload;
    /**
     * Bytes of payload.
     */
    uint64_t payload_len;
    /**
     * Sequence of the observation.
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
 * Makes a new agent in UNINIT with a new ledger and no sink; initialising again begins a new
 * ledger.
 *
 * @param ctx Agent to overwrite, owned by the caller. NULL sets domain.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing.
 * @see SRS-004 §19 and §25.5; formats.md §5 (Lifecycle)
 *
 * @par Example
 * @code{.c}
 * static ax_agent_ctx_t agent;
 * ct_fault_flags_t faults;
 *
 * ct_fault_init(&faults);
 * ax_agent_init(&agent, &faults);
 * assert(agent.health == AX_HEALTH_UNINIT && agent.ledger.sequence == 0);
 * assert(!ct_fault_any(&faults));
 * @endcode
 */
void ax_agent_init(struct ax_agent_ctx_t *ctx, ct_fault_flags_t *faults);

/**
 * Compares the genesis of an agent's ledger with the golden one, and stops the agent where they
 * differ.
 *
 * A ledger that was never initialised counts as another genesis. The agent is then STOPPED with
 * GENESIS_MISMATCH (flag domain).
 *
 * @param ctx Agent to check. NULL sets domain.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing.
 * @see SRS-004 §19 and §25.5; formats.md §5 (Lifecycle)
 */
void ax_agent_bind(struct ax_agent_ctx_t *ctx, ct_fault_flags_t *faults);

/**
 * Acts on one input whose observation is already in the agent's ledger: evaluates the policies,
 * commits the transition, changes the state.
 *
 * ax_agent_step forwards to this function, which a program whose own step has that name may call.
 * A policy->ledger other than the agent's own, or a flag that is set on entry, stops the agent
 * for good without a record.
 *
 * @param ctx Agent that ax_agent_init or ax_replay_agent made. NULL, or a ledger that was never
 *     initialised, sets domain.
 * @param policy Context that ax_policy_init made with the agent's ledger. NULL, or a registry
 *     that is not valid, sets domain.
 * @param input Input to act on, borrowed for the call. NULL sets domain.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing.
 * @see SRS-004 §12 and §19; formats.md §5
 */
void axilog_agent_step(struct ax_agent_ctx_t *ctx,
                       ax_policy_ctx_t *policy,
                       const struct ax_input_t *input,
                       ct_fault_flags_t *faults);

/**
 * Takes an oracle's raw answer all the way: admits and records it under the next sequence,
 * evaluates the policies, commits the transition, changes the state.
 *
 * Where the observation does not hold the answer's bytes, as it is not admissible or was cut, a RAW
 * record after it binds them (ax_raw_record). So it does for an answer that the caller refuses by
 * its own rules: one that is ERROR / INVALID_OUTPUT and whose output is not NULL. A STOPPED agent still records the observation and the
 * RAW record, and does nothing else. What the oracle did wrong is in the record and never in faults.
 * Whether the answer may be acted on, ax_agent_may_act tells.
 *
 * @param agent Agent that ax_agent_init or ax_replay_agent made; its sink, if any, is valid.
 * @param policy Context that ax_policy_init made with the agent's ledger. For a registry that is
 *     not valid the call returns what ax_policy_config_hash returns (flag domain), and records
 *     nothing.
 * @param in Answer as the oracle gave it, borrowed for the call; its ledger_seq is ignored. Its
 *     input, its output and its identities may overlap one another.
 * @param work Scratch room for the record; overlaps nothing that another argument leads to. One that
 *     overlaps the input, the output or an identity of in is refused.
 * @param work_len Bytes of work, of which at most 65536 are used; they bound the record. 1024
 *     suffice for the time, a control input or a short answer.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_ERR_PROTOCOL.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_ENCODING The input or the output is not admissible, or the caller refused the
 *     output; the agent recorded that and acted on it.
 * @retval AX_ERR_LEDGER The ledger has failed, is sealed or has no sequence left (flag
 *     ledger_fail), the sink refused a record (flags io_error and ledger_fail), or the ledger was
 *     never initialised (flag domain). The observation may be recorded; the agent is STOPPED.
 * @retval AX_ERR_PROTOCOL A pointer is NULL or work overlaps what in leads to (flag domain), a flag
 *     is set on entry, or policy->ledger is not the agent's own, which stops the agent. Nothing is
 *     recorded.
 * @retval AX_ERR_ORDERING The next sequence does not exceed the last that the agent acted on
 *     (flags ordering and protocol). Nothing is recorded.
 * @retval AX_ERR_BUFFER work_len is too small for the record. Nothing is recorded.
 * @retval AX_ERR_SCHEMA An identity, a parameter or a state of in breaks the schema (flag
 *     schema); nothing is recorded.
 * @see SRS-004 §12 and §19; formats.md §5
 *
 * @par Example
 * @code{.c}
 * static ax_agent_ctx_t agent;
 * static ax_policy_ctx_t policy;
 * static uint8_t work[4096];
 * const char *answer = "{\"value\": 71}";
 * ax_obs_input_t input;
 * ct_fault_flags_t faults;
 * int code;
 *
 * ct_fault_init(&faults);
 * ax_agent_init(&agent, &faults);
 * ax_policy_init(&policy, &agent.ledger, &agent, &faults);
 * ax_agent_observe_control(&agent, &policy, AX_INPUT_RESET_REQUEST, work, sizeof work, &faults);
 * ax_agent_observe_time(&agent, &policy, 1, work, sizeof work, &faults);
 *
 * ax_obs_input_set_complete(&input, 0, "llm", "model-1", "How fast?", 9, answer, strlen(answer),
 *                           NULL);
 * code = ax_agent_observe(&agent, &policy, &input, work, sizeof work, &faults);
 * assert(code == AX_OK && agent.health == AX_HEALTH_ALARM && agent.ledger.sequence == 7);
 * @endcode
 */
int ax_agent_observe(struct ax_agent_ctx_t *agent,
                     ax_policy_ctx_t *policy,
                     const struct ax_obs_input_t *in,
                     uint8_t *work,
                     size_t work_len,
                     ct_fault_flags_t *faults);

/**
 * Observes the time: records it as an observation of ax.time, evaluates the policies on elapsed,
 * and moves an INIT agent to ENABLED.
 *
 * @param agent Agent that ax_agent_init or ax_replay_agent made; its sink, if any, is valid.
 * @param policy Context that ax_policy_init made with the agent's ledger. For a registry that is
 *     not valid the call returns what ax_policy_config_hash returns (flag domain), and records
 *     nothing.
 * @param timestamp Time in the integrator's unit, above the last one and above 0; another one
 *     stops the agent.
 * @param work Scratch room for the record; overlaps nothing that another argument leads to.
 * @param work_len Bytes of work, of which at most 65536 are used; they bound the record. 1024
 *     suffice for the time, a control input or a short answer.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_ERR_PROTOCOL.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_LEDGER The ledger has failed, is sealed or has no sequence left (flag
 *     ledger_fail), the sink refused a record (flags io_error and ledger_fail), or the ledger was
 *     never initialised (flag domain). The observation may be recorded; the agent is STOPPED.
 * @retval AX_ERR_PROTOCOL A pointer is NULL (flag domain), a flag is set on entry, or
 *     policy->ledger is not the agent's own, which stops the agent. Nothing is recorded.
 * @retval AX_ERR_ORDERING The next sequence does not exceed the last that the agent acted on
 *     (flags ordering and protocol). Nothing is recorded.
 * @retval AX_ERR_BUFFER work_len is too small for the record. Nothing is recorded.
 * @see SRS-004 §19; formats.md §5
 *
 * @par Example
 * @code{.c}
 * static ax_agent_ctx_t agent;
 * static ax_policy_ctx_t policy;
 * static uint8_t work[1024];
 * ct_fault_flags_t faults;
 * int code;
 *
 * ct_fault_init(&faults);
 * ax_agent_init(&agent, &faults);
 * ax_policy_init(&policy, &agent.ledger, &agent, &faults);
 * ax_agent_observe_control(&agent, &policy, AX_INPUT_RESET_REQUEST, work, sizeof work, &faults);
 *
 * code = ax_agent_observe_time(&agent, &policy, 1, work, sizeof work, &faults);
 * assert(code == AX_OK && agent.health == AX_HEALTH_ENABLED && agent.last_timestamp == 1);
 * @endcode
 */
int ax_agent_observe_time(struct ax_agent_ctx_t *agent,
                          ax_policy_ctx_t *policy,
                          uint64_t timestamp,
                          uint8_t *work,
                          size_t work_len,
                          ct_fault_flags_t *faults);

/**
 * Observes a control input: records it as an observation of ax.control and acts on it.
 *
 * @param agent Agent that ax_agent_init or ax_replay_agent made; its sink, if any, is valid.
 * @param policy Context that ax_policy_init made with the agent's ledger. For a registry that is
 *     not valid the call returns what ax_policy_config_hash returns (flag domain), and records
 *     nothing.
 * @param input_class AX_INPUT_POLICY_TRIGGER, AX_INPUT_FAULT_SIGNAL or AX_INPUT_RESET_REQUEST.
 * @param work Scratch room for the record; overlaps nothing that another argument leads to.
 * @param work_len Bytes of work, of which at most 65536 are used; they bound the record. 1024
 *     suffice for the time, a control input or a short answer.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_ERR_PROTOCOL.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_LEDGER The ledger has failed, is sealed or has no sequence left (flag
 *     ledger_fail), the sink refused a record (flags io_error and ledger_fail), or the ledger was
 *     never initialised (flag domain). The observation may be recorded; the agent is STOPPED.
 * @retval AX_ERR_PROTOCOL A pointer is NULL (flag domain), a flag is set on entry, or
 *     policy->ledger is not the agent's own, which stops the agent. Nothing is recorded.
 * @retval AX_ERR_ORDERING The next sequence does not exceed the last that the agent acted on
 *     (flags ordering and protocol). Nothing is recorded.
 * @retval AX_ERR_BUFFER work_len is too small for the record. Nothing is recorded.
 * @retval AX_ERR_SCHEMA input_class is not a control class (flag schema); nothing is recorded.
 * @see SRS-004 §19; formats.md §5
 *
 * @par Example
 * @code{.c}
 * static ax_agent_ctx_t agent;
 * static ax_policy_ctx_t policy;
 * static uint8_t work[1024];
 * ct_fault_flags_t faults;
 * int code;
 *
 * ct_fault_init(&faults);
 * ax_agent_init(&agent, &faults);
 * ax_policy_init(&policy, &agent.ledger, &agent, &faults);
 *
 * code = ax_agent_observe_control(&agent, &policy, AX_INPUT_RESET_REQUEST, work, sizeof work,
 *                                 &faults);
 * assert(code == AX_OK && agent.health == AX_HEALTH_INIT);
 * @endcode
 */
int ax_agent_observe_control(struct ax_agent_ctx_t *agent,
                             ax_policy_ctx_t *policy,
                             enum ax_input_class_t input_class,
                             uint8_t *work,
                             size_t work_len,
                             ct_fault_flags_t *faults);

/**
 * Tells whether the agent's last answer may be acted on: the policies permitted it, and the agent
 * was ENABLED after it and still is.
 *
 * An answer that the policies permitted while the agent was in INIT, ALARM or DEGRADED is recorded
 * and may not be acted on. An answer that ax_agent_observe could not record may not be acted on
 * either, and after a restart none may before the next answer. Times and control inputs are no
 * answers; one that takes the agent out of ENABLED ends the permission for good. In a program that
 * steps by itself, the values that it gives to ax_policy_evaluate_all since ax_policy_reset_cycle
 * count as the last answer.
 *
 * @param agent Agent that observed the answer, borrowed for the call.
 * @param policy Context with which it did, borrowed for the call; its ledger is the agent's.
 * @return 1 where the answer may be acted on, else 0; 0 for a NULL.
 * @see SRS-004 §12 and §19; formats.md §5
 *
 * @par Example
 * @code{.c}
 * static ax_agent_ctx_t agent;
 * static ax_policy_ctx_t policy;
 * static uint8_t work[4096];
 * const char *answer = "{\"value\": 40}";
 * ax_obs_input_t input;
 * ct_fault_flags_t faults;
 *
 * ct_fault_init(&faults);
 * ax_agent_init(&agent, &faults);
 * ax_policy_init(&policy, &agent.ledger, &agent, &faults);
 * ax_agent_observe_control(&agent, &policy, AX_INPUT_RESET_REQUEST, work, sizeof work, &faults);
 * ax_obs_input_set_complete(&input, 0, "llm", "model-1", "How fast?", 9, answer, strlen(answer),
 *                           NULL);
 *
 * ax_agent_observe(&agent, &policy, &input, work, sizeof work, &faults);
 * assert(!policy.breach_flag && agent.health == AX_HEALTH_INIT && !ax_agent_may_act(&agent, &policy));
 *
 * ax_agent_observe_time(&agent, &policy, 1, work, sizeof work, &faults);
 * ax_agent_observe(&agent, &policy, &input, work, sizeof work, &faults);
 * assert(agent.health == AX_HEALTH_ENABLED && ax_agent_may_act(&agent, &policy));
 * @endcode
 */
int ax_agent_may_act(const struct ax_agent_ctx_t *agent,
                     const ax_policy_ctx_t *policy);

/**
 * Extracts the value of the selector "value" from the answer that an input holds.
 *
 * @param input Input whose payload is an AX:OBS:v1 record, borrowed for the call; may be NULL.
 * @return The value, raw Q16.16; INT32_MIN where there is none.
 * @see SRS-004 §11.3 and §25.5; formats.md §4 (Extracting the value)
 */
q16_16_t ax_agent_extract_value(const struct ax_input_t *input);

/**
 * Looks up the intended transition, on top of which a step applies policies, faults, time and
 * genesis.
 *
 * @param state State before the input; a number that is not a state gives STOPPED.
 * @param input_class Class of the input; a number that is not a class gives STOPPED.
 * @return The intended next state.
 * @see SRS-004 §19 and §25.5; formats.md §5
 */
enum ax_health_state_t ax_agent_determine_next(enum ax_health_state_t state,
                                               enum ax_input_class_t input_class);

/**
 * Commits an AX:TRANS:v1 record from ctx->health to next with ctx->violation, clears the
 * violation and applies the fault count.
 *
 * The caller changes ctx->health afterwards, and only where no flag is set. Where the record
 * cannot be committed (flags ledger_fail and perhaps io_error), the violation is COMMIT_FAILURE.
 *
 * @param ctx Agent with a valid sink or none. NULL, or a ledger that was never initialised, sets
 *     domain.
 * @param input Input whose type and sequence the record names, borrowed for the call; its payload
 *     is not read. NULL sets domain.
 * @param next State that the record names as the next; a number that is not a state sets domain.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing.
 * @see SRS-004 §19.1 and §25.5; formats.md §5
 */
void ax_agent_commit_transition(struct ax_agent_ctx_t *ctx,
                                const struct ax_input_t *input,
                                enum ax_health_state_t next,
                                ct_fault_flags_t *faults);

/**
 * Reads the timestamp of a time payload: {"timestamp":N} itself, or the record of an ax.time
 * observation.
 *
 * @param payload Bytes of the payload, borrowed for the call; may be NULL where payload_len is 0.
 * @param payload_len Bytes of payload.
 * @param out Receives the timestamp in the integrator's unit; overlaps no other argument. Untouched
 *     on failure. NULL sets domain.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns 0.
 * @return 1 where the payload has a timestamp, else 0.
 * @see SRS-004 §25.5; formats.md §5
 */
int ax_extract_timestamp(const uint8_t *payload,
                         uint64_t payload_len,
                         uint64_t *out,
                         ct_fault_flags_t *faults);

/**
 * Names a health state as records do.
 *
 * @param state State, or any other number.
 * @return A static string of the library, never NULL: such as "ENABLED", or "UNKNOWN" for another
 *     number.
 * @see SRS-004 §19; formats.md §5
 */
const char *ax_health_state_to_str(enum ax_health_state_t state);

/**
 * Names an input class as records do.
 *
 * @param input_class Class, or any other number.
 * @return A static string of the library, never NULL: such as "LLM_OBS", or "UNKNOWN" for another
 *     number.
 * @see SRS-004 §19; formats.md §5
 */
const char *ax_input_class_to_str(enum ax_input_class_t input_class);

/**
 * Names a violation as records do.
 *
 * @param violation Violation, or any other number.
 * @return A static string of the library, such as "POLICY_BREACH", or "UNKNOWN" for another
 *     number; NULL for AX_VIOLATION_NONE.
 * @see SRS-004 §19; formats.md §5
 */
const char *ax_violation_to_str(enum ax_violation_t violation);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Acts on one input whose observation is already in the agent's ledger: evaluates the policies,
 * commits the transition, changes the state.
 *
 * The function stands alone in its object, so that a program that defines ax_agent_step itself
 * links with the static library all the same. A policy->ledger other than the agent's own, or a
 * flag that is set on entry, stops the agent for good without a record.
 *
 * @param ctx Agent that ax_agent_init or ax_replay_agent made. NULL, or a ledger that was never
 *     initialised, sets domain.
 * @param policy Context that ax_policy_init made with the agent's ledger. NULL, or a registry that
 *     is not valid, sets domain.
 * @param input Input to act on, borrowed for the call. NULL sets domain.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call does
 *     nothing.
 * @see SRS-004 §12 and §19; formats.md §5
 */
void ax_agent_step(ax_agent_ctx_t *ctx,
                   ax_policy_ctx_t *policy,
                   const ax_input_t *input,
                   ct_fault_flags_t *faults);

#ifdef __cplusplus
}
#endif

#endif /* AXILOG_AGENT_H */
