/// Admissible text and canonical writing (validate.h, canonical.h).

#ifndef AXILOG_TEXT_HPP
#define AXILOG_TEXT_HPP

#include "axilog/canonical.h"
#include "axilog/types.hpp"
#include "axilog/validate.h"

namespace axilog {

/// How records are written (formats.md §3, Profiles).
enum class Profile : int {
    Rfc8785 = AX_PROFILE_RFC8785,
    Oracle11 = AX_PROFILE_ORACLE_1_1,
    Oracle12 = AX_PROFILE_ORACLE_1_2,
};

inline bool is_utf8(std::string_view text) noexcept
{
    return ax_validate_utf8(text.data(), text.size()) == 1;
}

inline bool is_nfc(std::string_view text) noexcept { return ax_is_nfc(text.data(), text.size()) == 1; }

inline bool has_forbidden_control(std::string_view text) noexcept
{
    return ax_contains_forbidden_control(text.data(), text.size()) == 1;
}

/// UTF-8 in NFC; says nothing of control characters.
inline bool is_encoded(std::string_view text) noexcept
{
    return ax_validate_encoding(text.data(), text.size()) == 1;
}

inline bool is_canonical_json(std::string_view text) noexcept
{
    return ax_is_canonical_json(text.data(), text.size()) == 1;
}

/// CRLF and CR as LF.
inline Written normalise_line_endings(CharSpan into, std::string_view text) noexcept
{
    return Written(ax_normalise_line_endings(into.data(), into.size(), text.data(), text.size()));
}

/// The whole of admission for one text.
inline Written validate_and_normalise(CharSpan into, std::string_view text, Faults &faults) noexcept
{
    return Written(ax_validate_and_normalise(into.data(), into.size(), text.data(), text.size(),
                                             faults.raw()));
}

/// A JSON string's inside.
inline Written escape(CharSpan into, std::string_view text, Profile profile = Profile::Rfc8785) noexcept
{
    return Written(ax_string_escape_as(into.data(), into.size(), text.data(), text.size(),
                                       static_cast<ax_profile_t>(profile)));
}

inline Written format(CharSpan into, std::int64_t value) noexcept
{
    return Written(ax_format_int64(into.data(), into.size(), value));
}

inline Written format(CharSpan into, std::uint64_t value) noexcept
{
    return Written(ax_format_uint64(into.data(), into.size(), value));
}

inline Written format(CharSpan into, Q16 value) noexcept
{
    return Written(ax_format_q16(into.data(), into.size(), value.raw()));
}

/// Lower-case hexadecimal digits; a Digest needs AX_HASH_HEX_SIZE characters.
inline Written format_hex(CharSpan into, ByteView bytes) noexcept
{
    return Written(ax_format_hash_hex(into.data(), into.size(), bytes.data(), bytes.size()));
}

} // namespace axilog

#endif
