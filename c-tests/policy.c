/* policy.h: registries, evaluation, records. */

#include "axilog/policy.h"

#include "axilog/agent.h"
#include "axilog/sha256.h"
#include "flags.h"
#include "ledger_file.h"
#include "scenario.h"

static ct_fault_flags_t faults;
static ledger_file_t file;
static const ax_ledger_sink_t SINK = { ledger_file_append, &file };

static const ax_policy_t TABLE[] = {
    { "a", 65536, AX_POLICY_CMP_GT, 1 },
    { "b", -65536, AX_POLICY_CMP_LT, 1 },
    { "c", 0, AX_POLICY_CMP_GE, 0 },
};
static const ax_policy_registry_t THREE = { TABLE, 3, NULL };

static void names(void)
{
    int code;
    CHECK(AX_POLICY_PERMITTED == 0 && AX_POLICY_BREACH == 1);
    CHECK(AX_POLICY_CMP_GT == 0 && AX_POLICY_CMP_LT == 1);
    CHECK(AX_POLICY_CMP_GE == 2 && AX_POLICY_CMP_LE == 3);
    CHECK(AX_POLICY_OK == 0 && AX_POLICY_ERR_NULL_CTX == -1 && AX_POLICY_ERR_NULL_INPUT == -2);
    CHECK(AX_POLICY_ERR_SERIALISE == -3 && AX_POLICY_ERR_COMMIT == -4);
    CHECK(AX_POLICY_ERR_INVALID_ID == -5 && AX_POLICY_ERR_OVERFLOW == -6);
    CHECK_STR(AX_POLICY_ID_MAX_VELOCITY, "POL-001-MAX-VELOCITY");
    CHECK_STR(ax_policy_result_to_str(AX_POLICY_PERMITTED), "PERMITTED");
    CHECK_STR(ax_policy_result_to_str(AX_POLICY_BREACH), "BREACH");
    CHECK_STR(ax_policy_result_to_str((ax_policy_result_t)2), "UNKNOWN");
    CHECK_STR(ax_policy_cmp_to_str(AX_POLICY_CMP_GT), "GT");
    CHECK_STR(ax_policy_cmp_to_str(AX_POLICY_CMP_LT), "LT");
    CHECK_STR(ax_policy_cmp_to_str(AX_POLICY_CMP_GE), "GE");
    CHECK_STR(ax_policy_cmp_to_str(AX_POLICY_CMP_LE), "LE");
    CHECK_STR(ax_policy_cmp_to_str((ax_policy_cmp_t)4), "UNKNOWN");
    CHECK_STR(ax_policy_cmp_to_str((ax_policy_cmp_t)-1), "UNKNOWN");
    for (code = -7; code <= 1; code++) {
        static const char *const ENDS[] = { "has more than 64 policies", "ascend strictly", "committed",
                                            "its buffer", "is NULL", "is NULL", "success" };
        const char *found = ax_policy_strerror((ax_policy_err_t)code);
        const char *end = code < -6 || code > 0 ? "unknown code" : ENDS[code + 6];
        CHECK_STR(found + strlen(found) - strlen(end), end);
    }
}

static void comparing(void)
{
    const q16_16_t values[] = { Q16_16_MIN, Q16_16_MIN + 1, -65536, -1, 0, 1, 65535, 65536, Q16_16_MAX };
    size_t i;
    size_t j;
    for (i = 0; i < 9; i++) {
        for (j = 0; j < 9; j++) {
            const q16_16_t a = values[i];
            const q16_16_t t = values[j];
            const int none = a == Q16_16_MIN;
            CHECK(ax_policy_check_breach(a, t, AX_POLICY_CMP_GT) == (none || a > t));
            CHECK(ax_policy_check_breach(a, t, AX_POLICY_CMP_LT) == (none || a < t));
            CHECK(ax_policy_check_breach(a, t, AX_POLICY_CMP_GE) == (none || a >= t));
            CHECK(ax_policy_check_breach(a, t, AX_POLICY_CMP_LE) == (none || a <= t));
            CHECK(ax_policy_check_breach(a, t, (ax_policy_cmp_t)4) == 1);
            CHECK(ax_policy_check_breach(a, t, (ax_policy_cmp_t)-1) == 1);
        }
    }
}

