/* Conformance of policy.h, which alone a deployed rig includes: policies, their records, and the names that
 * such a rig finds there. */

#include "axilog/policy.h"

#include "conformance.h"

#include "ledger_file.h"

static ax_agent_ctx_t *agent;
static ax_policy_ctx_t *ctx;
static ledger_file_t file;
static const ax_ledger_sink_t SINK = { ledger_file_append, &file };

static const ax_policy_t TABLE[] = {
    { "a", 65536, AX_POLICY_CMP_GT, 1 },
    { "b", -65536, AX_POLICY_CMP_LT, 1 },
    { "c", 0, AX_POLICY_CMP_GE, 0 },
};
static const ax_policy_registry_t THREE = { TABLE, 3, NULL };

/* What policy.h brings along: the agent, the state of a ledger, and helpers of Q16.16. */
static void names(void)
{
    const ax_health_state_t health = AX_HEALTH_UNINIT;
    const ax_violation_t violation = AX_VIOLATION_POLICY_BREACH;
    int code;
    CHECK(AX_EVIDENCE_BUF_SIZE == 1024 && AX_LEDGER_READY == 1);
    CHECK(AX_EVIDENCE_BUF_SIZE > AX_POLICY_RECORD_MAX_BYTES && AX_EVIDENCE_BUF_SIZE > AX_TRANS_RECORD_MAX_BYTES);
    CHECK(q16_16_from_int(0) == 0 && q16_16_from_int(-3) == -196608 && q16_16_from_int(70) == 4587520);
    CHECK(q16_16_from_int(32767) == 2147418112 && q16_16_from_int(-32768) == Q16_16_MIN);
    CHECK(q16_16_from_int(32768) == Q16_16_MAX && q16_16_from_int(-32769) == Q16_16_MIN);
    CHECK(q16_16_from_int(INT32_MAX) == Q16_16_MAX && q16_16_from_int(INT32_MIN) == Q16_16_MIN);
    CHECK(q16_16_gt(1, 0) == 1 && q16_16_gt(0, 0) == 0 && q16_16_gt(Q16_16_MIN, Q16_16_MAX) == 0);
    CHECK(q16_16_ge(1, 0) == 1 && q16_16_ge(0, 0) == 1 && q16_16_ge(0, 1) == 0);
    CHECK(q16_16_le(0, 1) == 1 && q16_16_le(0, 0) == 1 && q16_16_le(1, 0) == 0);
    CHECK(q16_16_eq(1, 1) == 1 && q16_16_eq(1, 0) == 0 && Q16_16_FRAC_BITS == 16);
    CHECK(Q16_16_TO_INT(98304) == 1 && Q16_16_TO_INT(-65537) == -1 && Q16_16_TO_INT(-1) == 0);
    CHECK(q16_16_lt(0, 1) == 1 && q16_16_lt(0, 0) == 0 && q16_16_lt(Q16_16_MAX, Q16_16_MIN) == 0);
    CHECK(health == 0 && violation == 2 && sizeof(ax_agent_ctx_t) > sizeof(ax_ledger_ctx_t));

    CHECK(AX_POLICY_PERMITTED == 0 && AX_POLICY_BREACH == 1 && AX_POLICY_CMP_GT == 0);
    CHECK(AX_POLICY_CMP_LT == 1 && AX_POLICY_CMP_GE == 2 && AX_POLICY_CMP_LE == 3);
    CHECK(AX_POLICY_OK == 0 && AX_POLICY_ERR_NULL_CTX == -1 && AX_POLICY_ERR_NULL_INPUT == -2);
    CHECK(AX_POLICY_ERR_SERIALISE == -3 && AX_POLICY_ERR_COMMIT == -4);
    CHECK(AX_POLICY_ERR_INVALID_ID == -5 && AX_POLICY_ERR_OVERFLOW == -6);
    CHECK_STR(ax_policy_result_to_str(AX_POLICY_PERMITTED), "PERMITTED");
    CHECK_STR(ax_policy_result_to_str(AX_POLICY_BREACH), "BREACH");
    CHECK_STR(ax_policy_result_to_str((ax_policy_result_t)number(2)), "UNKNOWN");
    CHECK_STR(ax_policy_cmp_to_str(AX_POLICY_CMP_GT), "GT");
    CHECK_STR(ax_policy_cmp_to_str(AX_POLICY_CMP_LT), "LT");
    CHECK_STR(ax_policy_cmp_to_str(AX_POLICY_CMP_GE), "GE");
    CHECK_STR(ax_policy_cmp_to_str(AX_POLICY_CMP_LE), "LE");
    CHECK_STR(ax_policy_cmp_to_str((ax_policy_cmp_t)number(4)), "UNKNOWN");
    CHECK_STR(ax_policy_cmp_to_str((ax_policy_cmp_t)number(-1)), "UNKNOWN");
    for (code = -6; code <= 0; code++) {
        const char *says = ax_policy_strerror((ax_policy_err_t)number(code));
        CHECK(says != NULL && says[0] != '\0' && strcmp(says, "unknown code") != 0);
    }
    CHECK_STR(ax_policy_strerror((ax_policy_err_t)number(-7)), "unknown code");
    CHECK_STR(ax_policy_strerror((ax_policy_err_t)number(1)), "unknown code");
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
            CHECK(ax_policy_check_breach(a, t, AX_POLICY_CMP_GT) == (none || q16_16_gt(a, t)));
            CHECK(ax_policy_check_breach(a, t, AX_POLICY_CMP_LT) == (none || q16_16_lt(a, t)));
            CHECK(ax_policy_check_breach(a, t, AX_POLICY_CMP_GE) == (none || !q16_16_lt(a, t)));
            CHECK(ax_policy_check_breach(a, t, AX_POLICY_CMP_LE) == (none || !q16_16_gt(a, t)));
            CHECK(ax_policy_check_breach(a, t, (ax_policy_cmp_t)number(4)) == 1);
        }
    }
}

