/// Verification and replay of a ledger (replay.h; SRS-004 section 13).

#ifndef AXILOG_REPLAY_HPP
#define AXILOG_REPLAY_HPP

#include "axilog/agent.hpp"
#include "axilog/ledger.hpp"
#include "axilog/policy.hpp"
#include "axilog/replay.h"

namespace axilog {

/// The result of a verification or replay (formats.md section 6, Verification verdicts).
enum class Verdict : int {
    Ok = AX_VERDICT_OK,
    Altered = AX_VERDICT_ALTERED,
    Reordered = AX_VERDICT_REORDERED,
    Truncated = AX_VERDICT_TRUNCATED,
    Torn = AX_VERDICT_TORN,
    NonCanonical = AX_VERDICT_NON_CANONICAL,
    Unwitnessed = AX_VERDICT_UNWITNESSED,
    Diverged = AX_VERDICT_DIVERGED,
    ConfigMismatch = AX_VERDICT_CONFIG_MISMATCH,
    ModelMismatch = AX_VERDICT_MODEL_MISMATCH,
};

/// The name of a verdict, such as "DIVERGED".
inline const char *name(Verdict verdict) noexcept
{
    return ax_verdict_to_str(static_cast<ax_verdict_t>(verdict));
}

/// The two switches of the rules that a ledger was written under.
struct Switches {
    bool permit_truncated = false;
    bool stop_on_invalid = false;
};

/// A verification or a replay in progress, entry by entry. It may be copied.
class Replay {
public:
    /// Begins a verification: of hashes, chain, canonical forms, order, witnesses and models.
    Replay() noexcept { static_cast<void>(ax_replay_init(&raw_, nullptr, 0, 0, faults_.raw())); }

    /// Begins a replay under these policies, which must outlive it.
    Status begin(const Registry &registry, Switches switches = {}) noexcept
    {
        return begin(registry.raw(), switches);
    }
    /// A temporary table is refused, since the replay would outlive it.
    Status begin(const Registry &&registry, Switches switches = {}) = delete;
    /// Begins a replay under the policies compiled into the library.
    Status begin_builtin(Switches switches = {}) noexcept
    {
        return begin(ax_policy_get_registry(), switches);
    }

    /// Names the manifest, by its SHA-256, that the ledger must be bound to. Call it before the first entry.
    void manifest(const Digest &sha256) noexcept { ax_replay_set_manifest(&raw_, sha256.data()); }

    /// Checks the next entry, beginning with the genesis, and returns the verdict so far. The first
    /// verdict that is not Ok stays.
    Verdict feed(const Entry &entry) noexcept
    {
        return static_cast<Verdict>(ax_replay_feed(&raw_, entry.raw(), faults_.raw()));
    }
    /// Checks every whole line in a buffer of a ledger file, up to the first that is not good, and returns
    /// how many bytes were good. The caller puts the rest before the bytes that follow.
    std::size_t feed_lines(ByteView lines, Verdict &verdict) noexcept
    {
        ax_verdict_t found = AX_VERDICT_ALTERED;
        const std::size_t taken =
            ax_replay_feed_lines(&raw_, lines.data(), lines.size(), &found, faults_.raw());
        verdict = static_cast<Verdict>(found);
        return taken;
    }
    /// The number of good entries: the sequence of the first that is not good.
    std::uint64_t entries() const noexcept { return ax_replay_entries(&raw_); }
    /// The bytes of good lines that feed_lines() took: the offset of the first that is not good.
    std::uint64_t offset() const noexcept { return ax_replay_offset(&raw_); }
    /// Returns the verdict on the whole ledger.
    Verdict finish() noexcept { return finish(0, nullptr); }
    /// As above; the ledger must have this many records, a seal not counted (0: any number).
    Verdict finish(std::uint64_t expected_entries) noexcept { return finish(expected_entries, nullptr); }
    /// As above; the last record, or the one before the seal, must also have this chain value.
    Verdict finish(std::uint64_t expected_entries, const Digest &expected_head) noexcept
    {
        return finish(expected_entries, expected_head.data());
    }

    Faults &faults() noexcept { return faults_; }
    const ax_replay_ctx_t *raw() const noexcept { return &raw_; }

private:
    Status begin(const ax_policy_registry_t *registry, Switches switches) noexcept
    {
        return Status(ax_replay_init(&raw_, registry, switches.permit_truncated ? 1 : 0,
                                     switches.stop_on_invalid ? 1 : 0, faults_.raw()));
    }
    Verdict finish(std::uint64_t expected_entries, const std::uint8_t *expected_head) noexcept
    {
        return static_cast<Verdict>(
            ax_replay_finish(&raw_, expected_entries, expected_head, faults_.raw()));
    }

    ax_replay_ctx_t raw_;
    Faults faults_;
};

inline Status Agent::resume(const Replay &replay) noexcept
{
    return Status(ax_replay_agent(replay.raw(), &agent_, faults_.raw()));
}

inline Status Agent::complete(const Replay &replay) noexcept
{
    return Status(ax_replay_complete(replay.raw(), &agent_, faults_.raw()));
}

} // namespace axilog

#endif
