/**
 * Verification and replay (SRS-004 section 13).
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_REPLAY_H
#define AXILOG_REPLAY_H

#include "axilog/agent.h"

/**
 * The finding of a verification or a replay.
 */
typedef enum ax_verdict_t {
    /**
     * Every record is right.
     */
    AX_VERDICT_OK = 0,
    /**
     * A record does not match its commit, its obs_hash or the chain.
     */
    AX_VERDICT_ALTERED = 1,
    /**
     * A sequence is broken, or records stand in an order that no agent writes.
     */
    AX_VERDICT_REORDERED = 2,
    /**
     * The ledger is shorter than a seal says, or than the caller expects.
     */
    AX_VERDICT_TRUNCATED = 3,
    /**
     * The last line of a file is incomplete. Readers of files find this; the functions here never do.
     */
    AX_VERDICT_TORN = 4,
    /**
     * A record is not in its canonical form.
     */
    AX_VERDICT_NON_CANONICAL = 5,
    /**
     * A transition or a policy follows no observation, or another than its own. In a
     * replay also: a transition lacks policies, whose number a verification without rules cannot know.
     */
    AX_VERDICT_UNWITNESSED = 6,
    /**
     * Replay gives other bytes than the record has.
     */
    AX_VERDICT_DIVERGED = 7,
    /**
     * A reset names other rules than the ones given.
     */
    AX_VERDICT_CONFIG_MISMATCH = 8,
    /**
     * One of the first 32 oracles answers with two models. The flag size of ax_replay_feed says that
     * there are more oracles, whose models were not compared.
     */
    AX_VERDICT_MODEL_MISMATCH = 9,
} ax_verdict_t;

/**
 * A verification or a replay in progress. The caller owns the context and may move and copy it; its
 * fields are private to the library.
 */
typedef struct ax_replay_ctx_t {
    /**
     * Private to the library.
     */
    const ax_policy_registry_t *_registry;
    /**
     * Private to the library.
     */
    uint32_t _made;
    /**
     * Private to the library.
     */
    uint8_t _permit_truncated;
    /**
     * Private to the library.
     */
    uint8_t _stop_on_invalid;
    /**
     * Private to the library.
     */
    uint64_t _state[224];
    /**
     * Private to the library.
     */
    uint64_t _offset;
    /**
     * Private to the library.
     */
    uint8_t _manifest[32];
    /**
     * Private to the library.
     */
    uint8_t _has_manifest;
} ax_replay_ctx_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Begins to verify or to replay a ledger, whose entries ax_replay_feed then takes, or whose lines
 * ax_replay_feed_lines.
 *
 * With a registry every decision is made again and compared. Without one the ledger is verified
 * only: hashes, chain, canonical forms, order, witnesses, models.
 *
 * @param ctx Context to overwrite, owned by the caller.
 * @param registry Table of policies, which must outlive ctx unchanged; NULL verifies only.
 * @param permit_truncated 1 evaluates a TRUNCATED answer like a COMPLETE one, as ax_policy_ctx_t;
 *     else 0.
 * @param stop_on_invalid 1 stops the agent at an INVALID_OUTPUT, as ax_policy_ctx_t; else 0.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_ERR_PROTOCOL.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_PROTOCOL ctx, or an array of the registry, is NULL (flag domain).
 * @retval AX_ERR_SIZE The registry has more than AX_POLICY_MAX_COUNT policies (flag domain).
 * @retval AX_ERR_SCHEMA An id or a selector of the registry is not valid (flag domain).
 * @retval AX_ERR_ORDERING The ids of the registry do not ascend strictly (flag domain).
 * @see SRS-004 §13; formats.md §6 (Replay)
 *
 * @par Example
 * @code{.c}
 * static ax_replay_ctx_t replay;
 * ax_ledger_entry_t entry;
 * ax_verdict_t verdict;
 * ct_fault_flags_t faults;
 *
 * ct_fault_init(&faults);
 * ax_ledger_genesis_entry(&entry);
 * if (ax_replay_init(&replay, NULL, 0, 0, &faults) != AX_OK) {
 *     return 1;
 * }
 * ax_replay_feed(&replay, &entry, &faults);
 * verdict = ax_replay_finish(&replay, 1, entry.chain, &faults);
 * assert(verdict == AX_VERDICT_OK);
 * @endcode
 */
