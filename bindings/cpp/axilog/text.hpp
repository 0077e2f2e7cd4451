/// Validation of text, and canonical output (validate.h, canonical.h; SRS-004 section 5).

#ifndef AXILOG_TEXT_HPP
#define AXILOG_TEXT_HPP

#include "axilog/canonical.h"
#include "axilog/types.hpp"
#include "axilog/validate.h"

namespace axilog {

/// The form in which records are written (formats.md section 3, Profiles).
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

/// Whether text is UTF-8 in NFC. Control characters are not checked.
inline bool has_valid_encoding(std::string_view text) noexcept
{
    return ax_validate_encoding(text.data(), text.size()) == 1;
}

/// Whether text has visible ASCII characters only, U+0021 to U+007E, and at least one.
inline bool is_visible_ascii(std::string_view text) noexcept
{
    for (const char character : text) {
        if (character < '!' || character > '~') {
            return false;
        }
    }
    return !text.empty();
}

inline bool is_canonical_json(std::string_view text) noexcept
{
    return ax_is_canonical_json(text.data(), text.size()) == 1;
}

/// Writes text with CRLF and CR replaced by LF.
inline WriteResult normalise_line_endings(CharSpan into, std::string_view text) noexcept
{
    return WriteResult(ax_normalise_line_endings(into.data(), into.size(), text.data(), text.size()));
}

/// Checks that text is admissible and writes it with its line ends normalised.
inline WriteResult validate_and_normalise(CharSpan into, std::string_view text, Faults &faults) noexcept
{
    return WriteResult(ax_validate_and_normalise(into.data(), into.size(), text.data(), text.size(),
                                             faults.raw()));
}

/// Writes text as it stands between the quotes of a JSON string.
inline WriteResult escape(CharSpan into, std::string_view text, Profile profile = Profile::Rfc8785) noexcept
{
    return WriteResult(ax_string_escape_as(into.data(), into.size(), text.data(), text.size(),
                                       static_cast<ax_profile_t>(profile)));
}

inline WriteResult format(CharSpan into, std::int64_t value) noexcept
{
    return WriteResult(ax_format_int64(into.data(), into.size(), value));
}

inline WriteResult format(CharSpan into, std::uint64_t value) noexcept
{
    return WriteResult(ax_format_uint64(into.data(), into.size(), value));
}

inline WriteResult format(CharSpan into, Q16 value) noexcept
{
    return WriteResult(ax_format_q16(into.data(), into.size(), value.raw()));
}

/// Writes bytes as lower-case hexadecimal digits; a Digest needs AX_HASH_HEX_SIZE characters.
inline WriteResult format_hex(CharSpan into, ByteView bytes) noexcept
{
    return WriteResult(ax_format_hash_hex(into.data(), into.size(), bytes.data(), bytes.size()));
}

} // namespace axilog

#endif
