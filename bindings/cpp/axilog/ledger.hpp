/// The ledger: its entries, its lines, its sink, its chain (audit.h).

#ifndef AXILOG_LEDGER_HPP
#define AXILOG_LEDGER_HPP

#include "axilog/audit.h"
#include "axilog/dvec.h"
#include "axilog/types.hpp"

namespace axilog {

/// One committed record. Borrows what the C entry points to; in a sink that is until it returns.
class Entry {
public:
    explicit Entry(const ax_ledger_entry_t &raw) noexcept : raw_(raw) {}

    /// Line 0 of every ledger file, in static memory.
    static Entry genesis() noexcept
    {
        ax_ledger_entry_t raw{};
        static_cast<void>(ax_ledger_genesis_entry(&raw));
        return Entry(raw);
    }

    /// One of the AX_TAG_… strings.
    std::string_view tag() const noexcept { return raw_.tag; }
    /// The canonical record.
    std::string_view record() const noexcept
    {
        return as_text({ raw_.payload, static_cast<std::size_t>(raw_.payload_len) });
    }
    std::uint64_t sequence() const noexcept { return raw_.sequence; }
    ByteView commit() const noexcept { return raw_.commit; }
    ByteView chain() const noexcept { return raw_.chain; }

    /// The line that a ledger file holds, line feed included. record().size() + 512 bytes suffice.
    Written write_line(ByteSpan into) const noexcept
    {
        return Written(ax_ledger_line_write(into.data(), into.size(), &raw_));
    }

    const ax_ledger_entry_t *raw() const noexcept { return &raw_; }

private:
    ax_ledger_entry_t raw_;
};

/// A line of a ledger file, read. Its entry borrows from it and from the line's bytes.
class Line {
public:
    Line() noexcept = default;
    Line(const Line &) = delete;
    Line &operator=(const Line &) = delete;

    /// With or without the line feed. On failure the last entry stays.
    Status parse(ByteView line) noexcept
    {
        return Status(ax_ledger_line_parse(&entry_, tag_, line.data(), line.size()));
    }

    Entry entry() const noexcept { return Entry(entry_); }

private:
    ax_ledger_entry_t entry_{ "", nullptr, 0, 0, {}, {} };
    char tag_[16]{};
};

/// Where records go: a callable `bool(const Entry &)`, true once the record is stored. Kept by value,
/// called through one function pointer. The ledger points here, so it stays where it is and outlives
/// the ledger; an Agent lets go of it when it ends.
template <class Store> class Sink {
public:
    explicit Sink(Store store) noexcept(std::is_nothrow_move_constructible_v<Store>)
        : store_(std::move(store))
    {
    }
    Sink(const Sink &) = delete;
    Sink &operator=(const Sink &) = delete;

    Store &store() noexcept { return store_; }
    const ax_ledger_sink_t *raw() const noexcept { return &raw_; }

private:
    /// An exception is a record not stored: none may pass through the library.
    static int append(void *self, const ax_ledger_entry_t *entry) noexcept
    {
#if defined(__cpp_exceptions)
        try {
            return static_cast<Sink *>(self)->store_(Entry(*entry)) ? 0 : 1;
        } catch (...) {
            return 1;
        }
#else
        return static_cast<Sink *>(self)->store_(Entry(*entry)) ? 0 : 1;
#endif
    }

    ax_ledger_sink_t raw_{ append, this };
    Store store_;
};

/// The calls that a ledger takes, for one that is owned and one that is borrowed.
template <class Self> class LedgerCalls {
public:
    /// The chain value of the last record.
    ByteView head() const noexcept { return ctx()->current_hash; }
    /// Records after the genesis.
    std::uint64_t sequence() const noexcept { return ctx()->sequence; }
    bool failed() const noexcept { return ctx()->failed != 0; }
    bool sealed() const noexcept { return ctx()->sealed != 0; }

    /// Hands every later record to the sink, which must outlive the ledger or be detached.
    template <class Store> Status attach(const Sink<Store> &sink, Faults &faults) noexcept
    {
        return Status(ax_ledger_set_sink(ctx(), sink.raw(), faults.raw()));
    }
    Status detach(Faults &faults) noexcept
    {
        return Status(ax_ledger_set_sink(ctx(), nullptr, faults.raw()));
    }

    /// Commits a record: sink first, then the head.
    Status record(ZString tag, ByteView payload, Faults &faults) noexcept
    {
        const ax_evidence_t evidence{ tag.c_str(), payload.data(), payload.size() };
        return Status(ax_ledger_record(ctx(), &evidence, faults.raw()));
    }
    /// Chains a commitment whose record the caller keeps.
    Status append(const Digest &commit, Faults &faults) noexcept
    {
        return Status(ax_ledger_append(ctx(), commit.data(), faults.raw()));
    }
    Status seal(Faults &faults) noexcept { return Status(ax_ledger_seal(ctx(), faults.raw())); }
    /// Whether the context agrees with itself.
    Status check(Faults &faults) const noexcept { return Status(ax_verify_chain(ctx(), faults.raw())); }

private:
    ax_ledger_ctx_t *ctx() noexcept { return static_cast<Self *>(this)->raw(); }
    const ax_ledger_ctx_t *ctx() const noexcept { return static_cast<const Self *>(this)->raw(); }
};

/// A ledger of one's own, with the genesis in it.
class Ledger : public LedgerCalls<Ledger> {
public:
    Ledger() noexcept
    {
        Faults faults;
        static_cast<void>(ax_ledger_genesis(&raw_, faults.raw()));
    }

    /// Takes up a chain whose last record has this chain value and position; without a sink.
    Status resume(const Digest &head, std::uint64_t sequence, Faults &faults) noexcept
    {
        return Status(ax_ledger_resume(&raw_, head.data(), sequence, faults.raw()));
    }

    ax_ledger_ctx_t *raw() noexcept { return &raw_; }
    const ax_ledger_ctx_t *raw() const noexcept { return &raw_; }

private:
    ax_ledger_ctx_t raw_;
};

/// A ledger that somebody else owns, such as an agent's.
class LedgerRef : public LedgerCalls<LedgerRef> {
public:
    explicit LedgerRef(ax_ledger_ctx_t &raw) noexcept : raw_(&raw) {}

    ax_ledger_ctx_t *raw() noexcept { return raw_; }
    const ax_ledger_ctx_t *raw() const noexcept { return raw_; }

private:
    ax_ledger_ctx_t *raw_;
};

/// The commitment of a record whose tag must be one of the closed set.
inline Result<Digest> commit_evidence(ZString tag, ByteView payload, Faults &faults) noexcept
{
    Digest hash{};
    const ax_evidence_t evidence{ tag.c_str(), payload.data(), payload.size() };
    const Status status(ax_commit_evidence(&evidence, hash.data(), faults.raw()));
    return { status, hash };
}

} // namespace axilog

#endif
