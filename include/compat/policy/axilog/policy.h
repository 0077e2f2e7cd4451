/**
 * Policies for rigs of their own generation: the functions of include/compat over the structs of this directory's
 * types.h. Each call fills the library's structs and reads them back. A decision is recorded in the chain of the rig's
 * ledger; a ledger that does not take it sets commit, and the decision is a breach.
 *
 * The functions are inline: a rig does not define them itself.
 */

#ifndef AXILOG_COMPAT_POLICY_POLICY_H
#define AXILOG_COMPAT_POLICY_POLICY_H

#include "axilog/types.h"

#define ct_fault_flags_t axilog_rig_flags_t
#define ct_fault_init axilog_rig_flags_init
#define ct_fault_any axilog_rig_flags_any
#define ax_ledger_ctx_t axilog_rig_ledger_ctx_t
#define ax_agent_ctx_t axilog_rig_agent_ctx_t
#define ax_policy_ctx_t axilog_rig_policy_ctx_t
#define ax_policy_registry_t axilog_rig_policy_registry_t
#undef AX_EVIDENCE_BUF_SIZE
/* The agent of this generation is the rig's own. */
#define AXILOG_COMPAT_AGENT_H
#include "../../axilog/policy.h"
#undef ct_fault_flags_t
#undef ct_fault_init
#undef ct_fault_any
#undef ax_ledger_ctx_t
#undef ax_agent_ctx_t
#undef ax_policy_ctx_t
#undef ax_policy_registry_t
#undef AX_EVIDENCE_BUF_SIZE
#define AX_EVIDENCE_BUF_SIZE 512

/** The most policies of a rig of this generation, and the bytes of an identity. */
#undef AX_POLICY_MAX_COUNT
#define AX_POLICY_MAX_COUNT 16
#undef AX_POLICY_ID_MAX_LEN
#define AX_POLICY_ID_MAX_LEN 32

/** The state of a cycle of evaluations. */
typedef struct ax_policy_ctx_t {
    ax_ledger_ctx_t *ledger;
    ax_agent_ctx_t *agent;
    uint8_t breach_flag;
    uint8_t evaluation_count;
    uint64_t last_eval_seq;
} ax_policy_ctx_t;

/** A table of policies. */
typedef struct ax_policy_registry_t {
    const ax_policy_t *policies;
    size_t count;
} ax_policy_registry_t;

/** The library's structs during a call. */
typedef struct ax_policy_rig_call_t {
    axilog_rig_policy_ctx_t ctx;
    axilog_rig_ledger_ctx_t ledger;
    axilog_rig_flags_t faults;
} ax_policy_rig_call_t;

