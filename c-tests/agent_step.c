/* agent.h, second part: the rules of a step and of observing, and committing a transition. */

#include "axilog/agent.h"

#include "axilog/canonical.h"
#include "flags.h"
#include "ledger_file.h"
#include "scenario.h"

static ct_fault_flags_t faults;
static ledger_file_t file;
static const ax_ledger_sink_t SINK = { ledger_file_append, &file };
static uint8_t work[1 << 17];

static ax_agent_ctx_t agent;
static ax_policy_ctx_t policy;

/* An agent in ENABLED under the built-in policy, with the file as its sink. */
static void enabled(void)
{
    ct_fault_clear(&faults);
    ax_agent_init(&agent, &faults);
    ledger_file_begin(&file);
    ax_ledger_set_sink(&agent.ledger, &SINK, &faults);
    ax_policy_init(&policy, &agent.ledger, &agent, &faults);
    CHECK(ax_agent_observe_control(&agent, &policy, AX_INPUT_RESET_REQUEST, work, 1024, &faults) == AX_OK);
    CHECK(ax_agent_observe_time(&agent, &policy, 1000, work, 1024, &faults) == AX_OK);
    CHECK(agent.health == AX_HEALTH_ENABLED && file.entries == 5 && flags_taken(&faults) == 0);
}

typedef void (*step_t)(ax_agent_ctx_t *, ax_policy_ctx_t *, const ax_input_t *, ct_fault_flags_t *);

/* A step that stops the agent for good without a record. */
static void halts(step_t step, const ax_input_t *input, int flags, ax_violation_t violation)
{
    const uint64_t sequence = agent.ledger.sequence;
    step(&agent, &policy, input, &faults);
    CHECK(flags_taken(&faults) == flags && agent.health == AX_HEALTH_STOPPED);
    CHECK(agent.ledger.sequence == sequence && agent.violation == violation);
}

