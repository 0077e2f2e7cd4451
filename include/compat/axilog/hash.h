/**
 * Hashes of observations, over the types.h of this directory: ax_obs_compute_hash is of the rig's profile,
 * and ax_compute_input_hash gives the SHA-256 of nothing for NULL.
 */

#ifndef AXILOG_COMPAT_HASH_H
#define AXILOG_COMPAT_HASH_H

#include "axilog/obs.h"
#include "axilog/sha256.h"

#include "../../axilog/hash.h"

#endif /* AXILOG_COMPAT_HASH_H */