/* Whether a registry is refused with error, the context staying as it was. */
static int refused(const ax_policy_registry_t *registry, ax_policy_err_t error)
{
    memset(ctx, 0xA5, sizeof *ctx);
    return ax_policy_init_with_registry(ctx, registry, NULL, NULL, base) == error && base_taken() == DOMAIN_
        && is_all(ctx, sizeof *ctx, 0xA5);
}

static void registries(void)
{
    static ax_policy_t many[AX_POLICY_MAX_COUNT + 1];
    static char ids[AX_POLICY_MAX_COUNT + 1][4];
    static const char *const BAD_IDS[] = { "a", "0", "bad id", "", NULL };
    static const char *const BAD_SELECTORS[] = { "altitude_q16", "", NULL };
    const ax_policy_registry_t *builtin = ax_policy_get_registry();
    char *long_id = (char *)guarded(AX_POLICY_ID_MAX_LEN + 2);
    const char *selectors[3] = { "value", "altitude", "a_1" };
    ax_policy_t table[3];
    ax_policy_registry_t registry = { NULL, 3, NULL };
    size_t i;

    CHECK(builtin != NULL && ax_policy_get_count() == 4 && builtin->count == 4);
    CHECK_STR(builtin->policies[0].policy_id, AX_POLICY_ID_MAX_VELOCITY);
    CHECK_STR(builtin->policies[1].policy_id, AX_POLICY_ID_MIN_ALTITUDE);
    CHECK_STR(builtin->policies[2].policy_id, AX_POLICY_ID_THERMAL_LIMIT);
    CHECK_STR(builtin->policies[3].policy_id, AX_POLICY_ID_RATE_LIMIT);
    CHECK(builtin->policies[0].threshold == 4587520 && builtin->policies[0].comparison == AX_POLICY_CMP_GT);
    CHECK(builtin->policies[1].threshold == 6553600 && builtin->policies[1].comparison == AX_POLICY_CMP_LT);
    CHECK(builtin->policies[2].threshold == 5570560 && builtin->policies[3].threshold == 65536000);
    CHECK(ax_policy_verify_registry_sorted() == 1);

    memset(ctx, 0xA5, sizeof *ctx);
    CHECK(ax_policy_init(ctx, &agent->ledger, agent, base) == AX_POLICY_OK && base_taken() == 0);
    CHECK(ctx->ledger == &agent->ledger && ctx->agent == agent && ctx->registry == builtin);
    CHECK(ctx->breach_flag == 0 && ctx->evaluation_count == 0 && ctx->last_eval_seq == 0);
    CHECK(ctx->permit_truncated == 0 && ctx->stop_on_invalid == 0 && ctx->has_manifest == 0);
    CHECK(ax_policy_init(NULL, NULL, NULL, base) == AX_POLICY_ERR_NULL_CTX && base_taken() == DOMAIN_);
    CHECK(ax_policy_init(NULL, NULL, NULL, NULL) == AX_POLICY_ERR_NULL_CTX && ctx->agent == agent);
    CHECK(ax_policy_init(ctx, NULL, NULL, NULL) == AX_POLICY_OK && ctx->agent == NULL);
    CHECK(ax_policy_init_with_registry(NULL, &THREE, NULL, NULL, base) == AX_POLICY_ERR_NULL_CTX);
    CHECK(base_taken() == DOMAIN_);

    CHECK(refused(NULL, AX_POLICY_ERR_NULL_INPUT) && refused(&registry, AX_POLICY_ERR_NULL_INPUT));
    registry.count = 0;
    CHECK(ax_policy_init_with_registry(ctx, &registry, NULL, NULL, base) == AX_POLICY_OK);
    memcpy(table, TABLE, sizeof table);
    registry.policies = table;
    registry.count = 3;
    for (i = 0; i < sizeof BAD_IDS / sizeof BAD_IDS[0]; i++) {
        table[1].policy_id = BAD_IDS[i];
        CHECK(refused(&registry, AX_POLICY_ERR_INVALID_ID));
    }
    memset(long_id, 'b', AX_POLICY_ID_MAX_LEN + 1);
    table[1].policy_id = long_id;
    CHECK(refused(&registry, AX_POLICY_ERR_INVALID_ID));
    long_id[AX_POLICY_ID_MAX_LEN] = '\0';
    registry.selectors = selectors;
    CHECK(ax_policy_init_with_registry(ctx, &registry, NULL, NULL, base) == AX_POLICY_OK);
    for (i = 0; i < sizeof BAD_SELECTORS / sizeof BAD_SELECTORS[0]; i++) {
        selectors[1] = BAD_SELECTORS[i];
        CHECK(refused(&registry, AX_POLICY_ERR_INVALID_ID));
    }
    registry.selectors = NULL;
    table[1].comparison = (ax_policy_cmp_t)number(77);
    CHECK(ax_policy_init_with_registry(ctx, &registry, NULL, NULL, base) == AX_POLICY_OK);

    for (i = 0; i <= AX_POLICY_MAX_COUNT; i++) {
        snprintf(ids[i], sizeof ids[i], "p%02u", (unsigned)(i % 100));
        many[i].policy_id = ids[i];
        many[i].enabled = 1;
    }
    registry.policies = many;
    registry.count = AX_POLICY_MAX_COUNT + 1;
    CHECK(refused(&registry, AX_POLICY_ERR_OVERFLOW));
    registry.count = SIZE_MAX;
    CHECK(refused(&registry, AX_POLICY_ERR_OVERFLOW));
    registry.count = AX_POLICY_MAX_COUNT;
    CHECK(ax_policy_init_with_registry(ctx, &registry, NULL, NULL, base) == AX_POLICY_OK && base_taken() == 0);
}