int ax_replay_init(struct ax_replay_ctx_t *ctx,
                   const ax_policy_registry_t *registry,
                   uint8_t permit_truncated,
                   uint8_t stop_on_invalid,
                   ct_fault_flags_t *faults);

/**
 * Takes the next entry of the ledger, the genesis first; the first verdict that is not OK stays.
 *
 * The flag size says that the ledger has more than 32 oracles, of which only the first 32 are
 * held to their models.
 *
 * @param ctx Context that ax_replay_init made; its registry must still exist.
 * @param entry Entry to check, borrowed for the call.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_VERDICT_ALTERED.
 * @return The verdict so far; AX_VERDICT_ALTERED for a NULL or a context that was never
 *     initialised (flag domain).
 * @see SRS-004 §13; formats.md §6 (Verification verdicts)
 */
enum ax_verdict_t ax_replay_feed(struct ax_replay_ctx_t *ctx,
                                 const ax_ledger_entry_t *entry,
                                 ct_fault_flags_t *faults);

/**
 * Gives the verdict over every entry that was fed.
 *
 * @param ctx Context that ax_replay_init made.
 * @param expected_entries Records before a seal that the ledger must have, the genesis included;
 *     0: no expectation.
 * @param expected_head 32 bytes, borrowed for the call: the chain value of the last record, a
 *     seal counted or not. NULL: no expectation.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_VERDICT_ALTERED.
 * @return The verdict; AX_VERDICT_ALTERED for a NULL or a context that was never initialised
 *     (flag domain).
 * @see SRS-004 §13; formats.md §6 (Verification verdicts)
 */
enum ax_verdict_t ax_replay_finish(struct ax_replay_ctx_t *ctx,
                                   uint64_t expected_entries,
                                   const uint8_t expected_head[32],
                                   ct_fault_flags_t *faults);

/**
 * Gives the agent as it is after every entry that was fed, without a sink.
 *
 * Where the last records of the last step are missing, set the sink and call ax_replay_complete
 * before anything else.
 *
 * @param ctx Context that ax_replay_init made with a registry, borrowed for the call.
 * @param out Agent to overwrite, owned by the caller; overlaps no other argument. Untouched on
 *     failure.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_ERR_PROTOCOL.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_PROTOCOL A pointer is NULL (flag domain), or the ledger is not good or was
 *     verified only (flag protocol).
 * @see SRS-004 §13; formats.md §5 (Lifecycle)
 */
int ax_replay_agent(const struct ax_replay_ctx_t *ctx,
                    ax_agent_ctx_t *out,
                    ct_fault_flags_t *faults);

/**
 * Commits the records that an interrupted last step lacks; none where the step is whole.
 *
 * A RAW record is not among them: it binds bytes that the ledger does not hold. Where one is missing
 * after the last observation, the answer stays unbound. A caller that still has the bytes gives the
 * agent its sink, commits the record (ax_raw_record, ax_ledger_record), feeds the entry to ctx and
 * takes the agent anew, all before this call.
 *
 * @param ctx Context that ax_replay_init made, borrowed for the call; its registry must still
 *     exist.
 * @param agent Agent that ax_replay_agent gave, with its sink set; the sink leaves ctx alone.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_ERR_PROTOCOL.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_LEDGER A record cannot be committed (flags ledger_fail and perhaps io_error);
 *     the agent is STOPPED.
 * @retval AX_ERR_PROTOCOL A pointer is NULL (flag domain), a flag is set on entry, or the agent
 *     is not where the replay ended (flag protocol).
 * @see SRS-004 §13; formats.md §6
 */
int ax_replay_complete(const struct ax_replay_ctx_t *ctx,
                       ax_agent_ctx_t *agent,
                       ct_fault_flags_t *faults);