static void builtin(void)
{
    const ax_policy_registry_t *registry = ax_policy_get_registry();
    CHECK(registry != NULL && ax_policy_get_count() == registry->count && registry->count == 1);
    CHECK_STR(registry->policies[0].policy_id, AX_POLICY_ID_MAX_VELOCITY);
    CHECK(registry->policies[0].threshold == 4587520 && registry->policies[0].enabled == 1);
    CHECK(registry->policies[0].comparison == AX_POLICY_CMP_GT);
    CHECK(registry->selectors == NULL || strcmp(registry->selectors[0], "value") == 0);
    CHECK(ax_policy_verify_registry_sorted() == 1);
}

/* A registry that ax_policy_init_with_registry refuses, and ctx with it stays as it was. */
static int refused(const ax_policy_registry_t *registry, ax_policy_err_t error)
{
    ax_policy_ctx_t ctx;
    memset(&ctx, 0xA5, sizeof ctx);
    return ax_policy_init_with_registry(&ctx, registry, NULL, NULL, &faults) == error
        && flags_taken(&faults) == DOMAIN_ && is_all(&ctx, sizeof ctx, 0xA5);
}

static const char *const BAD_SELECTORS[] = { "", "1a", "a b", "altitude_q16", "/a_q16", "/~", "/~2",
                                             "#a", "llm#", "llm#1", "llm#elapsed", "\xc3#a", "/\xff" };
static const char *const GOOD_SELECTORS[] = { "Altitude", "_a-1", "/", "/a/0", "/~0~1", "/a#b",
                                              "llm-1#value", "llm-1#/a/0", "tool.x#/", "elapsed" };

