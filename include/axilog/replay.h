/**
 * Verification and replay (SRS-004 section 13).
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_REPLAY_H
#define AXILOG_REPLAY_H

#include "axilog/agent.h"

/**
 * What verification and replay find.
 */
typedef enum ax_verdict_t {
    /**
     * Nothing is wrong.
     */
    AX_VERDICT_OK = 0,
    /**
     * Bytes that do not match their commit, obs_hash or chain.
     */
    AX_VERDICT_ALTERED = 1,
    /**
     * A sequence that is broken, or records in an order that cannot be.
     */
    AX_VERDICT_REORDERED = 2,
    /**
     * Shorter than a seal says, or than the caller expects.
     */
    AX_VERDICT_TRUNCATED = 3,
    /**
     * An incomplete last line; for readers of files, never found here.
     */
    AX_VERDICT_TORN = 4,
    /**
     * A record that is not in its canonical form.
     */
    AX_VERDICT_NON_CANONICAL = 5,
    /**
     * A transition or a policy without its observation, or a transition without its policies.
     */
    AX_VERDICT_UNWITNESSED = 6,
    /**
     * Replay gives other bytes.
     */
    AX_VERDICT_DIVERGED = 7,
    /**
     * A reset under other rules than the ones given.
     */
    AX_VERDICT_CONFIG_MISMATCH = 8,
    /**
     * One oracle with two models.
     */
    AX_VERDICT_MODEL_MISMATCH = 9,
} ax_verdict_t;

/**
 * A verification or replay in progress. Caller-owned; its fields are not for callers. It may be
 * moved and copied.
 */
typedef struct ax_replay_ctx_t {
    /**
     * Not for callers.
     */
    const ax_policy_registry_t *_registry;
    /**
     * Not for callers.
     */
    uint32_t _made;
    /**
     * Not for callers.
     */
    uint8_t _permit_truncated;
    /**
     * Not for callers.
     */
    uint8_t _stop_on_invalid;
    /**
     * Not for callers.
     */
    uint64_t _state[224];
} ax_replay_ctx_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Begins. With a registry the ledger is replayed under it and the two switches; with NULL it is
 * verified only: hashes, chain, canonical forms, order, witnesses, models.
 *
 * Returns AX_OK, AX_ERR_PROTOCOL for a NULL ctx, or the code of a registry that is not one:
 * AX_ERR_PROTOCOL, AX_ERR_SIZE, AX_ERR_SCHEMA, AX_ERR_ORDERING (flag domain each).
 *
 * Safety:
 * ctx is NULL or writable; registry is NULL or outlives ctx.
 */
int ax_replay_init(struct ax_replay_ctx_t *ctx,
                   const ax_policy_registry_t *registry,
                   uint8_t permit_truncated,
                   uint8_t stop_on_invalid,
                   ct_fault_flags_t *faults);

/**
 * Takes the next entry, the genesis first. The first verdict that is not OK stays.
 *
 * Returns the verdict so far. Where it cannot work (a NULL, a ctx that was not made; flag domain
 * where there are faults) it returns AX_VERDICT_ALTERED: never OK. Sets the flag size where the
 * ledger has more than 32 oracles, whose models are then not all held to.
 *
 * Safety:
 * ctx was made by ax_replay_init, its registry still valid; entry is NULL or readable, its pointers
 * too.
 */
enum ax_verdict_t ax_replay_feed(struct ax_replay_ctx_t *ctx,
                                 const ax_ledger_entry_t *entry,
                                 ct_fault_flags_t *faults);

/**
 * The verdict over everything fed. expected_entries counts every record before a seal, genesis
 * included, 0: no expectation; expected_head is the chain value of the last record, a seal counted
 * or not, NULL: no expectation.
 *
 * Returns AX_VERDICT_ALTERED for a NULL faults, or a ctx that was not made (flag domain).
 *
 * Safety:
 * ctx was made by ax_replay_init; expected_head is NULL or 32 readable bytes.
 */
enum ax_verdict_t ax_replay_finish(struct ax_replay_ctx_t *ctx,
                                   uint64_t expected_entries,
                                   const uint8_t expected_head[32],
                                   ct_fault_flags_t *faults);

/**
 * Gives the agent as it is after everything fed, without a sink. Where the last step was
 * interrupted (its last records are missing), set the sink and call ax_replay_complete before
 * anything else.
 *
 * Returns AX_OK, or AX_ERR_PROTOCOL for a NULL (flag domain) and for a ledger that is not good or
 * was only verified (flag protocol); out is then untouched.
 *
 * Safety:
 * ctx was made by ax_replay_init; out is NULL or writable.
 */
int ax_replay_agent(const struct ax_replay_ctx_t *ctx,
                    ax_agent_ctx_t *out,
                    ct_fault_flags_t *faults);

/**
 * Commits what is missing of an interrupted last step, and nothing where none is. agent is the one
 * that ax_replay_agent just gave, with its sink set.
 *
 * Returns AX_OK, AX_ERR_LEDGER where a record cannot be committed (flags ledger_fail and perhaps
 * io_error; health is STOPPED), or AX_ERR_PROTOCOL for a NULL (flag domain), a flag set on entry, or
 * an agent that is not where the replay ended (flag protocol).
 *
 * Safety:
 * ctx was made by ax_replay_init, its registry still valid; agent is NULL or an agent with a valid
 * sink, which leaves ctx alone.
 */
int ax_replay_complete(const struct ax_replay_ctx_t *ctx,
                       ax_agent_ctx_t *agent,
                       ct_fault_flags_t *faults);

/**
 * The verdict's name, such as "DIVERGED"; "UNKNOWN" for another number. Never NULL.
 */
const char *ax_verdict_to_str(enum ax_verdict_t verdict);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif /* AXILOG_REPLAY_H */
