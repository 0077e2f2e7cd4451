/**
 * Makes an admission context that has admitted nothing: profile 0, no cap on the output, U+007F
 * allowed.
 *
 * @param ctx Context to overwrite, owned by the caller. NULL: the call does nothing.
 * @see SRS-004 §4.4; formats.md §3 (Admission)
 */
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
