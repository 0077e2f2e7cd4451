/* replay.h: verdicts, and the agent as a ledger leaves it. */

#include "axilog/replay.h"

#include "axilog/commitment.h"
#include "axilog/sha256.h"
#include "flags.h"
#include "ledger_file.h"
#include "scenario.h"

static ct_fault_flags_t faults;
static ledger_file_t file;
static const ax_ledger_sink_t SINK = { ledger_file_append, &file };
static uint8_t work[4096];

static ax_agent_ctx_t agent;
static ax_policy_ctx_t policy;
static scenario_rules_t rules;

/* The first lines of a file, and whether they go on being good. */
static ax_verdict_t feed(ax_replay_ctx_t *replay, const uint8_t *bytes, size_t len, size_t lines)
{
    ax_verdict_t verdict = AX_VERDICT_OK;
    size_t at = 0;
    while (at < len && lines-- > 0) {
        const uint8_t *begin = bytes + at;
        size_t n = ledger_file_next(bytes, len, &at);
        ax_ledger_entry_t entry;
        char tag[16];
        CHECK(ax_ledger_line_parse(&entry, tag, begin, n) == AX_OK);
        verdict = ax_replay_feed(replay, &entry, &faults);
    }
    return verdict;
}

/* The verdict over the whole file under the given rules. */
static ax_verdict_t verdict_of_file(const ax_policy_registry_t *registry)
{
    ax_replay_ctx_t replay;
    ax_verdict_t verdict;
    CHECK(ax_replay_init(&replay, registry, 0, 0, &faults) == AX_OK);
    verdict = feed(&replay, file.bytes, file.len, SIZE_MAX);
    CHECK(ax_replay_finish(&replay, 0, NULL, &faults) == verdict);
    return verdict;
}

/* Every scenario replays, and can be verified without its rules. */
static void scenarios(void)
{
    size_t i;
    size_t n;
    for (i = 0; i < AGENT_COUNT; i++) {
        const agent_vector_t *v = &AGENTS[i];
        const ax_policy_registry_t *registries[2] = { NULL, NULL };
        ax_agent_ctx_t resumed;
        size_t r;
        scenario_rules(&rules, v);
        ledger_file_begin(&file);
        scenario_begin(v, &rules, &agent, &policy, &SINK, &faults);
        for (n = 0; n < v->step_count; n++) {
            ax_obs_input_t in = scenario_input(&v->steps[n]);
            (void)ax_agent_observe(&agent, &policy, &in, work, sizeof work, &faults);
        }
        registries[1] = &rules.registry;
        for (r = 0; r < 2; r++) {
            ax_replay_ctx_t replay;
            const uint64_t entries = agent.ledger.sequence + 1;
            uint8_t other[32] = { 0 };
            CHECK(ax_replay_init(&replay, registries[r], v->permit_truncated, v->stop_on_invalid, &faults)
                  == AX_OK);
            ax_replay_set_manifest(&replay, v->manifest.at);
            CHECK(feed(&replay, file.bytes, file.len, SIZE_MAX) == AX_VERDICT_OK);
            CHECK(ax_replay_finish(&replay, 0, NULL, &faults) == AX_VERDICT_OK);
            CHECK(ax_replay_finish(&replay, entries, agent.ledger.current_hash, &faults) == AX_VERDICT_OK);
            CHECK(ax_replay_finish(&replay, entries + 1, NULL, &faults) == AX_VERDICT_TRUNCATED);
            CHECK(ax_replay_finish(&replay, entries - 1, NULL, &faults) != AX_VERDICT_OK);
            CHECK(ax_replay_finish(&replay, 0, other, &faults) == AX_VERDICT_TRUNCATED);
            CHECK(ax_replay_finish(&replay, entries, other, &faults) == AX_VERDICT_ALTERED);
            memset(&resumed, 0xA5, sizeof resumed);
            if (r == 0) {
                CHECK(ax_replay_agent(&replay, &resumed, &faults) == AX_ERR_PROTOCOL);
                CHECK(flags_taken(&faults) == PROTOCOL_ && is_all(&resumed, sizeof resumed, 0xA5));
            } else {
                CHECK(ax_replay_agent(&replay, &resumed, &faults) == AX_OK);
                CHECK(resumed.health == agent.health && resumed.ledger.sink == NULL);
                CHECK(resumed.fault_accumulator == agent.fault_accumulator);
                CHECK(resumed.last_timestamp == agent.last_timestamp);
                CHECK(resumed.last_seen_seq == agent.last_seen_seq);
                CHECK(resumed.ledger.sequence == agent.ledger.sequence);
                CHECK(memcmp(resumed.ledger.current_hash, agent.ledger.current_hash, 32) == 0);
            }
        }
        CHECK(flags_taken(&faults) == 0);
    }
}

