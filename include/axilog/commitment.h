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
 * Computes a tagged commitment: SHA-256 of the tag, the payload's length as 64 bits
 * little-endian, and the payload.
 *
 * The function takes any tag; ax_commit_evidence insists on the closed set of evidence tags.
 *
 * @param tag NUL-terminated tag, borrowed for the call. NULL sets domain.
 * @param payload Bytes to commit to, borrowed for the call; may be NULL where payload_len is 0,
 *     else NULL sets domain.
 * @param payload_len Bytes of payload.
 * @param out_commit Receives the 32 bytes of the commitment, all zero on failure; may overlap
 *     payload. NULL sets domain.
 * @param faults Fault flags of the caller, of which at least the first seven exist; the call sets
 *     no flag but domain and clears none. NULL: the call does nothing.
 * @see formats.md §1
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