/* An agent with a file under the three policies. */
static void begin(void)
{
    ax_agent_init(agent, base);
    ledger_file_begin(&file);
    CHECK(ax_ledger_set_sink(&agent->ledger, &SINK, base) == AX_OK);
    CHECK(ax_policy_init_with_registry(ctx, &THREE, &agent->ledger, agent, base) == AX_POLICY_OK);
    CHECK(base_taken() == 0);
}

static void evaluating(void)
{
    ax_policy_input_t input = { 65536, 9 };
    ax_policy_t policy = TABLE[0];
    begin();
    CHECK(ax_policy_evaluate_all(ctx, &input, base) == AX_POLICY_PERMITTED && base_taken() == 0);
    CHECK(ctx->breach_flag == 0 && ctx->evaluation_count == 2 && ctx->last_eval_seq == 9);
    CHECK(agent->violation == AX_VIOLATION_NONE && ax_policy_has_breach(ctx) == 0 && file.entries == 3);
    CHECK(strstr((const char *)file.bytes, "\"ledger_seq\":9,\"obs_ledger_seq\":9,\"policy_id\":\"a\"") != NULL);
    input.value = 65537;
    CHECK(ax_policy_evaluate_all(ctx, &input, base) == AX_POLICY_BREACH && base_taken() == 0);
    CHECK(ctx->breach_flag == 1 && ctx->evaluation_count == 4 && ax_policy_has_breach(ctx) == 1);
    CHECK(agent->violation == AX_VIOLATION_POLICY_BREACH && file.entries == 5);
    ax_policy_reset_cycle(ctx);
    CHECK(ctx->breach_flag == 0 && ctx->evaluation_count == 0 && ax_policy_has_breach(ctx) == 0);
    CHECK(ax_policy_has_breach(NULL) == 1);
    ax_policy_reset_cycle(NULL);

    input.value = Q16_16_MIN;
    CHECK(ax_policy_evaluate_all(ctx, &input, base) == AX_POLICY_BREACH && base_taken() == 0);
    ax_policy_reset_cycle(ctx);
    input.value = 0;
    input.ledger_seq = 10;
    CHECK(ax_policy_evaluate(ctx, &policy, &input, base) == AX_POLICY_PERMITTED && file.entries == 8);
    CHECK(ctx->last_eval_seq == 9 && ctx->evaluation_count == 1);
    policy.comparison = (ax_policy_cmp_t)number(4);
    CHECK(ax_policy_evaluate(ctx, &policy, &input, base) == AX_POLICY_BREACH && file.entries == 9);
    policy.enabled = 0;
    ax_policy_reset_cycle(ctx);
    CHECK(ax_policy_evaluate(ctx, &policy, &input, base) == AX_POLICY_BREACH && file.entries == 10);
    CHECK(base_taken() == 0);

    /* A flag that is set on entry: one policy is judged, and no value permitted. */
    ax_policy_reset_cycle(ctx);
    base->overflow = 1;
    CHECK(ax_policy_evaluate_all(ctx, &input, base) == AX_POLICY_BREACH && base_taken() == OVERFLOW_);
    CHECK(ctx->evaluation_count == 1 && ctx->breach_flag == 1 && ctx->last_eval_seq == 9 && file.entries == 11);
    base->overflow = 1;
    CHECK(ax_policy_evaluate(ctx, &TABLE[0], &input, base) == AX_POLICY_PERMITTED && base_taken() == OVERFLOW_);

    ctx->ledger = NULL;
    ctx->agent = NULL;
    ax_policy_reset_cycle(ctx);
    CHECK(ax_policy_evaluate_all(ctx, &input, NULL) == AX_POLICY_PERMITTED && ctx->last_eval_seq == 10);
    CHECK(ax_policy_evaluate(ctx, &TABLE[0], &input, NULL) == AX_POLICY_PERMITTED);
    ctx->evaluation_count = 255;
    input.value = 65537;
    CHECK(ax_policy_evaluate_all(ctx, &input, base) == AX_POLICY_BREACH && base_taken() == 0);
    CHECK(file.entries == 12 && ctx->evaluation_count == 1);
    CHECK(ax_policy_evaluate_all(NULL, &input, base) == AX_POLICY_BREACH && base_taken() == DOMAIN_);
    CHECK(ax_policy_evaluate_all(NULL, &input, NULL) == AX_POLICY_BREACH);
    CHECK(ax_policy_evaluate_all(ctx, NULL, base) == AX_POLICY_BREACH && base_taken() == DOMAIN_);
    CHECK(ax_policy_evaluate(NULL, &policy, &input, base) == AX_POLICY_BREACH && base_taken() == DOMAIN_);
    CHECK(ax_policy_evaluate(ctx, NULL, &input, base) == AX_POLICY_BREACH && base_taken() == DOMAIN_);
    CHECK(ax_policy_evaluate(ctx, &policy, NULL, base) == AX_POLICY_BREACH && base_taken() == DOMAIN_);
    CHECK(ax_policy_evaluate(NULL, NULL, NULL, NULL) == AX_POLICY_BREACH);
    policy.policy_id = "bad id";
    CHECK(ax_policy_evaluate(ctx, &policy, &input, base) == AX_POLICY_BREACH && base_taken() == DOMAIN_);
    ctx->registry = NULL;
    CHECK(ax_policy_evaluate_all(ctx, &input, base) == AX_POLICY_BREACH && base_taken() == DOMAIN_);
}

