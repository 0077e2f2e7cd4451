/// Views, results, fault flags, numbers and hashes, which the other headers share (types.h, limits.h,
/// dvm.h, sha256.h, commitment.h).

#ifndef AXILOG_TYPES_HPP
#define AXILOG_TYPES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

#include "axilog/audit.h"
#include "axilog/commitment.h"
#include "axilog/dvm.h"
#include "axilog/limits.h"
#include "axilog/sha256.h"
#include "axilog/types.h"

namespace axilog {

/// A view of consecutive elements that another object owns, like std::span of C++20.
template <class T> class Span {
public:
    constexpr Span() noexcept = default;
    constexpr Span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}

    /// Makes a view of an array, or of an object with data() and size(), which must outlive the view.
    template <class Container,
              class Element = std::remove_pointer_t<decltype(std::data(std::declval<Container &>()))>,
              class = std::enable_if_t<std::is_convertible_v<Element (*)[], T (*)[]>>>
    constexpr Span(Container &&container) noexcept
        : data_(std::data(container)), size_(std::size(container))
    {
    }

    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/// Bytes to read.
using ByteView = Span<const std::uint8_t>;
/// Bytes to write into.
using ByteSpan = Span<std::uint8_t>;
/// Characters to write into. The library ends the text with a NUL.
using CharSpan = Span<char>;
/// A SHA-256 digest.
using Digest = std::array<std::uint8_t, AX_HASH_SIZE>;

/// The bytes of a text.
inline ByteView as_bytes(std::string_view text) noexcept
{
    return { reinterpret_cast<const std::uint8_t *>(text.data()), text.size() };
}

/// The text that bytes spell.
inline std::string_view as_text(ByteView bytes) noexcept
{
    return { reinterpret_cast<const char *>(bytes.data()), bytes.size() };
}

/// A view of a string that ends with a NUL: of a literal, or of an object with c_str(), which must outlive
/// the view.
class ZString {
public:
    constexpr ZString(const char *text) noexcept : text_(text) {}
    template <class String, class = decltype(std::declval<const String &>().c_str())>
    constexpr ZString(const String &text) noexcept : text_(text.c_str())
    {
    }

    constexpr const char *c_str() const noexcept { return text_; }

private:
    const char *text_;
};

/// The result of a C function (AX_OK, AX_ERR_…).
enum class Code : int {
    Ok = AX_OK,
    Encoding = AX_ERR_ENCODING,
    Schema = AX_ERR_SCHEMA,
    Ordering = AX_ERR_ORDERING,
    Size = AX_ERR_SIZE,
    Hash = AX_ERR_HASH,
    Buffer = AX_ERR_BUFFER,
    Protocol = AX_ERR_PROTOCOL,
    Ledger = AX_ERR_LEDGER,
};

/// Describes a code in one line; never empty.
inline const char *message(Code code) noexcept
{
    return ax_strerror(static_cast<int>(code));
}

/// Whether a call succeeded, or why not: the int that C returns.
class [[nodiscard]] Status {
public:
    constexpr explicit Status(int code) noexcept : code_(code) {}

    constexpr bool ok() const noexcept { return code_ >= 0; }
    constexpr explicit operator bool() const noexcept { return ok(); }
    constexpr Code code() const noexcept { return static_cast<Code>(code_); }
    const char *message() const noexcept { return ax_strerror(code_); }

private:
    int code_;
};

/// How many bytes a call wrote, without the NUL after a text, or why it wrote none.
class [[nodiscard]] WriteResult {
public:
    constexpr explicit WriteResult(int written) noexcept : written_(written) {}

