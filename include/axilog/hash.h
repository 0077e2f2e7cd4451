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
 * Computes the input_hash of an input that is already canonical: its SHA-256.
 *
 * @param hash Receives the 32 bytes of the digest; all zero where input is NULL and len is above
 *     0. NULL: the call does nothing.
 * @param input Bytes of the input, borrowed for the call; may be NULL where len is 0, and may
 *     overlap hash.
 * @param len Bytes of input.
 * @see SRS-004 §8.2; formats.md §3 (Admission 4)
 */
void ax_compute_input_hash(uint8_t hash[32], const char *input, size_t len);

/**
 * Computes the obs_hash of a filled record under profile 0 and writes it into the record.
 *
 * @param record Record with NUL-terminated strings, owned by the caller; on failure its obs_hash
 *     becomes the empty string.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_SCHEMA A state, an identity or a parameter is not valid.
 * @retval AX_ERR_ENCODING The output is not admissible text.
 * @retval AX_ERR_SIZE No record can hold the output.
 * @retval AX_ERR_PROTOCOL record or one of its strings is NULL.
 * @see SRS-004 §5.8; formats.md §3
 */
int ax_obs_compute_hash(ax_obs_record_t *record);

/**
 * Computes the obs_hash of a filled record under a chosen profile and writes it into the record.
 *
 * @param record Record with NUL-terminated strings, owned by the caller; on failure its obs_hash
 *     becomes the empty string.
 * @param profile Profile to hash under; a number that is not a profile is AX_ERR_PROTOCOL.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_SCHEMA A state, an identity or a parameter is not valid.
 * @retval AX_ERR_ENCODING The output is not admissible text.
 * @retval AX_ERR_SIZE No record can hold the output.
 * @retval AX_ERR_PROTOCOL record or one of its strings is NULL.
 * @see SRS-004 §5.8; formats.md §3 (Profiles)
 */
int ax_obs_compute_hash_as(ax_obs_record_t *record, ax_profile_t profile);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif /* AXILOG_HASH_H */
