/**
 * Tagged commitments.
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_COMMITMENT_H
#define AXILOG_COMMITMENT_H

#include "axilog/types.h"
#include "axilog/dvec.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * out_commit = SHA-256(tag, payload_len as 64 bits little-endian, payload), for any tag. The one
 * that insists on the closed set of tags is ax_commit_evidence.
 *
 * A NULL tag, or a NULL payload of length above 0, sets domain and zeroes out_commit. A NULL faults
 * or out_commit does nothing else. Touches no flag but domain.
 *
 * Safety:
 * tag is NULL or NUL-terminated; payload is NULL or points to payload_len readable bytes;
 * out_commit is NULL or points to 32 writable bytes; faults is NULL or points to at least the first
 * seven flags.
 */
void axilog_commit(const char *tag,
                   const uint8_t *payload,
                   uint64_t payload_len,
                   uint8_t out_commit[32],
                   ct_fault_flags_t *faults);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif /* AXILOG_COMMITMENT_H */
