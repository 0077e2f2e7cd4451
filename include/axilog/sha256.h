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
 * SHA-256 of len bytes. A NULL data of length above 0 zeroes out; a NULL out does nothing.
 *
 * Safety:
 * out is NULL or points to 32 writable bytes; data is NULL or points to len readable ones.
 */
void axilog_sha256(uint8_t out[32], const uint8_t *data, size_t len);

/**
 * The same as axilog_sha256.
 *
 * Safety:
 * As for axilog_sha256.
 */
void ax_sha256(uint8_t out[32], const uint8_t *data, size_t len);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif /* AXILOG_SHA256_H */
