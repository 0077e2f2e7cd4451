/* Conformance of agent.h: the agent over the rig's fault struct, and a step of three arguments, which knows no
 * policies. */

#include "conformance.h"

#include "axilog/agent.h"
#include "axilog/canonical.h"
#include "axilog/obs.h"

#include "ledger_file.h"

#define GOLDEN "7bb0d791697306ce2f1cc5df0bcdf66d810d6af9425aa380b352a62453a5ec7b"

static ax_agent_ctx_t *agent;
static ax_policy_ctx_t *policy;
static uint8_t *work;
static ledger_file_t file;
static const ax_ledger_sink_t SINK = { ledger_file_append, &file };

/* Bytes of work. */
#define ROOM 1024

static ax_obs_input_t answer(const char *text)
{
    ax_obs_input_t in;
    ax_obs_input_set_complete(&in, 0, "oracle", "model", "Q", 1, text, strlen(text), NULL);
    return in;
}

/* The record of an answer, as a rig makes it before a step. */
static size_t record_of(uint8_t *to, size_t size, uint64_t seq, const char *text)
{
    char output[64];
    ax_admission_ctx_t ctx;
    ax_obs_record_t record;
    ax_obs_input_t in = answer(text);
    in.ledger_seq = seq;
    ax_admission_ctx_init(&ctx);
    ax_obs_admit(&record, output, sizeof output, &in, &ctx, l3);
    l3_clear();
    return (size_t)ax_obs_canonicalise((char *)to, size, &record, 1);
}

static const ax_policy_t VELOCITY = { AX_POLICY_ID_MAX_VELOCITY, 4587520, AX_POLICY_CMP_GT, 1 };
static const ax_policy_registry_t ONE = { &VELOCITY, 1, NULL };

/* An agent in ENABLED under one policy, with the file as its sink. */
static void enabled(void)
{
    base_taken();
    ax_agent_init(agent, base);
    ledger_file_begin(&file);
    ax_ledger_set_sink(&agent->ledger, &SINK, base);
    ax_policy_init_with_registry(policy, &ONE, &agent->ledger, agent, base);
    CHECK(ax_agent_observe_control(agent, policy, AX_INPUT_RESET_REQUEST, work, ROOM, base) == AX_OK);
    CHECK(ax_agent_observe_time(agent, policy, 1000, work, ROOM, base) == AX_OK);
    CHECK(agent->health == AX_HEALTH_ENABLED && file.entries == 5 && base_taken() == 0);
}

/* A call that sets flags and leaves the agent as it is. */
#define UNCHANGED(call, flags) \
    do { \
        uint8_t before_[sizeof *agent]; \
        memcpy(before_, agent, sizeof *agent); \
        call; \
        CHECK(base_taken() == (flags) && memcmp(before_, agent, sizeof *agent) == 0); \
    } while (0)

/* The same, which tells its failure by a code too. */
#define FAILS(call, code, flags) UNCHANGED(CHECK((call) == (code)), flags)

static void beginning(void)
{
    CHECK(is_hex(AX_GOLDEN_GENESIS_HASH, 32, GOLDEN));
    memset(agent, 0xA5, sizeof *agent);
    ax_agent_init(agent, NULL);
    CHECK(is_all(agent, sizeof *agent, 0xA5));
    ax_agent_init(agent, base);
    CHECK(agent->health == AX_HEALTH_UNINIT && agent->violation == AX_VIOLATION_NONE && base_taken() == 0);
    CHECK(agent->fault_accumulator == 0 && agent->last_timestamp == 0 && agent->last_seen_seq == 0);
    CHECK(agent->local_failed_flag == 0 && is_all(agent->_pad, 7, 0));
    CHECK(is_hex(agent->ledger.genesis_hash, 32, GOLDEN) && ax_ledger_state(&agent->ledger) == AX_LEDGER_READY);
    UNCHANGED(ax_agent_bind(agent, base), 0);
    agent->ledger.genesis_hash[5] ^= 1;
    UNCHANGED(ax_agent_bind(agent, NULL), 0);
    ax_agent_bind(agent, base);
    CHECK(agent->health == AX_HEALTH_STOPPED && agent->violation == AX_VIOLATION_GENESIS_MISMATCH);
    CHECK(base_taken() == DOMAIN_);
    memset(agent, 0, sizeof *agent);
    ax_agent_bind(agent, base);
    CHECK(agent->health == AX_HEALTH_STOPPED && base_taken() == DOMAIN_);
    ax_agent_init(NULL, base);
    CHECK(base_taken() == DOMAIN_);
    ax_agent_bind(NULL, base);
    CHECK(base_taken() == DOMAIN_);
}

