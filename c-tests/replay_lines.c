/* replay.h, second part: the lines of a file, a buffer at a time; how far a replay came; the manifest. */

#include "axilog/replay.h"

#include "flags.h"
#include "ledger_file.h"
#include "scenario.h"

static ct_fault_flags_t faults;
static ax_replay_ctx_t replay;
static ledger_file_t file;

static void begin(const ax_policy_registry_t *registry)
{
    CHECK(ax_replay_init(&replay, registry, 0, 0, &faults) == AX_OK);
    CHECK(ax_replay_entries(&replay) == 0 && ax_replay_offset(&replay) == 0);
}

/* Feeds a file in buffers of some size, as a reader does who keeps what was not taken. */
static ax_verdict_t feed_in_parts(const uint8_t *bytes, size_t len, size_t size)
{
    ax_verdict_t verdict = AX_VERDICT_OK;
    size_t begin_at = 0;
    size_t end = 0;
    while (end < len && verdict == AX_VERDICT_OK) {
        end = len - end < size ? len : end + size;
        begin_at += ax_replay_feed_lines(&replay, bytes + begin_at, end - begin_at, &verdict, &faults);
        CHECK(ax_replay_offset(&replay) == begin_at);
    }
    return verdict;
}

/* Whatever the size of the buffers, the verdict is that of the entries. */
static void golden(void)
{
    static const size_t SIZES[] = { 1, 7, 64, 1000, 4096, 1 << 20 };
    static scenario_rules_t rules;
    const ax_policy_registry_t *registries[2] = { NULL, NULL };
    const bytes_t whole = BREACH_ALARM_RECOVER;
    size_t i;
    size_t r;
    scenario_rules(&rules, scenario("breach-alarm-recover"));
    registries[1] = &rules.registry;
    for (r = 0; r < 2; r++) {
        for (i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
            begin(registries[r]);
            CHECK(feed_in_parts(whole.at, whole.len, SIZES[i]) == AX_VERDICT_OK);
            CHECK(ax_replay_entries(&replay) == 20 && ax_replay_offset(&replay) == whole.len);
            CHECK(ax_replay_finish(&replay, 20, NULL, &faults) == AX_VERDICT_OK);
        }
    }
    CHECK(flags_taken(&faults) == 0);
}

/* The first line that is not good stops it, and its place is told. */
static void damaged(void)
{
    static uint8_t copy[1 << 14];
    const bytes_t whole = BREACH_ALARM_RECOVER;
    ax_verdict_t verdict;
    size_t at = 0;
    size_t line;
    if (!CHECK(whole.len < sizeof copy)) {
        return;
    }
    for (line = 0; line < 20; line++) {
        const size_t start = at;
        const size_t n = ledger_file_next(whole.at, whole.len, &at);
        int kind;
        for (kind = 0; kind < 3; kind++) {
            static const ax_verdict_t FOUND[3] = { AX_VERDICT_ALTERED, AX_VERDICT_NON_CANONICAL,
                                                   AX_VERDICT_NON_CANONICAL };
            memcpy(copy, whole.at, whole.len);
            if (kind == 0) {
                copy[start + 20] = copy[start + 20] == '0' ? '1' : '0';
            } else if (kind == 1) {
                copy[start] = ' ';
            } else {
                copy[start + n / 2] = '\n';
            }
            begin(NULL);
            verdict = AX_VERDICT_OK;
            CHECK(ax_replay_feed_lines(&replay, copy, whole.len, &verdict, &faults) == start);
            CHECK(verdict == FOUND[kind]);
            CHECK(ax_replay_entries(&replay) == line && ax_replay_offset(&replay) == start);
            /* It stays: nothing after it is taken. */
            verdict = AX_VERDICT_OK;
            CHECK(ax_replay_feed_lines(&replay, whole.at + start, whole.len - start, &verdict, &faults) == 0);
            CHECK(verdict == FOUND[kind] && ax_replay_entries(&replay) == line);
        }
    }
    CHECK(flags_taken(&faults) == 0);
}

/* A last line without its line feed is left, as is an empty buffer. */
static void remainders(void)
{
    const bytes_t whole = BREACH_ALARM_RECOVER;
    ax_verdict_t verdict = AX_VERDICT_TORN;
    size_t last = whole.len - 1;
    while (whole.at[last - 1] != '\n') {
        last--;
    }
    begin(NULL);
    CHECK(ax_replay_feed_lines(&replay, NULL, 0, &verdict, &faults) == 0 && verdict == AX_VERDICT_OK);
    CHECK(ax_replay_feed_lines(&replay, whole.at, whole.len - 1, &verdict, &faults) == last);
    CHECK(verdict == AX_VERDICT_OK && ax_replay_entries(&replay) == 19);
    CHECK(ax_replay_feed_lines(&replay, whole.at + last, whole.len - last, &verdict, &faults)
          == whole.len - last);
    CHECK(ax_replay_entries(&replay) == 20 && flags_taken(&faults) == 0);
}

