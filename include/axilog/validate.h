/**
 * Admissible text (SRS-004-SHALL-042, SHALL-043).
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_VALIDATE_H
#define AXILOG_VALIDATE_H

#include "axilog/types.h"

/* An object that was compiled against the deployed C libraries has shorter structs, and must not link.
 * It asks for these functions by their names (docs/rigs.md). */
#ifndef ax_validate_and_normalise
#define ax_validate_and_normalise ax_validate_and_normalise_v2
#endif

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Tells whether a text is well-formed UTF-8.
 *
 * @param data Text, borrowed for the call, not NUL-terminated; may be NULL where len is 0.
 * @param len Bytes of data.
 * @return 1 where it is, else 0; 0 for a NULL of length above 0.
 * @see SRS-004 §5.5; formats.md §3 (Admission 4)
 */
int ax_validate_utf8(const char *data, size_t len);

/**
 * Tells whether a text is UTF-8 in Unicode Normalization Form C with at most 30 consecutive
 * characters of non-zero combining class.
 *
 * ax_unicode_version gives the Unicode version; the limit follows the Stream-Safe format of UAX
 * #15.
 *
 * @param data Text, borrowed for the call, not NUL-terminated; may be NULL where len is 0.
 * @param len Bytes of data.
 * @return 1 where it is, else 0; 0 for a NULL of length above 0.
 * @see SRS-004 §5.5; formats.md §3 (Admission 5)
 */
int ax_is_nfc(const char *data, size_t len);

/**
 * Tells whether a text holds a character from U+0000 to U+001F other than LF.
 *
 * @param data Text, borrowed for the call, not NUL-terminated; may be NULL where len is 0.
 * @param len Bytes of data.
 * @return 1 where it does, else 0; 1 for a NULL of length above 0.
 * @see SRS-004 §5.6; formats.md §3 (Admission 4)
 */
int ax_contains_forbidden_control(const char *data, size_t len);

/**
 * Tells whether a text is UTF-8 in Unicode Normalization Form C, whatever control characters it
 * holds.
 *
 * @param data Text, borrowed for the call, not NUL-terminated; may be NULL where len is 0.
 * @param len Bytes of data.
 * @return 1 where it is, else 0; 0 for a NULL of length above 0.
 * @see SRS-004 §5.5; formats.md §3 (Admission 5)
 */
int ax_validate_encoding(const char *data, size_t len);

/**
 * Tells whether a text is exactly one JSON value as RFC 8785 writes it, at most 128 levels deep.
 *
 * Integers from -2^63 to 2^64-1 are canonical in exact decimal.
 *
 * @param data Text, borrowed for the call, not NUL-terminated; may be NULL where len is 0.
 * @param len Bytes of data.
 * @return 1 where it is, else 0; 0 for a NULL of length above 0.
 * @see SRS-004 §5.1; formats.md §2
 */
int ax_is_canonical_json(const char *data, size_t len);

/**
 * Writes a text with every CRLF and every CR as LF.
 *
 * @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
 * @param dst_size Bytes of room in dst, for the text and the NUL.
 * @param src Text, borrowed for the call, not NUL-terminated; overlaps no other argument. May be
 *     NULL where src_len is 0.
 * @param src_len Bytes of src.
 * @return Bytes written, without the NUL; on failure a negative code.
 * @retval AX_ERR_BUFFER dst_size is too small.
 * @retval AX_ERR_PROTOCOL A required pointer is NULL.
 * @see SRS-004 §5.6; formats.md §3 (Admission 4)
 */
int ax_normalise_line_endings(char *dst, size_t dst_size, const char *src, size_t src_len);

/**
 * Checks a text as admission does, and writes it with every CRLF and every CR as LF.
 *
 * Admissible text is UTF-8 in Unicode Normalization Form C without control characters other than
 * line ends.
 *
 * @param dst Receives the text and a NUL; overlaps no other argument. Untouched on failure.
 * @param dst_size Bytes of room in dst, for the text and the NUL.
 * @param src Text, borrowed for the call, not NUL-terminated; overlaps no other argument. May be
 *     NULL where src_len is 0.
 * @param src_len Bytes of src.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_ERR_PROTOCOL.
 * @return Bytes written, without the NUL; on failure a negative code.
 * @retval AX_ERR_ENCODING src is not admissible (flag encoding).
 * @retval AX_ERR_BUFFER dst_size is too small.
 * @retval AX_ERR_PROTOCOL dst, or src with a length above 0, is NULL (flag domain).
 * @see SRS-004 §5.5 and §5.6; formats.md §3 (Admission 4 and 5)
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