/* Whether a step stops the agent for good without a record. */
static int halts(const ax_input_t *input, int flags, ax_violation_t violation)
{
    const uint64_t sequence = agent->ledger.sequence;
    ax_agent_step(agent, input, base);
    return base_taken() == flags && agent->health == AX_HEALTH_STOPPED && agent->ledger.sequence == sequence
        && agent->violation == violation;
}

static void stepping(void)
{
    static const char LATER[] = "{\"timestamp\":2000}";
    uint8_t *record = (uint8_t *)guarded(ROOM);
    void (*const step)(ax_agent_ctx_t *, const ax_input_t *, ct_fault_flags_t *) = ax_agent_step;
    const ax_input_t time = { AX_INPUT_TIME_OBS, (const uint8_t *)LATER, sizeof LATER - 1, 5 };
    ax_input_t input = time;

    enabled();
    UNCHANGED(ax_agent_step(agent, &time, NULL), 0);
    UNCHANGED(ax_agent_step(NULL, &time, base), DOMAIN_);
    UNCHANGED(ax_agent_step(agent, NULL, base), DOMAIN_);
    UNCHANGED(ax_agent_step(NULL, NULL, NULL), 0);

    /* The time; an answer above the limit of the policy, and one that is of no use, neither of which is
     * read here; a fault; no time. */
    step(agent, &time, base);
    CHECK(base_taken() == 0 && agent->health == AX_HEALTH_ENABLED && agent->last_timestamp == 2000);
    CHECK(agent->last_seen_seq == 5 && agent->ledger.sequence == 5 && file.entries == 6);
    input.type = AX_INPUT_LLM_OBS;
    input.ledger_seq = 6;
    input.payload = record;
    input.payload_len = record_of(record, ROOM, 6, "{\"value\":71}");
    ax_agent_step(agent, &input, base);
    CHECK(base_taken() == 0 && agent->health == AX_HEALTH_ENABLED && agent->ledger.sequence == 6);
    input.ledger_seq = 8;
    input.payload_len = record_of(record, ROOM, 8, "a\tb");
    ax_agent_step(agent, &input, base);
    CHECK(base_taken() == 0 && agent->health == AX_HEALTH_ENABLED && agent->ledger.sequence == 7);
    input.type = AX_INPUT_FAULT_SIGNAL;
    input.ledger_seq = 9;
    input.payload = NULL;
    ax_agent_step(agent, &input, base);
    CHECK(base_taken() == 0 && agent->fault_accumulator == 1 && agent->last_seen_seq == 9);
    input.type = AX_INPUT_TIME_OBS;
    input.ledger_seq = 10;
    ax_agent_step(agent, &input, base);
    CHECK(base_taken() == 0 && agent->health == AX_HEALTH_STOPPED && agent->ledger.sequence == 9);
    CHECK(strstr((const char *)file.bytes, "\"violation\":\"PROTOCOL_VIOLATION\"") != NULL);
    CHECK(halts(&time, DOMAIN_, AX_VIOLATION_TERMINALITY));

    /* A flag on entry is ignored. */
    enabled();
    base->overflow = 1;
    ax_agent_step(agent, &time, base);
    CHECK(base_taken() == OVERFLOW_ && agent->health == AX_HEALTH_ENABLED && agent->ledger.sequence == 5);
    enabled();
    agent->ledger.failed = 1;
    CHECK(halts(&time, LEDGER_FAIL_, AX_VIOLATION_NONE) && agent->local_failed_flag == 1);
    enabled();
    agent->local_failed_flag = 1;
    CHECK(halts(&time, LEDGER_FAIL_, AX_VIOLATION_NONE));
    enabled();
    agent->health = (ax_health_state_t)number(6);
    CHECK(halts(&time, LEDGER_FAIL_, AX_VIOLATION_NONE) && agent->local_failed_flag == 1);
    enabled();
    file.refuse = 1;
    CHECK(halts(&time, LEDGER_FAIL_, AX_VIOLATION_NONE));
    CHECK(agent->local_failed_flag == 1 && agent->ledger.failed == 1);
    enabled();
    agent->ledger.initialised = 0;
    CHECK(halts(&time, LEDGER_FAIL_, AX_VIOLATION_NONE));
    CHECK(agent->local_failed_flag == 1 && agent->ledger.failed == 1);

    /* A sequence that does not increase, an unknown class, time that goes back: recorded. */
    enabled();
    input = time;
    input.ledger_seq = agent->last_seen_seq;
    ax_agent_step(agent, &input, base);
    CHECK(agent->health == AX_HEALTH_STOPPED && base_taken() == 0 && agent->ledger.sequence == 5);
    CHECK(strstr((const char *)file.bytes, "\"violation\":\"SEQUENCE_ORDER\"") != NULL);
    enabled();
    input.type = (ax_input_class_t)number(5);
    input.ledger_seq = 5;
    ax_agent_step(agent, &input, base);
    CHECK(agent->health == AX_HEALTH_STOPPED && base_taken() == 0 && agent->ledger.sequence == 5);
    enabled();
    input = time;
    input.payload = (const uint8_t *)"{\"timestamp\":1000}";
    ax_agent_step(agent, &input, base);
    CHECK(agent->health == AX_HEALTH_STOPPED && base_taken() == 0 && agent->ledger.sequence == 5);
    CHECK(strstr((const char *)file.bytes, "\"violation\":\"TIME_ROLLBACK\"") != NULL);
}

