/* Firmware with a step of its own, built from the exported pieces as SRS-004 section 25.5 sketches
 * it. It defines ax_agent_step itself, and still links against the whole library.
 *
 * The scenarios of tests/vectors/agent.json run through it. Where the sketch means what the
 * library's step means, the ledger is the same to the last byte. It knows less: no count of faults
 * in ENABLED, no check of time, no selector but "value", no genesis check, and no rule for an answer
 * that is not COMPLETE but the value it lacks. The scenarios that differ are listed. */

#include "axilog/axilog.h"

#include "flags.h"
#include "scenario.h"

static int own_steps;

void ax_agent_step(ax_agent_ctx_t *agent_ctx, ax_policy_ctx_t *policy_ctx, const ax_input_t *input,
                   ct_fault_flags_t *faults)
{
    ax_health_state_t next_state = ax_agent_determine_next(agent_ctx->health, input->type);
    ax_policy_input_t p_input;

    own_steps++;

    /* SRS-004-SHALL-033: terminal state guard. */
    if (agent_ctx->health == AX_HEALTH_STOPPED) {
        faults->protocol = 1;
        return;
    }

    /* SRS-004-SHALL-038: observation ordering guard. */
    if (input->ledger_seq <= agent_ctx->last_seen_seq) {
        faults->protocol = 1;
        agent_ctx->health = AX_HEALTH_STOPPED;
        agent_ctx->local_failed_flag = 1;
        return;
    }

    /* Phase A. The sketch evaluates time too; "value" has none there, so time would always breach. */
    if (input->type == AX_INPUT_LLM_OBS) {
        p_input.value = ax_agent_extract_value(input);
        p_input.ledger_seq = input->ledger_seq;
        p_input.obs_ledger_seq = input->ledger_seq;
        if (ax_policy_evaluate_all(policy_ctx, &p_input, faults) == AX_POLICY_BREACH) {
            next_state = AX_HEALTH_ALARM;
        }
    }

    /* Phase B: commit before mutation. */
    ax_agent_commit_transition(agent_ctx, input, next_state, faults);

    /* Phase C. */
    if (!ct_fault_any(faults)) {
        agent_ctx->health = next_state;
        agent_ctx->last_seen_seq = input->ledger_seq;
    } else {
        agent_ctx->health = AX_HEALTH_STOPPED;
        agent_ctx->local_failed_flag = 1;
    }
}

static ct_fault_flags_t faults;
static ax_agent_ctx_t agent;
static ax_policy_ctx_t policy;

/* The class that firmware knows its inputs by. */
static ax_input_class_t class_of(const step_vector_t *step)
{
    const char *output = (const char *)step->output.at;
    if (strcmp(step->oracle_id, "ax.time") == 0) {
        return AX_INPUT_TIME_OBS;
    }
    if (strcmp(step->oracle_id, "ax.control") != 0) {
        return AX_INPUT_LLM_OBS;
    }
    if (strcmp(output, "{\"input_class\":\"RESET_REQUEST\"}") == 0) {
        return AX_INPUT_RESET_REQUEST;
    }
    if (strcmp(output, "{\"input_class\":\"POLICY_TRIGGER\"}") == 0) {
        return AX_INPUT_POLICY_TRIGGER;
    }
    if (strcmp(output, "{\"input_class\":\"FAULT_SIGNAL\"}") == 0) {
        return AX_INPUT_FAULT_SIGNAL;
    }
    return (ax_input_class_t)AX_INPUT_CLASS_COUNT;
}

/* Admits, records and steps: what ax_agent_observe does with the library's own step. */
static void observe(ax_admission_ctx_t *admission, const step_vector_t *step)
{
    static char output[AX_MAX_OBS_BYTES];
    static char text[AX_MAX_OBS_BYTES + 1];
    uint8_t raw[AX_RAW_RECORD_MAX_BYTES];
    int unheld = 0;
    ax_obs_input_t in = scenario_input(step);
    ax_input_t input;
    ax_evidence_t evidence;
    ax_obs_record_t record;
    int written;

    input.type = class_of(step);
    in.ledger_seq = agent.ledger.sequence + 1;
    if (input.type != AX_INPUT_LLM_OBS) {
        in.model_id = in.oracle_id;
        in.input_len = 0;
    }
    if (ax_obs_admit(&record, output, sizeof output, &in, admission, &faults) != AX_OK || faults.size) {
        /* What the oracle did wrong is in the record; the flags speak of the machine. The record does not
         * hold what came, so a RAW record binds it. */
        const int taken = flags_taken(&faults);
        CHECK(taken == ENCODING_ || taken == SIZE_);
        unheld = in.output_len > 0;
    }
    if (input.type == AX_INPUT_RESET_REQUEST) {
        CHECK(ax_policy_config_hash(&policy, record.input_hash, &faults) == AX_OK);
        CHECK(ax_obs_compute_hash(&record) == AX_OK);
    }
    written = ax_obs_canonicalise(text, sizeof text, &record, 1);
    CHECK(written > 0);
    evidence.tag = AX_TAG_OBS;
    evidence.payload = (const uint8_t *)text;
    evidence.payload_len = (uint64_t)written;
    CHECK(ax_ledger_record(&agent.ledger, &evidence, &faults) == AX_OK);
    input.payload = evidence.payload;
    input.payload_len = evidence.payload_len;
    input.ledger_seq = record.ledger_seq;
    if (unheld) {
        written = ax_raw_record(raw, sizeof raw, record.ledger_seq, step->output.at, step->output.len);
        CHECK(written > 0);
        evidence.tag = AX_TAG_PROOF;
        evidence.payload = raw;
        evidence.payload_len = (uint64_t)written;
        CHECK(ax_ledger_record(&agent.ledger, &evidence, &faults) == AX_OK);
    }
    if (agent.health != AX_HEALTH_STOPPED) {
        ax_policy_reset_cycle(&policy);
        ax_agent_step(&agent, &policy, &input, &faults);
    }
}

