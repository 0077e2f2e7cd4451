/**
 * Hashes of observations (SRS-004-SHALL-046).
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_HASH_H
#define AXILOG_HASH_H

#include "axilog/obs.h"
#include "axilog/sha256.h"
#include "axilog/commitment.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * SHA-256 of an input that is already canonical. A NULL input of length above 0 zeroes hash.
 *
 * Safety:
 * hash is NULL or 32 writable bytes; input is NULL or points to len readable ones.
 */
void ax_compute_input_hash(uint8_t hash[32], const char *input, size_t len);

/**
 * Computes the obs_hash of a filled record under profile 0 and writes it into the record.
 *
 * Returns AX_OK, AX_ERR_SCHEMA, AX_ERR_ENCODING, AX_ERR_SIZE, or AX_ERR_PROTOCOL for a NULL. On
 * failure the record's hash is the empty string.
 *
 * Safety:
 * record is NULL or a writable record with NUL-terminated strings.
 */
int ax_obs_compute_hash(ax_obs_record_t *record);

/**
 * As ax_obs_compute_hash, under any profile; AX_ERR_PROTOCOL for a profile that is not one.
 *
 * Safety:
 * As for ax_obs_compute_hash.
 */
int ax_obs_compute_hash_as(ax_obs_record_t *record, ax_profile_t profile);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif /* AXILOG_HASH_H */