/* The value that an altitude needs is a velocity that none permits: under the four built-in policies, which all judge
 * the one value, no value is permitted. */
static void built_in(void)
{
    const q16_16_t values[] = { Q16_16_MIN, 0, 4587520, 4587521, 5570560, 6553599, 6553600, 65536000, Q16_16_MAX };
    size_t i;
    for (i = 0; i < sizeof values / sizeof values[0]; i++) {
        ax_policy_input_t input;
        input.value = values[i];
        input.ledger_seq = i;
        ax_policy_init(ctx, NULL, NULL, base);
        CHECK(ax_policy_evaluate_all(ctx, &input, base) == AX_POLICY_BREACH && ctx->evaluation_count == 4);
    }
    CHECK(base_taken() == 0);
}

/* A record that cannot be committed is a breach, whatever the value. */
static void uncommitted(void)
{
    const ax_policy_input_t input = { 0, 9 };
    size_t k;
    for (k = 1; k <= 2; k++) {
        begin();
        file.refuse = k;
        CHECK(ax_policy_evaluate_all(ctx, &input, base) == AX_POLICY_BREACH);
        CHECK(base_taken() == LEDGER_FAIL_);
        CHECK(file.entries == k && agent->ledger.failed == 1 && ctx->breach_flag == 1);
        CHECK(agent->violation == AX_VIOLATION_COMMIT_FAILURE);
        CHECK(ax_policy_evaluate(ctx, &TABLE[0], &input, base) == AX_POLICY_BREACH);
        CHECK(base_taken() == LEDGER_FAIL_);
    }
    begin();
    CHECK(ax_ledger_seal(&agent->ledger, base) == AX_OK);
    CHECK(ax_policy_evaluate_all(ctx, &input, base) == AX_POLICY_BREACH && base_taken() == LEDGER_FAIL_);
    begin();
    agent->ledger.initialised = 0;
    CHECK(ax_policy_evaluate_all(ctx, &input, base) == AX_POLICY_BREACH && base_taken() == LEDGER_FAIL_);
}

