/* A rig that brings the ledger.c of the deployed libraries: functions of the same names and arguments, and a struct
 * whose padding it clears by its name. It defines AXILOG_OWN_LEDGER. The library's agent keeps its own ledger. */

#define AXILOG_OWN_LEDGER

#include <stddef.h>

#include "axilog/agent.h"
#include "axilog/audit.h"
#include "axilog/sha256.h"

#include "check.h"

AX_L3_STATIC_ASSERT(sizeof(((ax_ledger_ctx_t *)0)->_pad) == 6, "the padding of the deployed struct");
AX_L3_STATIC_ASSERT(offsetof(ax_ledger_ctx_t, _pad) == 74, "after initialised");

#ifdef __cplusplus
extern "C" {
#endif

void ax_ledger_genesis(ax_ledger_ctx_t *ctx, ct_fault_flags_t *faults);
void ax_ledger_append(ax_ledger_ctx_t *ctx, const uint8_t commit[32], ct_fault_flags_t *faults);
void ax_verify_chain(ax_ledger_ctx_t *ctx, ct_fault_flags_t *faults);

#ifdef __cplusplus
}
#endif

/* The next chain value: the tag, the last value unless this is the first, the commitment. */
static void chain(ax_ledger_ctx_t *ctx, int is_first, const uint8_t commit[32])
{
    uint8_t bytes[sizeof AX_LEDGER_CHAIN_TAG - 1 + 64];
    size_t len = sizeof AX_LEDGER_CHAIN_TAG - 1;
    memcpy(bytes, AX_LEDGER_CHAIN_TAG, len);
    if (!is_first) {
        memcpy(bytes + len, ctx->current_hash, 32);
        len += 32;
    }
    memcpy(bytes + len, commit, 32);
    axilog_sha256(ctx->current_hash, bytes, len + 32);
}

void ax_ledger_genesis(ax_ledger_ctx_t *ctx, ct_fault_flags_t *faults)
{
    uint8_t commit[32];
    memset(ctx->_pad, 0, sizeof ctx->_pad);
    axilog_commit(AX_TAG_STATE, (const uint8_t *)AX_GENESIS_PAYLOAD, AX_GENESIS_PAYLOAD_LEN, commit, faults);
    chain(ctx, 1, commit);
    memcpy(ctx->genesis_hash, ctx->current_hash, 32);
    ctx->sequence = 0;
    ctx->failed = 0;
    ctx->initialised = 1;
}

void ax_ledger_append(ax_ledger_ctx_t *ctx, const uint8_t commit[32], ct_fault_flags_t *faults)
{
    if (ctx->failed || !ctx->initialised) {
        faults->ledger_fail = 1;
        return;
    }
    chain(ctx, 0, commit);
    ctx->sequence++;
}

void ax_verify_chain(ax_ledger_ctx_t *ctx, ct_fault_flags_t *faults)
{
    if (ctx->failed || !ctx->initialised) {
        ctx->failed = 1;
        faults->ledger_fail = 1;
    }
}

int main(void)
{
    static ax_ledger_ctx_t ledger;
    static ax_agent_ctx_t agent;
    static const uint8_t no_pad[6] = { 0 };
    ct_fault_flags_t faults;
    ax_input_t input;
    uint8_t commit[32];
    ct_fault_init(&faults);
    memset(&ledger, 9, sizeof ledger);
    ax_ledger_genesis(&ledger, &faults);
    CHECK(memcmp(ledger.current_hash, AX_GOLDEN_GENESIS_HASH, 32) == 0);
    CHECK(memcmp(ledger._pad, no_pad, sizeof no_pad) == 0 && ledger.sequence == 0);

    /* The library's agent and the rig's ledger make the same chain of the same record. */
    ax_agent_init(&agent, &faults);
    ax_agent_bind(&agent, &faults);
    memset(&input, 0, sizeof input);
    input.type = AX_INPUT_RESET_REQUEST;
    input.ledger_seq = 1;
    ax_agent_step(&agent, &input, &faults);
    CHECK(agent.health == AX_HEALTH_INIT && agent.ledger.sequence == 1);
    {
        static const char record[] = "{\"fault_count\":0,\"input_class\":\"RESET_REQUEST\",\"ledger_seq\":1,"
                                     "\"next_state\":\"INIT\",\"prev_state\":\"UNINIT\",\"violation\":null}";
        axilog_commit(AX_TAG_TRANS, (const uint8_t *)record, sizeof record - 1, commit, &faults);
    }
    ax_ledger_append(&ledger, commit, &faults);
    ax_verify_chain(&ledger, &faults);
    CHECK(ledger.sequence == 1 && !ct_fault_any(&faults));
    CHECK(memcmp(ledger.current_hash, agent.ledger.current_hash, 32) == 0);
    CHECK(memcmp(ledger._pad, no_pad, sizeof no_pad) == 0);

    ledger.failed = 1;
    ax_ledger_append(&ledger, commit, &faults);
    CHECK(ledger.sequence == 1 && faults.ledger_fail);
    return check_end();
}
