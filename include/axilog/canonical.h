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
 * Writes the canonical record of an observation under profile 0.
 *
 * The function computes obs_hash afresh and does not read the one in record.
 *
 * @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
 * @param dst_size Bytes of room in dst, for the text and the NUL.
 * @param record Observation to write, borrowed for the call, with NUL-terminated strings.
 * @param include_hash 0 writes the empty string as obs_hash; any other number writes the hash.
 * @return Bytes written, without the NUL; on failure a negative code.
 * @retval AX_ERR_BUFFER dst_size is too small.
 * @retval AX_ERR_PROTOCOL A required pointer is NULL.
 * @retval AX_ERR_SCHEMA A state, an identity or a parameter is not valid.
 * @retval AX_ERR_ENCODING The output is not admissible text.
 * @retval AX_ERR_SIZE No record can hold the output.
 * @see SRS-004 §5.1 and §5.8; formats.md §3
 */
int ax_obs_canonicalise(char *dst,
                        size_t dst_size,
                        const ax_obs_record_t *record,
                        int include_hash);

/**
 * Writes the canonical record of an observation under a chosen profile.
 *
 * The function computes obs_hash afresh and does not read the one in record.
 *
 * @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
 * @param dst_size Bytes of room in dst, for the text and the NUL.
 * @param record Observation to write, borrowed for the call, with NUL-terminated strings.
 * @param include_hash 0 writes the empty string as obs_hash; any other number writes the hash.
 * @param profile Profile to write under; a number that is not a profile is AX_ERR_PROTOCOL.
 * @return Bytes written, without the NUL; on failure a negative code.
 * @retval AX_ERR_BUFFER dst_size is too small.
 * @retval AX_ERR_PROTOCOL A required pointer is NULL.
 * @retval AX_ERR_SCHEMA A state, an identity or a parameter is not valid.
 * @retval AX_ERR_ENCODING The output is not admissible text.
 * @retval AX_ERR_SIZE No record can hold the output.
 * @see SRS-004 §5.1 and §5.8; formats.md §3 (Profiles)
 */
int ax_obs_canonicalise_as(char *dst,
                           size_t dst_size,
                           const ax_obs_record_t *record,
                           int include_hash,
                           ax_profile_t profile);

/**
 * Writes the canonical object of sampling parameters.
 *
 * @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
 * @param dst_size Bytes of room in dst, for the text and the NUL.
 * @param params Parameters to write, borrowed for the call.
 * @return Bytes written, without the NUL; on failure a negative code.
 * @retval AX_ERR_BUFFER dst_size is too small.
 * @retval AX_ERR_PROTOCOL A required pointer is NULL.
 * @retval AX_ERR_SCHEMA A parameter is out of range.
 * @see SRS-004 §5.4; formats.md §3
 */
int ax_params_canonicalise(char *dst, size_t dst_size, const ax_oracle_params_t *params);

/**
 * Writes a string with the escapes of RFC 8785, without quotes around it.
 *
 * @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
 * @param dst_size Bytes of room in dst, for the text and the NUL.
 * @param src Text, borrowed for the call, not NUL-terminated; overlaps no other argument. May be
 *     NULL where src_len is 0.
 * @param src_len Bytes of src.
 * @return Bytes written, without the NUL; on failure a negative code.
 * @retval AX_ERR_BUFFER dst_size is too small.
 * @retval AX_ERR_PROTOCOL A required pointer is NULL.
 * @retval AX_ERR_ENCODING src is not UTF-8.
 * @see SRS-004 §5.7; formats.md §2
 */
int ax_string_escape(char *dst, size_t dst_size, const char *src, size_t src_len);

/**
 * Writes a string with the escapes of a chosen profile, without quotes around it.
 *
 * @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
 * @param dst_size Bytes of room in dst, for the text and the NUL.
 * @param src Text, borrowed for the call, not NUL-terminated; overlaps no other argument. May be
 *     NULL where src_len is 0.
 * @param src_len Bytes of src.
 * @param profile Profile whose escapes to use; a number that is not a profile is AX_ERR_PROTOCOL.
 * @return Bytes written, without the NUL; on failure a negative code.
 * @retval AX_ERR_BUFFER dst_size is too small.
 * @retval AX_ERR_PROTOCOL A required pointer is NULL.
 * @retval AX_ERR_ENCODING src is not UTF-8.
 * @see SRS-004 §5.7; formats.md §3 (Profiles)
 */
int ax_string_escape_as(char *dst,
                        size_t dst_size,
                        const char *src,
                        size_t src_len,
                        ax_profile_t profile);

/**
 * Writes a signed integer in decimal.
 *
 * @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
 * @param dst_size Bytes of room in dst, for the text and the NUL.
 * @param value Any number; a negative one gets a minus sign.
 * @return Bytes written, without the NUL; on failure a negative code.
 * @retval AX_ERR_BUFFER dst_size is too small.
 * @retval AX_ERR_PROTOCOL A required pointer is NULL.
 * @see formats.md §2
 */
int ax_format_int64(char *dst, size_t dst_size, int64_t value);

/**
 * Writes an unsigned integer in decimal.
 *
 * @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
 * @param dst_size Bytes of room in dst, for the text and the NUL.
 * @param value Any number.
 * @return Bytes written, without the NUL; on failure a negative code.
 * @retval AX_ERR_BUFFER dst_size is too small.
 * @retval AX_ERR_PROTOCOL A required pointer is NULL.
 * @see formats.md §2
 */
int ax_format_uint64(char *dst, size_t dst_size, uint64_t value);

/**
 * Writes a Q16.16 number as records hold it: the raw integer in decimal.
 *
 * @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
 * @param dst_size Bytes of room in dst, for the text and the NUL.
 * @param value Any raw Q16.16 number.
 * @return Bytes written, without the NUL; on failure a negative code.
 * @retval AX_ERR_BUFFER dst_size is too small.
 * @retval AX_ERR_PROTOCOL A required pointer is NULL.
 * @see formats.md §2 and §7
 */
int ax_format_q16(char *dst, size_t dst_size, q16_16_t value);

/**
 * Writes bytes as lower-case hexadecimal digits, two for each.
 *
 * @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
 * @param dst_size Bytes of room in dst, for the text and the NUL.
 * @param hash Bytes to write, borrowed for the call; may be NULL where len is 0.
 * @param len Bytes of hash.
 * @return Bytes written, without the NUL; on failure a negative code.
 * @retval AX_ERR_BUFFER dst_size is too small.
 * @retval AX_ERR_PROTOCOL A required pointer is NULL.
 * @see formats.md §1
 */
int ax_format_hash_hex(char *dst, size_t dst_size, const uint8_t *hash, size_t len);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif /* AXILOG_CANONICAL_H */
