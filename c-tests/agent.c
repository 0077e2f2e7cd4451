/* agent.h: the scenarios of tests/vectors/agent.json, the pieces of a step, names. */

#include "axilog/agent.h"

#include "axilog/sha256.h"
#include "flags.h"
#include "ledger_file.h"
#include "scenario.h"

#define GOLDEN "7bb0d791697306ce2f1cc5df0bcdf66d810d6af9425aa380b352a62453a5ec7b"

static ct_fault_flags_t faults;
static ledger_file_t file;
static uint8_t work[1 << 17];

static ax_agent_ctx_t agent;
static ax_policy_ctx_t policy;

/* What a sink saw in one step. */
static const step_vector_t *awaited;
static size_t awaited_at;

static int compare_and_keep(void *user, const ax_ledger_entry_t *entry)
{
    (void)user;
    if (CHECK(awaited_at < awaited->record_count)) {
        const evidence_vector_t *record = &awaited->records[awaited_at++];
        CHECK_STR(entry->tag, record->tag);
        CHECK(entry->payload_len == record->payload.len
              && memcmp(entry->payload, record->payload.at, record->payload.len) == 0);
    }
    return ledger_file_append(&file, entry);
}

/* Whether the step's observation is an INVALID_OUTPUT. */
static int is_invalid(const step_vector_t *step)
{
    return strstr((const char *)step->records[0].payload.at, "\"INVALID_OUTPUT\"") != NULL;
}

static void scenarios(void)
{
    const ax_ledger_sink_t sink = { compare_and_keep, NULL };
    static scenario_rules_t rules;
    uint8_t digest[32];
    size_t i;
    size_t n;
    for (i = 0; i < AGENT_COUNT; i++) {
        const agent_vector_t *v = &AGENTS[i];
        scenario_rules(&rules, v);
        scenario_begin(v, &rules, &agent, &policy, &sink, &faults);
        ledger_file_begin(&file);
        for (n = 0; n < v->step_count; n++) {
            ax_obs_input_t in = scenario_input(&v->steps[n]);
            int code;
            awaited = &v->steps[n];
            awaited_at = 0;
            code = ax_agent_observe(&agent, &policy, &in, work, sizeof work, &faults);
            CHECK(code == (is_invalid(awaited) ? AX_ERR_ENCODING : AX_OK));
            CHECK(flags_taken(&faults) == 0 && awaited_at == awaited->record_count);
            CHECK_STR(ax_health_state_to_str(agent.health), awaited->health);
            CHECK(agent.fault_accumulator == awaited->fault_count);
            CHECK(is_hex(agent.ledger.current_hash, 32, awaited->head));
            CHECK(agent.ledger.sequence == awaited->sequence);
        }
        axilog_sha256(digest, file.bytes, file.len);
        CHECK(is_hex(digest, 32, v->ledger_sha256));
        if (strcmp(v->name, "breach-alarm-recover") == 0) {
            CHECK(file.len == BREACH_ALARM_RECOVER.len);
            CHECK(memcmp(file.bytes, BREACH_ALARM_RECOVER.at, file.len) == 0);
        }
    }
}

