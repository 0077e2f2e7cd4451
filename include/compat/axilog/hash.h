/** Hashes of observations, for deployed rigs: ax_obs_compute_hash is profile 2's. */

#ifndef AXILOG_COMPAT_HASH_H
#define AXILOG_COMPAT_HASH_H

#include "axilog/obs.h"

#include "../../axilog/hash.h"

#ifdef __cplusplus
extern "C" {
#endif

/** ax_obs_compute_hash_as under profile 2. */
static inline int ax_obs_compute_hash_1_2(ax_obs_record_t *record)
{
    return ax_obs_compute_hash_as(record, AX_PROFILE_ORACLE_1_2);
}

#ifdef __cplusplus
}
#endif

/** What a rig calls. */
#define ax_obs_compute_hash ax_obs_compute_hash_1_2

#endif /* AXILOG_COMPAT_HASH_H */