/**
 * Names a verdict.
 *
 * @param verdict Verdict, or any other number.
 * @return A static string of the library, never NULL: such as "DIVERGED", or "UNKNOWN" for
 *     another number.
 * @see SRS-004 §13; formats.md §6 (Verification verdicts)
 */
const char *ax_verdict_to_str(enum ax_verdict_t verdict);

/**
 * Names the manifest that the ledger's configuration must name, as ax_policy_ctx_t does.
 *
 * @param ctx Context that ax_replay_init made, before its first record; later, or where the context
 *     was never initialised, the call does nothing.
 * @param manifest 32 bytes, copied: SHA-256 of the manifest. NULL: the configuration names none, as
 *     after ax_replay_init.
 * @see SRS-004 §13; formats.md §5 (Configuration) and §6 (Manifest)
 */
void ax_replay_set_manifest(struct ax_replay_ctx_t *ctx, const uint8_t manifest[32]);

/**
 * Takes every whole line that a buffer holds, as ax_replay_feed takes entries, up to the first that
 * is not good.
 *
 * What follows the last line feed is left to the caller, who puts it before the bytes that
 * follow. A file whose last bytes are never taken is TORN. ax_replay_entries then tells the sequence
 * of the first line that is not good, and ax_replay_offset where it begins. The flag size says the
 * same as in ax_replay_feed.
 *
 * @param ctx Context that ax_replay_init made; its registry must still exist.
 * @param lines Bytes of a ledger file, the first of which begins a line; borrowed for the call. NULL
 *     where len is 0.
 * @param len Bytes of lines. A line has at most 131296 bytes with its line feed; a buffer of that
 *     many holds a whole one.
 * @param verdict Receives the verdict so far; overlaps no other argument. AX_VERDICT_ALTERED for a
 *     NULL or a context that was never initialised (flag domain).
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call does
 *     nothing and returns 0.
 * @return Bytes of the lines that are good: where the first one begins that was not taken.
 * @see SRS-004 §13; formats.md §6 (Ledger file, Verification verdicts)
 *
 * @par Example
 * @code{.c}
 * static ax_replay_ctx_t replay;
 * static uint8_t line[1024];
 * ax_ledger_entry_t genesis;
 * ax_verdict_t verdict;
 * ct_fault_flags_t faults;
 * size_t taken;
 * int written;
 *
 * ct_fault_init(&faults);
 * ax_ledger_genesis_entry(&genesis);
 * written = ax_ledger_line_write(line, sizeof line, &genesis);
 * if (written < 0 || ax_replay_init(&replay, NULL, 0, 0, &faults) != AX_OK) {
 *     return 1;
 * }
 * taken = ax_replay_feed_lines(&replay, line, (size_t)written, &verdict, &faults);
 * assert(verdict == AX_VERDICT_OK && taken == (size_t)written);
 * assert(ax_replay_entries(&replay) == 1 && ax_replay_offset(&replay) == taken);
 * @endcode
 */
size_t ax_replay_feed_lines(struct ax_replay_ctx_t *ctx,
                            const uint8_t *lines,
                            size_t len,
                            enum ax_verdict_t *verdict,
                            ct_fault_flags_t *faults);

/**
 * Counts the good entries, the genesis included: the sequence of the first entry that is not good, or
 * of the one to come.
 *
 * @param ctx Context that ax_replay_init made, borrowed for the call.
 * @return Number of entries; 0 for a NULL or a context that was never initialised.
 * @see SRS-004 §13; formats.md §6 (Verification verdicts)
 */
uint64_t ax_replay_entries(const struct ax_replay_ctx_t *ctx);

/**
 * Gives the byte offset at which the first line begins that is not good, or that is to come, in all
 * that ax_replay_feed_lines took.
 *
 * @param ctx Context that ax_replay_init made, borrowed for the call.
 * @return Offset in bytes; entries that ax_replay_feed took count nothing. 0 for a NULL or a context
 *     that was never initialised.
 * @see SRS-004 §13; formats.md §6 (Verification verdicts)
 */
uint64_t ax_replay_offset(const struct ax_replay_ctx_t *ctx);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif /* AXILOG_REPLAY_H */
