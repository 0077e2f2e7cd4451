/**
 * The canonical writer, for deployed rigs: ax_obs_canonicalise and ax_string_escape write profile 2.
 */

#ifndef AXILOG_COMPAT_CANONICAL_H
#define AXILOG_COMPAT_CANONICAL_H

#include "axilog/obs.h"

#include "../../axilog/canonical.h"

#ifdef __cplusplus
extern "C" {
#endif

/** ax_obs_canonicalise_as under profile 2. */
static inline int ax_obs_canonicalise_1_2(char *dst, size_t dst_size, const ax_obs_record_t *record,
                                          int include_hash)
{
    return ax_obs_canonicalise_as(dst, dst_size, record, include_hash, AX_PROFILE_ORACLE_1_2);
}

/** ax_string_escape_as under profile 2. */
static inline int ax_string_escape_1_2(char *dst, size_t dst_size, const char *src, size_t src_len)
{
    return ax_string_escape_as(dst, dst_size, src, src_len, AX_PROFILE_ORACLE_1_2);
}

#ifdef __cplusplus
}
#endif

/* What a rig calls; its pointers to these functions are to profile 2 as well. */
#define ax_obs_canonicalise ax_obs_canonicalise_1_2
#define ax_string_escape ax_string_escape_1_2

#endif /* AXILOG_COMPAT_CANONICAL_H */
