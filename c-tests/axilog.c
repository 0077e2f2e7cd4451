/* axilog.h: brings in every header, and the whole works together from it. */

#include "axilog/axilog.h"

#include "check.h"

int main(void)
{
    static const char ANSWER[] = "{\"value\": 12.5}";
    ct_fault_flags_t faults;
    ax_agent_ctx_t agent;
    ax_policy_ctx_t policy;
    ax_obs_input_t input;
    ax_replay_ctx_t replay;
    uint8_t work[1024];
    uint8_t digest[AX_HASH_SIZE];
    char text[AX_HASH_HEX_SIZE];

    ct_fault_init(&faults);
    ax_agent_init(&agent, &faults);
    ax_agent_bind(&agent, &faults);
    CHECK(ax_policy_init(&policy, &agent.ledger, &agent, &faults) == AX_POLICY_OK);
    CHECK(ax_agent_observe_control(&agent, &policy, AX_INPUT_RESET_REQUEST, work, sizeof work, &faults)
          == AX_OK);
    CHECK(ax_agent_observe_time(&agent, &policy, 1, work, sizeof work, &faults) == AX_OK);
    ax_obs_input_set_complete(&input, 0, "oracle", "model", "How fast?", 9, ANSWER, sizeof ANSWER - 1, NULL);
    CHECK(ax_agent_observe(&agent, &policy, &input, work, sizeof work, &faults) == AX_OK);
    CHECK(agent.health == AX_HEALTH_ENABLED && !ct_fault_any(&faults));
    CHECK(agent.ledger.sequence == 7);
    CHECK(ax_replay_init(&replay, policy.registry, 0, 0, &faults) == AX_OK);
    CHECK(ax_is_canonical_json("{}", 2) == 1);
    CHECK(dvm_add_q16(Q16_16_ONE, Q16_16_ONE, &faults) == Q16_16_FROM_INT(2));
    ax_compute_input_hash(digest, "", 0);
    CHECK(ax_format_hash_hex(text, sizeof text, digest, sizeof digest) == 64);
    CHECK_STR(AX_TAG_OBS, AX_OBS_SCHEMA_VERSION);
    return check_end();
}