/* The golden ledger cut after every line: completed, gone on with, and the same in the end. */
static void interruptions(void)
{
    const agent_vector_t *v = scenario("breach-alarm-recover");
    const bytes_t golden = BREACH_ALARM_RECOVER;
    size_t lines;
    scenario_rules(&rules, v);
    for (lines = 1; lines <= 20; lines++) {
        ax_replay_ctx_t replay;
        size_t at = 0;
        size_t n;
        CHECK(ax_replay_init(&replay, &rules.registry, 0, 0, &faults) == AX_OK);
        CHECK(feed(&replay, golden.at, golden.len, lines) == AX_VERDICT_OK);
        CHECK(ax_replay_agent(&replay, &agent, &faults) == AX_OK);
        memset(&file, 0, sizeof file);
        for (n = 0; n < lines; n++) {
            (void)ledger_file_next(golden.at, golden.len, &at);
        }
        memcpy(file.bytes, golden.at, at);
        file.len = at;
        CHECK(ax_ledger_set_sink(&agent.ledger, &SINK, &faults) == AX_OK);
        CHECK(ax_policy_init_with_registry(&policy, &rules.registry, &agent.ledger, &agent, &faults)
              == AX_POLICY_OK);
        CHECK(ax_replay_complete(&replay, &agent, &faults) == AX_OK);
        CHECK(memcmp(file.bytes, golden.at, file.len) == 0);
        for (n = 0; n < v->step_count; n++) {
            ax_obs_input_t in = scenario_input(&v->steps[n]);
            if (v->steps[n].sequence > agent.ledger.sequence) {
                CHECK(ax_agent_observe(&agent, &policy, &in, work, sizeof work, &faults) == AX_OK);
            }
            if (v->steps[n].sequence == agent.ledger.sequence) {
                CHECK_STR(ax_health_state_to_str(agent.health), v->steps[n].health);
            }
        }
        CHECK(file.len == golden.len && memcmp(file.bytes, golden.at, golden.len) == 0);
        CHECK(flags_taken(&faults) == 0);
    }
}