    constexpr bool ok() const noexcept { return written_ >= 0; }
    constexpr explicit operator bool() const noexcept { return ok(); }
    /// How many bytes were written; 0 after a failure.
    constexpr std::size_t size() const noexcept
    {
        return written_ < 0 ? 0 : static_cast<std::size_t>(written_);
    }
    constexpr Code code() const noexcept
    {
        return written_ < 0 ? static_cast<Code>(written_) : Code::Ok;
    }
    const char *message() const noexcept { return axilog::message(code()); }

private:
    int written_;
};

/// A value, or why there is none.
template <class T> class [[nodiscard]] Result {
public:
    constexpr Result(Status status, const T &value) noexcept : status_(status), value_(value) {}

    constexpr bool ok() const noexcept { return status_.ok(); }
    constexpr explicit operator bool() const noexcept { return ok(); }
    constexpr Code code() const noexcept { return status_.code(); }
    const char *message() const noexcept { return status_.message(); }
    /// The value, which is meaningful only where ok().
    constexpr const T &operator*() const noexcept { return value_; }
    constexpr const T *operator->() const noexcept { return &value_; }

private:
    Status status_;
    T value_;
};

/// The sixteen flags of ct_fault_flags_t, numbered by their byte.
enum class Fault : std::uint8_t {
    Overflow = 0,
    Underflow,
    DivZero,
    Saturation,
    Narrowing,
    Domain,
    LedgerFail,
    IoError,
    Precision,
    Encoding,
    Schema,
    Ordering,
    Size,
    Protocol,
    Serialise,
    Commit,
};
static_assert(offsetof(ct_fault_flags_t, domain) == static_cast<std::size_t>(Fault::Domain)
                  && offsetof(ct_fault_flags_t, commit) == static_cast<std::size_t>(Fault::Commit)
                  && sizeof(ct_fault_flags_t) == 16,
              "enum Fault has the order of ct_fault_flags_t");

/// Fault flags, clear at first. A flag that is set stays set until clear().
class Faults {
public:
    bool any() const noexcept { return ct_fault_any(&raw_) != 0; }
    bool has(Fault fault) const noexcept
    {
        return reinterpret_cast<const unsigned char *>(&raw_)[static_cast<std::size_t>(fault)] != 0;
    }
    void clear() noexcept { ct_fault_clear(&raw_); }

    ct_fault_flags_t *raw() noexcept { return &raw_; }
    const ct_fault_flags_t *raw() const noexcept { return &raw_; }

private:
    ct_fault_flags_t raw_{};
};

/// A Q16.16 number: the raw integer is the value times 65536.
class Q16 {
public:
    constexpr Q16() noexcept = default;
    static constexpr Q16 from_raw(std::int32_t raw) noexcept { return Q16(raw); }
    /// Converts a whole number from -32768 to 32767.
    static constexpr Q16 from_int(std::int16_t whole) noexcept
    {
        return Q16(static_cast<std::int32_t>(whole) * Q16_16_ONE);
    }
    constexpr std::int32_t raw() const noexcept { return raw_; }

    /// Adds with saturation; overflow is reported in the flags (dvm.h). sub, mul and div do likewise, and
    /// round half to even.
    static Q16 add(Q16 a, Q16 b, Faults &faults) noexcept
    {
        return Q16(dvm_add_q16(a.raw_, b.raw_, faults.raw()));
    }
    static Q16 sub(Q16 a, Q16 b, Faults &faults) noexcept
    {
        return Q16(dvm_sub_q16(a.raw_, b.raw_, faults.raw()));
    }
    static Q16 mul(Q16 a, Q16 b, Faults &faults) noexcept
    {
        return Q16(dvm_mul_q16(a.raw_, b.raw_, faults.raw()));
    }
    static Q16 div(Q16 a, Q16 b, Faults &faults) noexcept
    {
        return Q16(dvm_div_q16(a.raw_, b.raw_, faults.raw()));
    }

    friend constexpr bool operator==(Q16 a, Q16 b) noexcept { return a.raw_ == b.raw_; }
    friend constexpr bool operator!=(Q16 a, Q16 b) noexcept { return a.raw_ != b.raw_; }
    friend constexpr bool operator<(Q16 a, Q16 b) noexcept { return a.raw_ < b.raw_; }

private:
    constexpr explicit Q16(std::int32_t raw) noexcept : raw_(raw) {}
    std::int32_t raw_ = 0;
};

/// Computes the SHA-256 of bytes.
inline Digest sha256(ByteView data) noexcept
{
    Digest hash;
    axilog_sha256(hash.data(), data.data(), data.size());
    return hash;
}

/// Computes the commitment of a payload under any tag (commitment.h).
inline Digest commit(ZString tag, ByteView payload, Faults &faults) noexcept
{
    Digest hash;
    axilog_commit(tag.c_str(), payload.data(), payload.size(), hash.data(), faults.raw());
    return hash;
}

/// Whether two hashes are equal, in constant time.
inline bool equal(const Digest &a, const Digest &b) noexcept
{
    return ax_hash_equal_ct(a.data(), b.data(), a.size()) == 1;
}

/// The version of the linked library's interface: major times 65536 plus minor.
inline std::uint32_t abi_version() noexcept { return ax_abi_version(); }
/// The linked library's version, such as "0.2.0".
inline const char *version() noexcept { return ax_version(); }
/// The version of Unicode by which the linked library decides whether text is in NFC.
inline const char *unicode_version() noexcept { return ax_unicode_version(); }

} // namespace axilog

#endif
