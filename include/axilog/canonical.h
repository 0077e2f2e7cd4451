/**
 * The canonical writer (SRS-004-SHALL-006, SHALL-045).
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_CANONICAL_H
#define AXILOG_CANONICAL_H

#include "axilog/obs.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Writes the canonical record under profile 0, with its obs_hash or, where include_hash is 0, with
 * the empty string in its place. The hash is computed afresh; the one in the record is not read.
 *
 * Also returns AX_ERR_SCHEMA for states, identities or parameters that are not ones,
 * AX_ERR_ENCODING for an output that is not admissible, AX_ERR_SIZE for one that fits no record.
 *
 * Safety:
 * dst points to dst_size bytes; record is NULL or a record with NUL-terminated strings.
 */
int ax_obs_canonicalise(char *dst,
                        size_t dst_size,
                        const ax_obs_record_t *record,
                        int include_hash);

/**
 * As ax_obs_canonicalise, under any profile; AX_ERR_PROTOCOL for a profile that is not one.
 *
 * Safety:
 * As for ax_obs_canonicalise.
 */
int ax_obs_canonicalise_as(char *dst,
                           size_t dst_size,
                           const ax_obs_record_t *record,
                           int include_hash,
                           ax_profile_t profile);

/**
 * Writes the canonical object of sampling parameters; AX_ERR_SCHEMA for one out of range.
 *
 * Safety:
 * dst points to dst_size bytes; params is NULL or readable.
 */
int ax_params_canonicalise(char *dst, size_t dst_size, const ax_oracle_params_t *params);

/**
 * Writes src with the escapes of RFC 8785, without quotes; AX_ERR_ENCODING where it is not UTF-8.
 *
 * Safety:
 * dst points to dst_size bytes, src to src_len; they do not overlap.
 */
int ax_string_escape(char *dst, size_t dst_size, const char *src, size_t src_len);

/**
 * As ax_string_escape, with the escapes of any profile.
 *
 * Safety:
 * As for ax_string_escape.
 */
int ax_string_escape_as(char *dst,
                        size_t dst_size,
                        const char *src,
                        size_t src_len,
                        ax_profile_t profile);

/**
 * Writes value in decimal.
 *
 * Safety:
 * dst points to dst_size bytes.
 */
int ax_format_int64(char *dst, size_t dst_size, int64_t value);

/**
 * Writes value in decimal.
 *
 * Safety:
 * dst points to dst_size bytes.
 */
int ax_format_uint64(char *dst, size_t dst_size, uint64_t value);

/**
 * Writes a Q16.16 value as records hold it: the raw integer in decimal.
 *
 * Safety:
 * dst points to dst_size bytes.
 */
int ax_format_q16(char *dst, size_t dst_size, q16_16_t value);

/**
 * Writes len bytes as lower-case hexadecimal digits.
 *
 * Safety:
 * dst points to dst_size bytes, hash to len.
 */
int ax_format_hash_hex(char *dst, size_t dst_size, const uint8_t *hash, size_t len);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif /* AXILOG_CANONICAL_H */
