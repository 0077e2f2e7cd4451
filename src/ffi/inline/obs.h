/** Makes a context that has admitted nothing: profile 0, no cap, U+007F allowed. NULL is left alone. */
static inline void ax_admission_ctx_init(ax_admission_ctx_t *ctx)
{
    if (ctx != NULL) {
        ctx->last_ledger_seq = 0;
        ctx->initialized = 0;
        ctx->profile = AX_PROFILE_RFC8785;
        ctx->max_output_bytes = 0;
        ctx->reject_del = 0;
    }
}
