/// Observations: what an oracle answered, its admission, its record, and reading one (oracle.h, obs.h,
/// hash.h).

#ifndef AXILOG_OBSERVATION_HPP
#define AXILOG_OBSERVATION_HPP

#include "axilog/hash.h"
#include "axilog/obs.h"
#include "axilog/text.hpp"
#include "axilog/types.hpp"

namespace axilog {

/// Whether an answer was fully received.
enum class Completion : int {
    Complete = AX_COMPLETION_COMPLETE,
    Truncated = AX_COMPLETION_TRUNCATED,
    Error = AX_COMPLETION_ERROR,
};

/// How an oracle failed.
enum class Failure : int {
    None = AX_FAILURE_NULL,
    Timeout = AX_FAILURE_TIMEOUT,
    InvalidOutput = AX_FAILURE_INVALID_OUTPUT,
    TransportError = AX_FAILURE_TRANSPORT_ERROR,
};

/// Sampling parameters, none at first. Each call sets one and gives the object back.
class Params {
public:
    Params() noexcept { ax_oracle_params_init_null(&raw_); }
    explicit Params(const ax_oracle_params_t &raw) noexcept : raw_(raw) {}

    Params &max_tokens(std::int32_t count) noexcept
    {
        raw_.max_tokens = count;
        return *this;
    }
    Params &seed(std::int64_t seed) noexcept
    {
        raw_.seed = seed;
        return *this;
    }
    Params &temperature(Q16 temperature) noexcept
    {
        raw_.temperature = temperature.raw();
        return *this;
    }
    Params &top_p(Q16 top_p) noexcept
    {
        raw_.top_p = top_p.raw();
        return *this;
    }

    /// The canonical object of these parameters.
    Written canonicalise(CharSpan into) const noexcept
    {
        return Written(ax_params_canonicalise(into.data(), into.size(), &raw_));
    }

    const ax_oracle_params_t *raw() const noexcept { return &raw_; }

private:
    ax_oracle_params_t raw_;
};

/// What came back from one call of an oracle: one of the four functions makes it, the others add to it
/// and give it back. Borrows every text that it is given.
class Answer {
public:
    /// A whole answer.
    static Answer complete(ZString oracle_id, ZString model_id, std::string_view input,
                           std::string_view output) noexcept
    {
        Answer answer;
        ax_obs_input_set_complete(&answer.raw_, 0, oracle_id.c_str(), model_id.c_str(), input.data(),
                                  input.size(), output.data(), output.size(), nullptr);
        return answer;
    }
    /// No answer in time.
    static Answer timeout(ZString oracle_id, ZString model_id, std::string_view input) noexcept
    {
        Answer answer;
        ax_obs_input_set_timeout(&answer.raw_, 0, oracle_id.c_str(), model_id.c_str(), input.data(),
                                 input.size());
        return answer;
    }
    /// No answer, for the network or the protocol failed.
    static Answer transport_error(ZString oracle_id, ZString model_id, std::string_view input) noexcept
    {
        Answer answer;
        ax_obs_input_set_transport_error(&answer.raw_, 0, oracle_id.c_str(), model_id.c_str(),
                                         input.data(), input.size());
        return answer;
    }
    /// An answer that the caller found invalid, and that is therefore not kept.
    static Answer invalid(ZString oracle_id, ZString model_id, std::string_view input) noexcept
    {
        Answer answer;
        ax_obs_input_set_invalid_output(&answer.raw_, 0, oracle_id.c_str(), model_id.c_str(),
                                        input.data(), input.size(), nullptr, 0);
        return answer;
    }

    /// Only a part of the answer came.
    Answer &truncated() noexcept
    {
        raw_.completion_state = AX_COMPLETION_TRUNCATED;
        return *this;
    }
    /// The sampling parameters of the call.
    Answer &params(const Params &params) noexcept
    {
        raw_.params = *params.raw();
        return *this;
    }
    /// Declares the input canonical JSON.
    Answer &json_input() noexcept
    {
        raw_.input_kind = AX_INPUT_KIND_JSON;
        return *this;
    }
    /// The position for an Admission; an Agent takes the next one instead.
    Answer &ledger_seq(std::uint64_t sequence) noexcept
    {
        raw_.ledger_seq = sequence;
        return *this;
    }

    const ax_obs_input_t *raw() const noexcept { return &raw_; }

private:
    Answer() noexcept = default;
    ax_obs_input_t raw_;
};

/// An observation. It borrows its texts; nothing at first.
class Record {
public:
    Record() noexcept { ax_obs_init(&raw_); }