#ifdef __cplusplus
extern "C" {
#endif

/** Fills the flags of a call. One that the library's have no place for is told as another that is set. */
static inline axilog_rig_flags_t *ax_policy_rig_flags(ax_policy_rig_call_t *call, const ct_fault_flags_t *faults)
{
    axilog_rig_flags_init(&call->faults);
    if (faults != NULL) {
        call->faults.overflow = (uint8_t)faults->overflow;
        call->faults.underflow = (uint8_t)faults->underflow;
        call->faults.div_zero = (uint8_t)faults->div_zero;
        call->faults.domain = (uint8_t)faults->domain;
        call->faults.narrowing = faults->serialise || faults->commit || faults->protocol || faults->io_error;
    }
    return &call->faults;
}

/** Sets what the library's flags tell. */
static inline void ax_policy_rig_tell(const ax_policy_rig_call_t *call, ct_fault_flags_t *faults)
{
    if (faults != NULL && call->faults.domain) {
        faults->domain = 1;
    }
    if (faults != NULL && call->faults.ledger_fail) {
        faults->commit = 1;
    }
}

/** Fills the context of a call; NULL for NULL. */
static inline axilog_rig_policy_ctx_t *ax_policy_rig_begin(ax_policy_rig_call_t *call, const ax_policy_ctx_t *ctx)
{
    axilog_rig_ledger_ctx_t none = { { { 0 } }, { 0 }, 0, 0, { 0 }, { 0 }, NULL };
    const ax_ledger_ctx_t *ledger = ctx != NULL ? ctx->ledger : NULL;
    size_t i;
    if (ctx == NULL) {
        return NULL;
    }
    call->ledger = none;
    for (i = 0; ledger != NULL && i < AX_HASH_SIZE; i++) {
        call->ledger.current_hash[i] = ledger->chain_head[i];
        call->ledger.genesis_hash[i] = ledger->genesis_hash[i];
    }
    if (ledger != NULL) {
        call->ledger.sequence = ledger->sequence;
        call->ledger.initialised = ledger->state != AX_LEDGER_UNINIT;
        call->ledger.failed = ledger->state != AX_LEDGER_UNINIT && ledger->state != AX_LEDGER_READY;
    }
    ax_policy_init(&call->ctx, ledger != NULL ? &call->ledger : NULL, NULL, NULL);
    call->ctx.breach_flag = ctx->breach_flag;
    call->ctx.evaluation_count = ctx->evaluation_count;
    call->ctx.last_eval_seq = ctx->last_eval_seq;
    return &call->ctx;
}

/** Reads the context of a call back. */
static inline void ax_policy_rig_end(const ax_policy_rig_call_t *call, ax_policy_ctx_t *ctx)
{
    size_t i;
    if (ctx == NULL) {
        return;
    }
    ctx->breach_flag = call->ctx.breach_flag;
    ctx->evaluation_count = call->ctx.evaluation_count;
    ctx->last_eval_seq = call->ctx.last_eval_seq;
    for (i = 0; ctx->ledger != NULL && i < AX_HASH_SIZE; i++) {
        ctx->ledger->chain_head[i] = call->ledger.current_hash[i];
    }
    if (ctx->ledger != NULL) {
        ctx->ledger->sequence = call->ledger.sequence;
        if (call->ledger.failed) {
            ctx->ledger->state = AX_LEDGER_FAILED;
        }
    }
}

/** Makes a context over a rig's ledger and agent, each of which may be NULL. */
static inline ax_policy_err_t ax_policy_rig_init(ax_policy_ctx_t *ctx, ax_ledger_ctx_t *ledger, ax_agent_ctx_t *agent,
                                                 ct_fault_flags_t *faults)
{
    if (ctx == NULL) {
        if (faults != NULL) {
            faults->domain = 1;
        }
        return AX_POLICY_ERR_NULL_CTX;
    }
    ctx->ledger = ledger;
    ctx->agent = agent;
    ctx->breach_flag = 0;
    ctx->evaluation_count = 0;
    ctx->last_eval_seq = 0;
    return AX_POLICY_OK;
}

/** Judges a value by one policy, enabled or not, and records the decision where the context has a ledger. */
static inline ax_policy_result_t ax_policy_rig_evaluate(ax_policy_ctx_t *ctx, const ax_policy_t *policy,
                                                        const ax_policy_input_t *input, ct_fault_flags_t *faults)
{
    ax_policy_rig_call_t call;
    axilog_rig_flags_t *raised = ax_policy_rig_flags(&call, faults);
    ax_policy_result_t result = ax_policy_evaluate(ax_policy_rig_begin(&call, ctx), policy, input, raised);
    ax_policy_rig_end(&call, ctx);
    ax_policy_rig_tell(&call, faults);
    return result;
}

/** Judges a value by every enabled policy; a flag that is set ends that after the first policy, as a breach. */
static inline ax_policy_result_t ax_policy_rig_evaluate_all(ax_policy_ctx_t *ctx, const ax_policy_input_t *input,
                                                            ct_fault_flags_t *faults)
{
    ax_policy_rig_call_t call;
    axilog_rig_flags_t *raised = ax_policy_rig_flags(&call, faults);
    ax_policy_result_t result = ax_policy_evaluate_all(ax_policy_rig_begin(&call, ctx), input, raised);
    ax_policy_rig_end(&call, ctx);
    ax_policy_rig_tell(&call, faults);
    return result;
}

/** Writes a policy's record and a NUL; gives the bytes without the NUL, or an ax_policy_err_t. */
static inline int ax_policy_rig_serialize(char *buf, size_t size, const ax_policy_record_t *record,
                                          ct_fault_flags_t *faults)
{
    ax_policy_rig_call_t call;
    int written;
    axilog_rig_flags_init(&call.faults);
    written = ax_policy_serialize(buf, size, record, &call.faults);
    if (written != AX_POLICY_ERR_SERIALISE) {
        ax_policy_rig_tell(&call, faults);
    } else if (faults != NULL) {
        faults->serialise = 1;
    }
    return written;
}

/** 1 where a policy was breached in this cycle, and for NULL; else 0. */
static inline int ax_policy_rig_has_breach(const ax_policy_ctx_t *ctx)
{
    return ctx == NULL || ctx->breach_flag != 0;
}

/** Begins a cycle. NULL is left alone. */
static inline void ax_policy_rig_reset_cycle(ax_policy_ctx_t *ctx)
{
    if (ctx != NULL) {
        ctx->breach_flag = 0;
        ctx->evaluation_count = 0;
    }
}

/** The built-in policies. */
static inline const ax_policy_registry_t *ax_policy_rig_get_registry(void)
{
    /* The library's struct begins with these fields. */
    return (const ax_policy_registry_t *)(const void *)ax_policy_get_registry();
}

#ifdef __cplusplus
}
#endif

/** What a rig calls. */
#undef ax_policy_init
#undef ax_policy_evaluate
#undef ax_policy_evaluate_all
#undef ax_policy_serialize
#undef ax_policy_has_breach
#undef ax_policy_reset_cycle
#undef ax_policy_get_registry
#define ax_policy_init ax_policy_rig_init
#define ax_policy_evaluate ax_policy_rig_evaluate
#define ax_policy_evaluate_all ax_policy_rig_evaluate_all
#define ax_policy_serialize ax_policy_rig_serialize
#define ax_policy_has_breach ax_policy_rig_has_breach
#define ax_policy_reset_cycle ax_policy_rig_reset_cycle
#define ax_policy_get_registry ax_policy_rig_get_registry

#endif /* AXILOG_COMPAT_POLICY_POLICY_H */