/* The step of four arguments, under the name that the library has for it. */
static void stepping_with_policies(void)
{
    uint8_t *record = (uint8_t *)guarded(ROOM);
    ax_input_t input = { AX_INPUT_LLM_OBS, NULL, 0, 5 };
    ax_ledger_ctx_t other;
    enabled();
    input.payload = record;
    input.payload_len = record_of(record, ROOM, 5, "{\"value\":70}");
    axilog_agent_step(agent, policy, &input, base);
    CHECK(base_taken() == 0 && agent->health == AX_HEALTH_ENABLED && ax_agent_may_act(agent, policy) == 1);
    input.ledger_seq = 7;
    input.payload_len = record_of(record, ROOM, 7, "{\"value\":71}");
    axilog_agent_step(agent, policy, &input, base);
    CHECK(base_taken() == 0 && agent->health == AX_HEALTH_ALARM && policy->breach_flag == 1);
    CHECK(ax_agent_may_act(agent, policy) == 0 && ax_agent_may_act(NULL, policy) == 0);
    CHECK(ax_agent_may_act(agent, NULL) == 0);
    UNCHANGED(axilog_agent_step(agent, policy, &input, NULL), 0);
    UNCHANGED(axilog_agent_step(agent, NULL, &input, base), DOMAIN_);
    UNCHANGED(axilog_agent_step(NULL, policy, &input, base), DOMAIN_);
    UNCHANGED(axilog_agent_step(agent, policy, NULL, base), DOMAIN_);
    axilog_agent_step(agent, policy, &input, base);
    CHECK(base_taken() == told(PROTOCOL_ | ORDERING_) && agent->health == AX_HEALTH_STOPPED);
    enabled();
    ax_ledger_genesis(&other, base);
    policy->ledger = &other;
    axilog_agent_step(agent, policy, &input, base);
    CHECK(base_taken() == 0 && agent->health == AX_HEALTH_STOPPED && agent->local_failed_flag == 1);
}

