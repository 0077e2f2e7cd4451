/**
 * The ledger, for deployed rigs: the library's own over the fault struct of this directory, with the results
 * and names that such rigs have. ax_ledger_genesis, ax_ledger_append and ax_verify_chain return nothing and
 * tell a failure by ledger_fail (a NULL: domain); ax_verify_chain also fails the ledger that it finds wrong.
 *
 * A rig whose own ledger.c declares these functions otherwise defines AXILOG_OWN_LEDGER: the types and macros
 * alone are then declared here.
 */

#ifndef AXILOG_AUDIT_H
#define AXILOG_AUDIT_H

#include "axilog/types.h"
#include "axilog/commitment.h"
#include "axilog/dvec.h"
#include "axilog/limits.h"

/** What the genesis record says, without a NUL in its length. */
#define AX_GENESIS_PAYLOAD \
    "{\"component\":\"axilog-core\",\"evidence_type\":\"AX:STATE:v1\"," \
    "\"is_terminal\":false,\"platform\":\"universal\",\"state_hash\":" \
    "\"0000000000000000000000000000000000000000000000000000000000000000\"}"
/** Its bytes. */
#define AX_GENESIS_PAYLOAD_LEN 180
/** The same text. */
#define AX_LEDGER_GENESIS_PAYLOAD AX_GENESIS_PAYLOAD
/** The tag of the chain. */
#define AX_LEDGER_CHAIN_TAG AX_CHAIN_LEDGER

/** The states of a ledger: without its genesis, with it, failed. One of another number than READY takes nothing. */
typedef enum ax_ledger_state_t {
    AX_LEDGER_UNINIT = 0,
    AX_LEDGER_READY = 1,
    AX_LEDGER_FAILED = 2
} ax_ledger_state_t;

/** One committed record; the library's, which a sink receives. */
typedef struct ax_ledger_entry_t {
    const char *tag;
    const uint8_t *payload;
    uint64_t payload_len;
    uint64_t sequence;
    uint8_t commit[32];
    uint8_t chain[32];
} ax_ledger_entry_t;

/** The receiver of committed records. */
typedef struct ax_ledger_sink_t {
    int (*append)(void *user, const ax_ledger_entry_t *entry);
    void *user;
} ax_ledger_sink_t;

/**
 * The state of a chain. chain_head is another name of current_hash, and state of initialised: AX_LEDGER_READY where
 * the ledger has its genesis; a ledger that failed or was sealed keeps it, and says so in failed and sealed, which is the first byte of the padding.
 */
typedef struct ax_ledger_ctx_t {
    __extension__ union {
        uint8_t current_hash[32];
        uint8_t chain_head[32];
    };
    uint8_t genesis_hash[32];
    uint64_t sequence;
    uint8_t failed;
    __extension__ union {
        uint8_t initialised;
        uint8_t state;
    };
    __extension__ union {
        uint8_t sealed;
        uint8_t _pad[6];
    };
    const ax_ledger_sink_t *sink;
} ax_ledger_ctx_t;

/** A record before it is committed. */
typedef struct ax_evidence_t {
    const char *tag;
    const uint8_t *payload;
    uint64_t payload_len;
} ax_evidence_t;

#ifdef __cplusplus
extern "C" {
#endif

/** AX_LEDGER_READY where the ledger takes records; 0 where it has no genesis, failed, or was sealed. */
static inline int ax_ledger_state(const ax_ledger_ctx_t *ctx)
{
    return ctx != NULL && ctx->initialised == 1 && !ctx->failed && !ctx->sealed ? AX_LEDGER_READY : 0;
}

#ifndef AXILOG_OWN_LEDGER

/** Makes a new chain that holds the golden genesis record and has no sink. */
void ax_ledger_genesis(ax_ledger_ctx_t *ctx, ct_fault_flags_t *faults);

/** Appends a commitment whose record the caller keeps. */
void ax_ledger_append(ax_ledger_ctx_t *ctx, const uint8_t commit[32], ct_fault_flags_t *faults);

/** Checks the ledger's state; one that is not consistent fails for good. */
void ax_verify_chain(ax_ledger_ctx_t *ctx, ct_fault_flags_t *faults);

/** The library's own, which return AX_OK or a negative code; include/axilog/audit.h says of each which. */
int ax_ledger_resume(ax_ledger_ctx_t *ctx, const uint8_t head[32], uint64_t sequence,
                     ct_fault_flags_t *faults);
int ax_ledger_set_sink(ax_ledger_ctx_t *ctx, const ax_ledger_sink_t *sink, ct_fault_flags_t *faults);
int ax_commit_evidence(const ax_evidence_t *evidence, uint8_t out[32], ct_fault_flags_t *faults);
int ax_ledger_record(ax_ledger_ctx_t *ctx, const ax_evidence_t *evidence, ct_fault_flags_t *faults);
int ax_ledger_seal(ax_ledger_ctx_t *ctx, ct_fault_flags_t *faults);
int ax_raw_record(uint8_t *dst, size_t dst_size, uint64_t ledger_seq, const uint8_t *raw, size_t len);
int ax_ledger_genesis_entry(ax_ledger_entry_t *out);
int ax_ledger_line_write(uint8_t *dst, size_t dst_size, const ax_ledger_entry_t *entry);
int ax_ledger_line_parse(ax_ledger_entry_t *out, char tag[16], const uint8_t *line, size_t len);
/** 1 where len bytes are equal, in a time that depends on len alone. */
int ax_hash_equal_ct(const uint8_t *a, const uint8_t *b, size_t len);

#endif

#ifdef __cplusplus
}
#endif

#endif /* AXILOG_AUDIT_H */
