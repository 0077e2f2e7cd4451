/* agent.h: whether the last answer may be acted on, and the answers whose bytes a RAW record binds. */

#include "axilog/agent.h"

#include "axilog/dvec.h"
#include "flags.h"
#include "ledger_file.h"
#include "scenario.h"

static ct_fault_flags_t faults;
static ledger_file_t file;
static const ax_ledger_sink_t SINK = { ledger_file_append, &file };
static uint8_t work[4096];
static ax_agent_ctx_t agent;
static ax_policy_ctx_t policy;

static void begin(void)
{
    ledger_file_begin(&file);
    ax_agent_init(&agent, &faults);
    ax_ledger_set_sink(&agent.ledger, &SINK, &faults);
    CHECK(ax_policy_init(&policy, &agent.ledger, &agent, &faults) == AX_POLICY_OK);
    CHECK(!ax_agent_may_act(&agent, &policy));
}

static void control(ax_input_class_t class_)
{
    CHECK(ax_agent_observe_control(&agent, &policy, class_, work, sizeof work, &faults) == AX_OK);
}

static void at_time(uint64_t timestamp)
{
    CHECK(ax_agent_observe_time(&agent, &policy, timestamp, work, sizeof work, &faults) == AX_OK);
}

/* Whether the answer may be acted on. */
static int acts_on(const char *text)
{
    ax_obs_input_t in = scenario_answer(text);
    CHECK(ax_agent_observe(&agent, &policy, &in, work, sizeof work, &faults) == AX_OK);
    return ax_agent_may_act(&agent, &policy);
}

/* Permission takes both: the policies and ENABLED. */
static void permission(void)
{
    begin();
    control(AX_INPUT_RESET_REQUEST);
    CHECK(agent.health == AX_HEALTH_INIT && !acts_on("{\"value\":1}"));
    CHECK(!ax_policy_has_breach(&policy));
    at_time(1);
    /* The answer was permitted in INIT; that the agent is ENABLED now permits nothing. */
    CHECK(agent.health == AX_HEALTH_ENABLED && !ax_agent_may_act(&agent, &policy));
    CHECK(acts_on("{\"value\":1}") == 1);
    at_time(2);
    CHECK(ax_agent_may_act(&agent, &policy));
    CHECK(!acts_on("{\"value\":71}") && agent.health == AX_HEALTH_ALARM);
    CHECK(!acts_on("{\"value\":1}") && !ax_policy_has_breach(&policy));
    control(AX_INPUT_POLICY_TRIGGER);
    CHECK(agent.health == AX_HEALTH_DEGRADED && !acts_on("{\"value\":1}"));
    control(AX_INPUT_RESET_REQUEST);
    at_time(3);
    CHECK(agent.health == AX_HEALTH_ENABLED && !ax_agent_may_act(&agent, &policy));
    CHECK(acts_on("{\"value\":1}"));
    /* Three faults alarm the agent, and what was permitted before stays over. */
    control(AX_INPUT_FAULT_SIGNAL);
    control(AX_INPUT_FAULT_SIGNAL);
    CHECK(ax_agent_may_act(&agent, &policy));
    control(AX_INPUT_FAULT_SIGNAL);
    CHECK(agent.health == AX_HEALTH_ALARM && !ax_agent_may_act(&agent, &policy));
    control(AX_INPUT_POLICY_TRIGGER);
    control(AX_INPUT_RESET_REQUEST);
    at_time(4);
    CHECK(agent.health == AX_HEALTH_ENABLED && !ax_agent_may_act(&agent, &policy));
    CHECK(acts_on("{\"value\":1}"));
    at_time(4);
    CHECK(agent.health == AX_HEALTH_STOPPED && !ax_agent_may_act(&agent, &policy));
    CHECK(!acts_on("{\"value\":1}"));
    CHECK(flags_taken(&faults) == 0);
}