static void beginning(void)
{
    CHECK(is_hex(AX_GOLDEN_GENESIS_HASH, 32, GOLDEN));
    memset(&agent, 0xA5, sizeof agent);
    ax_agent_init(&agent, NULL);
    CHECK(is_all(&agent, sizeof agent, 0xA5));
    ax_agent_init(&agent, &faults);
    CHECK(agent.health == AX_HEALTH_UNINIT && agent.violation == AX_VIOLATION_NONE);
    CHECK(agent.fault_accumulator == 0 && agent.last_timestamp == 0 && agent.last_seen_seq == 0);
    CHECK(agent.local_failed_flag == 0 && is_all(agent._pad, sizeof agent._pad, 0));
    CHECK(memcmp(agent.ledger.genesis_hash, AX_GOLDEN_GENESIS_HASH, 32) == 0);
    CHECK(agent.ledger.sink == NULL && agent.ledger.sequence == 0 && agent.ledger.initialised == 1);
    ax_agent_bind(&agent, &faults);
    CHECK(agent.health == AX_HEALTH_UNINIT && flags_taken(&faults) == 0);

    agent.ledger.genesis_hash[5] ^= 1;
    ax_agent_bind(&agent, NULL);
    CHECK(agent.health == AX_HEALTH_UNINIT);
    ax_agent_bind(&agent, &faults);
    CHECK(agent.health == AX_HEALTH_STOPPED && agent.violation == AX_VIOLATION_GENESIS_MISMATCH);
    CHECK(flags_taken(&faults) == DOMAIN_);
    memset(&agent, 0, sizeof agent);
    ax_agent_bind(&agent, &faults);
    CHECK(agent.health == AX_HEALTH_STOPPED && agent.violation == AX_VIOLATION_GENESIS_MISMATCH);
    CHECK(flags_taken(&faults) == DOMAIN_);
    ax_agent_init(NULL, &faults);
    CHECK(flags_taken(&faults) == DOMAIN_);
    ax_agent_bind(NULL, &faults);
    CHECK(flags_taken(&faults) == DOMAIN_);

    /* A reset checks the genesis too. */
    ax_agent_init(&agent, &faults);
    ax_policy_init(&policy, &agent.ledger, &agent, &faults);
    agent.ledger.genesis_hash[5] ^= 1;
    CHECK(ax_agent_observe_control(&agent, &policy, AX_INPUT_RESET_REQUEST, work, 1024, &faults) == AX_OK);
    CHECK(agent.health == AX_HEALTH_STOPPED);
}

/* Names, numbers, the pure table. */
static void names(void)
{
    static const char *const HEALTH[] = { "UNINIT", "INIT", "ENABLED", "ALARM", "DEGRADED", "STOPPED" };
    static const char *const CLASS[] = { "TIME_OBS", "LLM_OBS", "POLICY_TRIGGER", "FAULT_SIGNAL",
                                         "RESET_REQUEST" };
    static const char *const VIOLATION[] = { NULL,
                                             "TIME_ROLLBACK",
                                             "POLICY_BREACH",
                                             "FAULT_BUDGET_EXCEEDED",
                                             "PROTOCOL_VIOLATION",
                                             "GENESIS_MISMATCH",
                                             "COMMIT_FAILURE",
                                             "SEQUENCE_ORDER",
                                             "TERMINALITY" };
    /* By state, then class: TIME, LLM, TRIGGER, FAULT, RESET, unknown. */
    static const int NEXT[6][6] = {
        { 5, 5, 5, 5, 1, 5 }, { 2, 1, 1, 5, 1, 5 }, { 2, 2, 2, 3, 2, 5 },
        { 3, 3, 4, 5, 3, 5 }, { 4, 4, 4, 5, 1, 5 }, { 5, 5, 5, 5, 5, 5 },
    };
    int i;
    int j;
    CHECK(AX_INPUT_CLASS_COUNT == 5 && AX_HEALTH_STATE_COUNT == 6);
    CHECK(AX_FAULT_THRESHOLD_ALARM == 3U && AX_FAULT_THRESHOLD_STOP == 5U);
    for (i = 0; i < 6; i++) {
        CHECK_STR(ax_health_state_to_str((ax_health_state_t)i), HEALTH[i]);
        for (j = 0; j < 6; j++) {
            CHECK((int)ax_agent_determine_next((ax_health_state_t)i, (ax_input_class_t)j) == NEXT[i][j]);
        }
        CHECK(ax_agent_determine_next((ax_health_state_t)i, (ax_input_class_t)-1) == AX_HEALTH_STOPPED);
        CHECK(ax_agent_determine_next((ax_health_state_t)(6 + i), AX_INPUT_TIME_OBS) == AX_HEALTH_STOPPED);
    }
    for (i = 0; i < 5; i++) {
        CHECK_STR(ax_input_class_to_str((ax_input_class_t)i), CLASS[i]);
    }
    CHECK(ax_violation_to_str(AX_VIOLATION_NONE) == NULL);
    for (i = 1; i < 9; i++) {
        CHECK_STR(ax_violation_to_str((ax_violation_t)i), VIOLATION[i]);
    }
    CHECK_STR(ax_health_state_to_str((ax_health_state_t)6), "UNKNOWN");
    CHECK_STR(ax_health_state_to_str((ax_health_state_t)-1), "UNKNOWN");
    CHECK_STR(ax_input_class_to_str((ax_input_class_t)5), "UNKNOWN");
    CHECK_STR(ax_violation_to_str((ax_violation_t)9), "UNKNOWN");
}

