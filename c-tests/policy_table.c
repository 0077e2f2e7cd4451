/* A registry that axilog_policyc emitted from a policy file, linked in and used by an agent. The
 * test compiles the file; see tests/c_suites/main.rs for the policies in it. */

#include "axilog/agent.h"
#include "axilog/obs.h"
#include "check.h"

extern const ax_policy_registry_t PLANT_POLICIES;

static ct_fault_flags_t faults;
static ax_agent_ctx_t agent;
static ax_policy_ctx_t policy;
static uint8_t work[2048];

/* The agent's health after one answer, in ENABLED. */
static ax_health_state_t after(const char *output)
{
    ax_obs_input_t in;
    ax_agent_init(&agent, &faults);
    CHECK(ax_policy_init_with_registry(&policy, &PLANT_POLICIES, &agent.ledger, &agent, &faults)
          == AX_POLICY_OK);
    CHECK(ax_agent_observe_control(&agent, &policy, AX_INPUT_RESET_REQUEST, work, sizeof work, &faults)
          == AX_OK);
    CHECK(ax_agent_observe_time(&agent, &policy, 1, work, sizeof work, &faults) == AX_OK);
    ax_obs_input_set_complete(&in, 0, "oracle", "model", "Q", 1, output, strlen(output), NULL);
    CHECK(ax_agent_observe(&agent, &policy, &in, work, sizeof work, &faults) == AX_OK);
    return agent.health;
}

int main(void)
{
    CHECK(PLANT_POLICIES.count == 3 && PLANT_POLICIES.selectors != NULL);
    CHECK_STR(PLANT_POLICIES.policies[0].policy_id, AX_POLICY_ID_MAX_VELOCITY);
    CHECK(PLANT_POLICIES.policies[0].threshold == 4587520 && PLANT_POLICIES.policies[0].enabled == 1);
    CHECK(PLANT_POLICIES.policies[1].comparison == AX_POLICY_CMP_LT);
    CHECK(PLANT_POLICIES.policies[1].enabled == 0);
    CHECK_STR(PLANT_POLICIES.selectors[2], "altitude");
    CHECK(after("{\"altitude\":10,\"value\":70}") == AX_HEALTH_ENABLED);
    CHECK(policy.evaluation_count == 2 && policy.breach_flag == 0);
    CHECK(after("{\"altitude\":10.1,\"value\":70}") == AX_HEALTH_ALARM);
    CHECK(after("{\"altitude\":10,\"value\":71}") == AX_HEALTH_ALARM);
    CHECK(after("{\"value\":1}") == AX_HEALTH_ALARM);
    CHECK(!ct_fault_any(&faults));
    return check_end();
}