    Completion completion() const noexcept { return static_cast<Completion>(raw_.completion_state); }
    Failure failure() const noexcept { return static_cast<Failure>(raw_.failure_type); }
    ByteView input_hash() const noexcept { return raw_.input_hash; }
    std::uint64_t ledger_seq() const noexcept { return raw_.ledger_seq; }
    std::string_view model_id() const noexcept { return raw_.model_id; }
    std::string_view oracle_id() const noexcept { return raw_.oracle_id; }
    /// 64 hexadecimal digits, or nothing where there is no hash.
    std::string_view obs_hash() const noexcept { return raw_.obs_hash; }
    /// The normalised output, or the prefix of it that fits.
    std::string_view output() const noexcept { return raw_.output; }
    /// Bytes of the whole answer.
    std::uint64_t output_size() const noexcept { return raw_.output_size; }
    Params params() const noexcept { return Params(raw_.params); }

    Status validate(Faults &faults) const noexcept
    {
        return Status(ax_obs_validate(&raw_, faults.raw()));
    }
    /// Computes obs_hash and keeps it.
    Status compute_hash(Profile profile = Profile::Rfc8785) noexcept
    {
        return Status(ax_obs_compute_hash_as(&raw_, static_cast<ax_profile_t>(profile)));
    }
    /// The canonical record, with its hash. AX_CANONICAL_BUFFER_SIZE characters hold any.
    Written canonicalise(CharSpan into, Profile profile = Profile::Rfc8785) const noexcept
    {
        return Written(ax_obs_canonicalise_as(into.data(), into.size(), &raw_, 1,
                                              static_cast<ax_profile_t>(profile)));
    }
    /// The hash that an input derived from this observation names (SRS-004 section 10.1).
    Digest derivation_hash(std::string_view derivation) const noexcept
    {
        Digest hash;
        ax_compute_derivation_hash(hash.data(), &raw_, derivation.data(), derivation.size());
        return hash;
    }

    ax_obs_record_t *raw() noexcept { return &raw_; }
    const ax_obs_record_t *raw() const noexcept { return &raw_; }

private:
    ax_obs_record_t raw_;
};

/// One admission sequence, for those who keep a ledger without an agent.
class Admission {
public:
    explicit Admission(Profile profile = Profile::Rfc8785) noexcept
    {
        ax_admission_ctx_init(&raw_);
        raw_.profile = static_cast<ax_profile_t>(profile);
    }

    /// Admits an answer: record borrows output and the answer's identities.
    Status admit(Record &record, CharSpan output, const Answer &answer, Faults &faults) noexcept
    {
        return Status(ax_obs_admit(record.raw(), output.data(), output.size(), answer.raw(), &raw_,
                                   faults.raw()));
    }

    ax_admission_ctx_t *raw() noexcept { return &raw_; }

private:
    ax_admission_ctx_t raw_;
};

/// A verified record, read in place: borrows the record's bytes.
class Observation {
public:
    /// Exactly the canonical bytes of one of the profiles with a matching obs_hash, or an error.
    static Result<Observation> parse(ByteView record, Faults &faults) noexcept
    {
        Observation found;
        const Status status(
            ax_obs_parse(&found.raw_, record.data(), record.size(), &found.profile_, faults.raw()));
        return { status, found };
    }

    Completion completion() const noexcept { return static_cast<Completion>(raw_.completion_state); }
    Failure failure() const noexcept { return static_cast<Failure>(raw_.failure_type); }
    ByteView input_hash() const noexcept { return raw_.input_hash; }
    std::uint64_t ledger_seq() const noexcept { return raw_.ledger_seq; }
    Params params() const noexcept { return Params(raw_.params); }
    std::string_view obs_hash() const noexcept { return raw_.obs_hash; }
    std::uint64_t output_size() const noexcept { return raw_.output_size; }
    /// As escaped in the record, like the two below.
    std::string_view model_id() const noexcept { return { raw_.model_id, raw_.model_id_len }; }
    std::string_view oracle_id() const noexcept { return { raw_.oracle_id, raw_.oracle_id_len }; }
    std::string_view escaped_output() const noexcept { return { raw_.output, raw_.output_len }; }
    /// Unescapes the output; escaped_output().size() + 1 characters suffice.
    Written output(CharSpan into) const noexcept
    {
        return Written(ax_obs_output(&raw_, into.data(), into.size()));
    }
    /// Whether only a deployed gateway can have written the record.
    bool gateway() const noexcept { return raw_.gateway != 0; }
    Profile profile() const noexcept { return static_cast<Profile>(profile_); }

    const ax_obs_view_t *raw() const noexcept { return &raw_; }

private:
    Observation() noexcept = default;
    ax_obs_view_t raw_{};
    ax_profile_t profile_ = AX_PROFILE_RFC8785;
};

/// SHA-256 of an input that is already canonical.
inline Digest input_hash(std::string_view input) noexcept
{
    Digest hash;
    ax_compute_input_hash(hash.data(), input.data(), input.size());
    return hash;
}

} // namespace axilog

#endif
