/// Recording into a ledger file.

#ifndef AXILOG_HOST_LEDGER_HPP
#define AXILOG_HOST_LEDGER_HPP

#include <chrono>
#include <cstdint>
#include <vector>

#include "axilog/host_result.hpp"

namespace axilog::host {

/// What a ledger is begun with, and what it must be bound to where it is opened. What is not set has its default. The
/// object owns its texts.
class Options {
public:
    /// The policy file, as JSON text.
    Options &policies(std::string json) { return set(policies_, std::move(json)); }
    Options &name(std::string name) { return set(name_, std::move(name)); }
    Options &note(std::string note) { return set(note_, std::move(note)); }
    /// The sealed ledger that this one goes on from, as N:HEAD: its number of records, the seal counted, and its head.
    Options &follows(std::string entries_and_head)
    {
        return set(follows_, std::move(entries_and_head));
    }
    /// Adds an oracle that may answer; without any, every oracle may.
    Options &oracle(std::string oracle_id)
    {
        oracles_.push_back(std::move(oracle_id));
        return *this;
    }
    /// Declares the JSON Schemas of an oracle's questions and answers; an empty one is none.
    Options &schema(std::string oracle_id, std::string input, std::string output)
    {
        schemas_.push_back({ std::move(oracle_id), std::move(input), std::move(output) });
        return *this;
    }
    /// What the ledger computes over the answers of oracles and records itself, as JSON.
    Options &running_values(std::string json) { return set(running_values_, std::move(json)); }
    /// The present time of a ledger that is begun, in the unit of later times.
    Options &time(std::uint64_t time) noexcept { return set(raw_.time, time); }
    Options &durability(axh_durability_t durability) noexcept
    {
        return set(raw_.durability, durability);
    }
    /// Syncs once so many records, or the first of them for so long, are not durable.
    Options &interval(std::uint64_t records, std::chrono::milliseconds within) noexcept
    {
        raw_.interval_records = records;
        raw_.interval_milliseconds = static_cast<std::uint64_t>(within.count());
        return durability(AXH_DURABILITY_INTERVAL);
    }
    Options &require_policy(bool required = true) noexcept
    {
        return set(raw_.require_policy, static_cast<std::uint8_t>(required));
    }
    Options &permit_truncated(bool permitted = true) noexcept
    {
        return set(raw_.permit_truncated, static_cast<std::uint8_t>(permitted));
    }
    Options &stop_on_invalid(bool stops = true) noexcept
    {
        return set(raw_.stop_on_invalid, static_cast<std::uint8_t>(stops));
    }

    /// Calls a function with the options as C has them, which it may use until it returns.
    template <class Use> auto with_raw(Use use) const
    {
        std::vector<const char *> oracles;
        for (const std::string &oracle : oracles_) {
            oracles.push_back(oracle.c_str());
        }
        std::vector<axh_schema_t> schemas;
        for (const Schema &schema : schemas_) {
            schemas.push_back({ schema.oracle_id.c_str(), data(schema.input), schema.input.size(),
                                data(schema.output), schema.output.size() });
        }
        axh_options_t raw = raw_;
        raw.size = sizeof raw;
        raw.policies = data(policies_);
        raw.policies_len = policies_.size();
        raw.name = data(name_);
        raw.note = data(note_);
        raw.follows = data(follows_);
        raw.oracles = oracles.data();
        raw.oracle_count = oracles.size();
        raw.schemas = schemas.data();
        raw.schema_count = schemas.size();
        raw.running_values = data(running_values_);
        raw.running_values_len = running_values_.size();
        return use(&raw);
    }

private:
    struct Schema {
        std::string oracle_id, input, output;
    };

    template <class Member> Options &set(Member &member, Member value) noexcept
    {
        member = std::move(value);
        return *this;
    }
    static const char *data(const std::string &text) noexcept
    {
        return text.empty() ? nullptr : text.c_str();
    }

