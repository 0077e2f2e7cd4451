/**
 * The ledger: a hash chain over evidence, its sink, its lines.
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_AUDIT_H
#define AXILOG_AUDIT_H

#include "axilog/types.h"
#include "axilog/limits.h"

/**
 * One committed record. In a sink's callback it is the library's and lives until the callback
 * returns.
 */
typedef struct ax_ledger_entry_t {
    /**
     * One of the AX_TAG_… strings.
     */
    const char *tag;
    /**
     * The canonical record, not NUL-terminated.
     */
    const uint8_t *payload;
    /**
     * Bytes of payload.
     */
    uint64_t payload_len;
    /**
     * Position; the genesis is 0.
     */
    uint64_t sequence;
    /**
     * commit(tag, payload).
     */
    uint8_t commit[32];
    /**
     * The chain value with this record.
     */
    uint8_t chain[32];
} ax_ledger_entry_t;

/**
 * Where committed records go. Caller-owned; it must outlive the ledger it is set on.
 */
typedef struct ax_ledger_sink_t {
    /**
     * Stores one record, before the ledger's head moves. Returns 0, or anything else to fail the
     * ledger for good. It must not call back into the same ledger or agent.
     */
    int (*append)(void *user, const struct ax_ledger_entry_t *entry);
    /**
     * Passed to append.
     */
    void *user;
} ax_ledger_sink_t;

/**
 * The state of a chain. Caller-owned; made by ax_ledger_genesis or ax_ledger_resume.
 */
typedef struct ax_ledger_ctx_t {
    /**
     * The chain value of the last record.
     */
    uint8_t current_hash[32];
    /**
     * The chain value of the genesis.
     */
    uint8_t genesis_hash[32];
    /**
     * Records accepted after the genesis.
     */
    uint64_t sequence;
    /**
     * 1: a record could not be stored; nothing is accepted any more.
     */
    uint8_t failed;
    /**
     * 1: there is a genesis.
     */
    uint8_t initialised;
    /**
     * 1: a seal ended the ledger; nothing is accepted any more.
     */
    uint8_t sealed;
    /**
     * Zero.
     */
    uint8_t _pad[5];
    /**
     * Where records go; NULL: nowhere.
     */
    const struct ax_ledger_sink_t *sink;
} ax_ledger_ctx_t;

/**
 * A record before it is committed.
 */
typedef struct ax_evidence_t {
    /**
     * One of the AX_TAG_… strings.
     */
    const char *tag;
    /**
     * The canonical record.
     */
    const uint8_t *payload;
    /**
     * Bytes of payload.
     */
    uint64_t payload_len;
} ax_evidence_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes a new chain that holds the golden genesis record and has no sink.
 *
 * Returns AX_OK, or AX_ERR_PROTOCOL for a NULL (flag domain).
 *
 * Safety:
 * ctx is NULL or writable; faults is NULL or a ct_fault_flags_t.
 */
int ax_ledger_genesis(struct ax_ledger_ctx_t *ctx, ct_fault_flags_t *faults);

/**
 * Takes up a chain whose last record has chain value head and position sequence; without a sink.
 *
 * Returns AX_OK, or AX_ERR_PROTOCOL for a NULL, or for a sequence of 0 with another head than the
 * golden genesis (flag domain).
 *
 * Safety:
 * ctx is NULL or writable; head is NULL or 32 readable bytes; faults is NULL or a ct_fault_flags_t.
 */
int ax_ledger_resume(struct ax_ledger_ctx_t *ctx,
                     const uint8_t head[32],
                     uint64_t sequence,
                     ct_fault_flags_t *faults);

/**
 * Sets where records go; NULL detaches. A sink never receives the genesis.
 *
 * Returns AX_OK, AX_ERR_LEDGER for a ledger that was never initialised, or AX_ERR_PROTOCOL for a
 * NULL ctx or a sink without append (flag domain).
 *
 * Safety:
 * ctx is NULL or a ledger; sink is NULL or outlives it.
 */
int ax_ledger_set_sink(struct ax_ledger_ctx_t *ctx,
                       const struct ax_ledger_sink_t *sink,
                       ct_fault_flags_t *faults);

