/* The calls of policy.jsonl. */

#include "axilog/policy.h"

#include "flags.h"

CALL_ANY(ct_fault_flags_t, ct_fault_any, ct_fault_clear)

static ax_ledger_ctx_t ledger;
static ax_agent_ctx_t agent;

static void begin_ledger(void)
{
    memset(&ledger, 0, sizeof ledger);
    ledger.state = (ax_ledger_state_t)natural("ledger_state", AX_LEDGER_READY);
    ledger.sequence = natural("ledger_sequence", 0);
    memset(&agent, 0, sizeof agent);
    if (strncmp(text("case"), "agent health ", 13) == 0) {
        agent.health = (ax_health_state_t)strtol(text("case") + 13, NULL, 10);
    }
}

static ax_ledger_ctx_t *ledger_at(const char *path)
{
    return is_null(path) || field(path) == NULL ? NULL : &ledger;
}

static ax_agent_ctx_t *agent_at(const char *path)
{
    return is_null(path) || field(path) == NULL ? NULL : &agent;
}

/* The context of the vector, or NULL. */
static ax_policy_ctx_t *context_of_call(void)
{
    static ax_policy_ctx_t ctx;
    ct_fault_flags_t faults;
    begin_ledger();
    if (is_null("ctx")) {
        return NULL;
    }
    ct_fault_clear(&faults);
    ax_policy_init(&ctx, ledger_at("ctx.ledger"), agent_at("ctx.agent"), &faults);
    ctx.breach_flag = (uint8_t)natural("ctx.breach_flag", 0);
    ctx.evaluation_count = (uint8_t)natural("ctx.evaluation_count", 0);
    ctx.last_eval_seq = natural("ctx.last_eval_seq", 0);
    return &ctx;
}

static void put_context(const ax_policy_ctx_t *ctx)
{
    if (ctx != NULL) {
        put_text("ctx_after.ledger", ctx->ledger == &ledger ? "given" : NULL);
        put_text("ctx_after.agent", ctx->agent == &agent ? "given" : NULL);
        put_natural("ctx_after.breach_flag", ctx->breach_flag);
        put_natural("ctx_after.evaluation_count", ctx->evaluation_count);
        put_natural("ctx_after.last_eval_seq", ctx->last_eval_seq);
        put_natural("ledger_sequence_after", ledger.sequence);
    }
}

/* What the vector judges, or NULL. */
static const ax_policy_input_t *input_of_call(void)
{
    static ax_policy_input_t input;
    if (is_null("input")) {
        return NULL;
    }
    memset(&input, 0, sizeof input);
    input.value = (q16_16_t)number("input.value", 0);
    input.ledger_seq = natural("input.ledger_seq", 0);
    return &input;
}

static void ax_policy_init_call(void)
{
    ax_policy_ctx_t ctx;
    ax_policy_ctx_t *given = is_null("ctx") ? NULL : &ctx;
    ct_fault_flags_t *faults = ct_fault_flags_t_read("flags_before");
    begin_ledger();
    memset(&ctx, 9, sizeof ctx);
    put_number("rc", (int)ax_policy_init(given, ledger_at("ledger"), agent_at("agent"), faults));
    put_context(given);
    ct_fault_flags_t_put_after(faults);
}

static void ax_policy_evaluate_call(void)
{
    ax_policy_ctx_t *ctx = context_of_call();
    ct_fault_flags_t *faults = ct_fault_flags_t_read("flags_before");
    const ax_policy_input_t *input = input_of_call();
    ax_policy_t policy;
    memset(&policy, 0, sizeof policy);
    policy.policy_id = string("policy.policy_id");
    policy.threshold = (q16_16_t)number("policy.threshold", 0);
    policy.comparison = (ax_policy_cmp_t)number("policy.comparison", 0);
    policy.enabled = (uint8_t)natural("policy.enabled", 0);
    put_number("rc", (int)ax_policy_evaluate(ctx, is_null("policy") ? NULL : &policy, input, faults));
    put_context(ctx);
    ct_fault_flags_t_put_after(faults);
    put_natural("agent_health_after", (uint64_t)agent.health);
}

static void ax_policy_evaluate_all_call(void)
{
    ax_policy_ctx_t *ctx = context_of_call();
    ct_fault_flags_t *faults = ct_fault_flags_t_read("flags_before");
    const ax_policy_input_t *input = input_of_call();
    put_number("rc", (int)ax_policy_evaluate_all(ctx, input, faults));
    put_context(ctx);
    ct_fault_flags_t_put_after(faults);
    put_natural("agent_health_after", (uint64_t)agent.health);
}

static void ax_policy_has_breach_call(void)
{
    ax_policy_ctx_t ctx;
    memset(&ctx, 0, sizeof ctx);
    ctx.breach_flag = (uint8_t)natural("breach_flag", 0);
    put_number("rc", ax_policy_has_breach(is_null("ctx") ? NULL : &ctx));
}