    axh_options_t raw_{};
    std::string policies_, name_, note_, follows_, running_values_;
    std::vector<std::string> oracles_;
    std::vector<Schema> schemas_;
};

/// One call of an oracle: what it was asked, and its answer or its failure. It borrows what it views.
struct Observation {
    ZString oracle_id;
    /// The versioned identity of its model.
    ZString model_id;
    /// The question.
    std::string_view input{};
    /// The answer, as it came; none with a failure.
    std::string_view output{};
    /// AX_FAILURE_TIMEOUT or AX_FAILURE_TRANSPORT_ERROR for an oracle that did not answer.
    ax_failure_type_t failure = AX_FAILURE_NULL;
    /// What the question is; AX_INPUT_KIND_JSON wants canonical JSON.
    ax_input_kind_t input_kind = AX_INPUT_KIND_TEXT;
    /// Sampling parameters of the call; nullptr where each is null.
    const ax_oracle_params_t *params = nullptr;
    /// Whether the oracle says that its answer is cut off, as at a limit of tokens.
    bool truncated = false;
};

/// The decision of one step. In a condition it says whether the answer may be acted on.
class Decision {
public:
    explicit Decision(const axh_decision_t &raw) noexcept : raw_(raw) {}

    bool may_act() const noexcept { return raw_.may_act != 0; }
    explicit operator bool() const noexcept { return may_act(); }
    bool violates_schema() const noexcept { return raw_.violates_schema != 0; }
    std::uint64_t ledger_seq() const noexcept { return raw_.ledger_seq; }
    ByteView head() const noexcept { return raw_.head; }
    ax_health_state_t health() const noexcept { return raw_.health; }
    /// The name of the state, such as "ALARM".
    const char *health_name() const noexcept { return ax_health_state_to_str(raw_.health); }

    /// The struct with every member.
    const axh_decision_t &raw() const noexcept { return raw_; }

private:
    axh_decision_t raw_;
};

/// How an exchange with a provider ended. In a condition it says whether the program may have the answer.
struct ExchangeEnd {
    bool is_released;
    /// The decision that counts; all zero where there was no answer.
    Decision decision;
    /// The end in words, and what was decided, as axh_exchange_end says.
    std::string json;

    explicit operator bool() const noexcept { return is_released; }
};

/// The calling thread's last decision as JSON, with what each policy decided and the reasons in words; empty without one.
inline std::string last_decision() { return axh_last_decision(); }

/// An open ledger file, which this process alone may write. The end of the object syncs and closes it; close() says
/// whether that worked.
class Ledger {
public:
    /// Begins a ledger; one that exists is never overwritten.
    static Result<Ledger> create(ZString path, const Options &options = {})
    {
        return open_with(axh_ledger_create, path, options);
    }
    /// Opens a ledger that exists, to go on with it.
    static Result<Ledger> open(ZString path, const Options &options = {})
    {
        return open_with(axh_ledger_open, path, options);
    }
    /// Opens a ledger, or begins it where there is none.
    static Result<Ledger> open_or_create(ZString path, const Options &options = {})
    {
        return open_with(axh_ledger_open_or_create, path, options);
    }

