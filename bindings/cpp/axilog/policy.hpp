/// Tables of policies, and their evaluation without an agent (policy.h; SRS-004 sections 11 and 17).

#ifndef AXILOG_POLICY_HPP
#define AXILOG_POLICY_HPP

#include "axilog/ledger.hpp"
#include "axilog/policy.h"
#include "axilog/types.hpp"

namespace axilog {

/// The operator of a policy: a value is a breach where `value OPERATOR threshold` holds.
enum class Comparison : int {
    Greater = AX_POLICY_CMP_GT,
    Less = AX_POLICY_CMP_LT,
    GreaterOrEqual = AX_POLICY_CMP_GE,
    LessOrEqual = AX_POLICY_CMP_LE,
};

/// The result of one policy, or of all of them.
enum class PolicyResult : int {
    Permitted = AX_POLICY_PERMITTED,
    Breach = AX_POLICY_BREACH,
};

/// The name of a result, such as "BREACH".
inline const char *name(PolicyResult result) noexcept
{
    return ax_policy_result_to_str(static_cast<ax_policy_result_t>(result));
}

/// The name of an operator, such as "GE".
inline const char *name(Comparison comparison) noexcept
{
    return ax_policy_cmp_to_str(static_cast<ax_policy_cmp_t>(comparison));
}

/// Whether `actual` is a breach: the comparison holds, or `actual` means that there is no value.
inline bool breaches(Q16 actual, Comparison comparison, Q16 threshold) noexcept
{
    return ax_policy_check_breach(actual.raw(), threshold.raw(), static_cast<ax_policy_cmp_t>(comparison))
        == 1;
}

/// Makes one policy of a table. A table must be in the order of the ids.
constexpr ax_policy_t policy(const char *id, Comparison comparison, Q16 threshold,
                             bool enabled = true) noexcept
{
    return { id, threshold.raw(), static_cast<ax_policy_cmp_t>(comparison),
             static_cast<std::uint8_t>(enabled ? 1 : 0) };
}

/// A table of policies, which the object borrows.
class Registry {
public:
    /// Makes a table of policies on the selector "value".
    constexpr explicit Registry(Span<const ax_policy_t> policies) noexcept
        : raw_{ policies.data(), policies.size(), nullptr }
    {
    }
    /// Makes a table of policies with the selector of each: `[oracle#]path`, the path the name of a
    /// member at the top level of the answer, or a pointer such as "/linear/x". With an oracle in
    /// front, as in "llm-1#value", the policy judges the answers of that oracle alone.
    template <std::size_t N>
    constexpr Registry(const ax_policy_t (&policies)[N], const char *const (&selectors)[N]) noexcept
        : raw_{ policies, N, selectors }
    {
    }

    const ax_policy_registry_t *raw() const noexcept { return &raw_; }

private:
    ax_policy_registry_t raw_;
};

/// The result of a function that sets up policies: the int that C returns.
class [[nodiscard]] PolicyStatus {
public:
    constexpr explicit PolicyStatus(int code) noexcept : code_(code) {}

    constexpr bool ok() const noexcept { return code_ == AX_POLICY_OK; }
    constexpr explicit operator bool() const noexcept { return ok(); }
    constexpr ax_policy_err_t code() const noexcept { return static_cast<ax_policy_err_t>(code_); }
    /// One line of English on the code.
    const char *message() const noexcept { return ax_policy_strerror(code()); }

private:
    int code_;
};

/// The operations on rules, for Rules and RulesRef.
template <class Self> class PolicyOperations {
public:
    /// Sets whether a TRUNCATED answer is evaluated like a COMPLETE one. Call it before the first reset.
    void permit_truncated(bool permit) noexcept { ctx()->permit_truncated = permit ? 1 : 0; }
    /// Sets whether an INVALID_OUTPUT stops the agent. Call it before the first reset.
    void stop_on_invalid(bool stop) noexcept { ctx()->stop_on_invalid = stop ? 1 : 0; }
    /// Names the manifest, by its SHA-256, that the ledger is bound to. Call it before the first reset.
    void manifest(const Digest &sha256) noexcept
    {
        ctx()->has_manifest = 1;
        std::memcpy(ctx()->manifest, sha256.data(), sha256.size());
    }

    /// Computes the hash of the configuration, which every RESET_REQUEST has as its input_hash.
    Result<Digest> configuration_hash(Faults &faults) const noexcept
    {
        Digest hash{};
        const Status status(ax_policy_config_hash(ctx(), hash.data(), faults.raw()));
        return { status, hash };
    }
    /// Whether the last evaluation found a breach.
    bool breached() const noexcept { return ax_policy_has_breach(ctx()) == 1; }

private:
    ax_policy_ctx_t *ctx() noexcept { return static_cast<Self *>(this)->raw(); }
    const ax_policy_ctx_t *ctx() const noexcept { return static_cast<const Self *>(this)->raw(); }
};

/// A reference to the rules of an agent.
class RulesRef : public PolicyOperations<RulesRef> {
public:
    explicit RulesRef(ax_policy_ctx_t &raw) noexcept : raw_(&raw) {}

    ax_policy_ctx_t *raw() noexcept { return raw_; }
    const ax_policy_ctx_t *raw() const noexcept { return raw_; }

private:
    ax_policy_ctx_t *raw_;
};

/// Rules without an agent: policies and two switches. New rules are the built-in policies without a
/// ledger.
class Rules : public PolicyOperations<Rules> {
public:
    Rules() noexcept
    {
        Faults faults;
        static_cast<void>(ax_policy_init(&raw_, nullptr, nullptr, faults.raw()));
    }

    /// Sets a table, which must outlive the rules, and the ledger that records are committed to, or
    /// nullptr.
    PolicyStatus use(const Registry &registry, Ledger *ledger, Faults &faults) noexcept
    {
        return PolicyStatus(ax_policy_init_with_registry(
            &raw_, registry.raw(), ledger == nullptr ? nullptr : ledger->raw(), nullptr, faults.raw()));
    }
    /// A temporary table is refused, since the rules would outlive it.
    PolicyStatus use(const Registry &&registry, Ledger *ledger, Faults &faults) = delete;

    /// Evaluates every enabled policy on a value, whatever its selector.
    PolicyResult evaluate(Q16 value, std::uint64_t obs_ledger_seq, Faults &faults) noexcept
    {
        const ax_policy_input_t input{ value.raw(), obs_ledger_seq, obs_ledger_seq };
        return static_cast<PolicyResult>(ax_policy_evaluate_all(&raw_, &input, faults.raw()));
    }
    /// Evaluates one policy on a value.
    PolicyResult evaluate(const ax_policy_t &policy, Q16 value, std::uint64_t obs_ledger_seq,
                      Faults &faults) noexcept
    {
        const ax_policy_input_t input{ value.raw(), obs_ledger_seq, obs_ledger_seq };
        return static_cast<PolicyResult>(ax_policy_evaluate(&raw_, &policy, &input, faults.raw()));
    }
    /// Clears the results of the last cycle.
    void reset_cycle() noexcept { ax_policy_reset_cycle(&raw_); }

    ax_policy_ctx_t *raw() noexcept { return &raw_; }
    const ax_policy_ctx_t *raw() const noexcept { return &raw_; }

private:
    ax_policy_ctx_t raw_;
};

/// The policies that are compiled into the library, in static memory.
inline Span<const ax_policy_t> builtin_policies() noexcept
{
    const ax_policy_registry_t *registry = ax_policy_get_registry();
    return { registry->policies, registry->count };
}

} // namespace axilog

#endif