static void ax_policy_reset_cycle_call(void)
{
    ax_policy_ctx_t *ctx = context_of_call();
    ax_policy_reset_cycle(ctx);
    put_context(ctx);
}

static void ax_policy_serialize_call(void)
{
    ax_policy_record_t record;
    size_t size = (size_t)natural("size", 0);
    char *dst = unwritten(size);
    ct_fault_flags_t *faults = ct_fault_flags_t_read("flags_before");
    int rc;
    memset(&record, 0, sizeof record);
    record.actual = (q16_16_t)number("record.actual", 0);
    record.ledger_seq = natural("record.ledger_seq", 0);
    record.policy_id = string("record.policy_id");
    record.result = (ax_policy_result_t)number("record.result", 0);
    record.threshold = (q16_16_t)number("record.threshold", 0);
    rc = ax_policy_serialize(is_null("buf") ? NULL : dst, size, is_null("record") ? NULL : &record, faults);
    put_number("rc", rc);
    if (rc >= 0 && (size_t)rc <= size) {
        put_bytes("dst", dst, (size_t)rc);
    }
    ct_fault_flags_t_put_after(faults);
}

static void ax_policy_get_registry_call(void)
{
    const ax_policy_registry_t *registry = ax_policy_get_registry();
    size_t i;
    put_text("is_null", registry == NULL ? "true" : "false");
    put_natural("count", registry->count);
    for (i = 0; i < registry->count; i++) {
        const ax_policy_t *policy = &registry->policies[i];
        char front[32];
        sprintf(front, "policies.%zu.", i);
        put_string(in(front, "policy_id"), policy->policy_id);
        put_number(in(front, "threshold"), policy->threshold);
        put_number(in(front, "comparison"), (int)policy->comparison);
        put_natural(in(front, "enabled"), policy->enabled);
    }
}

static void ax_policy_get_count_call(void)
{
    put_natural("rc", ax_policy_get_count());
}

static void ax_policy_verify_registry_sorted_call(void)
{
    put_number("rc", ax_policy_verify_registry_sorted());
}

static void ax_policy_result_to_str_call(void)
{
    put_text("text", ax_policy_result_to_str((ax_policy_result_t)number("value", 0)));
}

static void ax_policy_cmp_to_str_call(void)
{
    put_text("text", ax_policy_cmp_to_str((ax_policy_cmp_t)number("value", 0)));
}

static void q16_16_from_int_call(void)
{
    put_number("rc", q16_16_from_int((int32_t)number("value", 0)));
}

static void Q16_16_FROM_INT_call(void)
{
    put_number("rc", Q16_16_FROM_INT((int32_t)number("value", 0)));
}

#define COMPARE(function) \
    static void function##_call(void) \
    { \
        put_number("rc", function((q16_16_t)number("a", 0), (q16_16_t)number("b", 0))); \
    }

COMPARE(q16_16_gt)
COMPARE(q16_16_lt)
COMPARE(q16_16_ge)
COMPARE(q16_16_le)
COMPARE(q16_16_eq)

static void Q16_16_TO_INT_call(void)
{
    put_number("rc", Q16_16_TO_INT((q16_16_t)number("value", 0)));
}

int main(void)
{
    static const call_t calls[] = {
        { "ct_fault_any", ct_fault_any_call },
        { "ax_policy_init", ax_policy_init_call },
        { "ax_policy_evaluate", ax_policy_evaluate_call },
        { "ax_policy_evaluate_all", ax_policy_evaluate_all_call },
        { "ax_policy_has_breach", ax_policy_has_breach_call },
        { "ax_policy_reset_cycle", ax_policy_reset_cycle_call },
        { "ax_policy_serialize", ax_policy_serialize_call },
        { "ax_policy_get_registry", ax_policy_get_registry_call },
        { "ax_policy_get_count", ax_policy_get_count_call },
        { "ax_policy_verify_registry_sorted", ax_policy_verify_registry_sorted_call },
        { "ax_policy_result_to_str", ax_policy_result_to_str_call },
        { "ax_policy_cmp_to_str", ax_policy_cmp_to_str_call },
        { "q16_16_from_int", q16_16_from_int_call },
        { "Q16_16_FROM_INT", Q16_16_FROM_INT_call },
        { "q16_16_gt", q16_16_gt_call },
        { "q16_16_lt", q16_16_lt_call },
        { "q16_16_ge", q16_16_ge_call },
        { "q16_16_le", q16_16_le_call },
        { "q16_16_eq", q16_16_eq_call },
        { "Q16_16_TO_INT", Q16_16_TO_INT_call },
        { NULL, NULL }
    };
    return make_calls(calls);
}