/* Rules 0 to 7 of formats.md section 5. */
static void stepping(step_t step)
{
    static const char LATER[] = "{\"timestamp\":2000}";
    uint8_t record[1024];
    ax_input_t input = { AX_INPUT_TIME_OBS, (const uint8_t *)LATER, sizeof LATER - 1, 5 };
    ax_input_t llm = { AX_INPUT_LLM_OBS, record, 0, 5 };
    ax_agent_ctx_t before;
    ax_ledger_ctx_t other;

    enabled();
    CHECK(agent.last_seen_seq == 3 && agent.last_timestamp == 1000);
    before = agent;
#define NOTHING(call, flags) \
    call; \
    CHECK(memcmp(&before, &agent, sizeof agent) == 0 && flags_taken(&faults) == (flags))
    NOTHING(step(&agent, &policy, &input, NULL), 0);
    NOTHING(step(NULL, &policy, &input, &faults), DOMAIN_);
    NOTHING(step(&agent, NULL, &input, &faults), DOMAIN_);
    NOTHING(step(&agent, &policy, NULL, &faults), DOMAIN_);
    input.payload = NULL;
    NOTHING(step(&agent, &policy, &input, &faults), DOMAIN_);
    input.payload = (const uint8_t *)LATER;
    policy.registry = NULL;
    NOTHING(step(&agent, &policy, &input, &faults), DOMAIN_);
#undef NOTHING
    policy.registry = ax_policy_get_registry();

    /* A good step: the bare time, then an answer that breaches. */
    step(&agent, &policy, &input, &faults);
    CHECK(flags_taken(&faults) == 0 && agent.health == AX_HEALTH_ENABLED);
    CHECK(agent.last_timestamp == 2000 && agent.last_seen_seq == 5 && agent.ledger.sequence == 5);
    CHECK(policy.evaluation_count == 0 && policy.last_eval_seq == 5);
    llm.ledger_seq = 6;
    llm.payload_len = record_of(record, sizeof record, 6, "{\"value\":71}");
    step(&agent, &policy, &llm, &faults);
    CHECK(flags_taken(&faults) == 0 && agent.health == AX_HEALTH_ALARM);
    CHECK(policy.breach_flag == 1 && policy.evaluation_count == 1 && policy.last_eval_seq == 6);
    CHECK(agent.ledger.sequence == 7 && agent.violation == AX_VIOLATION_NONE);
    input.type = AX_INPUT_POLICY_TRIGGER;
    input.payload = NULL;
    input.payload_len = 0;
    input.ledger_seq = 8;
    step(&agent, &policy, &input, &faults);
    CHECK(agent.health == AX_HEALTH_DEGRADED && policy.breach_flag == 0);

    /* 0: another ledger; a flag on entry. */
    enabled();
    ax_ledger_genesis(&other, &faults);
    policy.ledger = &other;
    halts(step, &input, 0, AX_VIOLATION_NONE);
    CHECK(agent.local_failed_flag == 1);
    enabled();
    faults.overflow = 1;
    halts(step, &input, OVERFLOW_, AX_VIOLATION_NONE);
    CHECK(agent.local_failed_flag == 1);
    /* 1 and 2: stopped; failed. */
    halts(step, &input, PROTOCOL_, AX_VIOLATION_TERMINALITY);
    enabled();
    agent.ledger.failed = 1;
    halts(step, &input, LEDGER_FAIL_, AX_VIOLATION_NONE);
    enabled();
    agent.local_failed_flag = 1;
    halts(step, &input, LEDGER_FAIL_, AX_VIOLATION_NONE);
    /* 3: a sequence that does not increase. */
    enabled();
    input.ledger_seq = agent.last_seen_seq;
    halts(step, &input, PROTOCOL_ | ORDERING_, AX_VIOLATION_SEQUENCE_ORDER);
    CHECK(agent.local_failed_flag == 1);
    enabled();
    input.ledger_seq = 1;
    halts(step, &input, PROTOCOL_ | ORDERING_, AX_VIOLATION_SEQUENCE_ORDER);
    /* 4: no time, and time that goes back; both are recorded. */
    enabled();
    input.type = AX_INPUT_TIME_OBS;
    input.ledger_seq = 9;
    step(&agent, &policy, &input, &faults);
    CHECK(agent.health == AX_HEALTH_STOPPED && agent.ledger.sequence == 5 && flags_taken(&faults) == 0);
    CHECK(strstr((const char *)file.bytes, "\"violation\":\"PROTOCOL_VIOLATION\"") != NULL);
    enabled();
    input.payload = (const uint8_t *)"{\"timestamp\":1000}";
    input.payload_len = 18;
    step(&agent, &policy, &input, &faults);
    CHECK(agent.health == AX_HEALTH_STOPPED && agent.ledger.sequence == 5 && flags_taken(&faults) == 0);
    CHECK(strstr((const char *)file.bytes, "\"violation\":\"TIME_ROLLBACK\"") != NULL);
    /* An unknown class; a state that is none. */
    enabled();
    input.type = (ax_input_class_t)5;
    step(&agent, &policy, &input, &faults);
    CHECK(agent.health == AX_HEALTH_STOPPED && flags_taken(&faults) == 0);
    CHECK(strstr((const char *)file.bytes, "\"input_class\":\"UNKNOWN\"") != NULL);
    enabled();
    agent.health = (ax_health_state_t)17;
    step(&agent, &policy, &input, &faults);
    CHECK(agent.health == AX_HEALTH_STOPPED && flags_taken(&faults) == PROTOCOL_);
    /* 6 and 7: a sink that refuses. */
    llm.ledger_seq = 5;
    llm.payload_len = record_of(record, sizeof record, 5, "{\"value\":1}");
    enabled();
    file.refuse = 1;
    halts(step, &llm, IO_ERROR_ | LEDGER_FAIL_, AX_VIOLATION_COMMIT_FAILURE);
    CHECK(agent.local_failed_flag == 1 && agent.ledger.failed == 1 && policy.breach_flag == 1);
    enabled();
    file.refuse = 2;
    step(&agent, &policy, &llm, &faults);
    CHECK(flags_taken(&faults) == (IO_ERROR_ | LEDGER_FAIL_) && agent.health == AX_HEALTH_STOPPED);
    CHECK(agent.ledger.sequence == 5 && agent.violation == AX_VIOLATION_COMMIT_FAILURE);
    /* A ledger that was never initialised: nothing else. */
    enabled();
    agent.ledger.initialised = 0;
    before = agent;
    step(&agent, &policy, &llm, &faults);
    CHECK(flags_taken(&faults) == DOMAIN_ && memcmp(&before, &agent, sizeof agent) == 0);
}

