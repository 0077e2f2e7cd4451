/// Policies: tables of them, and evaluation without an agent (policy.h).

#ifndef AXILOG_POLICY_HPP
#define AXILOG_POLICY_HPP

#include "axilog/ledger.hpp"
#include "axilog/policy.h"
#include "axilog/types.hpp"

namespace axilog {

/// When a value breaches its threshold.
enum class Comparison : int {
    Greater = AX_POLICY_CMP_GT,
    Less = AX_POLICY_CMP_LT,
    GreaterOrEqual = AX_POLICY_CMP_GE,
    LessOrEqual = AX_POLICY_CMP_LE,
};

/// What a policy, or all of them together, decided.
enum class Decision : int {
    Permitted = AX_POLICY_PERMITTED,
    Breach = AX_POLICY_BREACH,
};

inline const char *name(Decision decision) noexcept
{
    return ax_policy_result_to_str(static_cast<ax_policy_result_t>(decision));
}

inline const char *name(Comparison comparison) noexcept
{
    return ax_policy_cmp_to_str(static_cast<ax_policy_cmp_t>(comparison));
}

/// Whether the comparison holds, or actual is no value. Pure.
inline bool breaches(Q16 actual, Comparison comparison, Q16 threshold) noexcept
{
    return ax_policy_check_breach(actual.raw(), threshold.raw(), static_cast<ax_policy_cmp_t>(comparison))
        == 1;
}

/// One policy, for a constexpr table in the order of the ids.
constexpr ax_policy_t policy(const char *id, Comparison comparison, Q16 threshold,
                             bool enabled = true) noexcept
{
    return { id, threshold.raw(), static_cast<ax_policy_cmp_t>(comparison),
             static_cast<std::uint8_t>(enabled ? 1 : 0) };
}

/// A table of policies. Borrows the table.
class Registry {
public:
    /// Policies on the selector "value".
    constexpr explicit Registry(Span<const ax_policy_t> policies) noexcept
        : raw_{ policies.data(), policies.size(), nullptr }
    {
    }
    /// Policies and the selector of each: as many.
    template <std::size_t N>
    constexpr Registry(const ax_policy_t (&policies)[N], const char *const (&selectors)[N]) noexcept
        : raw_{ policies, N, selectors }
    {
    }

    const ax_policy_registry_t *raw() const noexcept { return &raw_; }

private:
    ax_policy_registry_t raw_;
};

/// What the functions that set policies up return. The int that C returns, and nothing beside it.
class [[nodiscard]] PolicyStatus {
public:
    constexpr explicit PolicyStatus(int code) noexcept : code_(code) {}

    constexpr bool ok() const noexcept { return code_ == AX_POLICY_OK; }
    constexpr explicit operator bool() const noexcept { return ok(); }
    constexpr ax_policy_err_t code() const noexcept { return static_cast<ax_policy_err_t>(code_); }

private:
    int code_;
};

/// The calls that rules take, for those that are owned and those of an agent.
template <class Self> class PolicyCalls {
public:
    /// Whether a TRUNCATED answer is evaluated like a COMPLETE one. Before the first reset.
    void permit_truncated(bool permit) noexcept { ctx()->permit_truncated = permit ? 1 : 0; }
    /// Whether an INVALID_OUTPUT stops the agent. Before the first reset.
    void stop_on_invalid(bool stop) noexcept { ctx()->stop_on_invalid = stop ? 1 : 0; }

    /// The input_hash of every RESET_REQUEST under these rules.
    Result<Digest> configuration_hash(Faults &faults) const noexcept
    {
        Digest hash{};
        const Status status(ax_policy_config_hash(ctx(), hash.data(), faults.raw()));
        return { status, hash };
    }
    bool breached() const noexcept { return ax_policy_has_breach(ctx()) == 1; }

private:
    ax_policy_ctx_t *ctx() noexcept { return static_cast<Self *>(this)->raw(); }
    const ax_policy_ctx_t *ctx() const noexcept { return static_cast<const Self *>(this)->raw(); }
};

/// Rules of an agent.
class RulesRef : public PolicyCalls<RulesRef> {
public:
    explicit RulesRef(ax_policy_ctx_t &raw) noexcept : raw_(&raw) {}

    ax_policy_ctx_t *raw() noexcept { return raw_; }
    const ax_policy_ctx_t *raw() const noexcept { return raw_; }

private:
    ax_policy_ctx_t *raw_;
};

/// Rules without an agent: the built-in policies, records in no ledger, at first.
class Rules : public PolicyCalls<Rules> {
public:
    Rules() noexcept
    {
        Faults faults;
        static_cast<void>(ax_policy_init(&raw_, nullptr, nullptr, faults.raw()));
    }

    /// Takes a table, which must outlive the rules, and commits records to ledger where there is one.
    PolicyStatus use(const Registry &registry, Ledger *ledger, Faults &faults) noexcept
    {
        return PolicyStatus(ax_policy_init_with_registry(
            &raw_, registry.raw(), ledger == nullptr ? nullptr : ledger->raw(), nullptr, faults.raw()));
    }
    /// Not a temporary one, which the rules would outlive.
    PolicyStatus use(const Registry &&registry, Ledger *ledger, Faults &faults) = delete;

    /// Evaluates a value against every enabled policy, whatever its selector.
    Decision evaluate(Q16 value, std::uint64_t obs_ledger_seq, Faults &faults) noexcept
    {
        const ax_policy_input_t input{ value.raw(), obs_ledger_seq, obs_ledger_seq };
        return static_cast<Decision>(ax_policy_evaluate_all(&raw_, &input, faults.raw()));
    }
    /// Evaluates a value against one policy.
    Decision evaluate(const ax_policy_t &policy, Q16 value, std::uint64_t obs_ledger_seq,
                      Faults &faults) noexcept
    {
        const ax_policy_input_t input{ value.raw(), obs_ledger_seq, obs_ledger_seq };
        return static_cast<Decision>(ax_policy_evaluate(&raw_, &policy, &input, faults.raw()));
    }
    /// Forgets what the last cycle left.
    void reset_cycle() noexcept { ax_policy_reset_cycle(&raw_); }

    ax_policy_ctx_t *raw() noexcept { return &raw_; }
    const ax_policy_ctx_t *raw() const noexcept { return &raw_; }

private:
    ax_policy_ctx_t raw_;
};

/// The policies compiled into the library, in static memory.
inline Span<const ax_policy_t> builtin_policies() noexcept
{
    const ax_policy_registry_t *registry = ax_policy_get_registry();
    return { registry->policies, registry->count };
}

} // namespace axilog

#endif