static void observing(void)
{
    const ax_obs_input_t in = answer("{\"value\":1}");
    ax_obs_input_t bad;
    uint8_t *const none = NULL;
    size_t k;
    enabled();
    FAILS(ax_agent_observe(agent, policy, &in, work, ROOM, NULL), AX_ERR_PROTOCOL, 0);
    FAILS(ax_agent_observe(NULL, policy, &in, work, ROOM, base), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(ax_agent_observe(agent, NULL, &in, work, ROOM, base), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(ax_agent_observe(agent, policy, NULL, work, ROOM, base), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(ax_agent_observe(agent, policy, &in, none, ROOM, base), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(ax_agent_observe(agent, policy, &in, work, 0, base), AX_ERR_BUFFER, 0);
    FAILS(ax_agent_observe_time(agent, policy, 2000, work, ROOM, NULL), AX_ERR_PROTOCOL, 0);
    FAILS(ax_agent_observe_time(NULL, policy, 2000, work, ROOM, base), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(ax_agent_observe_time(agent, NULL, 2000, work, ROOM, base), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(ax_agent_observe_time(agent, policy, 2000, none, ROOM, base), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(ax_agent_observe_time(agent, policy, 2000, work, 64, base), AX_ERR_BUFFER, 0);
#define CONTROL(number_, to, size, flags) \
    ax_agent_observe_control(agent, policy, (ax_input_class_t)number(number_), to, size, flags)
    FAILS(CONTROL(3, work, ROOM, NULL), AX_ERR_PROTOCOL, 0);
    FAILS(CONTROL(3, none, ROOM, base), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(CONTROL(3, work, 64, base), AX_ERR_BUFFER, 0);
    FAILS(CONTROL(AX_INPUT_TIME_OBS, work, ROOM, base), AX_ERR_SCHEMA, told(SCHEMA_));
    FAILS(CONTROL(AX_INPUT_LLM_OBS, work, ROOM, base), AX_ERR_SCHEMA, told(SCHEMA_));
    FAILS(CONTROL(5, work, ROOM, base), AX_ERR_SCHEMA, told(SCHEMA_));
    FAILS(CONTROL(-1, work, ROOM, base), AX_ERR_SCHEMA, told(SCHEMA_));
    CHECK(CONTROL(AX_INPUT_FAULT_SIGNAL, work, ROOM, base) == AX_OK && base_taken() == 0);
    CHECK(agent->fault_accumulator == 1);
#undef CONTROL
    bad = in;
    bad.oracle_id = "";
    FAILS(ax_agent_observe(agent, policy, &bad, work, ROOM, base), AX_ERR_SCHEMA, told(SCHEMA_));
    bad = in;
    bad.completion_state = (ax_completion_state_t)number(3);
    FAILS(ax_agent_observe(agent, policy, &bad, work, ROOM, base), AX_ERR_SCHEMA, told(SCHEMA_));
    bad = in;
    bad.model_id = NULL;
    FAILS(ax_agent_observe(agent, policy, &bad, work, ROOM, base), AX_ERR_PROTOCOL, DOMAIN_);
    base->narrowing = 1;
    FAILS(ax_agent_observe(agent, policy, &in, work, ROOM, base), AX_ERR_PROTOCOL, 1 << 4);

    CHECK(ax_agent_observe(agent, policy, &in, work, ROOM, base) == AX_OK && base_taken() == 0);
    CHECK(ax_agent_may_act(agent, policy) == 1 && agent->health == AX_HEALTH_ENABLED);
    bad = answer("a\tb");
    CHECK(ax_agent_observe(agent, policy, &bad, work, ROOM, base) == AX_ERR_ENCODING && base_taken() == 0);
    CHECK(agent->health == AX_HEALTH_ALARM && ax_agent_may_act(agent, policy) == 0);

    for (k = 1; k <= 3; k++) {
        enabled();
        file.refuse = k;
        CHECK(ax_agent_observe(agent, policy, &in, work, ROOM, base) == AX_ERR_LEDGER);
        CHECK(base_taken() == told(IO_ERROR_ | LEDGER_FAIL_) && agent->health == AX_HEALTH_STOPPED);
        CHECK(ax_agent_observe_time(agent, policy, 9000, work, ROOM, base) == AX_ERR_LEDGER);
        CHECK(base_taken() == LEDGER_FAIL_);
    }
    enabled();
    agent->last_seen_seq = 99;
    CHECK(ax_agent_observe(agent, policy, &in, work, ROOM, base) == AX_ERR_ORDERING);
    CHECK(base_taken() == told(ORDERING_ | PROTOCOL_));
}

static void committing(void)
{
    ax_input_t input = { AX_INPUT_FAULT_SIGNAL, NULL, 0, 9 };
    const ax_health_state_t unknown = (ax_health_state_t)number(6);
    enabled();
    UNCHANGED(ax_agent_commit_transition(agent, &input, AX_HEALTH_ALARM, NULL), 0);
    UNCHANGED(ax_agent_commit_transition(agent, NULL, AX_HEALTH_ALARM, base), DOMAIN_);
    UNCHANGED(ax_agent_commit_transition(NULL, &input, AX_HEALTH_ALARM, base), DOMAIN_);
    UNCHANGED(ax_agent_commit_transition(agent, &input, unknown, base), DOMAIN_);
    agent->violation = AX_VIOLATION_POLICY_BREACH;
    ax_agent_commit_transition(agent, &input, AX_HEALTH_ALARM, base);
    CHECK(base_taken() == 0 && agent->violation == AX_VIOLATION_NONE && file.entries == 6);
    CHECK(agent->fault_accumulator == 1 && agent->health == AX_HEALTH_ENABLED);
    file.refuse = 1;
    ax_agent_commit_transition(agent, &input, AX_HEALTH_ALARM, base);
    CHECK(base_taken() == (IO_ERROR_ | LEDGER_FAIL_) && agent->violation == AX_VIOLATION_COMMIT_FAILURE);
}

static void pieces(void)
{
    static const char *const HEALTH[] = { "UNINIT", "INIT", "ENABLED", "ALARM", "DEGRADED", "STOPPED", "UNKNOWN" };
    static const char *const CLASS[] = { "TIME_OBS",      "LLM_OBS", "POLICY_TRIGGER", "FAULT_SIGNAL",
                                         "RESET_REQUEST", "UNKNOWN" };
    static const char BARE[] = "{\"timestamp\":18446744073709551615}";
    const uint8_t *bare = (const uint8_t *)BARE;
    uint8_t *record = (uint8_t *)guarded(ROOM);
    ax_input_t input = { AX_INPUT_LLM_OBS, NULL, 0, 7 };
    uint64_t *timestamp = (uint64_t *)guarded(sizeof *timestamp);
    int i;
    for (i = 0; i < 7; i++) {
        CHECK_STR(ax_health_state_to_str((ax_health_state_t)number(i)), HEALTH[i]);
        CHECK(ax_agent_determine_next((ax_health_state_t)number(i), (ax_input_class_t)number(5)) == AX_HEALTH_STOPPED);
    }
    for (i = 0; i < 6; i++) {
        CHECK_STR(ax_input_class_to_str((ax_input_class_t)number(i)), CLASS[i]);
    }
    CHECK(ax_agent_determine_next(AX_HEALTH_UNINIT, AX_INPUT_RESET_REQUEST) == AX_HEALTH_INIT);
    CHECK(ax_agent_determine_next(AX_HEALTH_INIT, AX_INPUT_TIME_OBS) == AX_HEALTH_ENABLED);
    CHECK(ax_agent_determine_next(AX_HEALTH_ENABLED, AX_INPUT_FAULT_SIGNAL) == AX_HEALTH_ALARM);
    CHECK(ax_violation_to_str(AX_VIOLATION_NONE) == NULL && AX_INPUT_CLASS_COUNT == 5);
    CHECK_STR(ax_violation_to_str(AX_VIOLATION_TERMINALITY), "TERMINALITY");
    CHECK_STR(ax_violation_to_str((ax_violation_t)number(9)), "UNKNOWN");
    CHECK(AX_FAULT_THRESHOLD_ALARM == 3U && AX_FAULT_THRESHOLD_STOP == 5U && AX_HEALTH_STATE_COUNT == 6);

    input.payload = record;
    input.payload_len = record_of(record, ROOM, 7, "{\"value\":12.5}");
    CHECK(ax_agent_extract_value(&input) == 819200);
    input.ledger_seq = 8;
    CHECK(ax_agent_extract_value(&input) == Q16_16_MIN && ax_agent_extract_value(NULL) == Q16_16_MIN);
    input.payload = NULL;
    CHECK(ax_agent_extract_value(&input) == Q16_16_MIN);

    CHECK(ax_extract_timestamp(bare, strlen(BARE), timestamp, base) == 1 && *timestamp == UINT64_MAX);
    *timestamp = 5;
    CHECK(ax_extract_timestamp(bare, strlen(BARE) - 1, timestamp, base) == 0 && base_taken() == DOMAIN_);
    CHECK(ax_extract_timestamp(NULL, 0, timestamp, base) == 0 && base_taken() == DOMAIN_);
    CHECK(ax_extract_timestamp(NULL, 1, timestamp, base) == 0 && base_taken() == DOMAIN_);
    CHECK(ax_extract_timestamp(bare, strlen(BARE), NULL, base) == 0 && base_taken() == DOMAIN_);
    CHECK(ax_extract_timestamp(bare, strlen(BARE), timestamp, NULL) == 0 && *timestamp == 5);
}

int main(void)
{
    conformance_begin();
    agent = (ax_agent_ctx_t *)guarded(sizeof *agent);
    policy = (ax_policy_ctx_t *)guarded(sizeof *policy);
    work = (uint8_t *)guarded(ROOM);
    beginning();
    stepping();
    stepping_with_policies();
    observing();
    committing();
    pieces();
    return conformance_end();
}
