/**
 * SHA-256.
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_SHA256_H
#define AXILOG_SHA256_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Computes the SHA-256 of a byte string.
 *
 * @param out Receives the 32 bytes of the digest; all zero where data is NULL and len is above 0.
 *     NULL: the call does nothing.
 * @param data Bytes to hash, borrowed for the call; may be NULL where len is 0, and may overlap
 *     out.
 * @param len Bytes of data.
 * @see formats.md §1 (FIPS 180-4)
 */
void axilog_sha256(uint8_t out[32], const uint8_t *data, size_t len);

/**
 * Computes the SHA-256 of a byte string, exactly as axilog_sha256 does.
 *
 * @param out Receives the 32 bytes of the digest; all zero where data is NULL and len is above 0.
 *     NULL: the call does nothing.
 * @param data Bytes to hash, borrowed for the call; may be NULL where len is 0, and may overlap
 *     out.
 * @param len Bytes of data.
 * @see formats.md §1 (FIPS 180-4)
 */
void ax_sha256(uint8_t out[32], const uint8_t *data, size_t len);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif /* AXILOG_SHA256_H */