static void registries(void)
{
    enum { SELECTOR_MAX_LEN = 192 };
    static ax_policy_t many[AX_POLICY_MAX_COUNT + 1];
    static char ids[AX_POLICY_MAX_COUNT + 1][4];
    static char long_id[AX_POLICY_ID_MAX_LEN + 2];
    static char long_selector[SELECTOR_MAX_LEN + 2];
    const char *selectors[3] = { "value", "altitude", "a_1" };
    ax_policy_t table[3];
    ax_policy_registry_t registry = { table, 3, selectors };
    ax_policy_registry_t none = { NULL, 0, NULL };
    ax_policy_ctx_t ctx;
    ax_ledger_ctx_t ledger;
    ax_agent_ctx_t agent;
    size_t i;

    memset(&ctx, 0xA5, sizeof ctx);
    CHECK(ax_policy_init(&ctx, &ledger, &agent, &faults) == AX_POLICY_OK);
    CHECK(ctx.ledger == &ledger && ctx.agent == &agent && ctx.registry == ax_policy_get_registry());
    CHECK(ctx.breach_flag == 0 && ctx.evaluation_count == 0 && ctx.last_eval_seq == 0);
    CHECK(ctx.permit_truncated == 0 && ctx.stop_on_invalid == 0);
    CHECK(ax_policy_init(NULL, &ledger, &agent, &faults) == AX_POLICY_ERR_NULL_CTX);
    CHECK(flags_taken(&faults) == DOMAIN_);
    CHECK(ax_policy_init(&ctx, NULL, NULL, NULL) != AX_POLICY_OK && ctx.ledger == &ledger);
    CHECK(ax_policy_init_with_registry(NULL, &THREE, NULL, NULL, &faults) == AX_POLICY_ERR_NULL_CTX);
    CHECK(flags_taken(&faults) == DOMAIN_);

    CHECK(refused(NULL, AX_POLICY_ERR_NULL_INPUT));
    registry.policies = NULL;
    CHECK(refused(&registry, AX_POLICY_ERR_NULL_INPUT));
    registry.policies = table;
    CHECK(ax_policy_init_with_registry(&ctx, &none, NULL, NULL, &faults) == AX_POLICY_OK);

    memcpy(table, TABLE, sizeof table);
    CHECK(ax_policy_init_with_registry(&ctx, &registry, NULL, NULL, &faults) == AX_POLICY_OK);
    table[1].policy_id = "a";
    CHECK(refused(&registry, AX_POLICY_ERR_INVALID_ID));
    table[1].policy_id = "0";
    CHECK(refused(&registry, AX_POLICY_ERR_INVALID_ID));
    table[1].policy_id = "bad id";
    CHECK(refused(&registry, AX_POLICY_ERR_INVALID_ID));
    table[1].policy_id = "";
    CHECK(refused(&registry, AX_POLICY_ERR_INVALID_ID));
    table[1].policy_id = NULL;
    CHECK(refused(&registry, AX_POLICY_ERR_INVALID_ID));
    memset(long_id, 'b', AX_POLICY_ID_MAX_LEN + 1);
    table[1].policy_id = long_id;
    CHECK(refused(&registry, AX_POLICY_ERR_INVALID_ID));
    long_id[AX_POLICY_ID_MAX_LEN] = '\0';
    CHECK(ax_policy_init_with_registry(&ctx, &registry, NULL, NULL, &faults) == AX_POLICY_OK);
    selectors[1] = NULL;
    CHECK(refused(&registry, AX_POLICY_ERR_INVALID_ID));
    for (i = 0; i < sizeof BAD_SELECTORS / sizeof BAD_SELECTORS[0]; i++) {
        selectors[1] = BAD_SELECTORS[i];
        CHECK(refused(&registry, AX_POLICY_ERR_INVALID_ID));
    }
    for (i = 0; i < sizeof GOOD_SELECTORS / sizeof GOOD_SELECTORS[0]; i++) {
        selectors[1] = GOOD_SELECTORS[i];
        CHECK(ax_policy_init_with_registry(&ctx, &registry, NULL, NULL, &faults) == AX_POLICY_OK);
    }
    memset(long_selector, 'a', SELECTOR_MAX_LEN + 1);
    selectors[1] = long_selector;
    CHECK(refused(&registry, AX_POLICY_ERR_INVALID_ID));
    long_selector[SELECTOR_MAX_LEN] = '\0';
    CHECK(ax_policy_init_with_registry(&ctx, &registry, NULL, NULL, &faults) == AX_POLICY_OK);

    /* An unknown operator is kept. */
    table[1].comparison = (ax_policy_cmp_t)77;
    CHECK(ax_policy_init_with_registry(&ctx, &registry, NULL, NULL, &faults) == AX_POLICY_OK);

    for (i = 0; i <= AX_POLICY_MAX_COUNT; i++) {
        snprintf(ids[i], sizeof ids[i], "p%02u", (unsigned)(i % 100));
        many[i].policy_id = ids[i];
        many[i].enabled = 1;
    }
    registry.policies = many;
    registry.selectors = NULL;
    registry.count = AX_POLICY_MAX_COUNT + 1;
    CHECK(refused(&registry, AX_POLICY_ERR_OVERFLOW));
    registry.count = SIZE_MAX;
    CHECK(refused(&registry, AX_POLICY_ERR_OVERFLOW));
    registry.count = AX_POLICY_MAX_COUNT;
    CHECK(ax_policy_init_with_registry(&ctx, &registry, NULL, NULL, &faults) == AX_POLICY_OK);
    CHECK(flags_taken(&faults) == 0);
}

/* The payload of the n-th line of the file. */
static int holds(size_t n, const char *tag, const char *payload)
{
    ax_ledger_entry_t entry;
    char text[16];
    size_t at = 0;
    size_t begin = 0;
    size_t len = 0;
    size_t i;
    for (i = 0; i <= n; i++) {
        begin = at;
        len = ledger_file_next(file.bytes, file.len, &at);
    }
    return ax_ledger_line_parse(&entry, text, file.bytes + begin, len) == AX_OK
        && strcmp(text, tag) == 0 && entry.payload_len == strlen(payload)
        && memcmp(entry.payload, payload, strlen(payload)) == 0;
}