/**
 * Chains a commitment whose record the caller keeps; the sink is not called.
 *
 * Returns AX_OK, AX_ERR_LEDGER for a ledger that is failed, sealed or at UINT64_MAX (flag
 * ledger_fail) or was never initialised (flag domain), or AX_ERR_PROTOCOL for a NULL (flag domain).
 *
 * Safety:
 * ctx is NULL or a ledger; commit is NULL or 32 readable bytes.
 */
int ax_ledger_append(struct ax_ledger_ctx_t *ctx,
                     const uint8_t commit[32],
                     ct_fault_flags_t *faults);

/**
 * Computes the commitment of a record whose tag must be one of the closed set.
 *
 * Returns AX_OK, or AX_ERR_PROTOCOL for a NULL and AX_ERR_SCHEMA for another tag (flag domain; out
 * is zeroed).
 *
 * Safety:
 * evidence is NULL or readable, its pointers too; out is NULL or 32 writable bytes.
 */
int ax_commit_evidence(const struct ax_evidence_t *evidence,
                       uint8_t out[32],
                       ct_fault_flags_t *faults);

/**
 * Commits a record: hands it to the sink, then moves the head.
 *
 * Returns AX_OK; AX_ERR_LEDGER as ax_ledger_append, and where the sink refuses (flags io_error,
 * ledger_fail; the ledger has failed for good and its head stays); AX_ERR_SCHEMA for a tag outside
 * the closed set and AX_ERR_PROTOCOL for a NULL (flag domain).
 *
 * Safety:
 * ctx is NULL or a ledger with a valid sink; evidence is NULL or readable, its pointers too.
 */
int ax_ledger_record(struct ax_ledger_ctx_t *ctx,
                     const struct ax_evidence_t *evidence,
                     ct_fault_flags_t *faults);

/**
 * Ends the ledger with an AX:PROOF:v1 seal. Nothing can be appended behind it.
 *
 * Returns as ax_ledger_record.
 *
 * Safety:
 * ctx is NULL or a ledger with a valid sink.
 */
int ax_ledger_seal(struct ax_ledger_ctx_t *ctx, ct_fault_flags_t *faults);

/**
 * Whether the context agrees with itself: initialised, golden genesis, not failed, and a head equal
 * to the genesis exactly while the ledger is empty. Says nothing of records; that is replay.h.
 *
 * Returns AX_OK, AX_ERR_LEDGER (flag ledger_fail), or AX_ERR_PROTOCOL for a NULL (flag domain).
 *
 * Safety:
 * ctx is NULL or readable.
 */
int ax_verify_chain(const struct ax_ledger_ctx_t *ctx, ct_fault_flags_t *faults);

/**
 * Gives line 0 of every ledger file, in static memory.
 *
 * Returns AX_OK, or AX_ERR_PROTOCOL for a NULL.
 *
 * Safety:
 * out is NULL or writable.
 */
int ax_ledger_genesis_entry(struct ax_ledger_entry_t *out);

/**
 * Writes the line of an entry as a ledger file holds it, line feed included and no NUL.
 *
 * Returns the bytes written, AX_ERR_BUFFER, AX_ERR_SCHEMA for a tag outside the closed set or a
 * payload that no line can hold, or AX_ERR_PROTOCOL for a NULL. On failure dst is untouched.
 *
 * Safety:
 * dst points to dst_size bytes; entry is NULL or readable, its pointers too.
 */
int ax_ledger_line_write(uint8_t *dst, size_t dst_size, const struct ax_ledger_entry_t *entry);

/**
 * Reads a line of a ledger file, with or without its line feed. out borrows the record from line
 * and its tag from tag. Whether the hashes are right is for replay.h.
 *
 * Returns AX_OK, AX_ERR_SCHEMA for anything but a line's canonical form, or AX_ERR_PROTOCOL for a
 * NULL. On failure out and tag are untouched.
 *
 * Safety:
 * out is NULL or writable; tag is NULL or 16 writable bytes; line points to len readable bytes.
 */
int ax_ledger_line_parse(struct ax_ledger_entry_t *out,
                         char tag[16],
                         const uint8_t *line,
                         size_t len);

/**
 * 1 where the len bytes at a and b are equal, else 0, in time that depends on len alone. 0 for a
 * NULL of length above 0.
 *
 * Safety:
 * a and b are NULL or point to len readable bytes.
 */
int ax_hash_equal_ct(const uint8_t *a, const uint8_t *b, size_t len);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif /* AXILOG_AUDIT_H */
