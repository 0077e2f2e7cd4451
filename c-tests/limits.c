/* limits.h: the numbers, and that the longest records have the room they are promised. */

#include "axilog/limits.h"

#include "axilog/agent.h"
#include "axilog/canonical.h"
#include "check.h"

/* The longest record that a sink saw. */
static int keep_longest(void *user, const ax_ledger_entry_t *entry)
{
    uint64_t *longest = (uint64_t *)user;
    if (entry->payload_len > *longest) {
        *longest = entry->payload_len;
    }
    return 0;
}

static void records_have_room(void)
{
    char id[AX_POLICY_ID_MAX_LEN + 1];
    char policy[AX_POLICY_RECORD_MAX_BYTES];
    char params[AX_PARAMS_BUFFER_SIZE];
    const ax_oracle_params_t widest = { INT32_MAX, INT64_MAX, INT32_MAX, 65536 };
    ax_policy_record_t record = { Q16_16_MIN, UINT64_MAX, UINT64_MAX, id, 0, Q16_16_MIN };
    ax_agent_ctx_t agent;
    ct_fault_flags_t faults;
    uint64_t longest = 0;
    ax_ledger_sink_t sink = { keep_longest, &longest };
    ax_input_t input = { AX_INPUT_POLICY_TRIGGER, NULL, 0, UINT64_MAX };

    memset(id, 'x', AX_POLICY_ID_MAX_LEN);
    id[AX_POLICY_ID_MAX_LEN] = '\0';
    ct_fault_init(&faults);
    CHECK(ax_policy_serialize(policy, sizeof policy, &record, &faults) == 218);
    CHECK(ax_params_canonicalise(params, sizeof params, &widest) > 0);

    ax_agent_init(&agent, &faults);
    ax_ledger_set_sink(&agent.ledger, &sink, &faults);
    agent.health = AX_HEALTH_DEGRADED;
    agent.fault_accumulator = UINT32_MAX;
    agent.violation = AX_VIOLATION_FAULT_EXCEEDED;
    ax_agent_commit_transition(&agent, &input, AX_HEALTH_DEGRADED, &faults);
    CHECK(!ct_fault_any(&faults));
    CHECK(longest > 0 && longest < AX_TRANS_RECORD_MAX_BYTES);
}

int main(void)
{
    CHECK(AX_MAX_OBS_BYTES == 65536);
    CHECK(AX_HASH_SIZE == 32);
    CHECK(AX_HASH_HEX_SIZE == 65);
    CHECK(AX_MAX_ORACLE_ID_BYTES == 256);
    CHECK(AX_MAX_MODEL_ID_BYTES == 256);
    CHECK(AX_POLICY_MAX_COUNT == 64);
    CHECK(AX_POLICY_ID_MAX_LEN == 64);
    CHECK(AX_MAX_OUTPUT_BYTES == AX_MAX_OBS_BYTES - 1024);
    CHECK(AX_CANONICAL_BUFFER_SIZE == 2 * AX_MAX_OBS_BYTES);
    CHECK(AX_PARAMS_BUFFER_SIZE == 256);
    records_have_room();
    return check_end();
}