static q16_16_t value_of(const char *text)
{
    uint8_t record[1024];
    ax_input_t input = { AX_INPUT_LLM_OBS, record, 0, 7 };
    input.payload_len = record_of(record, sizeof record, 7, text);
    return ax_agent_extract_value(&input);
}

static void extracting(void)
{
    static const char BARE[] = "{\"timestamp\":18446744073709551615}";
    uint8_t record[1024];
    ax_input_t input = { AX_INPUT_LLM_OBS, record, 0, 7 };
    uint64_t timestamp = 5;

    CHECK(value_of("{\"value\": 12.5}") == 819200);
    CHECK(value_of("{\"value_q16\":-7,\"other\":[]}") == -7);
    CHECK(value_of("{\"value\":32768}") == Q16_16_MIN);
    CHECK(value_of("{\"value\":1,\"value\":1}") == Q16_16_MIN);
    CHECK(value_of("{\"value\":1,\"value_q16\":1}") == Q16_16_MIN);
    CHECK(value_of("prose") == Q16_16_MIN);
    CHECK(ax_agent_extract_value(NULL) == Q16_16_MIN);
    input.payload_len = record_of(record, sizeof record, 7, "{\"value\":1}");
    CHECK(ax_agent_extract_value(&input) == Q16_16_ONE);
    input.ledger_seq = 8;
    CHECK(ax_agent_extract_value(&input) == Q16_16_MIN);
    input.ledger_seq = 7;
    input.type = AX_INPUT_TIME_OBS;
    CHECK(ax_agent_extract_value(&input) == Q16_16_MIN);
    input.type = (ax_input_class_t)9;
    CHECK(ax_agent_extract_value(&input) == Q16_16_MIN);
    input.type = AX_INPUT_LLM_OBS;
    record[30] ^= 1;
    CHECK(ax_agent_extract_value(&input) == Q16_16_MIN);
    input.payload = NULL;
    CHECK(ax_agent_extract_value(&input) == Q16_16_MIN);

    CHECK(ax_extract_timestamp((const uint8_t *)BARE, strlen(BARE), &timestamp, &faults) == 1);
    CHECK(timestamp == UINT64_MAX);
    timestamp = 5;
    CHECK(ax_extract_timestamp((const uint8_t *)BARE, strlen(BARE) - 1, &timestamp, &faults) == 0);
    CHECK(ax_extract_timestamp((const uint8_t *)"{\"timestamp\":01}", 16, &timestamp, &faults) == 0);
    CHECK(ax_extract_timestamp((const uint8_t *)"{\"timestamp\":1} ", 16, &timestamp, &faults) == 0);
    CHECK(ax_extract_timestamp(NULL, 0, &timestamp, &faults) == 0);
    CHECK(flags_taken(&faults) == 0);
    CHECK(ax_extract_timestamp(NULL, 1, &timestamp, &faults) == 0 && flags_taken(&faults) == DOMAIN_);
    CHECK(ax_extract_timestamp((const uint8_t *)BARE, strlen(BARE), NULL, &faults) == 0);
    CHECK(flags_taken(&faults) == DOMAIN_);
    CHECK(ax_extract_timestamp((const uint8_t *)BARE, strlen(BARE), &timestamp, NULL) == 0);
    CHECK(timestamp == 5);
}

int main(void)
{
    ct_fault_init(&faults);
    scenarios();
    beginning();
    names();
    extracting();
    return check_end();
}
