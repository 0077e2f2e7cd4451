/* A rig with a ledger of its own, whose functions have the library's names and other results: it defines
 * AXILOG_OWN_LEDGER and takes the types, the agent and the policies from the headers. The library's own
 * ledger, beneath its agent, is not disturbed. */

#define AXILOG_OWN_LEDGER

#include "axilog/policy.h"

#include "check.h"

#ifdef __cplusplus
extern "C" {
#endif

int ax_ledger_append(ax_ledger_ctx_t *ctx, const uint8_t *commit);
uint64_t ax_ledger_genesis(ax_ledger_ctx_t *ctx);

#ifdef __cplusplus
}
#endif

int ax_ledger_append(ax_ledger_ctx_t *ctx, const uint8_t *commit)
{
    memcpy(ctx->current_hash, commit, 32);
    return (int)++ctx->sequence;
}

uint64_t ax_ledger_genesis(ax_ledger_ctx_t *ctx)
{
    memset(ctx, 0, sizeof *ctx);
    ctx->state = AX_LEDGER_READY;
    return ctx->sequence;
}

int main(void)
{
    static ax_ledger_ctx_t own;
    static ax_agent_ctx_t agent;
    static ax_policy_ctx_t policy;
    static uint8_t work[1024];
    const uint8_t commit[32] = { 7 };
    ct_fault_flags_t faults;
    ct_fault_init(&faults);
    CHECK(ax_ledger_genesis(&own) == 0 && ax_ledger_state(&own) == AX_LEDGER_READY);
    CHECK(ax_ledger_append(&own, commit) == 1 && own.sequence == 1 && own.current_hash[0] == 7);
    ax_agent_init(&agent, &faults);
    CHECK(ax_policy_init(&policy, &agent.ledger, &agent, &faults) == AX_POLICY_OK);
    CHECK(ax_agent_observe_control(&agent, &policy, AX_INPUT_RESET_REQUEST, work, sizeof work, &faults) == AX_OK);
    CHECK(agent.health == AX_HEALTH_INIT && agent.ledger.sequence == 2 && !ct_fault_any(&faults));
    return check_end();
}
