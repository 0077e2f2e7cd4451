/* Writes a ledger with each kind of record from one thread, and prints its length, its head and its end. */

#include <string.h>
#include "check.h"

static axh_decision_t observe(axh_ledger_t *ledger, const char *answer, size_t length)
{
    static const char question[] = "How fast?\r\n";
    const ax_oracle_params_t params = { 100, 7, Q16_16_HALF, Q16_16_ONE };
    const axh_observation_t observation = {
        .size = sizeof observation, .oracle_id = "llm", .model_id = "model-1", .params = &params,
        .input = question, .input_len = sizeof question - 1, .output = answer, .output_len = length
    };
    axh_decision_t decision = { .size = sizeof decision };

    CHECK(axh_observe(ledger, &observation, &decision) == AXH_OK);
    return decision;
}

static axh_state_t state_of(axh_ledger_t *ledger)
{
    axh_state_t state = { .size = sizeof state };

    CHECK(axh_state(ledger, &state) == AXH_OK);
    return state;
}

int main(int argc, char **argv)
{
    static const char *const oracles[] = { "llm", "sensor" };
    static const char question[] = "{\"ask\":\"pressure\"}";
    static const char schema[] = "{\"type\":\"object\",\"required\":[\"value\"]}";
    static char long_answer[100000];
    const axh_schema_t declared = {
        .oracle_id = "sensor", .output = schema, .output_len = sizeof schema - 1
    };
    const axh_options_t options = {
        .size = sizeof options, .name = "plant/pump-3", .note = "A trial.", .oracles = oracles,
        .oracle_count = 2, .schemas = &declared, .schema_count = 1, .time = 5, .stop_on_invalid = 0
    };
    axh_options_t others = options;
    axh_observation_t failed = {
        .size = sizeof failed, .oracle_id = "sensor", .model_id = "sensor-3", .input = question,
        .input_len = sizeof question - 1, .input_kind = AX_INPUT_KIND_JSON,
        .failure = AX_FAILURE_TIMEOUT
    };
    axh_decision_t decision = { .size = sizeof decision };
    axh_kept_decision_t *kept;
    axh_ledger_t *ledger;
    axh_state_t state;
    char *text;
    int i;

    CHECK(argc == 2);
    CHECK(axh_ledger_create(argv[1], &options, &ledger) == AXH_OK);
    state = state_of(ledger);
    CHECK(state.health == AX_HEALTH_ENABLED && state.last_timestamp == 5 && state.has_manifest);
    CHECK(state.entries == state.durable_entries && memcmp(state.head, state.durable_head, 32) == 0);

    decision = observe(ledger, "{\"value\": 60}", 13);
    CHECK(decision.may_act && decision.permitted && decision.judged == 1 && decision.breached == 0);
    CHECK(decision.completion_state == AX_COMPLETION_COMPLETE && decision.output_size == 13);
    decision = observe(ledger, "{\"value\": 71}", 13);
    CHECK(!decision.may_act && decision.breached == 1 && decision.health == AX_HEALTH_ALARM);
    CHECK(strstr(axh_last_decision(), "value 71 is above 70"));
    kept = axh_take_decision();
    CHECK(kept != NULL && axh_last_decision()[0] == '\0' && axh_take_decision() == NULL);
    CHECK(decision.violation == AX_VIOLATION_POLICY_BREACH);
    CHECK(axh_control(ledger, AX_INPUT_POLICY_TRIGGER, &decision) == AXH_OK);
    CHECK(decision.health == AX_HEALTH_DEGRADED);
    CHECK(axh_control(ledger, AX_INPUT_RESET_REQUEST, NULL) == AXH_OK);
    CHECK(axh_time(ledger, 6, 0, &decision) == AXH_OK && decision.health == AX_HEALTH_ENABLED);
    CHECK(strstr(axh_last_decision(), "\"prev_state\":\"INIT\"") != NULL);
    CHECK(strstr(axh_kept_decision(kept), "value 71 is above 70") != NULL);
    axh_kept_decision_free(kept);
    CHECK(axh_time(ledger, 6, 0, &decision) == AXH_ERR_REFUSED && decision.ledger_seq == 0);
    CHECK(axh_last_reason() == AXH_REASON_TIME);
    CHECK(strstr(axh_last_decision(), "\"next_state\":\"ENABLED\"") != NULL);

    /* A ledger goes on where it was closed, under what it is bound to. */
    CHECK(axh_ledger_close(ledger) == AXH_OK);
    CHECK(axh_ledger_create(argv[1], &options, &ledger) == AXH_ERR_EXISTS && ledger == NULL);
    others.note = "Another trial.";
    CHECK(axh_ledger_open_or_create(argv[1], &others, &ledger) == AXH_ERR_REFUSED);
    CHECK(axh_last_reason() == AXH_REASON_BINDING);
    CHECK(axh_ledger_open(argv[1], &options, &ledger) == AXH_OK);
    CHECK(state_of(ledger).last_timestamp == 6 && axh_ledger_close(ledger) == AXH_OK);
    CHECK(axh_ledger_open_or_create(argv[1], NULL, &ledger) == AXH_OK);
    CHECK(axh_opening(ledger, &text) == AXH_OK);
    CHECK(strcmp(text, "{\"completed_records\":0,\"left_behind\":null,\"torn\":null}") == 0);
    axh_string_free(text);

    CHECK(axh_observe(ledger, &failed, &decision) == AXH_OK && !decision.may_act);
    CHECK(decision.failure_type == AX_FAILURE_TIMEOUT && decision.health == AX_HEALTH_ALARM);
    CHECK(axh_control(ledger, AX_INPUT_POLICY_TRIGGER, NULL) == AXH_OK);
    CHECK(axh_control(ledger, AX_INPUT_RESET_REQUEST, NULL) == AXH_OK);
    CHECK(axh_time(ledger, 7, 0, NULL) == AXH_OK);

    /* An answer that its schema refuses, one that is no text, and one that no record holds whole. */
    failed.failure = AX_FAILURE_NULL;
    failed.output = "{\"level\": 1}";
    failed.output_len = 12;
    CHECK(axh_observe(ledger, &failed, &decision) == AXH_OK && decision.violates_schema);
    CHECK(decision.failure_type == AX_FAILURE_INVALID_OUTPUT);
    decision = observe(ledger, "\xff\0", 2);
    CHECK(decision.failure_type == AX_FAILURE_INVALID_OUTPUT && !decision.violates_schema);
    memset(long_answer, 'x', sizeof long_answer);
    decision = observe(ledger, long_answer, sizeof long_answer);
    CHECK(decision.completion_state == AX_COMPLETION_TRUNCATED);
    CHECK(decision.output_size == sizeof long_answer);

    CHECK(axh_ledger_sync(ledger) == AXH_OK);
    CHECK(axh_seal(ledger) == AXH_OK && axh_seal(ledger) == AXH_ERR_REFUSED);
    CHECK(axh_last_reason() == AXH_REASON_SEALED);
    state = state_of(ledger);
    CHECK(state.sealed && !state.failed && state.durable_entries == state.entries);
    printf("%llu ", (unsigned long long)state.entries);
    for (i = 0; i < 32; i++) {
        printf("%02x", state.head[i]);
    }
    CHECK(axh_ledger_close(ledger) == AXH_OK);
    CHECK(axh_ledger_open(argv[1], NULL, &ledger) == AXH_ERR_REFUSED);
    return 0;
}
