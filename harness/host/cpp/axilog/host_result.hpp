/// Results, errors and texts, which the other headers of the host library share.

#ifndef AXILOG_HOST_RESULT_HPP
#define AXILOG_HOST_RESULT_HPP

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "axilog/host.h"
#include "axilog/types.hpp"

namespace axilog::host {

/// The codes of calls that failed.
enum class ErrorCode : int {
    Argument = AXH_ERR_ARGUMENT,
    Handle = AXH_ERR_HANDLE,
    Forked = AXH_ERR_FORKED,
    Refused = AXH_ERR_REFUSED,
    Exists = AXH_ERR_EXISTS,
    Locked = AXH_ERR_LOCKED,
    Ledger = AXH_ERR_LEDGER,
    Io = AXH_ERR_IO,
    Defect = AXH_ERR_DEFECT,
};

/// Why a call failed: its code, and what was found, what was expected and what to do.
class Error {
public:
    /// The error that the calling thread's last call has returned as this status.
    static Error last(int status)
    {
        return Error(static_cast<ErrorCode>(status), axh_last_reason(), axh_last_error());
    }

    ErrorCode code() const noexcept { return code_; }
    /// What it is about, finer than the code: an AXH_REASON_ number.
    int reason() const noexcept { return reason_; }
    const std::string &message() const noexcept { return message_; }

private:
    Error(ErrorCode code, int reason, std::string message)
        : code_(code), reason_(reason), message_(std::move(message))
    {
    }

    ErrorCode code_;
    int reason_;
    std::string message_;
};

/// A value, or why there is none, like std::expected of C++23. Asking for the one that is not there is an error of the
/// program, and throws std::bad_variant_access.
template <class T> class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    T &value() & { return std::get<0>(state_); }
    const T &value() const & { return std::get<0>(state_); }
    T &&value() && { return std::get<0>(std::move(state_)); }
    T &operator*() & { return value(); }
    const T &operator*() const & { return value(); }
    T &&operator*() && { return std::move(*this).value(); }
    T *operator->() { return &value(); }
    const T *operator->() const { return &value(); }
    const Error &error() const { return std::get<1>(state_); }

private:
    std::variant<T, Error> state_;
};

/// Success, or why a call failed.
template <> class [[nodiscard]] Result<void> {
public:
    Result() noexcept = default;
    Result(Error error) : error_(std::move(error)) {}

    bool has_value() const noexcept { return !error_.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }
    /// The error, which is there only where has_value() is false.
    const Error &error() const { return error_.value(); }

private:
    std::optional<Error> error_;
};

/// The result of a call that gives nothing but its status.
inline Result<void> to_result(int status)
{
    return status == AXH_OK ? Result<void>() : Result<void>(Error::last(status));
}

/// Takes a text that the library has given, and frees it.
inline std::string take_text(char *text)
{
    const std::unique_ptr<char, void (*)(char *)> owned(text, axh_string_free);
    return owned == nullptr ? std::string() : std::string(owned.get());
}

/// The characters of a text from C; none where it is NULL.
inline std::string_view to_view(const char *text) noexcept
{
    return text == nullptr ? std::string_view() : std::string_view(text);
}

} // namespace axilog::host

#endif