static void evaluating(void)
{
    ax_agent_ctx_t agent;
    ax_policy_ctx_t ctx;
    ax_policy_ctx_t before;
    ax_policy_input_t input = { 65536, 9, 8 };
    ax_policy_t policy = TABLE[0];

    ax_agent_init(&agent, &faults);
    ledger_file_begin(&file);
    ax_ledger_set_sink(&agent.ledger, &SINK, &faults);
    ax_policy_init_with_registry(&ctx, &THREE, &agent.ledger, &agent, &faults);

    /* Permitted: a record for every enabled policy, in order. */
    CHECK(ax_policy_evaluate_all(&ctx, &input, &faults) == AX_POLICY_PERMITTED);
    CHECK(ctx.breach_flag == 0 && ctx.evaluation_count == 2 && ctx.last_eval_seq == 9);
    CHECK(agent.violation == AX_VIOLATION_NONE && ax_policy_has_breach(&ctx) == 0);
    CHECK(file.entries == 3 && agent.ledger.sequence == 2);
    CHECK(holds(1, "AX:POLICY:v1",
                "{\"actual\":65536,\"ledger_seq\":9,\"obs_ledger_seq\":8,\"policy_id\":\"a\","
                "\"result\":\"PERMITTED\",\"threshold\":65536}"));
    CHECK(holds(2, "AX:POLICY:v1",
                "{\"actual\":65536,\"ledger_seq\":9,\"obs_ledger_seq\":8,\"policy_id\":\"b\","
                "\"result\":\"PERMITTED\",\"threshold\":-65536}"));

    /* Breach: the flag, the violation, and the records all the same. */
    input.value = 65537;
    CHECK(ax_policy_evaluate_all(&ctx, &input, &faults) == AX_POLICY_BREACH);
    CHECK(ctx.breach_flag == 1 && ctx.evaluation_count == 4 && ax_policy_has_breach(&ctx) == 1);
    CHECK(agent.violation == AX_VIOLATION_POLICY_BREACH && file.entries == 5);
    CHECK(holds(3, "AX:POLICY:v1",
                "{\"actual\":65537,\"ledger_seq\":9,\"obs_ledger_seq\":8,\"policy_id\":\"a\","
                "\"result\":\"BREACH\",\"threshold\":65536}"));
    ax_policy_reset_cycle(&ctx);
    CHECK(ctx.breach_flag == 0 && ctx.evaluation_count == 0 && ax_policy_has_breach(&ctx) == 0);
    CHECK(ax_policy_has_breach(NULL) == 1);
    ax_policy_reset_cycle(NULL);

    /* No value breaches everything. */
    input.value = Q16_16_MIN;
    CHECK(ax_policy_evaluate_all(&ctx, &input, &faults) == AX_POLICY_BREACH && file.entries == 7);

    /* One policy; a disabled one leaves no record. */
    ax_policy_reset_cycle(&ctx);
    agent.violation = AX_VIOLATION_NONE;
    input.value = 0;
    CHECK(ax_policy_evaluate(&ctx, &policy, &input, &faults) == AX_POLICY_PERMITTED);
    CHECK(file.entries == 8 && ctx.evaluation_count == 1);
    policy.comparison = (ax_policy_cmp_t)4;
    CHECK(ax_policy_evaluate(&ctx, &policy, &input, &faults) == AX_POLICY_BREACH);
    CHECK(file.entries == 9 && agent.violation == AX_VIOLATION_POLICY_BREACH);
    policy.enabled = 0;
    ax_policy_reset_cycle(&ctx);
    CHECK(ax_policy_evaluate(&ctx, &policy, &input, &faults) == AX_POLICY_PERMITTED);
    CHECK(file.entries == 9 && ctx.evaluation_count == 0 && flags_taken(&faults) == 0);

    /* Without a ledger nothing is recorded; without an agent nobody is told. */
    ctx.ledger = NULL;
    ctx.agent = NULL;
    input.value = 65537;
    CHECK(ax_policy_evaluate_all(&ctx, &input, &faults) == AX_POLICY_BREACH && file.entries == 9);
    CHECK(flags_taken(&faults) == 0);

    /* What may not be NULL. */
    before = ctx;
#define FAILS(call, flags) \
    CHECK((call) == AX_POLICY_BREACH && flags_taken(&faults) == (flags)); \
    CHECK(memcmp(&before.ledger, &ctx.ledger, sizeof ctx.ledger) == 0 \
          && ctx.evaluation_count == before.evaluation_count && ctx.last_eval_seq == before.last_eval_seq)
    FAILS(ax_policy_evaluate_all(NULL, &input, &faults), DOMAIN_);
    FAILS(ax_policy_evaluate_all(&ctx, NULL, &faults), DOMAIN_);
    FAILS(ax_policy_evaluate_all(&ctx, &input, NULL), 0);
    FAILS(ax_policy_evaluate(NULL, &policy, &input, &faults), DOMAIN_);
    FAILS(ax_policy_evaluate(&ctx, NULL, &input, &faults), DOMAIN_);
    FAILS(ax_policy_evaluate(&ctx, &policy, NULL, &faults), DOMAIN_);
    FAILS(ax_policy_evaluate(&ctx, &policy, &input, NULL), 0);
    policy.policy_id = "bad id";
    FAILS(ax_policy_evaluate(&ctx, &policy, &input, &faults), DOMAIN_);
    policy.policy_id = NULL;
    FAILS(ax_policy_evaluate(&ctx, &policy, &input, &faults), DOMAIN_);
    ctx.registry = NULL;
    FAILS(ax_policy_evaluate_all(&ctx, &input, &faults), DOMAIN_);
#undef FAILS
}