static int differs(const char *name)
{
    static const char *const NAMES[] = { "uninit-needs-reset", "fault-budget", "fault-then-reset-clears",
                                         "time-rollback", "bad-time", "unknown-control", "selectors",
                                         "critical-invalid-output-stops", "epoch-time-first",
                                         "newline-after-time", "stopped-binds-raw", "no-policies",
                                         "pointers", "camel-case", "per-oracle" };
    size_t i;
    for (i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (strcmp(name, NAMES[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

/* A flag that is set on entry: the sketch records an agent that goes on, and stops it. The library's step leaves no
 * record. */
static void check_flag_on_entry(void)
{
    static const char record[] = "{\"fault_count\":0,\"input_class\":\"POLICY_TRIGGER\",\"ledger_seq\":1,"
                                 "\"next_state\":\"ENABLED\",\"prev_state\":\"ENABLED\",\"violation\":null}";
    ax_evidence_t evidence = { AX_TAG_TRANS, NULL, sizeof record - 1 };
    ax_input_t input = { AX_INPUT_POLICY_TRIGGER, NULL, 0, 1 };
    ax_ledger_ctx_t sketched;
    evidence.payload = (const uint8_t *)record;

    ax_agent_init(&agent, &faults);
    ax_policy_init(&policy, &agent.ledger, &agent, &faults);
    agent.health = AX_HEALTH_ENABLED;
    sketched = agent.ledger;
    CHECK(ax_ledger_record(&sketched, &evidence, &faults) == AX_OK);
    faults.overflow = 1;
    ax_agent_step(&agent, &policy, &input, &faults);
    CHECK(agent.health == AX_HEALTH_STOPPED && flags_taken(&faults) == OVERFLOW_);
    CHECK(memcmp(agent.ledger.current_hash, sketched.current_hash, 32) == 0);

    ax_agent_init(&agent, &faults);
    ax_policy_init(&policy, &agent.ledger, &agent, &faults);
    agent.health = AX_HEALTH_ENABLED;
    faults.overflow = 1;
    axilog_agent_step(&agent, &policy, &input, &faults);
    CHECK(agent.health == AX_HEALTH_STOPPED && flags_taken(&faults) == OVERFLOW_);
    CHECK(agent.ledger.sequence == 0);
}

int main(void)
{
    static scenario_rules_t rules;
    int steps = 0;
    size_t i;
    size_t n;
    ct_fault_init(&faults);
    for (i = 0; i < AGENT_COUNT; i++) {
        const agent_vector_t *v = &AGENTS[i];
        ax_admission_ctx_t admission;
        int same = 1;
        ax_admission_ctx_init(&admission);
        scenario_rules(&rules, v);
        scenario_begin(v, &rules, &agent, &policy, NULL, &faults);
        for (n = 0; n < v->step_count; n++) {
            steps += agent.health != AX_HEALTH_STOPPED;
            observe(&admission, &v->steps[n]);
            CHECK(flags_taken(&faults) == 0);
            same = same && strcmp(ax_health_state_to_str(agent.health), v->steps[n].health) == 0
                && is_hex(agent.ledger.current_hash, 32, v->steps[n].head);
        }
        if (!CHECK(same != differs(v->name))) {
            fprintf(stderr, "%s\n", v->name);
        }
    }
    CHECK(own_steps == steps);
    check_flag_on_entry();
    steps = own_steps;

    /* The library's own step is still there, under its other name. */
    {
        const uint8_t later[] = "{\"timestamp\":1}";
        ax_input_t input = { AX_INPUT_TIME_OBS, NULL, sizeof later - 1, 1 };
        input.payload = later;
        ax_agent_init(&agent, &faults);
        ax_policy_init(&policy, &agent.ledger, &agent, &faults);
        agent.health = AX_HEALTH_INIT;
        axilog_agent_step(&agent, &policy, &input, &faults);
        CHECK(agent.health == AX_HEALTH_ENABLED && agent.last_timestamp == 1 && own_steps == steps);
    }
    return check_end();
}
