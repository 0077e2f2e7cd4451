/* One SHA-256 over everything that the library makes of the golden vectors: records under every
 * profile, hashes, commitments, states, the lines of every ledger, chain heads, verdicts, arithmetic
 * and its flags. It prints 64 hexadecimal digits, which are the same on every platform:
 * c-tests/digest.txt.
 *
 * It needs nothing but printf, so that it runs hosted and on bare metal. Outputs are folded as they
 * come: digest = sha256(digest, sha256(output)), from 32 zeros. Integers are folded as eight bytes,
 * least significant first. */

#include <stdio.h>

#include "axilog/axilog.h"

#include "scenario.h"

static uint8_t digest[32];

static void fold(const void *output, size_t len)
{
    uint8_t both[64];
    memcpy(both, digest, 32);
    axilog_sha256(both + 32, (const uint8_t *)output, len);
    axilog_sha256(digest, both, sizeof both);
}

static void fold_text(const char *text)
{
    fold(text, strlen(text));
}

static void fold_u64(uint64_t value)
{
    uint8_t bytes[8];
    size_t i;
    for (i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
    fold(bytes, sizeof bytes);
}

static void fold_int(int64_t value)
{
    fold_u64((uint64_t)value);
}

/* Which flags are set; clears them. */
static void fold_faults(ct_fault_flags_t *faults)
{
    fold(faults, sizeof *faults);
    ct_fault_clear(faults);
}

static char text[AX_MAX_OBS_BYTES + 512];
static char output[AX_MAX_OBS_BYTES];
static ct_fault_flags_t faults;

/* One vector under one profile: admitted, written without and with its hash, committed, read. */
static void observation(const observation_vector_t *v, ax_profile_t profile)
{
    ax_admission_ctx_t ctx;
    ax_obs_input_t in;
    ax_obs_record_t record;
    ax_obs_view_t view;
    ax_evidence_t evidence;
    uint8_t commit[32];
    int len;

    ax_obs_input_set_complete(&in, v->ledger_seq, v->oracle_id, v->model_id,
                              (const char *)v->input.at, v->input.len, (const char *)v->output.at,
                              v->output.len, &v->params);
    in.completion_state = (ax_completion_state_t)v->completion_state;
    in.failure_type = (ax_failure_type_t)v->failure_type;
    ax_admission_ctx_init(&ctx);
    ctx.profile = profile;
    fold_int(ax_obs_admit(&record, output, sizeof output, &in, &ctx, &faults));
    fold_faults(&faults);
    fold(record.input_hash, sizeof record.input_hash);
    fold_text(record.obs_hash);
    fold_text(record.output);
    fold_u64(record.output_size);

    len = ax_obs_canonicalise_as(text, sizeof text, &record, 0, profile);
    fold_int(len);
    fold(text, len < 0 ? 0 : (size_t)len);
    len = ax_obs_canonicalise_as(text, sizeof text, &record, 1, profile);
    fold_int(len);
    if (len < 0) {
        return;
    }
    fold(text, (size_t)len);
    evidence.tag = AX_TAG_OBS;
    evidence.payload = (const uint8_t *)text;
    evidence.payload_len = (uint64_t)len;
    fold_int(ax_commit_evidence(&evidence, commit, &faults));
    fold(commit, sizeof commit);
    if (!CHECK(ax_obs_parse(&view, (const uint8_t *)text, (size_t)len, &profile, &faults) == AX_OK)) {
        return;
    }
    fold_int((int)profile);
    fold_int((int)view.completion_state);
    fold_int((int)view.failure_type);
    fold_u64(view.ledger_seq);
    fold_int(ax_obs_output(&view, output, sizeof output));
    fold_text(output);
    fold_int(ax_obs_validate(&record, &faults));
    fold_faults(&faults);
}

/* A sink that folds the line, and lets a replay read it back. */
static int fold_line(void *user, const ax_ledger_entry_t *entry)
{
    ax_ledger_entry_t read;
    char tag[16];
    const int len = ax_ledger_line_write((uint8_t *)text, sizeof text, entry);
    fold_int(len);
    if (len < 0) {
        return len;
    }
    fold(text, (size_t)len);
    fold_int(ax_ledger_line_parse(&read, tag, (const uint8_t *)text, (size_t)len));
    fold_int((int)ax_replay_feed((ax_replay_ctx_t *)user, &read, &faults));
    return 0;
}

static void scenario_digest(const agent_vector_t *v)
{
    static scenario_rules_t rules;
    static ax_replay_ctx_t replay;
    static uint8_t work[AX_MAX_OBS_BYTES];
    const ax_ledger_sink_t sink = { fold_line, &replay };
    ax_agent_ctx_t agent;
    ax_policy_ctx_t policy;
    ax_ledger_entry_t genesis;
    uint8_t configuration[32];
    size_t i;

    scenario_rules(&rules, v);
    scenario_begin(v, &rules, &agent, &policy, &sink, &faults);
    fold_int(ax_policy_config_hash(&policy, configuration, &faults));
    fold(configuration, sizeof configuration);
    fold_int(ax_replay_init(&replay, &rules.registry, v->permit_truncated, v->stop_on_invalid, &faults));
    ax_replay_set_manifest(&replay, v->manifest.at);
    fold_int(ax_ledger_genesis_entry(&genesis));
    fold_int(fold_line(&replay, &genesis));
    for (i = 0; i < v->step_count; i++) {
        const ax_obs_input_t in = scenario_input(&v->steps[i]);
        fold_int(ax_agent_observe(&agent, &policy, &in, work, sizeof work, &faults));
        fold_faults(&faults);
        fold_text(ax_health_state_to_str(agent.health));
        fold_u64(agent.fault_accumulator);
        fold_u64(agent.last_timestamp);
        fold_u64(agent.ledger.sequence);
        fold(agent.ledger.current_hash, 32);
    }
    fold_int((int)ax_replay_finish(&replay, agent.ledger.sequence + 1, agent.ledger.current_hash, &faults));
    fold_faults(&faults);
}

static void arithmetic(void)
{
    size_t i;
    for (i = 0; i < Q16_COUNT; i++) {
        const q16_vector_t *v = &Q16[i];
        switch (v->operation) {
        case '+':
            fold_int(dvm_add_q16(v->a, v->b, &faults));
            break;
        case '-':
            fold_int(dvm_sub_q16(v->a, v->b, &faults));
            break;
        case '*':
            fold_int(dvm_mul_q16(v->a, v->b, &faults));
            break;
        default:
            fold_int(dvm_div_q16(v->a, v->b, &faults));
        }
        fold_faults(&faults);
    }
}

/* What an answer that spells a number so has as its value. */
static void decimals(void)
{
    uint8_t record[1024];
    char answer[64];
    size_t i;
    for (i = 0; i < DECIMAL_COUNT; i++) {
        ax_input_t input = { AX_INPUT_LLM_OBS, record, 0, 1 };
        (void)snprintf(answer, sizeof answer, "{\"value\":%s}", DECIMALS[i]);
        input.payload_len = record_of(record, sizeof record, 1, answer);
        fold_int(ax_agent_extract_value(&input));
    }
}

int main(void)
{
    size_t i;
    int profile;
    ct_fault_init(&faults);
    for (i = 0; i < OBSERVATION_COUNT; i++) {
        for (profile = AX_PROFILE_RFC8785; profile <= AX_PROFILE_ORACLE_1_2; profile++) {
            observation(&OBSERVATIONS[i], (ax_profile_t)profile);
        }
    }
    for (i = 0; i < AGENT_COUNT; i++) {
        scenario_digest(&AGENTS[i]);
    }
    arithmetic();
    decimals();
    if (ax_format_hash_hex(text, sizeof text, digest, sizeof digest) < 0) {
        return 1;
    }
    puts(text);
    return check_failed;
}
