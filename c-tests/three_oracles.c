/* A robot's tool, a payment tool and a planner in one ledger, each under policies of its own: those of
 * docs/policies.md, which the test compiles to ROBOT_LIMITS. The ledger is replayed under them. */

#include "axilog/agent.h"
#include "axilog/obs.h"
#include "axilog/replay.h"

#include "ledger_file.h"

extern const ax_policy_registry_t ROBOT_LIMITS;

static ct_fault_flags_t faults;
static ledger_file_t file;
static const ax_ledger_sink_t SINK = { ledger_file_append, &file };
static ax_agent_ctx_t agent;
static ax_policy_ctx_t policy;
static uint8_t work[4096];

static int control(ax_input_class_t input_class)
{
    return ax_agent_observe_control(&agent, &policy, input_class, work, sizeof work, &faults);
}

/* Whether the oracle's answer may be acted on. */
static int may_act(const char *oracle_id, const char *output)
{
    ax_obs_input_t in;
    ax_obs_input_set_complete(&in, 0, oracle_id, "model-1", "Q", 1, output, strlen(output), NULL);
    CHECK(ax_agent_observe(&agent, &policy, &in, work, sizeof work, &faults) == AX_OK);
    return ax_agent_may_act(&agent, &policy);
}

/* After a refusal: out of ALARM by a reset and the next time. */
static void go_on(uint64_t timestamp)
{
    CHECK(agent.health == AX_HEALTH_ALARM);
    CHECK(control(AX_INPUT_POLICY_TRIGGER) == AX_OK && control(AX_INPUT_RESET_REQUEST) == AX_OK);
    CHECK(ax_agent_observe_time(&agent, &policy, timestamp, work, sizeof work, &faults) == AX_OK);
    CHECK(agent.health == AX_HEALTH_ENABLED);
}

static ax_verdict_t replay(const ax_policy_registry_t *registry)
{
    static ax_replay_ctx_t replay;
    ax_verdict_t verdict;
    CHECK(ax_replay_init(&replay, registry, 0, 0, &faults) == AX_OK);
    ax_replay_feed_lines(&replay, file.bytes, file.len, &verdict, &faults);
    return verdict == AX_VERDICT_OK
        ? ax_replay_finish(&replay, file.entries, agent.ledger.current_hash, &faults)
        : verdict;
}

int main(void)
{
    ledger_file_begin(&file);
    ax_agent_init(&agent, &faults);
    ax_ledger_set_sink(&agent.ledger, &SINK, &faults);
    CHECK(ax_policy_init_with_registry(&policy, &ROBOT_LIMITS, &agent.ledger, &agent, &faults)
          == AX_POLICY_OK);
    CHECK(control(AX_INPUT_RESET_REQUEST) == AX_OK);
    CHECK(ax_agent_observe_time(&agent, &policy, 1, work, sizeof work, &faults) == AX_OK);

    /* Each is judged by its own policies, and leaves records of those alone. */
    CHECK(may_act("tool.cmd_vel", "{\"linear\":{\"x\":-0.5},\"payment\":{\"amount\":1e9}}"));
    CHECK(policy.evaluation_count == 2);
    CHECK(may_act("tool.pay", "{\"payment\":{\"amount\":250},\"linear\":{\"x\":9}}"));
    CHECK(policy.evaluation_count == 2);
    CHECK(may_act("planner", "{\"confidence\":0.8,\"plan\":\"dock\"}") && policy.evaluation_count == 1);

    CHECK(!may_act("tool.cmd_vel", "{\"linear\":{\"x\":0.51}}"));
    go_on(2);
    CHECK(!may_act("tool.pay", "{\"payment\":{\"amount\":0}}"));
    go_on(3);
    CHECK(!may_act("planner", "{\"plan\":\"dock\"}"));
    go_on(4);
    CHECK(may_act("tool.cmd_vel", "{\"linear\":{\"x\":0}}") && !ct_fault_any(&faults));

    CHECK(replay(&ROBOT_LIMITS) == AX_VERDICT_OK);
    CHECK(replay(ax_policy_get_registry()) == AX_VERDICT_CONFIG_MISMATCH);
    return check_end();
}