/* Who is asked with anything else than the agent and its policies is told no. */
static void nobody(void)
{
    ax_agent_ctx_t other;
    ax_policy_ctx_t unbound;
    begin();
    control(AX_INPUT_RESET_REQUEST);
    at_time(1);
    CHECK(acts_on("{\"value\":1}"));
    CHECK(!ax_agent_may_act(NULL, &policy) && !ax_agent_may_act(&agent, NULL) && !ax_agent_may_act(NULL, NULL));
    other = agent;
    CHECK(!ax_agent_may_act(&other, &policy));
    CHECK(ax_policy_init(&unbound, NULL, NULL, &faults) == AX_POLICY_OK);
    CHECK(!ax_agent_may_act(&agent, &unbound));
    other.health = (ax_health_state_t)99;
    policy.ledger = &other.ledger;
    CHECK(!ax_agent_may_act(&other, &policy));
    policy.ledger = &agent.ledger;
    CHECK(ax_agent_may_act(&agent, &policy));
    agent.local_failed_flag = 1;
    CHECK(!ax_agent_may_act(&agent, &policy));
    CHECK(flags_taken(&faults) == 0);
}

/* An answer that was never recorded does not inherit the permission of the one before it. */
static void unrecorded(void)
{
    ax_obs_input_t in = scenario_answer("{\"value\":99}");
    int i;
    for (i = 0; i < 5; i++) {
        int code;
        begin();
        control(AX_INPUT_RESET_REQUEST);
        at_time(1);
        CHECK(acts_on("{\"value\":1}"));
        in = scenario_answer("{\"value\":99}");
        switch (i) {
        case 0:
            in.oracle_id = "";
            code = ax_agent_observe(&agent, &policy, &in, work, sizeof work, &faults);
            CHECK(code == AX_ERR_SCHEMA && flags_taken(&faults) == SCHEMA_);
            break;
        case 1:
            code = ax_agent_observe(&agent, &policy, NULL, work, sizeof work, &faults);
            CHECK(code == AX_ERR_PROTOCOL && flags_taken(&faults) == DOMAIN_);
            break;
        case 2:
            code = ax_agent_observe(&agent, &policy, &in, NULL, 0, &faults);
            CHECK(code == AX_ERR_PROTOCOL && flags_taken(&faults) == DOMAIN_);
            break;
        case 3:
            code = ax_agent_observe(&agent, &policy, &in, work, 64, &faults);
            CHECK(code == AX_ERR_BUFFER && flags_taken(&faults) == 0);
            break;
        default:
            file.refuse = 1;
            code = ax_agent_observe(&agent, &policy, &in, work, sizeof work, &faults);
            CHECK(code == AX_ERR_LEDGER && flags_taken(&faults) == (IO_ERROR_ | LEDGER_FAIL_));
        }
        CHECK(!ax_agent_may_act(&agent, &policy));
    }
}

/* A program whose step is its own: what it evaluates in a cycle is its answer. */
static void own_step(void)
{
    ax_policy_input_t value = { Q16_16_FROM_INT(1), 5, 5 };
    begin();
    agent.health = AX_HEALTH_ENABLED;
    CHECK(ax_policy_evaluate_all(&policy, &value, &faults) == AX_POLICY_PERMITTED);
    CHECK(ax_agent_may_act(&agent, &policy));
    value.value = Q16_16_FROM_INT(71);
    CHECK(ax_policy_evaluate_all(&policy, &value, &faults) == AX_POLICY_BREACH);
    CHECK(!ax_agent_may_act(&agent, &policy));
    value.value = Q16_16_FROM_INT(1);
    CHECK(ax_policy_evaluate_all(&policy, &value, &faults) == AX_POLICY_PERMITTED);
    CHECK(!ax_agent_may_act(&agent, &policy));
    ax_policy_reset_cycle(&policy);
    CHECK(!ax_agent_may_act(&agent, &policy));
    CHECK(ax_policy_evaluate_all(&policy, &value, &faults) == AX_POLICY_PERMITTED);
    CHECK(ax_agent_may_act(&agent, &policy));
    CHECK(flags_taken(&faults) == 0);
}

