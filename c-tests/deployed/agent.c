/* The calls of agent.jsonl. */

#include "axilog/agent.h"

#include "ledger.h"

/* The agent that every vector begins with, and what the vector changes of it. */
static ax_agent_ctx_t *agent_of_call(void)
{
    static ax_agent_ctx_t agent;
    ct_fault_flags_t faults;
    if (is_null("ctx")) {
        return NULL;
    }
    ct_fault_clear(&faults);
    memset(&agent, 0, sizeof agent);
    ax_agent_init(&agent, &faults);
    ax_agent_bind(&agent, &faults);
    read_ledger("ctx.ledger.", &agent.ledger);
    agent.health = (ax_health_state_t)number("ctx.health", 0);
    agent.fault_accumulator = (uint32_t)natural("ctx.fault_accumulator", 0);
    agent.last_timestamp = natural("ctx.last_timestamp", 0);
    agent.last_seen_seq = natural("ctx.last_seen_seq", 0);
    agent.local_failed_flag = (uint8_t)natural("ctx.local_failed_flag", 0);
    return &agent;
}

static void put_changed_bytes(const char *name, const uint8_t *before, const uint8_t *after, size_t size)
{
    put_bytes_unless(in("changed.", name), after, size, before);
}

static void put_changed(const char *name, uint64_t before, uint64_t after)
{
    if (before != after) {
        put_natural(in("changed.", name), after);
    }
}

static void put_change(const ax_agent_ctx_t *before, const ax_agent_ctx_t *after)
{
    put_changed("health", (uint64_t)before->health, (uint64_t)after->health);
    put_changed("fault_accumulator", before->fault_accumulator, after->fault_accumulator);
    put_changed("last_timestamp", before->last_timestamp, after->last_timestamp);
    put_changed("last_seen_seq", before->last_seen_seq, after->last_seen_seq);
    put_changed("local_failed_flag", before->local_failed_flag, after->local_failed_flag);
    put_changed_bytes("ledger.current_hash", before->ledger.current_hash, after->ledger.current_hash, 32);
    put_changed_bytes("ledger.genesis_hash", before->ledger.genesis_hash, after->ledger.genesis_hash, 32);
    put_changed("ledger.sequence", before->ledger.sequence, after->ledger.sequence);
    put_changed("ledger.failed", before->ledger.failed, after->ledger.failed);
    put_changed("ledger.initialised", before->ledger.initialised, after->ledger.initialised);
}

static void ax_agent_step_call(void)
{
    ax_agent_ctx_t *agent = agent_of_call();
    ax_agent_ctx_t before;
    ct_fault_flags_t *faults = ct_fault_flags_t_read("flags_before");
    ax_input_t input;
    if (agent != NULL) {
        before = *agent;
    }
    input.type = (ax_input_class_t)number("input.type", 0);
    input.payload = bytes("input.payload");
    input.payload_len = natural("input.payload_len", 0);
    input.ledger_seq = natural("input.ledger_seq", 0);
    ax_agent_step(agent, is_null("input") ? NULL : &input, faults);
    if (agent != NULL) {
        put_change(&before, agent);
    }
    ct_fault_flags_t_put_after(faults);
}

static void ax_agent_bind_call(void)
{
    ax_agent_ctx_t *agent = agent_of_call();
    ax_agent_ctx_t before;
    ct_fault_flags_t *faults = ct_fault_flags_t_read("flags_before");
    if (agent == NULL) {
        ax_agent_bind(agent, faults);
    } else {
        before = *agent;
        ax_agent_bind(agent, faults);
        put_change(&before, agent);
    }
    ct_fault_flags_t_put_after(faults);
}

static void ax_agent_init_call(void)
{
    ax_agent_ctx_t agent;
    ct_fault_flags_t *faults = ct_fault_flags_t_read("flags_before");
    if (is_null("ctx")) {
        ax_agent_init(NULL, faults);
    } else {
        memset(&agent, strcmp(text("case"), "over ee") == 0 ? 0xEE : 0, sizeof agent);
        ax_agent_init(&agent, faults);
        put_natural("ctx_after.health", (uint64_t)agent.health);
        put_natural("ctx_after.fault_accumulator", agent.fault_accumulator);
        put_natural("ctx_after.last_timestamp", agent.last_timestamp);
        put_natural("ctx_after.last_seen_seq", agent.last_seen_seq);
        put_natural("ctx_after.local_failed_flag", agent.local_failed_flag);
        put_ledger("ctx_after.ledger.", &agent.ledger);
    }
    ct_fault_flags_t_put_after(faults);
}

static void ax_health_state_to_str_call(void)
{
    put_text("text", ax_health_state_to_str((ax_health_state_t)number("value", 0)));
}

static void ax_input_class_to_str_call(void)
{
    put_text("text", ax_input_class_to_str((ax_input_class_t)number("value", 0)));
}

static void ax_violation_to_str_call(void)
{
    put_text("text", ax_violation_to_str((ax_violation_t)number("value", 0)));
}

static void ax_extract_timestamp_call(void)
{
    ct_fault_flags_t *faults = ct_fault_flags_t_read("flags_before");
    uint64_t timestamp = 9;
    int rc = ax_extract_timestamp(bytes("payload"), natural("payload_len", 0), is_null("out") ? NULL : &timestamp,
                                  faults);
    put_number("rc", rc);
    if (rc == 1) {
        put_natural("timestamp", timestamp);
    }
    ct_fault_flags_t_put_after(faults);
}

static void ax_hash_equal_ct_call(void)
{
    put_number("rc", ax_hash_equal_ct(bytes("a"), bytes("b"), (size_t)natural("len", 0)));
}

static void golden_call(void)
{
    put_bytes("value", AX_GOLDEN_GENESIS_HASH, 32);
}

int main(void)
{
    static const call_t calls[] = {
        { "ax_agent_step", ax_agent_step_call },
        { "ax_agent_bind", ax_agent_bind_call },
        { "ax_agent_init", ax_agent_init_call },
        { "ax_health_state_to_str", ax_health_state_to_str_call },
        { "ax_input_class_to_str", ax_input_class_to_str_call },
        { "ax_violation_to_str", ax_violation_to_str_call },
        { "ax_extract_timestamp", ax_extract_timestamp_call },
        { "ax_hash_equal_ct", ax_hash_equal_ct_call },
        { "AX_GOLDEN_GENESIS_HASH", golden_call },
        { NULL, NULL }
    };
    return make_calls(calls);
}
