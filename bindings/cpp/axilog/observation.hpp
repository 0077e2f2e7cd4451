/// Observations: the answers of oracles, their admission, and their records (oracle.h, obs.h, hash.h;
/// SRS-004 sections 4 to 6).

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

/// How an oracle failed; None for an answer.
enum class Failure : int {
    None = AX_FAILURE_NULL,
    Timeout = AX_FAILURE_TIMEOUT,
    InvalidOutput = AX_FAILURE_INVALID_OUTPUT,
    TransportError = AX_FAILURE_TRANSPORT_ERROR,
};

/// Sampling parameters, all null at first. Each function sets one and returns the object.
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

    /// Writes the canonical JSON object of these parameters.
    WriteResult canonicalise(CharSpan into) const noexcept
    {
        return WriteResult(ax_params_canonicalise(into.data(), into.size(), &raw_));
    }

    const ax_oracle_params_t *raw() const noexcept { return &raw_; }

private:
    ax_oracle_params_t raw_;
};

/// The answer of one call of an oracle, or how the call failed. The four static functions make it; the
/// others set a property and return the object. It borrows every text.
class Answer {
public:
    /// Makes a whole answer.
    static Answer complete(ZString oracle_id, ZString model_id, std::string_view input,
                           std::string_view output) noexcept
    {
        Answer answer;
        ax_obs_input_set_complete(&answer.raw_, 0, oracle_id.c_str(), model_id.c_str(), input.data(),
                                  input.size(), output.data(), output.size(), nullptr);
        return answer;
    }
    /// Makes the failure of an oracle that gave no answer in time.
    static Answer timeout(ZString oracle_id, ZString model_id, std::string_view input) noexcept
    {
        Answer answer;
        ax_obs_input_set_timeout(&answer.raw_, 0, oracle_id.c_str(), model_id.c_str(), input.data(),
                                 input.size());
        return answer;
    }
    /// Makes the failure of an oracle that could not be reached, or broke the protocol.
    static Answer transport_error(ZString oracle_id, ZString model_id, std::string_view input) noexcept
    {
        Answer answer;
        ax_obs_input_set_transport_error(&answer.raw_, 0, oracle_id.c_str(), model_id.c_str(),
                                         input.data(), input.size());
        return answer;
    }
    /// Makes the failure of an oracle whose answer the caller found invalid. The answer is not kept.
    static Answer invalid(ZString oracle_id, ZString model_id, std::string_view input) noexcept
    {
        Answer answer;
        ax_obs_input_set_invalid_output(&answer.raw_, 0, oracle_id.c_str(), model_id.c_str(),
                                        input.data(), input.size(), nullptr, 0);
        return answer;
    }

    /// Declares that only a part of the answer came.
    Answer &truncated() noexcept
    {
        raw_.completion_state = AX_COMPLETION_TRUNCATED;
        return *this;
    }
    /// Sets the sampling parameters of the call.
    Answer &params(const Params &params) noexcept
    {
        raw_.params = *params.raw();
        return *this;
    }
    /// Declares that the input is canonical JSON.
    Answer &json_input() noexcept
    {
        raw_.input_kind = AX_INPUT_KIND_JSON;
        return *this;
    }
    /// Sets the position in the ledger, for an Admission. An Agent uses the next position instead.
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

/// The record of an observation, empty at first. It borrows its texts.
class ObservationRecord {
public:
    ObservationRecord() noexcept { ax_obs_init(&raw_); }

    Completion completion() const noexcept { return static_cast<Completion>(raw_.completion_state); }
    Failure failure() const noexcept { return static_cast<Failure>(raw_.failure_type); }
    ByteView input_hash() const noexcept { return raw_.input_hash; }
    std::uint64_t ledger_seq() const noexcept { return raw_.ledger_seq; }
    std::string_view model_id() const noexcept { return raw_.model_id; }
    std::string_view oracle_id() const noexcept { return raw_.oracle_id; }
    /// The hash in 64 hexadecimal digits, or an empty text without one.
    std::string_view obs_hash() const noexcept { return raw_.obs_hash; }
    /// The answer with its line ends normalised, or the beginning of it that fits into a record.
    std::string_view output() const noexcept { return raw_.output; }
    /// How many bytes the whole answer has.
    std::uint64_t output_size() const noexcept { return raw_.output_size; }
    Params params() const noexcept { return Params(raw_.params); }