/* The library's step, called with an observation that is in the ledger. */
static void stepping(void)
{
    static uint8_t record[1024];
    ax_input_t input = { AX_INPUT_LLM_OBS, record, 0, 9 };
    begin();
    agent.health = AX_HEALTH_ENABLED;
    input.payload_len = record_of(record, sizeof record, 9, "{\"value\":1}");
    axilog_agent_step(&agent, &policy, &input, &faults);
    CHECK(ax_agent_may_act(&agent, &policy));
    axilog_agent_step(&agent, &policy, &input, &faults);
    CHECK(flags_taken(&faults) == (ORDERING_ | PROTOCOL_) && !ax_agent_may_act(&agent, &policy));
    begin();
    agent.health = AX_HEALTH_ENABLED;
    input.payload_len = record_of(record, sizeof record, 9, "{\"value\":71}");
    axilog_agent_step(&agent, &policy, &input, &faults);
    CHECK(agent.health == AX_HEALTH_ALARM && !ax_agent_may_act(&agent, &policy));
    begin();
    agent.health = AX_HEALTH_ALARM;
    input.payload_len = record_of(record, sizeof record, 9, "{\"value\":1}");
    axilog_agent_step(&agent, &policy, &input, &faults);
    CHECK(!ax_policy_has_breach(&policy) && !ax_agent_may_act(&agent, &policy));
    CHECK(flags_taken(&faults) == 0);
}

/* The record that firmware writes is the record that ax_agent_observe writes. */
static void raw_records(void)
{
    static uint8_t long_answer[70020];
    static const char EXPECTED[] = "{\"bytes\":1,\"kind\":\"RAW\",\"ledger_seq\":1,\"sha256\":"
                                   "\"a8100ae6aa1940d0b663bb31cd466142ebbdbd5187131b92d93818987832eb89\"}";
    const uint8_t raw[1] = { 0xff };
    uint8_t record[AX_RAW_RECORD_MAX_BYTES];
    uint8_t before[AX_RAW_RECORD_MAX_BYTES];
    ax_obs_input_t in = scenario_answer("\xff");
    ax_ledger_entry_t entry;
    char tag[16];
    size_t at = 0;
    size_t n;
    int i;
    const int written = ax_raw_record(record, sizeof record, 1, raw, sizeof raw);
    CHECK(written == (int)sizeof EXPECTED - 1 && memcmp(record, EXPECTED, sizeof EXPECTED - 1) == 0);
    begin();
    CHECK(ax_agent_observe(&agent, &policy, &in, work, sizeof work, &faults) == AX_ERR_ENCODING);
    for (i = 0; i < 3; i++) {
        const uint8_t *line = file.bytes + at;
        n = ledger_file_next(file.bytes, file.len, &at);
        CHECK(ax_ledger_line_parse(&entry, tag, line, n) == AX_OK);
    }
    CHECK_STR(entry.tag, AX_TAG_PROOF);
    CHECK(entry.payload_len == (uint64_t)written && memcmp(entry.payload, record, (size_t)written) == 0);

    /* An answer whose record does not hold it whole. */
    memset(long_answer, 'y', sizeof long_answer);
    in.output = (const char *)long_answer;
    in.output_len = sizeof long_answer;
    n = file.entries;
    CHECK(ax_agent_observe(&agent, &policy, &in, work, sizeof work, &faults) == AX_OK);
    CHECK(agent.health == AX_HEALTH_STOPPED && file.entries == n + 2);

    CHECK(ax_raw_record(record, sizeof record, UINT64_MAX, NULL, 0) > 0);
    memset(before, 0xA5, sizeof before);
    memset(record, 0xA5, sizeof record);
    for (n = 0; n < (size_t)written; n++) {
        CHECK(ax_raw_record(record, n, 1, raw, sizeof raw) == AX_ERR_BUFFER);
    }
    CHECK(ax_raw_record(NULL, sizeof record, 1, raw, sizeof raw) == AX_ERR_PROTOCOL);
    CHECK(ax_raw_record(record, sizeof record, 1, NULL, 1) == AX_ERR_PROTOCOL);
    CHECK(memcmp(record, before, sizeof record) == 0);
    CHECK(ax_raw_record(record, (size_t)written, 1, raw, sizeof raw) == written);
    CHECK(flags_taken(&faults) == 0);
}

