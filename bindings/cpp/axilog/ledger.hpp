/// The ledger: its entries, its lines, its sink and its chain (audit.h; formats.md section 6).

#ifndef AXILOG_LEDGER_HPP
#define AXILOG_LEDGER_HPP

#include "axilog/audit.h"
#include "axilog/dvec.h"
#include "axilog/types.hpp"

namespace axilog {

/// One committed record. It borrows the memory of the C entry, which a sink has until it returns.
class Entry {
public:
    explicit Entry(const ax_ledger_entry_t &raw) noexcept : raw_(raw) {}

    /// The first entry of every ledger, in static memory.
    static Entry genesis() noexcept
    {
        ax_ledger_entry_t raw{};
        static_cast<void>(ax_ledger_genesis_entry(&raw));
        return Entry(raw);
    }

    /// The kind of the record, one of the AX_TAG_… strings.
    std::string_view tag() const noexcept { return raw_.tag; }
    /// The canonical record.
    std::string_view record() const noexcept
    {
        return as_text({ raw_.payload, static_cast<std::size_t>(raw_.payload_len) });
    }
    std::uint64_t sequence() const noexcept { return raw_.sequence; }
    ByteView commit() const noexcept { return raw_.commit; }
    ByteView chain() const noexcept { return raw_.chain; }

    /// Writes the line of this entry in a ledger file, with its line feed, into a buffer of at least
    /// record().size() + 512 bytes.
    WriteResult write_line(ByteSpan into) const noexcept
    {
        return WriteResult(ax_ledger_line_write(into.data(), into.size(), &raw_));
    }

    const ax_ledger_entry_t *raw() const noexcept { return &raw_; }

private:
    ax_ledger_entry_t raw_;
};

/// The parser for lines of a ledger file. Its entry borrows from the object and from the line's bytes.
class Line {
public:
    Line() noexcept = default;
    Line(const Line &) = delete;
    Line &operator=(const Line &) = delete;

    /// Parses a line, with or without its line feed. On failure entry() stays as it was.
    Status parse(ByteView line) noexcept
    {
        return Status(ax_ledger_line_parse(&entry_, tag_, line.data(), line.size()));
    }

    Entry entry() const noexcept { return Entry(entry_); }

private:
    ax_ledger_entry_t entry_{ "", nullptr, 0, 0, {}, {} };
    char tag_[16]{};
};

/// The sink of a ledger: a callable `bool(const Entry &)` that stores a record and returns whether it did.
/// The sink holds the callable by value and calls it through one function pointer. The ledger points to
/// the sink, which therefore cannot be moved and must outlive the ledger; an Agent detaches it at its end.
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
    /// An exception counts as a record that was not stored, since none may pass through the library.
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

/// The operations on a ledger, for Ledger and LedgerRef.
template <class Self> class LedgerOperations {
public:
    /// The chain value of the last record.
    ByteView head() const noexcept { return ctx()->current_hash; }
    /// How many records follow the genesis.
    std::uint64_t sequence() const noexcept { return ctx()->sequence; }
    bool failed() const noexcept { return ctx()->failed != 0; }
    bool sealed() const noexcept { return ctx()->sealed != 0; }

    /// Calls the sink with every later record. The sink must outlive the ledger or be detached.
    template <class Store> Status attach(const Sink<Store> &sink, Faults &faults) noexcept
    {
        return Status(ax_ledger_set_sink(ctx(), sink.raw(), faults.raw()));
    }
    Status detach(Faults &faults) noexcept
    {
        return Status(ax_ledger_set_sink(ctx(), nullptr, faults.raw()));
    }

    /// Commits a record: calls the sink, then moves the head.
    Status record(ZString tag, ByteView payload, Faults &faults) noexcept
    {
        const ax_evidence_t evidence{ tag.c_str(), payload.data(), payload.size() };
        return Status(ax_ledger_record(ctx(), &evidence, faults.raw()));
    }
    /// Appends a commitment to the chain. The caller keeps the record.
    Status append(const Digest &commit, Faults &faults) noexcept
    {
        return Status(ax_ledger_append(ctx(), commit.data(), faults.raw()));
    }
    /// Records the RAW record that binds an answer as it came, right after the observation with this
    /// sequence, which does not hold it. For programs that step by themselves; an Agent records it unasked.
    Status record_raw(std::uint64_t ledger_seq, ByteView answer, Faults &faults) noexcept
    {
        std::uint8_t raw[AX_RAW_RECORD_MAX_BYTES];
        const int size = ax_raw_record(raw, sizeof raw, ledger_seq, answer.data(), answer.size());
        return size < 0 ? Status(size)
                        : record(AX_TAG_PROOF, { raw, static_cast<std::size_t>(size) }, faults);
    }
    Status seal(Faults &faults) noexcept { return Status(ax_ledger_seal(ctx(), faults.raw())); }
    /// Checks that the fields of the context are consistent.
    Status verify_chain(Faults &faults) const noexcept
    {
        return Status(ax_verify_chain(ctx(), faults.raw()));
    }

private:
    ax_ledger_ctx_t *ctx() noexcept { return static_cast<Self *>(this)->raw(); }
    const ax_ledger_ctx_t *ctx() const noexcept { return static_cast<const Self *>(this)->raw(); }
};

/// A ledger that the program owns. A new one has the genesis.
class Ledger : public LedgerOperations<Ledger> {
public:
    Ledger() noexcept
    {
        Faults faults;
        static_cast<void>(ax_ledger_genesis(&raw_, faults.raw()));
    }

    /// Continues a chain whose last record has this chain value and position, without a sink.
    Status resume(const Digest &head, std::uint64_t sequence, Faults &faults) noexcept
    {
        return Status(ax_ledger_resume(&raw_, head.data(), sequence, faults.raw()));
    }

    ax_ledger_ctx_t *raw() noexcept { return &raw_; }
    const ax_ledger_ctx_t *raw() const noexcept { return &raw_; }

private:
    ax_ledger_ctx_t raw_;
};

/// A reference to a ledger that another object owns, such as an agent.
class LedgerRef : public LedgerOperations<LedgerRef> {
public:
    explicit LedgerRef(ax_ledger_ctx_t &raw) noexcept : raw_(&raw) {}

    ax_ledger_ctx_t *raw() noexcept { return raw_; }
    const ax_ledger_ctx_t *raw() const noexcept { return raw_; }

private:
    ax_ledger_ctx_t *raw_;
};

/// Computes the commitment of a record. Its tag must be one of the AX_TAG_… strings.
inline Result<Digest> commit_evidence(ZString tag, ByteView payload, Faults &faults) noexcept
{
    Digest hash{};
    const ax_evidence_t evidence{ tag.c_str(), payload.data(), payload.size() };
    const Status status(ax_commit_evidence(&evidence, hash.data(), faults.raw()));
    return { status, hash };
}

} // namespace axilog

#endif