/* A record that cannot be committed is a breach, whatever the value. */
static void uncommitted(void)
{
    ax_agent_ctx_t agent;
    ax_policy_ctx_t ctx;
    ax_policy_input_t input = { 0, 9, 9 };
    ax_ledger_ctx_t none;
    size_t k;
    for (k = 1; k <= 2; k++) {
        ax_agent_init(&agent, &faults);
        ledger_file_begin(&file);
        ax_ledger_set_sink(&agent.ledger, &SINK, &faults);
        ax_policy_init_with_registry(&ctx, &THREE, &agent.ledger, &agent, &faults);
        file.refuse = k;
        CHECK(ax_policy_evaluate_all(&ctx, &input, &faults) == AX_POLICY_BREACH);
        CHECK(flags_taken(&faults) == (IO_ERROR_ | LEDGER_FAIL_));
        CHECK(file.entries == k && agent.ledger.failed == 1 && agent.ledger.sequence == k - 1);
        CHECK(ctx.breach_flag == 1 && agent.violation == AX_VIOLATION_COMMIT_FAILURE);
        CHECK(ax_policy_evaluate(&ctx, &TABLE[0], &input, &faults) == AX_POLICY_BREACH);
        CHECK(flags_taken(&faults) == LEDGER_FAIL_);
    }
    memset(&none, 0, sizeof none);
    ax_policy_init_with_registry(&ctx, &THREE, &none, NULL, &faults);
    CHECK(ax_policy_evaluate_all(&ctx, &input, &faults) == AX_POLICY_BREACH);
    CHECK(flags_taken(&faults) == DOMAIN_ && is_all(&none, sizeof none, 0));
}

