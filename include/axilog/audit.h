/**
 * The ledger: a hash chain over evidence, its sink, its lines.
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_AUDIT_H
#define AXILOG_AUDIT_H

#include "axilog/types.h"
#include "axilog/limits.h"

/* An object that was compiled against the deployed C libraries has shorter structs, and must not link.
 * It asks for these functions by their names (docs/rigs.md). */
#ifndef ax_ledger_append
#define ax_ledger_append ax_ledger_append_v2
#endif
#ifndef ax_ledger_genesis
#define ax_ledger_genesis ax_ledger_genesis_v2
#endif
#ifndef ax_verify_chain
#define ax_verify_chain ax_verify_chain_v2
#endif

/**
 * One committed record. The entry that a sink receives belongs to the library and lives until the
 * sink's append returns.
 */
typedef struct ax_ledger_entry_t {
    /**
     * Tag of the record: one of the AX_TAG_ strings.
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
     * Position in the ledger; the genesis is 0.
     */
    uint64_t sequence;
    /**
     * Commitment to tag and payload.
     */
    uint8_t commit[32];
    /**
     * The chain value with this record.
     */
    uint8_t chain[32];
} ax_ledger_entry_t;

/**
 * The receiver of committed records. The caller owns it; it must outlive the ledger it is set on.
 */
typedef struct ax_ledger_sink_t {
    /**
     * Function that stores one record before the ledger's head moves. It returns 0, or another number
     * to fail the ledger for good, and calls no function on the same ledger or agent.
     */
    int (*append)(void *user, const struct ax_ledger_entry_t *entry);
    /**
     * Pointer that append receives, for the caller's use.
     */
    void *user;
} ax_ledger_sink_t;

/**
 * The state of a chain. The caller owns it; ax_ledger_genesis or ax_ledger_resume makes it.
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
     * Number of records after the genesis.
     */
    uint64_t sequence;
    /**
     * 1 where a record could not be stored: the ledger accepts nothing more; else 0.
     */
    uint8_t failed;
    /**
     * 1 where the ledger has a genesis, else 0.
     */
    uint8_t initialised;
    /**
     * 1 where a seal ended the ledger: the ledger accepts nothing more; else 0.
     */
    uint8_t sealed;
    /**
     * Padding; zero.
     */
    uint8_t _pad[5];
    /**
     * Sink that receives the records; NULL: none.
     */
    const struct ax_ledger_sink_t *sink;
} ax_ledger_ctx_t;

/**
 * A record before it is committed.
 */