/* A call that records nothing and changes nothing but perhaps the flags. */
#define NOTHING(call, code, flags) \
    do { \
        const ax_agent_ctx_t before = agent; \
        CHECK((call) == (code) && flags_taken(&faults) == (flags)); \
        CHECK(memcmp(&before, &agent, sizeof agent) == 0); \
    } while (0)

static void observing(void)
{
    ax_obs_input_t in = scenario_answer("{\"value\":1}");
    ax_obs_input_t bad;
    ax_ledger_ctx_t other;
    uint8_t *const none = NULL;
    size_t least;
    size_t k;

    enabled();
    NOTHING(ax_agent_observe(&agent, &policy, &in, work, 1024, NULL), AX_ERR_PROTOCOL, 0);
    NOTHING(ax_agent_observe(NULL, &policy, &in, work, 1024, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    NOTHING(ax_agent_observe(&agent, NULL, &in, work, 1024, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    NOTHING(ax_agent_observe(&agent, &policy, NULL, work, 1024, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    NOTHING(ax_agent_observe(&agent, &policy, &in, none, 1024, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    NOTHING(ax_agent_observe(&agent, &policy, &in, none, 0, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    NOTHING(ax_agent_observe(&agent, &policy, &in, work, 0, &faults), AX_ERR_BUFFER, 0);
    NOTHING(ax_agent_observe_time(&agent, &policy, 2000, work, 1024, NULL), AX_ERR_PROTOCOL, 0);
    NOTHING(ax_agent_observe_time(NULL, &policy, 2000, work, 1024, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    NOTHING(ax_agent_observe_time(&agent, NULL, 2000, work, 1024, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    NOTHING(ax_agent_observe_time(&agent, &policy, 2000, none, 1024, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    NOTHING(ax_agent_observe_time(&agent, &policy, 2000, work, 64, &faults), AX_ERR_BUFFER, 0);
#define CONTROL(class, to, len, flags) \
    ax_agent_observe_control(&agent, &policy, (ax_input_class_t)(class), to, len, flags)
    NOTHING(CONTROL(AX_INPUT_FAULT_SIGNAL, work, 1024, NULL), AX_ERR_PROTOCOL, 0);
    NOTHING(CONTROL(AX_INPUT_FAULT_SIGNAL, none, 1024, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    NOTHING(CONTROL(AX_INPUT_FAULT_SIGNAL, work, 64, &faults), AX_ERR_BUFFER, 0);
    NOTHING(CONTROL(AX_INPUT_TIME_OBS, work, 1024, &faults), AX_ERR_SCHEMA, SCHEMA_);
    NOTHING(CONTROL(AX_INPUT_LLM_OBS, work, 1024, &faults), AX_ERR_SCHEMA, SCHEMA_);
    NOTHING(CONTROL(5, work, 1024, &faults), AX_ERR_SCHEMA, SCHEMA_);
    NOTHING(CONTROL(-1, work, 1024, &faults), AX_ERR_SCHEMA, SCHEMA_);
#undef CONTROL
    bad = in;
    bad.input_kind = (ax_input_kind_t)9;
    NOTHING(ax_agent_observe(&agent, &policy, &bad, work, 1024, &faults), AX_ERR_SCHEMA, SCHEMA_);
    bad = in;
    bad.completion_state = (ax_completion_state_t)3;
    NOTHING(ax_agent_observe(&agent, &policy, &bad, work, 1024, &faults), AX_ERR_SCHEMA, SCHEMA_);
    bad = in;
    bad.failure_type = (ax_failure_type_t)4;
    NOTHING(ax_agent_observe(&agent, &policy, &bad, work, 1024, &faults), AX_ERR_SCHEMA, SCHEMA_);
    bad = in;
    bad.oracle_id = "";
    NOTHING(ax_agent_observe(&agent, &policy, &bad, work, 1024, &faults), AX_ERR_SCHEMA, SCHEMA_);
    bad = in;
    bad.model_id = NULL;
    NOTHING(ax_agent_observe(&agent, &policy, &bad, work, 1024, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    bad = in;
    bad.output = NULL;
    NOTHING(ax_agent_observe(&agent, &policy, &bad, work, 1024, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    faults.size = 1;
    NOTHING(ax_agent_observe(&agent, &policy, &in, work, 1024, &faults), AX_ERR_PROTOCOL, SIZE_);
    CHECK(file.entries == 5);

    /* The sequence is the ledger's, whatever the input says. */
    in.ledger_seq = 999;
    CHECK(ax_agent_observe(&agent, &policy, &in, work, 1024, &faults) == AX_OK);
    CHECK(agent.last_seen_seq == 5 && agent.ledger.sequence == 7 && policy.last_eval_seq == 5);

    /* The work buffer bounds the record: exactly enough, one byte less, nothing fits. */
    enabled();
    for (least = 1; ax_agent_observe(&agent, &policy, &in, work, least, &faults) == AX_ERR_BUFFER;) {
        least++;
    }
    CHECK(flags_taken(&faults) == 0 && agent.health == AX_HEALTH_ALARM);
    CHECK(strstr((const char *)file.bytes, "\"completion_state\":\"TRUNCATED\"") != NULL);
    enabled();
    policy.permit_truncated = 1;
    NOTHING(ax_agent_observe(&agent, &policy, &in, work, least - 1, &faults), AX_ERR_BUFFER, 0);

    /* An answer that is not admissible is recorded, bound by a RAW record, and acted on. */
    bad = scenario_answer("a\tb");
    CHECK(ax_agent_observe(&agent, &policy, &bad, work, 1024, &faults) == AX_ERR_ENCODING);
    CHECK(flags_taken(&faults) == 0 && agent.health == AX_HEALTH_ALARM && file.entries == 9);

    /* So is an answer that the caller refuses; without its bytes nothing is bound. */
    enabled();
    bad = scenario_answer("{\"value\": 1}");
    bad.completion_state = AX_COMPLETION_ERROR;
    bad.failure_type = AX_FAILURE_INVALID_OUTPUT;
    CHECK(ax_agent_observe(&agent, &policy, &bad, work, 1024, &faults) == AX_ERR_ENCODING);
    CHECK(flags_taken(&faults) == 0 && agent.health == AX_HEALTH_ALARM && file.entries == 9);
    enabled();
    bad.output_len = 0;
    CHECK(ax_agent_observe(&agent, &policy, &bad, work, 1024, &faults) == AX_ERR_ENCODING);
    CHECK(flags_taken(&faults) == 0 && agent.health == AX_HEALTH_ALARM && file.entries == 9);
    enabled();
    bad.output = NULL;
    CHECK(ax_agent_observe(&agent, &policy, &bad, work, 1024, &faults) == AX_OK);
    CHECK(flags_taken(&faults) == 0 && agent.health == AX_HEALTH_ALARM && file.entries == 8);
    /* No other failure has bytes. */
    enabled();
    bad = scenario_answer("late");
    bad.completion_state = AX_COMPLETION_ERROR;
    bad.failure_type = AX_FAILURE_TIMEOUT;
    NOTHING(ax_agent_observe(&agent, &policy, &bad, work, 1024, &faults), AX_ERR_SCHEMA, SCHEMA_);

    /* A sink that refuses the k-th record of the step. */
    for (k = 1; k <= 3; k++) {
        enabled();
        file.refuse = k;
        CHECK(ax_agent_observe(&agent, &policy, &in, work, 1024, &faults) == AX_ERR_LEDGER);
        CHECK(flags_taken(&faults) == (IO_ERROR_ | LEDGER_FAIL_) && file.entries == 4 + k);
        CHECK(agent.health == AX_HEALTH_STOPPED && agent.local_failed_flag == 1);
        CHECK(agent.violation == AX_VIOLATION_COMMIT_FAILURE && agent.ledger.sequence == 3 + k);
        CHECK(ax_agent_observe(&agent, &policy, &in, work, 1024, &faults) == AX_ERR_LEDGER);
        CHECK(flags_taken(&faults) == LEDGER_FAIL_ && file.entries == 4 + k);
    }

    /* Another ledger in the policy context stops the agent without a record. */
    enabled();
    ax_ledger_genesis(&other, &faults);
    policy.ledger = &other;
    CHECK(ax_agent_observe(&agent, &policy, &in, work, 1024, &faults) == AX_ERR_PROTOCOL);
    CHECK(agent.health == AX_HEALTH_STOPPED && agent.local_failed_flag == 1 && file.entries == 5);

    /* In STOPPED the observation is recorded, and nothing follows it. */
    enabled();
    CHECK(ax_agent_observe_time(&agent, &policy, 1, work, 1024, &faults) == AX_OK);
    CHECK(agent.health == AX_HEALTH_STOPPED && file.entries == 7);
    CHECK(ax_agent_observe(&agent, &policy, &in, work, 1024, &faults) == AX_OK && file.entries == 8);
    CHECK(agent.health == AX_HEALTH_STOPPED && flags_taken(&faults) == 0);

    /* After a seal nothing is. */
    enabled();
    CHECK(ax_ledger_seal(&agent.ledger, &faults) == AX_OK);
    CHECK(ax_agent_observe(&agent, &policy, &in, work, 1024, &faults) == AX_ERR_LEDGER);
    CHECK(flags_taken(&faults) == LEDGER_FAIL_ && agent.health == AX_HEALTH_STOPPED && file.entries == 6);

    /* The longest record there is, and one byte more. */
    {
        static char longest[AX_MAX_OBS_BYTES];
        memset(longest, 'x', sizeof longest);
        enabled();
        ax_obs_input_set_complete(&in, 0, "o", "m", "Q", 1, longest, sizeof longest, NULL);
        CHECK(ax_agent_observe(&agent, &policy, &in, work, sizeof work, &faults) == AX_OK);
        CHECK(flags_taken(&faults) == 0 && agent.health == AX_HEALTH_ALARM);
        CHECK(file.entries == 9 && file.len > AX_MAX_OBS_BYTES);
    }
}

static void committing(void)
{
    ax_input_t input = { AX_INPUT_FAULT_SIGNAL, NULL, 0, 9 };
    enabled();
    NOTHING((ax_agent_commit_transition(&agent, &input, AX_HEALTH_ALARM, NULL), 0), 0, 0);
    NOTHING((ax_agent_commit_transition(&agent, NULL, AX_HEALTH_ALARM, &faults), 0), 0, DOMAIN_);
    NOTHING((ax_agent_commit_transition(NULL, &input, AX_HEALTH_ALARM, &faults), 0), 0, DOMAIN_);
    NOTHING((ax_agent_commit_transition(&agent, &input, (ax_health_state_t)6, &faults), 0), 0, DOMAIN_);

    agent.violation = AX_VIOLATION_POLICY_BREACH;
    ax_agent_commit_transition(&agent, &input, AX_HEALTH_ALARM, &faults);
    CHECK(flags_taken(&faults) == 0 && agent.violation == AX_VIOLATION_NONE);
    CHECK(agent.fault_accumulator == 1 && agent.health == AX_HEALTH_ENABLED && file.entries == 6);
    CHECK(agent.last_seen_seq == 3);
    CHECK(strstr((const char *)file.bytes,
                 "{\"fault_count\":1,\"input_class\":\"FAULT_SIGNAL\",\"ledger_seq\":9,"
                 "\"next_state\":\"ALARM\",\"prev_state\":\"ENABLED\",\"violation\":\"POLICY_BREACH\"}")
          != NULL);
    agent.fault_accumulator = UINT32_MAX;
    ax_agent_commit_transition(&agent, &input, AX_HEALTH_ALARM, &faults);
    CHECK(agent.fault_accumulator == UINT32_MAX);
    input.type = AX_INPUT_RESET_REQUEST;
    agent.health = AX_HEALTH_DEGRADED;
    ax_agent_commit_transition(&agent, &input, AX_HEALTH_INIT, &faults);
    CHECK(agent.fault_accumulator == 0 && agent.health == AX_HEALTH_DEGRADED && file.entries == 8);

    file.refuse = 1;
    ax_agent_commit_transition(&agent, &input, AX_HEALTH_INIT, &faults);
    CHECK(flags_taken(&faults) == (IO_ERROR_ | LEDGER_FAIL_));
    CHECK(agent.violation == AX_VIOLATION_COMMIT_FAILURE && agent.ledger.failed == 1);
    memset(&agent, 0, sizeof agent);
    NOTHING((ax_agent_commit_transition(&agent, &input, AX_HEALTH_INIT, &faults), 0), 0, DOMAIN_);
}

int main(void)
{
    ct_fault_init(&faults);
    stepping(ax_agent_step);
    stepping(axilog_agent_step);
    observing();
    committing();
    return check_end();
}