/* JSON questions whose numbers are judged digit by digit: the deepest stack of an observation. */
static void judged_questions(void)
{
    static const char question[] = "[1.7976931348623157e+308,4.4501477170144023e-308,5e-324]";
    ax_obs_input_t in = scenario_answer("{\"value\":1}");
    begin();
    control(AX_INPUT_RESET_REQUEST);
    at_time(1);
    in.input = question;
    in.input_len = sizeof question - 1;
    in.input_kind = AX_INPUT_KIND_JSON;
    CHECK(ax_agent_observe(&agent, &policy, &in, work, sizeof work, &faults) == AX_OK);
    in.completion_state = AX_COMPLETION_ERROR;
    in.failure_type = AX_FAILURE_INVALID_OUTPUT;
    CHECK(ax_agent_observe(&agent, &policy, &in, work, sizeof work, &faults) == AX_ERR_ENCODING);
    CHECK(flags_taken(&faults) == 0);
}

/* A work buffer that would overwrite what it is to record is refused. */
static void overlapping(void)
{
    static char room[8192];
    static const size_t AT[] = { 0, 1, 4095, 4096 };
    const char *text = "{\"value\":1}";
    size_t part;
    size_t i;
    for (part = 0; part < 4; part++) {
        for (i = 0; i < sizeof AT / sizeof AT[0]; i++) {
            const int apart = AT[i] == 4096;
            ax_obs_input_t in = scenario_answer(text);
            char *inside = room + AT[i];
            uint8_t head[32];
            int code;
            begin();
            control(AX_INPUT_RESET_REQUEST);
            at_time(1);
            memcpy(head, agent.ledger.current_hash, 32);
            memcpy(inside, part < 2 ? text : "me", part < 2 ? strlen(text) + 1 : 3);
            switch (part) {
            case 0:
                in.output = inside;
                break;
            case 1:
                in.input = inside;
                break;
            case 2:
                in.oracle_id = inside;
                break;
            default:
                in.model_id = inside;
            }
            code = ax_agent_observe(&agent, &policy, &in, (uint8_t *)room, 4096, &faults);
            CHECK(code == (apart ? AX_OK : AX_ERR_PROTOCOL));
            CHECK(flags_taken(&faults) == (apart ? 0 : DOMAIN_));
            CHECK((memcmp(head, agent.ledger.current_hash, 32) != 0) == apart);
            CHECK(ax_agent_may_act(&agent, &policy) == apart && agent.health == AX_HEALTH_ENABLED);
            /* The answer lies before work. */
            if (!apart && part == 0) {
                in.output = room;
                memcpy(room, text, strlen(text));
                code = ax_agent_observe(&agent, &policy, &in, (uint8_t *)room + 5, 4096, &faults);
                CHECK(code == AX_ERR_PROTOCOL && flags_taken(&faults) == DOMAIN_);
                code = ax_agent_observe(&agent, &policy, &in, (uint8_t *)room + in.output_len, 4096, &faults);
                CHECK(code == AX_OK && flags_taken(&faults) == 0);
            }
        }
    }
}

int main(void)
{
    ct_fault_init(&faults);
    permission();
    nobody();
    unrecorded();
    own_step();
    stepping();
    raw_records();
    judged_questions();
    overlapping();
    return check_end();
}