static void refusals(void)
{
    const bytes_t whole = BREACH_ALARM_RECOVER;
    ax_replay_ctx_t none;
    ax_verdict_t verdict = AX_VERDICT_OK;
    memset(&none, 0, sizeof none);
    begin(NULL);
    CHECK(ax_replay_feed_lines(&replay, whole.at, whole.len, &verdict, NULL) == 0 && verdict == AX_VERDICT_OK);
    CHECK(ax_replay_feed_lines(&replay, whole.at, whole.len, NULL, &faults) == 0);
    CHECK(flags_taken(&faults) == DOMAIN_);
    CHECK(ax_replay_feed_lines(&replay, NULL, 1, &verdict, &faults) == 0 && verdict == AX_VERDICT_ALTERED);
    CHECK(flags_taken(&faults) == DOMAIN_);
    verdict = AX_VERDICT_OK;
    CHECK(ax_replay_feed_lines(NULL, whole.at, whole.len, &verdict, &faults) == 0);
    CHECK(verdict == AX_VERDICT_ALTERED && flags_taken(&faults) == DOMAIN_);
    verdict = AX_VERDICT_OK;
    CHECK(ax_replay_feed_lines(&none, whole.at, whole.len, &verdict, &faults) == 0);
    CHECK(verdict == AX_VERDICT_ALTERED && flags_taken(&faults) == DOMAIN_);
    CHECK(ax_replay_entries(&replay) == 0 && ax_replay_offset(&replay) == 0);
    CHECK(ax_replay_entries(NULL) == 0 && ax_replay_offset(NULL) == 0);
    CHECK(ax_replay_entries(&none) == 0 && ax_replay_offset(&none) == 0);
}

/* The ledger of the scenario, fed under the manifest that is named, or under none. */
static ax_verdict_t under_manifest(const agent_vector_t *v, const uint8_t *manifest)
{
    static scenario_rules_t rules;
    ax_verdict_t verdict;
    scenario_rules(&rules, v);
    begin(&rules.registry);
    ax_replay_set_manifest(&replay, manifest);
    (void)ax_replay_feed_lines(&replay, file.bytes, file.len, &verdict, &faults);
    return verdict;
}

static void manifests(void)
{
    static uint8_t work[4096];
    static scenario_rules_t rules;
    const agent_vector_t *v = scenario("manifest");
    const ax_ledger_sink_t sink = { ledger_file_append, &file };
    ax_agent_ctx_t agent;
    ax_policy_ctx_t policy;
    ax_verdict_t verdict;
    uint8_t other[32];
    size_t first;
    size_t at = 0;
    size_t n;
    if (!CHECK(v != NULL && v->manifest.at != NULL)) {
        return;
    }
    scenario_rules(&rules, v);
    ledger_file_begin(&file);
    scenario_begin(v, &rules, &agent, &policy, &sink, &faults);
    for (n = 0; n < v->step_count; n++) {
        ax_obs_input_t in = scenario_input(&v->steps[n]);
        CHECK(ax_agent_observe(&agent, &policy, &in, work, sizeof work, &faults) == AX_OK);
    }
    memcpy(other, v->manifest.at, sizeof other);
    other[31] ^= 1;
    CHECK(under_manifest(v, v->manifest.at) == AX_VERDICT_OK);
    CHECK(under_manifest(v, other) == AX_VERDICT_CONFIG_MISMATCH && ax_replay_entries(&replay) == 1);
    CHECK(under_manifest(v, NULL) == AX_VERDICT_CONFIG_MISMATCH && ax_replay_entries(&replay) == 1);

    /* NULL takes the manifest back; after the first record nothing changes it. */
    begin(&rules.registry);
    ax_replay_set_manifest(&replay, other);
    ax_replay_set_manifest(&replay, NULL);
    ax_replay_set_manifest(&replay, v->manifest.at);
    first = ledger_file_next(file.bytes, file.len, &at);
    CHECK(ax_replay_feed_lines(&replay, file.bytes, first, &verdict, &faults) == first);
    ax_replay_set_manifest(&replay, other);
    CHECK(ax_replay_feed_lines(&replay, file.bytes + at, file.len - at, &verdict, &faults) == file.len - at);
    CHECK(verdict == AX_VERDICT_OK);

    ax_replay_set_manifest(NULL, other);
    memset(&replay, 0, sizeof replay);
    ax_replay_set_manifest(&replay, other);
    CHECK(is_all(&replay, sizeof replay, 0) && flags_taken(&faults) == 0);
}

int main(void)
{
    ct_fault_init(&faults);
    golden();
    damaged();
    remainders();
    refusals();
    manifests();
    return check_end();
}
