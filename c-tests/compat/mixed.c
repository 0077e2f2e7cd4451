/* A rig that brings functions of its own under the library's names: of its ledger.c, its agent.c, its
 * sha256.c. Its definitions are the ones that it calls; everything else is the library's. */

#include "axilog/agent.h"
#include "axilog/audit.h"
#include "axilog/canonical.h"
#include "axilog/commitment.h"
#include "axilog/dvec.h"
#include "axilog/hash.h"
#include "axilog/obs.h"
#include "axilog/policy.h"
#include "axilog/sha256.h"

#include "check.h"

static unsigned appended, hashed, committed, made, stepped;

void ax_ledger_append(ax_ledger_ctx_t *ctx, const uint8_t commit[32], ct_fault_flags_t *faults)
{
    appended++;
    if (ctx->state != AX_LEDGER_READY) {
        faults->ledger_fail = 1;
        return;
    }
    memcpy(ctx->current_hash, commit, 32);
    ctx->sequence++;
}

void axilog_sha256(uint8_t out[32], const uint8_t *data, size_t len)
{
    (void)data;
    hashed++;
    memset(out, (int)(len & 0xFF), 32);
}

void axilog_commit(const char *tag, const uint8_t *payload, uint64_t payload_len, uint8_t out_commit[32],
                   ct_fault_flags_t *faults)
{
    (void)tag;
    (void)faults;
    committed++;
    axilog_sha256(out_commit, payload, (size_t)payload_len);
}

void ax_agent_init(ax_agent_ctx_t *ctx, ct_fault_flags_t *faults)
{
    made++;
    memset(ctx, 0, sizeof *ctx);
    ax_ledger_genesis(&ctx->ledger, faults);
    ctx->health = AX_HEALTH_INIT;
}

void ax_agent_step(ax_agent_ctx_t *ctx, const ax_input_t *input, ct_fault_flags_t *faults)
{
    uint8_t commit[32];
    stepped++;
    axilog_commit(AX_TAG_TRANS, input->payload, input->payload_len, commit, faults);
    ax_ledger_append(&ctx->ledger, commit, faults);
    ctx->health = ax_agent_determine_next(ctx->health, input->type);
}

int main(void)
{
    static const uint8_t payload[] = { '{', '}' };
    const ax_input_t input = { AX_INPUT_TIME_OBS, payload, sizeof payload, 1 };
    const ax_evidence_t evidence = { AX_TAG_PROOF, payload, sizeof payload };
    ax_agent_ctx_t agent;
    ax_ledger_ctx_t ledger;
    ct_fault_flags_t faults;
    uint8_t hash[32];

    ct_fault_init(&faults);
    ax_agent_init(&agent, &faults);
    ax_agent_step(&agent, &input, &faults);
    CHECK(!ct_fault_any(&faults) && agent.health == AX_HEALTH_ENABLED);
    CHECK(made == 1 && stepped == 1 && appended == 1 && committed == 1 && hashed == 1);
    CHECK(is_all(agent.ledger.current_hash, 32, 2) && agent.ledger.sequence == 1);

    /* The library's own functions do not call the rig's. */
    ax_ledger_genesis(&ledger, &faults);
    CHECK(memcmp(ledger.current_hash, AX_GOLDEN_GENESIS_HASH, 32) == 0);
    CHECK(ax_ledger_record(&ledger, &evidence, &faults) == AX_OK && ledger.sequence == 1);
    ax_verify_chain(&ledger, &faults);
    ax_sha256(hash, (const uint8_t *)"abc", 3);
    CHECK(is_hex(hash, 32, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    CHECK(!ct_fault_any(&faults) && appended == 1 && committed == 1 && hashed == 1);
    return check_end();
}