/* A rig sets the fields that it knows, and nothing of the stack comes into the record. */
static void serialising(void)
{
    static const char TEXT[] = "{\"actual\":-2147483648,\"ledger_seq\":18446744073709551615,"
                               "\"obs_ledger_seq\":18446744073709551615,"
                               "\"policy_id\":\"P.1_x\",\"result\":\"BREACH\",\"threshold\":2147483647}";
    static const struct {
        const char *id;
        int result;
    } BAD[] = { { "P.1_x", 2 }, { "", 1 }, { NULL, 1 }, { "a b", 0 } };
    ax_policy_record_t record;
    char *buf = room_of(sizeof TEXT);
    size_t i;
    memset(&record, 0xA5, sizeof record);
    record.actual = Q16_16_MIN;
    record.ledger_seq = UINT64_MAX;
    record.policy_id = "P.1_x";
    record.result = AX_POLICY_BREACH;
    record.threshold = Q16_16_MAX;
    CHECK(ax_policy_serialize(buf, sizeof TEXT, &record, base) == (int)sizeof TEXT - 1 && base_taken() == 0);
    CHECK_STR(buf, TEXT);
    CHECK(ax_policy_serialize(buf, sizeof TEXT, &record, NULL) == (int)sizeof TEXT - 1);

    /* Too short a buffer, told as domain. */
    buf = room_of(sizeof TEXT - 1);
    CHECK(ax_policy_serialize(buf, sizeof TEXT - 1, &record, base) == AX_POLICY_ERR_SERIALISE);
    CHECK(base_taken() == DOMAIN_);
    CHECK(ax_policy_serialize(buf, 0, &record, base) == AX_POLICY_ERR_NULL_INPUT && base_taken() == DOMAIN_);
    CHECK(ax_policy_serialize(NULL, 224, &record, base) == AX_POLICY_ERR_NULL_INPUT && base_taken() == DOMAIN_);
    CHECK(ax_policy_serialize(buf, 8, NULL, base) == AX_POLICY_ERR_NULL_INPUT && base_taken() == DOMAIN_);
    CHECK(ax_policy_serialize(buf, 8, &record, NULL) == AX_POLICY_ERR_SERIALISE);
    for (i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        record.policy_id = BAD[i].id;
        record.result = (ax_policy_result_t)number(BAD[i].result);
        CHECK(ax_policy_serialize(buf, sizeof TEXT - 1, &record, base) == AX_POLICY_ERR_INVALID_ID);
        CHECK(base_taken() == DOMAIN_);
    }
    CHECK(is_unwritten(buf, sizeof TEXT - 1));

    /* A flag that is set on entry stays. */
    base->overflow = 1;
    record.policy_id = "P.1_x";
    record.result = AX_POLICY_BREACH;
    CHECK(ax_policy_serialize(buf, 8, &record, base) == AX_POLICY_ERR_SERIALISE);
    CHECK(base_taken() == (OVERFLOW_ | DOMAIN_));
}

