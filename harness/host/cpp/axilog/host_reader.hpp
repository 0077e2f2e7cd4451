/// Reading a ledger file, record by record or in columns.

#ifndef AXILOG_HOST_READER_HPP
#define AXILOG_HOST_READER_HPP

#include <cstdint>

#include "axilog/host_result.hpp"

namespace axilog::host {

/// The records that a reader gives; all, unless something is set.
struct Filter {
    /// The oracle whose answers, and the records after each, are given; empty for every one.
    std::string oracle_id{};
    /// Sequence of the first record.
    std::uint64_t first = 0;
    /// Number of records from first on, after which nothing is read; 0 for any number.
    std::uint64_t count = 0;
    /// Sum of AXH_TAG_ constants; 0 for every one.
    std::uint32_t tags = 0;
};

/// A record. It borrows from its reader, until the reader reads on or ends.
class Record {
public:
    explicit Record(const axh_record_t &raw) noexcept : raw_(raw) {}

    axh_record_kind_t kind() const noexcept { return raw_.kind; }
    std::uint64_t sequence() const noexcept { return raw_.sequence; }
    /// The number of the observation that the record is or is about.
    std::uint64_t ledger_seq() const noexcept { return raw_.ledger_seq; }
    /// The last time that the ledger holds up to the record.
    std::uint64_t time() const noexcept { return raw_.time; }
    /// The canonical record.
    std::string_view bytes() const noexcept { return { raw_.bytes, raw_.bytes_len }; }
    ByteView chain() const noexcept { return raw_.chain; }
    /// Of an observation; of other records they are empty.
    std::string_view oracle_id() const noexcept { return to_view(raw_.oracle_id); }
    std::string_view model_id() const noexcept { return to_view(raw_.model_id); }
    std::string_view output() const noexcept { return { raw_.output, raw_.output_len }; }
    /// Of a policy; of other records it is empty.
    std::string_view policy_id() const noexcept { return to_view(raw_.policy_id); }

    /// The struct with every member.
    const axh_record_t &raw() const noexcept { return raw_; }

private:
    axh_record_t raw_;
};

/// Texts, one for each record of a batch.
class Texts {
public:
    Texts(const axh_texts_t &raw, std::size_t count) noexcept : raw_(raw), count_(count) {}

    std::size_t size() const noexcept { return count_; }
    /// The text at a place below size().
    std::string_view operator[](std::size_t at) const noexcept
    {
        const auto begin = static_cast<std::size_t>(raw_.offsets[at]);
        return { raw_.bytes + begin, static_cast<std::size_t>(raw_.offsets[at + 1]) - begin };
    }

private:
    axh_texts_t raw_;
    std::size_t count_;
};

/// Records in columns. They borrow from their reader, until it reads on or ends.
class Columns {
public:
    explicit Columns(const axh_columns_t &raw) noexcept : raw_(raw) {}

    std::size_t size() const noexcept { return raw_.count; }
    Span<const std::uint64_t> sequence() const noexcept { return { raw_.sequence, size() }; }
    Span<const std::uint64_t> ledger_seq() const noexcept { return { raw_.ledger_seq, size() }; }
    Span<const std::uint64_t> time() const noexcept { return { raw_.time, size() }; }
    Span<const std::int32_t> actual() const noexcept { return { raw_.actual, size() }; }
    /// An axh_record_kind_t each.
    ByteView kind() const noexcept { return { raw_.kind, size() }; }
    /// Chain values, 32 bytes each.
    ByteView chain() const noexcept { return { raw_.chain, size() * 32 }; }
    Texts oracle_id() const noexcept { return { raw_.oracle_id, size() }; }
    Texts model_id() const noexcept { return { raw_.model_id, size() }; }
    Texts output() const noexcept { return { raw_.output, size() }; }
    Texts policy_id() const noexcept { return { raw_.policy_id, size() }; }
    Texts bytes() const noexcept { return { raw_.bytes, size() }; }

    /// The struct with every column.
    const axh_columns_t &raw() const noexcept { return raw_; }

private:
    axh_columns_t raw_;
};

/// A reader of a ledger file, which may be open for writing. The end of the object closes it.
class Reader {
public:
    static Result<Reader> open(ZString path, const Filter &filter = {})
    {
        const axh_filter_t given{ sizeof given,
                                  filter.oracle_id.empty() ? nullptr : filter.oracle_id.c_str(),
                                  filter.first, filter.count, filter.tags };
        axh_reader_t *raw = nullptr;
        const int status = axh_reader_open(path.c_str(), &given, &raw);
        return status == AXH_OK ? Result<Reader>(Reader(raw)) : Error::last(status);
    }

    Reader(Reader &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
    Reader &operator=(Reader &&other) noexcept
    {
        std::swap(raw_, other.raw_);
        return *this;
    }
    Reader(const Reader &) = delete;
    Reader &operator=(const Reader &) = delete;
    ~Reader()
    {
        if (raw_ != nullptr) {
            static_cast<void>(axh_reader_close(raw_));
        }
    }

    /// Reads and verifies the next record; none where the ledger has no further one yet.
    Result<std::optional<Record>> next()
    {
        axh_record_t raw{};
        raw.size = sizeof raw;
        return read<Record>(axh_reader_next(raw_, &raw), raw);
    }
    /// Reads as next() does, up to so many records, in columns.
    Result<std::optional<Columns>> columns(std::size_t max_records)
    {
        axh_columns_t raw{};
        raw.size = sizeof raw;
        return read<Columns>(axh_reader_columns(raw_, max_records, &raw), raw);
    }
    /// The question of the observation that next() read last, borrowed from the reader.
    Result<std::string_view> question() { return bytes(axh_reader_question); }
    /// The whole answer that the record leads to which next() read last, borrowed from the reader.
    Result<std::string_view> raw_answer() { return bytes(axh_reader_raw_answer); }
    /// How far the reader has come, and the head of what it has read.
    Result<axh_reader_state_t> state() const
    {
        axh_reader_state_t state{};
        state.size = sizeof state;
        const int status = axh_reader_state(raw_, &state);
        return status == AXH_OK ? Result<axh_reader_state_t>(state) : Error::last(status);
    }

    axh_reader_t *raw() const noexcept { return raw_; }

private:
    explicit Reader(axh_reader_t *raw) noexcept : raw_(raw) {}

    template <class View, class Raw>
    static Result<std::optional<View>> read(int status, const Raw &raw)
    {
        switch (status) {
        case AXH_OK:
            return std::optional<View>(View(raw));
        case AXH_END:
            return std::optional<View>();
        default:
            return Error::last(status);
        }
    }

    template <class Give> Result<std::string_view> bytes(Give give)
    {
        const char *data = nullptr;
        std::size_t size = 0;
        const int status = give(raw_, &data, &size);
        return status == AXH_OK ? Result<std::string_view>({ data, size }) : Error::last(status);
    }

    axh_reader_t *raw_;
};

} // namespace axilog::host

#endif