typedef struct ax_evidence_t {
    /**
     * Tag of the record: one of the AX_TAG_ strings.
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
 * @param ctx Ledger to overwrite, owned by the caller.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_ERR_PROTOCOL.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_PROTOCOL ctx is NULL (flag domain).
 * @see SRS-004 §12.3; formats.md §1 and §5 (Lifecycle)
 */
int ax_ledger_genesis(struct ax_ledger_ctx_t *ctx, ct_fault_flags_t *faults);

/**
 * Takes up a chain after its last record, without a sink.
 *
 * @param ctx Ledger to overwrite, owned by the caller; untouched on failure.
 * @param head 32 bytes, borrowed for the call: the chain value of the last record.
 * @param sequence Position of the last record, the genesis being 0.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_ERR_PROTOCOL.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_PROTOCOL A pointer is NULL, or exactly one of these holds: sequence is 0; head
 *     is the golden genesis (flag domain).
 * @see SRS-004 §12.3; formats.md §6
 */
int ax_ledger_resume(struct ax_ledger_ctx_t *ctx,
                     const uint8_t head[32],
                     uint64_t sequence,
                     ct_fault_flags_t *faults);

/**
 * Sets where a ledger's records go; a sink never receives the genesis.
 *
 * @param ctx Ledger that was made by ax_ledger_genesis, ax_ledger_resume or ax_agent_init.
 * @param sink Sink to keep, which must outlive ctx or be detached first; NULL detaches.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_ERR_PROTOCOL.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_LEDGER The ledger was never initialised (flag domain).
 * @retval AX_ERR_PROTOCOL ctx, or the sink's append, is NULL (flag domain).
 * @see SRS-004 §12.3; formats.md §6
 *
 * @par Example
 * @code{.c}
 * static int count_records(void *count, const ax_ledger_entry_t *entry)
 * {
 *     *(uint64_t *)count = entry->sequence;
 *     return 0;
 * }
 *
 * int main(void)
 * {
 *     uint64_t count = 0;
 *     const ax_ledger_sink_t sink = { count_records, &count };
 *     const uint8_t payload[] = { '{', '}' };
 *     const ax_evidence_t evidence = { AX_TAG_PROOF, payload, sizeof payload };
 *     ax_ledger_ctx_t ledger;
 *     ct_fault_flags_t faults;
 *
 *     ct_fault_init(&faults);
 *     ax_ledger_genesis(&ledger, &faults);
 *     ax_ledger_set_sink(&ledger, &sink, &faults);
 *     ax_ledger_record(&ledger, &evidence, &faults);
 *     assert(count == 1 && !ct_fault_any(&faults));
 *     return 0;
 * }
 * @endcode
 */
int ax_ledger_set_sink(struct ax_ledger_ctx_t *ctx,
                       const struct ax_ledger_sink_t *sink,
                       ct_fault_flags_t *faults);

/**
 * Appends a commitment whose record the caller keeps; the sink is not called.
 *
 * @param ctx Ledger to append to.
 * @param commit 32 bytes, borrowed for the call: the commitment of the record.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_ERR_PROTOCOL.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_LEDGER The ledger has failed, is sealed or has no sequence left (flag
 *     ledger_fail), or was never initialised (flags domain and ledger_fail; it has then failed).
 * @retval AX_ERR_PROTOCOL A pointer is NULL (flag domain).
 * @see SRS-004 §12.3; formats.md §1
 */
int ax_ledger_append(struct ax_ledger_ctx_t *ctx,
                     const uint8_t commit[32],
                     ct_fault_flags_t *faults);

/**
 * Computes the commitment of a record whose tag is one of the closed set.
 *
 * @param evidence Record to commit to, borrowed for the call.
 * @param out Receives the 32 bytes of the commitment, all zero on failure; may overlap the payload.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_ERR_PROTOCOL.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_SCHEMA The tag is not one of the closed set, or the payload is empty (flag domain).
 * @retval AX_ERR_PROTOCOL A pointer is NULL (flag domain).
 * @see SRS-004 §20.2; formats.md §1
 */
int ax_commit_evidence(const struct ax_evidence_t *evidence,
                       uint8_t out[32],
                       ct_fault_flags_t *faults);

/**
 * Commits a record: hands it to the ledger's sink, then moves the head of the chain.
 *
 * @param ctx Ledger to append to, with a valid sink or none.
 * @param evidence Record to commit, borrowed for the call.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_ERR_PROTOCOL.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_LEDGER The ledger has failed, is sealed or has no sequence left (flag
 *     ledger_fail), the sink refuses (flags io_error and ledger_fail; the ledger has failed for
 *     good), or the ledger was never initialised (flags domain and ledger_fail; it has then failed).
 *     The head stays.
 * @retval AX_ERR_SCHEMA The tag is not one of the closed set, or the payload is empty (flag domain).
 * @retval AX_ERR_PROTOCOL A pointer is NULL (flag domain).
 * @see SRS-004 §12.3; formats.md §6
 */
int ax_ledger_record(struct ax_ledger_ctx_t *ctx,
                     const struct ax_evidence_t *evidence,
                     ct_fault_flags_t *faults);

/**
 * Ends a ledger with an AX:PROOF:v1 seal, after which nothing can be appended.
 *
 * @param ctx Ledger to seal, with a valid sink or none.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_ERR_PROTOCOL.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_LEDGER The ledger has failed, is sealed or has no sequence left (flag
 *     ledger_fail), the sink refuses (flags io_error and ledger_fail; the ledger has failed for
 *     good), or the ledger was never initialised (flags domain and ledger_fail; it has then failed).
 *     The head stays.
 * @retval AX_ERR_PROTOCOL ctx is NULL (flag domain).
 * @see SRS-004 §20.2; formats.md §6
 */
int ax_ledger_seal(struct ax_ledger_ctx_t *ctx,
                   ct_fault_flags_t *faults);

/**
 * Writes the AX:PROOF:v1 record of kind RAW that binds the bytes of an answer, without a NUL.
 *
 * ax_agent_observe records it unasked. A program that steps by itself records it with
 * ax_ledger_record right after an observation that does not hold the answer's bytes: one that is
 * ERROR / INVALID_OUTPUT, or that admission cut to TRUNCATED. After any other record it makes the
 * ledger REORDERED.
 *
 * @param dst Receives the record; overlaps no other argument. Untouched on failure.
 * @param dst_size Bytes of room in dst; AX_RAW_RECORD_MAX_BYTES always suffice.
 * @param ledger_seq Sequence of the observation.
 * @param raw Answer as it came, before any normalisation, borrowed for the call. NULL where len is 0.
 * @param len Bytes of raw.
 * @return Bytes written; on failure a negative code.
 * @retval AX_ERR_BUFFER dst_size is too small.
 * @retval AX_ERR_PROTOCOL dst is NULL, or raw is NULL and len is not 0.
 * @see SRS-004 §5.6 and §9.4; formats.md §6 (Raw answers)
 *
 * @par Example
 * @code{.c}
 * uint8_t record[AX_RAW_RECORD_MAX_BYTES];
 * const uint8_t raw[] = { 0xff };
 * int written;
 *
 * written = ax_raw_record(record, sizeof record, 5, raw, sizeof raw);
 * assert(written > 0 && memcmp(record, "{\"bytes\":1,\"kind\":\"RAW\",", 24) == 0);
 * @endcode
 */
int ax_raw_record(uint8_t *dst,
                  size_t dst_size,
                  uint64_t ledger_seq,
                  const uint8_t *raw,
                  size_t len);

/**
 * Checks that a ledger context agrees with itself; replay.h verifies records.
 *
 * The context must be initialised and not failed, with the genesis as its head exactly while it
 * is empty.
 *
 * @param ctx Ledger to check, borrowed for the call.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_ERR_PROTOCOL.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_LEDGER The context does not agree with itself (flag ledger_fail).
 * @retval AX_ERR_PROTOCOL ctx is NULL (flag domain).
 * @see SRS-004 §20.2; formats.md §6
 */
int ax_verify_chain(const struct ax_ledger_ctx_t *ctx, ct_fault_flags_t *faults);

/**
 * Gives the genesis entry, which is line 0 of every ledger file.
 *
 * @param out Receives the entry, whose pointers lead to static memory of the library.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_PROTOCOL out is NULL.
 * @see formats.md §1 and §6
 *
 * @par Example
 * @code{.c}
 * ax_ledger_entry_t genesis;
 *
 * ax_ledger_genesis_entry(&genesis);
 * assert(genesis.sequence == 0 && strcmp(genesis.tag, AX_TAG_STATE) == 0);
 * assert(ax_hash_equal_ct(genesis.chain, AX_GOLDEN_GENESIS_HASH, AX_HASH_SIZE));
 * @endcode
 */
int ax_ledger_genesis_entry(struct ax_ledger_entry_t *out);

/**
 * Writes the line of a ledger file that holds an entry, with its line feed and without a NUL.
 *
 * @param dst Receives the line; overlaps no other argument. Untouched on failure.
 * @param dst_size Bytes of room in dst; the record and 512 bytes always suffice.
 * @param entry Entry to write, borrowed for the call.
 * @return Bytes written; on failure a negative code.
 * @retval AX_ERR_BUFFER dst_size is too small.
 * @retval AX_ERR_SCHEMA The tag is not one of the closed set, or no line can hold the payload.
 * @retval AX_ERR_PROTOCOL A pointer is NULL.
 * @see formats.md §6 (Ledger file)
 *
 * @par Example
 * @code{.c}
 * uint8_t line[1024];
 * ax_ledger_entry_t genesis;
 * int written;
 *
 * ax_ledger_genesis_entry(&genesis);
 * written = ax_ledger_line_write(line, sizeof line, &genesis);
 * if (written < 0 || fwrite(line, 1, (size_t)written, stdout) != (size_t)written) {
 *     return 1;
 * }
 * assert(line[written - 1] == '\n');
 * @endcode
 */
int ax_ledger_line_write(uint8_t *dst, size_t dst_size, const struct ax_ledger_entry_t *entry);

/**
 * Reads one line of a ledger file, with or without its line feed; replay.h verifies its hashes.
 *
 * @param out Receives the entry, which borrows its record from line and its tag from tag;
 *     untouched on failure.
 * @param tag Receives the NUL-terminated tag, in 16 bytes; untouched on failure.
 * @param line Bytes of the line; they must outlive out and overlap no other argument.
 * @param len Bytes of line.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_SCHEMA The bytes are not a line in its canonical form.
 * @retval AX_ERR_PROTOCOL A pointer is NULL.
 * @see formats.md §6 (Ledger file)
 */
int ax_ledger_line_parse(struct ax_ledger_entry_t *out,
                         char tag[16],
                         const uint8_t *line,
                         size_t len);

/**
 * Compares two byte strings in time that depends on their length alone.
 *
 * @param a First byte string, borrowed for the call; may be NULL where len is 0.
 * @param b Second byte string, borrowed for the call; may be NULL where len is 0, and may overlap
 *     a.
 * @param len Bytes of a and of b.
 * @return 1 where they are equal, else 0; 0 for a NULL of length above 0.
 * @see formats.md §1
 */
int ax_hash_equal_ct(const uint8_t *a, const uint8_t *b, size_t len);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif /* AXILOG_AUDIT_H */