static void configuration(void)
{
    uint8_t *hash = (uint8_t *)guarded(32);
    uint8_t other[32];
    begin();
    CHECK(ax_policy_config_hash(ctx, hash, base) == AX_OK && base_taken() == 0 && !is_all(hash, 32, 0));
    memcpy(other, hash, 32);
    ctx->stop_on_invalid = 1;
    CHECK(ax_policy_config_hash(ctx, hash, base) == AX_OK && memcmp(other, hash, 32) != 0);
    CHECK(ax_policy_config_hash(NULL, hash, base) == AX_ERR_PROTOCOL && is_all(hash, 32, 0));
    CHECK(base_taken() == DOMAIN_);
    CHECK(ax_policy_config_hash(ctx, NULL, base) == AX_ERR_PROTOCOL && base_taken() == DOMAIN_);
    memset(hash, 0xA5, 32);
    CHECK(ax_policy_config_hash(ctx, hash, NULL) == AX_ERR_PROTOCOL && is_all(hash, 32, 0xA5));
    ctx->registry = NULL;
    CHECK(ax_policy_config_hash(ctx, hash, base) == AX_ERR_PROTOCOL && is_all(hash, 32, 0));
    CHECK(base_taken() == DOMAIN_);
}

int main(void)
{
    conformance_begin();
    agent = (ax_agent_ctx_t *)guarded(sizeof *agent);
    ctx = (ax_policy_ctx_t *)guarded(sizeof *ctx);
    names();
    comparing();
    registries();
    evaluating();
    built_in();
    uncommitted();
    serialising();
    configuration();
    return conformance_end();
}