static void serialising(void)
{
    static const char TEXT[] =
        "{\"actual\":-2147483648,\"ledger_seq\":18446744073709551615,\"obs_ledger_seq\":0,"
        "\"policy_id\":\"P.1_x\",\"result\":\"BREACH\",\"threshold\":2147483647}";
    char buf[AX_POLICY_RECORD_MAX_BYTES];
    ax_policy_record_t record = { Q16_16_MIN, UINT64_MAX, 0, "P.1_x", 1, Q16_16_MAX };

    memset(buf, 0x5A, sizeof buf);
#define FAILS(call, code, flags) \
    CHECK((call) == (code) && flags_taken(&faults) == (flags) && is_all(buf, sizeof buf, 0x5A))
    FAILS(ax_policy_serialize(buf, sizeof TEXT - 1, &record, &faults), AX_POLICY_ERR_SERIALISE, SERIALISE_);
    FAILS(ax_policy_serialize(buf, 0, &record, &faults), AX_POLICY_ERR_SERIALISE, SERIALISE_);
    FAILS(ax_policy_serialize(NULL, 224, &record, &faults), AX_POLICY_ERR_NULL_INPUT, DOMAIN_);
    FAILS(ax_policy_serialize(buf, 224, NULL, &faults), AX_POLICY_ERR_NULL_INPUT, DOMAIN_);
    CHECK(ax_policy_serialize(buf, 224, &record, NULL) < 0 && is_all(buf, sizeof buf, 0x5A));
    record.result = 2;
    FAILS(ax_policy_serialize(buf, 224, &record, &faults), AX_POLICY_ERR_INVALID_ID, DOMAIN_);
    record.result = 1;
    record.policy_id = "";
    FAILS(ax_policy_serialize(buf, 224, &record, &faults), AX_POLICY_ERR_INVALID_ID, DOMAIN_);
    record.policy_id = NULL;
    FAILS(ax_policy_serialize(buf, 224, &record, &faults), AX_POLICY_ERR_INVALID_ID, DOMAIN_);
#undef FAILS
    record.policy_id = "P.1_x";
    CHECK(ax_policy_serialize(buf, sizeof TEXT, &record, &faults) == (int)sizeof TEXT - 1);
    CHECK_STR(buf, TEXT);
    CHECK(flags_taken(&faults) == 0);
}

static void configuration(void)
{
    scenario_rules_t rules;
    ax_policy_ctx_t ctx;
    uint8_t hash[32];
    uint8_t expected[32];
    size_t i;
    for (i = 0; i < AGENT_COUNT; i++) {
        scenario_rules(&rules, &AGENTS[i]);
        CHECK(ax_policy_init_with_registry(&ctx, &rules.registry, NULL, NULL, &faults) == AX_POLICY_OK);
        ctx.permit_truncated = AGENTS[i].permit_truncated;
        ctx.stop_on_invalid = AGENTS[i].stop_on_invalid;
        CHECK(ctx.has_manifest == 0 && is_all(ctx.manifest, sizeof ctx.manifest, 0));
        if (AGENTS[i].manifest.at != NULL) {
            ctx.has_manifest = 1;
            memcpy(ctx.manifest, AGENTS[i].manifest.at, sizeof ctx.manifest);
        }
        CHECK(ax_policy_config_hash(&ctx, hash, &faults) == AX_OK);
        axilog_sha256(expected, AGENTS[i].configuration.at, AGENTS[i].configuration.len);
        CHECK(memcmp(hash, expected, 32) == 0);
    }
    CHECK(flags_taken(&faults) == 0);
    memset(hash, 0xA5, 32);
    CHECK(ax_policy_config_hash(NULL, hash, &faults) == AX_ERR_PROTOCOL && is_all(hash, 32, 0));
    CHECK(flags_taken(&faults) == DOMAIN_);
    CHECK(ax_policy_config_hash(&ctx, NULL, &faults) == AX_ERR_PROTOCOL);
    CHECK(flags_taken(&faults) == DOMAIN_);
    memset(hash, 0xA5, 32);
    CHECK(ax_policy_config_hash(&ctx, hash, NULL) == AX_ERR_PROTOCOL && is_all(hash, 32, 0xA5));
    ctx.registry = NULL;
    CHECK(ax_policy_config_hash(&ctx, hash, &faults) == AX_ERR_PROTOCOL && is_all(hash, 32, 0));
    CHECK(flags_taken(&faults) == DOMAIN_);
}

int main(void)
{
    ct_fault_init(&faults);
    names();
    comparing();
    builtin();
    registries();
    evaluating();
    uncommitted();
    serialising();
    configuration();
    return check_end();
}