    Status validate(Faults &faults) const noexcept
    {
        return Status(ax_obs_validate(&raw_, faults.raw()));
    }
    /// Computes obs_hash and sets it.
    Status compute_hash(Profile profile = Profile::Rfc8785) noexcept
    {
        return Status(ax_obs_compute_hash_as(&raw_, static_cast<ax_profile_t>(profile)));
    }
    /// Writes the canonical record with its hash. AX_CANONICAL_BUFFER_SIZE characters hold any record.
    WriteResult canonicalise(CharSpan into, Profile profile = Profile::Rfc8785) const noexcept
    {
        return WriteResult(ax_obs_canonicalise_as(into.data(), into.size(), &raw_, 1,
                                              static_cast<ax_profile_t>(profile)));
    }
    /// Computes the hash by which a derived input names this observation (SRS-004 section 10.1).
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

/// A sequence of admissions, for a program that has a ledger and no agent (SRS-004 section 4).
class Admission {
public:
    explicit Admission(Profile profile = Profile::Rfc8785) noexcept
    {
        ax_admission_ctx_init(&raw_);
        raw_.profile = static_cast<ax_profile_t>(profile);
    }

    /// Admits an answer. The record borrows `output` and the identities of the answer.
    Status admit(ObservationRecord &record, CharSpan output, const Answer &answer, Faults &faults) noexcept
    {
        return Status(ax_obs_admit(record.raw(), output.data(), output.size(), answer.raw(), &raw_,
                                   faults.raw()));
    }

    ax_admission_ctx_t *raw() noexcept { return &raw_; }

private:
    ax_admission_ctx_t raw_;
};

/// A parsed record of an observation, whose hash matches. It borrows the bytes of the record.
class Observation {
public:
    /// Parses a record, which must be canonical in one of the profiles and have a matching obs_hash.
    static Result<Observation> parse(ByteView record, Faults &faults) noexcept
    {
        Observation observation;
        const Status status(ax_obs_parse(&observation.raw_, record.data(), record.size(),
                                         &observation.profile_, faults.raw()));
        return { status, observation };
    }

    Completion completion() const noexcept { return static_cast<Completion>(raw_.completion_state); }
    Failure failure() const noexcept { return static_cast<Failure>(raw_.failure_type); }
    ByteView input_hash() const noexcept { return raw_.input_hash; }
    std::uint64_t ledger_seq() const noexcept { return raw_.ledger_seq; }
    Params params() const noexcept { return Params(raw_.params); }
    std::string_view obs_hash() const noexcept { return raw_.obs_hash; }
    std::uint64_t output_size() const noexcept { return raw_.output_size; }
    /// The model id as the record escapes it; so are oracle_id() and escaped_output().
    std::string_view model_id() const noexcept { return { raw_.model_id, raw_.model_id_len }; }
    std::string_view oracle_id() const noexcept { return { raw_.oracle_id, raw_.oracle_id_len }; }
    std::string_view escaped_output() const noexcept { return { raw_.output, raw_.output_len }; }
    /// Writes the unescaped output into a buffer of at least escaped_output().size() + 1 characters.
    WriteResult output(CharSpan into) const noexcept
    {
        return WriteResult(ax_obs_output(&raw_, into.data(), into.size()));
    }
    /// Whether the record can only come from a deployed gateway (formats.md section 3, Profiles).
    bool gateway() const noexcept { return raw_.gateway != 0; }
    Profile profile() const noexcept { return static_cast<Profile>(profile_); }

    const ax_obs_view_t *raw() const noexcept { return &raw_; }

private:
    Observation() noexcept = default;
    ax_obs_view_t raw_{};
    ax_profile_t profile_ = AX_PROFILE_RFC8785;
};

/// Computes the SHA-256 of an input that is already canonical.
inline Digest input_hash(std::string_view input) noexcept
{
    Digest hash;
    ax_compute_input_hash(hash.data(), input.data(), input.size());
    return hash;
}

} // namespace axilog

#endif
