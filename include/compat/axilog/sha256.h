/** SHA-256: the library's own, over the types.h of this directory, and piece by piece. */

#ifndef AXILOG_COMPAT_SHA256_H
#define AXILOG_COMPAT_SHA256_H

#include "axilog/names.h"

#include "../../axilog/sha256.h"

/** A digest that was begun; the caller's, and it may be copied. count is its bytes so far. */
typedef struct ax_sha256_ctx_t {
    uint32_t state[8];
    uint64_t count;
    uint8_t buffer[64];
} ax_sha256_ctx_t;

#ifdef __cplusplus
extern "C" {
#endif

/** Begins a digest. */
void ax_sha256_init(ax_sha256_ctx_t *ctx);

/** Adds bytes. */
void ax_sha256_update(ax_sha256_ctx_t *ctx, const uint8_t *data, size_t len);

/** Ends a digest; ctx is then as one that was begun. */
void ax_sha256_final(ax_sha256_ctx_t *ctx, uint8_t out[32]);

#ifdef __cplusplus
}
#endif

#endif /* AXILOG_COMPAT_SHA256_H */