/* What ax_replay_complete does not do. */
static void no_completion(void)
{
    const agent_vector_t *v = scenario("breach-alarm-recover");
    ax_replay_ctx_t replay;
    ax_agent_ctx_t before;
    ax_replay_ctx_t none;
    scenario_rules(&rules, v);
    CHECK(ax_replay_init(&replay, &rules.registry, 0, 0, &faults) == AX_OK);
    /* Up to the breaching observation, whose policy and transition are missing. */
    CHECK(feed(&replay, BREACH_ALARM_RECOVER.at, BREACH_ALARM_RECOVER.len, 6) == AX_VERDICT_OK);
    CHECK(ax_replay_agent(&replay, &agent, &faults) == AX_OK);
    ledger_file_begin(&file);
    ax_ledger_set_sink(&agent.ledger, &SINK, &faults);
    memset(&none, 0, sizeof none);
    before = agent;
#define NOTHING(call, code, flags) \
    CHECK((call) == (code) && flags_taken(&faults) == (flags)); \
    CHECK(memcmp(&before, &agent, sizeof agent) == 0 && file.entries == 1)
    NOTHING(ax_replay_complete(&replay, &agent, NULL), AX_ERR_PROTOCOL, 0);
    NOTHING(ax_replay_complete(NULL, &agent, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    NOTHING(ax_replay_complete(&none, &agent, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    NOTHING(ax_replay_complete(&replay, NULL, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    faults.overflow = 1;
    NOTHING(ax_replay_complete(&replay, &agent, &faults), AX_ERR_PROTOCOL, OVERFLOW_ | PROTOCOL_);
    agent.last_timestamp = 12345;
    before = agent;
    NOTHING(ax_replay_complete(&replay, &agent, &faults), AX_ERR_PROTOCOL, PROTOCOL_);
#undef NOTHING
    CHECK(ax_replay_agent(&replay, &agent, &faults) == AX_OK);
    ax_ledger_set_sink(&agent.ledger, &SINK, &faults);
    file.refuse = 1;
    CHECK(ax_replay_complete(&replay, &agent, &faults) == AX_ERR_LEDGER);
    CHECK(flags_taken(&faults) == (IO_ERROR_ | LEDGER_FAIL_) && agent.health == AX_HEALTH_STOPPED);
    CHECK(ax_replay_agent(&replay, &agent, &faults) == AX_OK && agent.health == AX_HEALTH_ENABLED);
}

/* Copies one line of the golden file into an entry of the caller's memory. */
static void golden_entry(ax_ledger_entry_t *entry, char tag[16], size_t line)
{
    size_t at = 0;
    size_t begin = 0;
    size_t n = 0;
    size_t i;
    for (i = 0; i <= line; i++) {
        begin = at;
        n = ledger_file_next(BREACH_ALARM_RECOVER.at, BREACH_ALARM_RECOVER.len, &at);
    }
    CHECK(ax_ledger_line_parse(entry, tag, BREACH_ALARM_RECOVER.at + begin, n) == AX_OK);
}

/* The verdict of the golden file with line `bad` handed in as `entry`. */
static ax_verdict_t with_line(const ax_policy_registry_t *registry, size_t bad, const ax_ledger_entry_t *entry)
{
    ax_replay_ctx_t replay;
    ax_verdict_t verdict;
    CHECK(ax_replay_init(&replay, registry, 0, 0, &faults) == AX_OK);
    CHECK(feed(&replay, BREACH_ALARM_RECOVER.at, BREACH_ALARM_RECOVER.len, bad) == AX_VERDICT_OK);
    verdict = ax_replay_feed(&replay, entry, &faults);
    if (verdict != AX_VERDICT_OK) {
        /* The first verdict that is not OK stays. */
        CHECK(ax_replay_feed(&replay, entry, &faults) == verdict);
    }
    CHECK(ax_replay_finish(&replay, 0, NULL, &faults) == verdict);
    return verdict;
}

static void tampering(void)
{
    const ax_policy_registry_t *registries[2];
    uint8_t payload[1024];
    ax_ledger_entry_t entry;
    char tag[16];
    size_t line;
    size_t r;
    scenario_rules(&rules, scenario("breach-alarm-recover"));
    registries[0] = NULL;
    registries[1] = &rules.registry;
    for (r = 0; r < 2; r++) {
        for (line = 0; line < 20; line++) {
            golden_entry(&entry, tag, line);
            CHECK(with_line(registries[r], line, &entry) == AX_VERDICT_OK);
            entry.commit[3] ^= 1;
            CHECK(with_line(registries[r], line, &entry) == AX_VERDICT_ALTERED);
            golden_entry(&entry, tag, line);
            entry.chain[31] ^= 128;
            CHECK(with_line(registries[r], line, &entry) == AX_VERDICT_ALTERED);
            golden_entry(&entry, tag, line);
            memcpy(payload, entry.payload, (size_t)entry.payload_len);
            payload[entry.payload_len / 2] ^= 1;
            entry.payload = payload;
            CHECK(with_line(registries[r], line, &entry) == AX_VERDICT_ALTERED);
            golden_entry(&entry, tag, line);
            entry.sequence++;
            CHECK(with_line(registries[r], line, &entry) == AX_VERDICT_REORDERED);
            golden_entry(&entry, tag, line);
            memcpy(tag, "AX:OBS:v2", 10);
            CHECK(with_line(registries[r], line, &entry) == AX_VERDICT_NON_CANONICAL);
            if (line + 1 < 20) {
                golden_entry(&entry, tag, line + 1);
                CHECK(with_line(registries[r], line, &entry) == AX_VERDICT_REORDERED);
            }
        }
    }
    CHECK(flags_taken(&faults) == 0);
}

/* Begins a ledger in which an agent was reset and saw the time. */
static void begin(void)
{
    ledger_file_begin(&file);
    ax_agent_init(&agent, &faults);
    ax_ledger_set_sink(&agent.ledger, &SINK, &faults);
    ax_policy_init(&policy, &agent.ledger, &agent, &faults);
    CHECK(ax_agent_observe_control(&agent, &policy, AX_INPUT_RESET_REQUEST, work, 1024, &faults) == AX_OK);
    CHECK(ax_agent_observe_time(&agent, &policy, 5, work, 1024, &faults) == AX_OK);
}

/* Commits a record that the agent would not have made. */
static void forge(const char *tag, const char *payload)
{
    ax_evidence_t e;
    e.tag = tag;
    e.payload = (const uint8_t *)payload;
    e.payload_len = strlen(payload);
    CHECK(ax_ledger_record(&agent.ledger, &e, &faults) == AX_OK);
}

static void verdicts(void)
{
    static const char TRANS[] = "{\"fault_count\":0,\"input_class\":\"TIME_OBS\",\"ledger_seq\":5,"
                                "\"next_state\":\"ENABLED\",\"prev_state\":\"ENABLED\",\"violation\":null}";
    const ax_policy_registry_t *own = ax_policy_get_registry();
    const ax_policy_t other_table[1] = { { "other", 1, AX_POLICY_CMP_GT, 1 } };
    const ax_policy_registry_t other = { other_table, 1, NULL };
    ax_obs_input_t in;
    char tag[16];
    ax_ledger_entry_t entry;

    begin();
    CHECK(verdict_of_file(own) == AX_VERDICT_OK && verdict_of_file(NULL) == AX_VERDICT_OK);
    CHECK(verdict_of_file(&other) == AX_VERDICT_CONFIG_MISMATCH);
    forge(AX_TAG_TRANS, TRANS);
    CHECK(verdict_of_file(own) == AX_VERDICT_UNWITNESSED);
    CHECK(verdict_of_file(NULL) == AX_VERDICT_UNWITNESSED);

    begin();
    forge(AX_TAG_TRANS, "{ }");
    CHECK(verdict_of_file(NULL) == AX_VERDICT_NON_CANONICAL);
    begin();
    forge(AX_TAG_OBS, "{}");
    CHECK(verdict_of_file(own) == AX_VERDICT_NON_CANONICAL);
    begin();
    forge(AX_TAG_STATE, "{}");
    CHECK(verdict_of_file(own) == AX_VERDICT_REORDERED);

    /* Another decision than the rules give, to an observation that is there. */
    ledger_file_begin(&file);
    ax_agent_init(&agent, &faults);
    ax_ledger_set_sink(&agent.ledger, &SINK, &faults);
    golden_entry(&entry, tag, 1);
    {
        char payload[1024];
        memcpy(payload, entry.payload, (size_t)entry.payload_len);
        payload[entry.payload_len] = '\0';
        forge(AX_TAG_OBS, payload);
    }
    forge(AX_TAG_TRANS, "{\"fault_count\":0,\"input_class\":\"RESET_REQUEST\",\"ledger_seq\":1,"
                        "\"next_state\":\"ENABLED\",\"prev_state\":\"UNINIT\",\"violation\":null}");
    CHECK(verdict_of_file(own) == AX_VERDICT_DIVERGED);
    CHECK(verdict_of_file(NULL) == AX_VERDICT_OK);

    /* One oracle with two models. */
    begin();
    ax_obs_input_set_complete(&in, 0, "oracle", "model-1", "Q", 1, "{\"value\":1}", 11, NULL);
    CHECK(ax_agent_observe(&agent, &policy, &in, work, 1024, &faults) == AX_OK);
    CHECK(verdict_of_file(own) == AX_VERDICT_OK);
    in.model_id = "model-2";
    CHECK(ax_agent_observe(&agent, &policy, &in, work, 1024, &faults) == AX_OK);
    CHECK(verdict_of_file(own) == AX_VERDICT_MODEL_MISMATCH);
    CHECK(verdict_of_file(NULL) == AX_VERDICT_MODEL_MISMATCH);

    /* A seal, and what follows one. */
    begin();
    CHECK(ax_ledger_seal(&agent.ledger, &faults) == AX_OK);
    CHECK(verdict_of_file(own) == AX_VERDICT_OK && verdict_of_file(NULL) == AX_VERDICT_OK);
    {
        ax_replay_ctx_t replay;
        CHECK(ax_replay_init(&replay, own, 0, 0, &faults) == AX_OK);
        CHECK(feed(&replay, file.bytes, file.len, SIZE_MAX) == AX_VERDICT_OK);
        CHECK(ax_replay_finish(&replay, 5, agent.ledger.current_hash, &faults) == AX_VERDICT_OK);
        CHECK(ax_replay_finish(&replay, 6, NULL, &faults) == AX_VERDICT_TRUNCATED);
        CHECK(ax_replay_agent(&replay, &agent, &faults) == AX_OK && agent.ledger.sealed == 1);
    }
    agent.ledger.sealed = 0;
    ax_ledger_set_sink(&agent.ledger, &SINK, &faults);
    forge(AX_TAG_TRANS, TRANS);
    CHECK(verdict_of_file(own) == AX_VERDICT_REORDERED);

    /* A seal that counts more than there is: the tail before it is gone. */
    begin();
    {
        char seal[160];
        size_t i;
        memcpy(seal, "{\"entries\":9,\"head\":\"", 21);
        for (i = 0; i < 32; i++) {
            snprintf(seal + 21 + 2 * i, 3, "%02x", (unsigned)agent.ledger.current_hash[i]);
        }
        strcpy(seal + 85, "\",\"kind\":\"SEAL\"}");
        forge(AX_TAG_PROOF, seal);
        CHECK(verdict_of_file(NULL) == AX_VERDICT_TRUNCATED);
        begin();
        seal[11] = '4';
        forge(AX_TAG_PROOF, seal);
        CHECK(verdict_of_file(NULL) == AX_VERDICT_ALTERED);
    }
    CHECK(flags_taken(&faults) == 0);
}

/* More oracles than are held to their models are said to be. */
static void many_oracles(void)
{
    char name[16];
    ax_obs_input_t in;
    size_t i;
    begin();
    for (i = 0; i <= 32; i++) {
        snprintf(name, sizeof name, "oracle-%u", (unsigned)i);
        ax_obs_input_set_complete(&in, 0, name, "m", "Q", 1, "{\"value\":1}", 11, NULL);
        CHECK(ax_agent_observe(&agent, &policy, &in, work, 1024, &faults) == AX_OK);
        CHECK(verdict_of_file(NULL) == AX_VERDICT_OK && flags_taken(&faults) == (i < 32 ? 0 : SIZE_));
    }
}

static void arguments(void)
{
    static const char *const NAMES[] = { "OK",   "ALTERED",       "REORDERED",   "TRUNCATED",
                                         "TORN", "NON_CANONICAL", "UNWITNESSED", "DIVERGED",
                                         "CONFIG_MISMATCH", "MODEL_MISMATCH" };
    const ax_policy_t unsorted_table[2] = { { "b", 1, AX_POLICY_CMP_GT, 1 }, { "a", 1, AX_POLICY_CMP_GT, 1 } };
    const ax_policy_registry_t unsorted = { unsorted_table, 2, NULL };
    const ax_policy_registry_t many = { unsorted_table, AX_POLICY_MAX_COUNT + 1, NULL };
    const ax_policy_registry_t null_array = { NULL, 1, NULL };
    ax_policy_t bad_table[1] = { { "not an id", 1, AX_POLICY_CMP_GT, 1 } };
    const ax_policy_registry_t bad = { bad_table, 1, NULL };
    ax_replay_ctx_t replay;
    ax_replay_ctx_t none;
    ax_agent_ctx_t out;
    ax_ledger_entry_t entry;
    int i;

    CHECK(AX_VERDICT_OK == 0 && AX_VERDICT_TORN == 4 && AX_VERDICT_MODEL_MISMATCH == 9);
    for (i = 0; i < 10; i++) {
        CHECK_STR(ax_verdict_to_str((ax_verdict_t)i), NAMES[i]);
    }
    CHECK_STR(ax_verdict_to_str((ax_verdict_t)10), "UNKNOWN");
    CHECK_STR(ax_verdict_to_str((ax_verdict_t)-1), "UNKNOWN");

    memset(&replay, 0xA5, sizeof replay);
#define REFUSED(registry, code) \
    CHECK(ax_replay_init(&replay, registry, 0, 0, &faults) == (code)); \
    CHECK(flags_taken(&faults) == DOMAIN_ && is_all(&replay, sizeof replay, 0xA5))
    REFUSED(&unsorted, AX_ERR_ORDERING);
    REFUSED(&many, AX_ERR_SIZE);
    REFUSED(&null_array, AX_ERR_PROTOCOL);
    REFUSED(&bad, AX_ERR_SCHEMA);
#undef REFUSED
    CHECK(ax_replay_init(&replay, NULL, 0, 0, NULL) == AX_ERR_PROTOCOL);
    CHECK(is_all(&replay, sizeof replay, 0xA5));
    CHECK(ax_replay_init(NULL, NULL, 0, 0, &faults) == AX_ERR_PROTOCOL && flags_taken(&faults) == DOMAIN_);

    memset(&none, 0, sizeof none);
    memset(&out, 0xA5, sizeof out);
    CHECK(ax_replay_init(&replay, NULL, 0, 0, &faults) == AX_OK);
    CHECK(ax_ledger_genesis_entry(&entry) == AX_OK);
    CHECK(ax_replay_feed(NULL, &entry, &faults) != AX_VERDICT_OK && flags_taken(&faults) == DOMAIN_);
    CHECK(ax_replay_feed(&none, &entry, &faults) != AX_VERDICT_OK && flags_taken(&faults) == DOMAIN_);
    CHECK(ax_replay_feed(&replay, NULL, &faults) != AX_VERDICT_OK && flags_taken(&faults) == DOMAIN_);
    CHECK(ax_replay_feed(&replay, &entry, NULL) != AX_VERDICT_OK);
    entry.payload = NULL;
    CHECK(ax_replay_feed(&replay, &entry, &faults) != AX_VERDICT_OK && flags_taken(&faults) == DOMAIN_);
    entry.tag = NULL;
    CHECK(ax_replay_feed(&replay, &entry, &faults) != AX_VERDICT_OK && flags_taken(&faults) == DOMAIN_);
    CHECK(ax_replay_finish(NULL, 0, NULL, &faults) != AX_VERDICT_OK && flags_taken(&faults) == DOMAIN_);
    CHECK(ax_replay_finish(&none, 0, NULL, &faults) != AX_VERDICT_OK && flags_taken(&faults) == DOMAIN_);
    CHECK(ax_replay_finish(&replay, 0, NULL, NULL) != AX_VERDICT_OK);
    /* None of that was an entry: nothing was read yet. */
    CHECK(ax_replay_finish(&replay, 0, NULL, &faults) == AX_VERDICT_TRUNCATED);
    CHECK(ax_replay_agent(&replay, &out, &faults) == AX_ERR_PROTOCOL && flags_taken(&faults) == PROTOCOL_);
    CHECK(ax_replay_agent(NULL, &out, &faults) == AX_ERR_PROTOCOL && flags_taken(&faults) == DOMAIN_);
    CHECK(ax_replay_agent(&none, &out, &faults) == AX_ERR_PROTOCOL && flags_taken(&faults) == DOMAIN_);
    CHECK(ax_replay_agent(&replay, NULL, &faults) == AX_ERR_PROTOCOL && flags_taken(&faults) == DOMAIN_);
    CHECK(ax_replay_agent(&replay, &out, NULL) == AX_ERR_PROTOCOL);
    CHECK(is_all(&out, sizeof out, 0xA5));

    /* The genesis alone is a ledger, whose agent is new. */
    CHECK(ax_ledger_genesis_entry(&entry) == AX_OK);
    CHECK(ax_replay_feed(&replay, &entry, &faults) == AX_VERDICT_OK);
    CHECK(ax_replay_finish(&replay, 1, AX_GOLDEN_GENESIS_HASH, &faults) == AX_VERDICT_OK);
    CHECK(ax_replay_agent(&replay, &out, &faults) == AX_OK && out.health == AX_HEALTH_UNINIT);
    ax_agent_init(&agent, &faults);
    CHECK(memcmp(&out.ledger, &agent.ledger, sizeof out.ledger) == 0 && flags_taken(&faults) == 0);

    /* It may be copied and moved. */
    none = replay;
    memset(&replay, 0, sizeof replay);
    CHECK(ax_replay_finish(&none, 1, AX_GOLDEN_GENESIS_HASH, &faults) == AX_VERDICT_OK);
}

int main(void)
{
    ct_fault_init(&faults);
    scenarios();
    interruptions();
    no_completion();
    tampering();
    verdicts();
    many_oracles();
    arguments();
    return check_end();
}
