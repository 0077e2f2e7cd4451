/**
 * Observations, for deployed rigs: the library's own declarations, except that the functions take
 * ax_l3_fault_flags_t *, and these:
 *
 * ax_obs_init gives COMPLETE without a failure and without strings (NULL). ax_obs_admit writes the rig's profile,
 * refuses U+007F and the combining marks of the deployed list, cuts raw outputs above 64512 bytes and judges what is
 * in front of the cut, keeps the text of an ERROR, hashes the input as it came (zero without one), reads of the
 * context the sequence alone, and moves it with an admitted answer only: after AX_ERR_ENCODING the record of the
 * invalid answer takes the same sequence. ax_obs_input_set_invalid_output keeps the text.
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
 * Makes a context that has admitted nothing, as ax_obs_admit treats every context here: the rig's profile,
 * raw outputs above 64512 bytes are TRUNCATED, U+007F is refused. NULL is left alone.
 */
static inline void ax_compat_admission_ctx_init(ax_admission_ctx_t *ctx)
{
    ax_admission_ctx_init(ctx);
    if (ctx != NULL) {
        ctx->profile = AXILOG_COMPAT_PROFILE == 1 ? AX_PROFILE_ORACLE_1_1 : AX_PROFILE_ORACLE_1_2;
        ctx->max_output_bytes = AX_COMPAT_MAX_OUTPUT_BYTES;
        ctx->reject_del = 1;
    }
}

#ifdef __cplusplus
}
#endif

/** What a rig calls. */
#define ax_admission_ctx_init ax_compat_admission_ctx_init

#endif /* AXILOG_COMPAT_OBS_H */