    Ledger(Ledger &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
    Ledger &operator=(Ledger &&other) noexcept
    {
        std::swap(raw_, other.raw_);
        return *this;
    }
    Ledger(const Ledger &) = delete;
    Ledger &operator=(const Ledger &) = delete;
    ~Ledger()
    {
        if (raw_ != nullptr) {
            static_cast<void>(axh_ledger_close(raw_));
        }
    }

    /// Records an answer or a failure, has the policies judge it, and gives the decision.
    Result<Decision> observe(const Observation &given)
    {
        const axh_observation_t raw = to_raw(given);
        return decide([&](axh_decision_t *out) { return axh_observe(raw_, &raw, out); });
    }
    /// Checks, before an oracle is asked, that its answer could be recorded, and gives the question as it is to be put.
    Result<std::string> check_question(const Observation &given) const
    {
        const axh_observation_t raw = to_raw(given);
        char *question = nullptr;
        const int status = axh_check_question(raw_, &raw, &question);
        return status == AXH_OK ? Result<std::string>(take_text(question)) : Error::last(status);
    }
    /// Keeps what a provider is about to be asked, which may be sent where this succeeds. The size is set here.
    Result<void> begin_exchange(axh_exchange_t exchange)
    {
        exchange.size = sizeof exchange;
        return to_result(axh_exchange_begin(raw_, &exchange));
    }
    /// Records what came of a request that was begun, and has the policies judge it. The size is set here.
    Result<ExchangeEnd> end_exchange(axh_exchange_t exchange)
    {
        exchange.size = sizeof exchange;
        axh_decision_t decision{};
        decision.size = sizeof decision;
        char *json = nullptr;
        const int status = axh_exchange_end(raw_, &exchange, &decision, &json);
        if (status != AXH_OK && status != AXH_NOT_OK) {
            return Error::last(status);
        }
        return ExchangeEnd{ status == AXH_OK, Decision(decision), take_text(json) };
    }
    /// Makes the question of a call that uses earlier answers, named by their obs_hash in hexadecimal. It is put to the
    /// oracle, and observed with AX_INPUT_KIND_JSON. With even_refused it may be made from answers that may not be acted
    /// on, and says so where there are any.
    Result<std::string> derive_question(std::string_view input, const std::vector<ZString> &sources,
                                        ax_input_kind_t input_kind = AX_INPUT_KIND_TEXT,
                                        bool even_refused = false) const
    {
        std::vector<const char *> names;
        for (const ZString &source : sources) {
            names.push_back(source.c_str());
        }
        char *question = nullptr;
        const int status = axh_derive_question(raw_, input.data(), input.size(), input_kind,
                                               names.data(), names.size(), even_refused, &question);
        return status == AXH_OK ? Result<std::string>(take_text(question)) : Error::last(status);
    }
    /// What opening the ledger did, as JSON.
    Result<std::string> opening() const
    {
        char *json = nullptr;
        const int status = axh_opening(raw_, &json);
        return status == AXH_OK ? Result<std::string>(take_text(json)) : Error::last(status);
    }
    /// Records the time. With force it records one too that is not after the last, which stops the agent for good.
    Result<Decision> time(std::uint64_t timestamp, bool force = false)
    {
        return decide([&](axh_decision_t *out) { return axh_time(raw_, timestamp, force, out); });
    }
    /// Records a control input.
    Result<Decision> control(ax_input_class_t input)
    {
        return decide([&](axh_decision_t *out) { return axh_control(raw_, input, out); });
    }
    /// Makes every step durable that was recorded.
    Result<void> sync() { return to_result(axh_ledger_sync(raw_)); }
    /// Ends the ledger for good.
    Result<void> seal() { return to_result(axh_seal(raw_)); }
    /// The length, the head and the agent's state.
    Result<axh_state_t> state() const
    {
        axh_state_t state{};
        state.size = sizeof state;
        const int status = axh_state(raw_, &state);
        return status == AXH_OK ? Result<axh_state_t>(state) : Error::last(status);
    }
    /// Syncs and closes the file. The ledger is closed whatever the result.
    Result<void> close() { return to_result(axh_ledger_close(std::exchange(raw_, nullptr))); }

    axh_ledger_t *raw() const noexcept { return raw_; }

private:
    explicit Ledger(axh_ledger_t *raw) noexcept : raw_(raw) {}

    static axh_observation_t to_raw(const Observation &given) noexcept
    {
        return { sizeof(axh_observation_t), given.oracle_id.c_str(), given.model_id.c_str(),
                 given.params,              given.input.data(),      given.input.size(),
                 given.output.data(),       given.output.size(),     given.input_kind,
                 given.failure,             given.truncated };
    }

    template <class Open>
    static Result<Ledger> open_with(Open open, ZString path, const Options &options)
    {
        axh_ledger_t *raw = nullptr;
        const int status = options.with_raw(
            [&](const axh_options_t *given) { return open(path.c_str(), given, &raw); });
        return status == AXH_OK ? Result<Ledger>(Ledger(raw)) : Error::last(status);
    }

    template <class Step> static Result<Decision> decide(Step step)
    {
        axh_decision_t raw{};
        raw.size = sizeof raw;
        const int status = step(&raw);
        return status == AXH_OK ? Result<Decision>(Decision(raw)) : Error::last(status);
    }

    axh_ledger_t *raw_;
};

} // namespace axilog::host

#endif
