/**
 * Admissible text (SRS-004-SHALL-042, SHALL-043).
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_VALIDATE_H
#define AXILOG_VALIDATE_H

#include "axilog/types.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * 1 where data is well-formed UTF-8, else 0; 0 for a NULL of length above 0.
 *
 * Safety:
 * data is NULL or points to len readable bytes.
 */
int ax_validate_utf8(const char *data, size_t len);

/**
 * 1 where data is UTF-8 in Unicode Normalization Form C with at most 30 consecutive characters of
 * non-zero combining class (after UAX #15, Stream-Safe), else 0. The Unicode version is
 * ax_unicode_version().
 *
 * Safety:
 * data is NULL or points to len readable bytes.
 */
int ax_is_nfc(const char *data, size_t len);

/**
 * 1 where data holds a character from U+0000 to U+001F other than LF, else 0; 1 for a NULL of
 * length above 0.
 *
 * Safety:
 * data is NULL or points to len readable bytes.
 */
int ax_contains_forbidden_control(const char *data, size_t len);

/**
 * 1 where data is UTF-8 in NFC (SRS-004-SHALL-042), else 0. Says nothing of control characters.
 *
 * Safety:
 * data is NULL or points to len readable bytes.
 */
int ax_validate_encoding(const char *data, size_t len);

/**
 * 1 where data is exactly one JSON value as RFC 8785 writes it, else 0. Integers from -2^63 to
 * 2^64-1 are canonical in exact decimal (decision D2). At most 128 levels deep.
 *
 * Safety:
 * data is NULL or points to len readable bytes.
 */
int ax_is_canonical_json(const char *data, size_t len);

/**
 * Writes src with CRLF and CR as LF, and a NUL behind it.
 *
 * Returns the bytes written without the NUL, AX_ERR_BUFFER or, for a NULL, AX_ERR_PROTOCOL. On
 * failure dst is untouched.
 *
 * Safety:
 * dst points to dst_size bytes, src to src_len; they do not overlap.
 */
int ax_normalise_line_endings(char *dst, size_t dst_size, const char *src, size_t src_len);

/**
 * The whole of admission for one text: UTF-8, NFC, no control character but line ends, which become
 * LF. Writes the result and a NUL.
 *
 * Returns the bytes written without the NUL, AX_ERR_ENCODING (flag encoding), AX_ERR_BUFFER, or
 * AX_ERR_PROTOCOL for a NULL (flag domain). On failure dst is untouched.
 *
 * Safety:
 * dst points to dst_size bytes, src to src_len; they do not overlap. faults is NULL or points to a
 * whole ct_fault_flags_t.
 */
int ax_validate_and_normalise(char *dst,
                              size_t dst_size,
                              const char *src,
                              size_t src_len,
                              ct_fault_flags_t *faults);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif /* AXILOG_VALIDATE_H */
