/**
 * Observations, for deployed rigs: the library's own declarations, except that
 * the functions take ax_l3_fault_flags_t *, and that ax_admission_ctx_init chooses profile 2.
 */

#ifndef AXILOG_COMPAT_OBS_H
#define AXILOG_COMPAT_OBS_H

#include "axilog/l3_types.h"
#include "axilog/oracle.h"

/* Sixteen bytes in the same places, so that one set of declarations serves both. */
#define ct_fault_flags_t ax_l3_fault_flags_t
#include "../../axilog/obs.h"
#undef ct_fault_flags_t

/** The longest raw output such a rig admits whole. */
#define AX_COMPAT_MAX_OUTPUT_BYTES 64512U

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes a context that has admitted nothing, as deployed rigs have it: profile 2, raw outputs above
 * 64512 bytes are TRUNCATED, U+007F is refused. NULL is left alone.
 */
static inline void ax_admission_ctx_init_1_2(ax_admission_ctx_t *ctx)
{
    ax_admission_ctx_init(ctx);
    if (ctx != NULL) {
        ctx->profile = AX_PROFILE_ORACLE_1_2;
        ctx->max_output_bytes = AX_COMPAT_MAX_OUTPUT_BYTES;
        ctx->reject_del = 1;
    }
}

#ifdef __cplusplus
}
#endif

/** What a rig calls. */
#define ax_admission_ctx_init ax_admission_ctx_init_1_2

#endif /* AXILOG_COMPAT_OBS_H */
