/// The agent (agent.h).

#ifndef AXILOG_AGENT_HPP
#define AXILOG_AGENT_HPP

#include "axilog/agent.h"
#include "axilog/ledger.hpp"
#include "axilog/observation.hpp"
#include "axilog/policy.hpp"
#include "axilog/replay.h"

namespace axilog {

class Replay;

enum class Health : int {
    Uninit = AX_HEALTH_UNINIT,
    Init = AX_HEALTH_INIT,
    Enabled = AX_HEALTH_ENABLED,
    Alarm = AX_HEALTH_ALARM,
    Degraded = AX_HEALTH_DEGRADED,
    Stopped = AX_HEALTH_STOPPED,
};

enum class Input : int {
    Time = AX_INPUT_TIME_OBS,
    Answer = AX_INPUT_LLM_OBS,
    PolicyTrigger = AX_INPUT_POLICY_TRIGGER,
    FaultSignal = AX_INPUT_FAULT_SIGNAL,
    ResetRequest = AX_INPUT_RESET_REQUEST,
};

enum class Violation : int {
    None = AX_VIOLATION_NONE,
    TimeRollback = AX_VIOLATION_TIME_ROLLBACK,
    PolicyBreach = AX_VIOLATION_POLICY_BREACH,
    FaultExceeded = AX_VIOLATION_FAULT_EXCEEDED,
    Protocol = AX_VIOLATION_PROTOCOL,
    GenesisMismatch = AX_VIOLATION_GENESIS_MISMATCH,
    CommitFailure = AX_VIOLATION_COMMIT_FAILURE,
    SequenceOrder = AX_VIOLATION_SEQUENCE_ORDER,
    Terminality = AX_VIOLATION_TERMINALITY,
};

/// The state's name, such as "ENABLED".
inline const char *name(Health health) noexcept
{
    return ax_health_state_to_str(static_cast<ax_health_state_t>(health));
}

/// The class's name, such as "LLM_OBS".
inline const char *name(Input input) noexcept
{
    return ax_input_class_to_str(static_cast<ax_input_class_t>(input));
}

/// The violation's name, such as "POLICY_BREACH"; NULL for none.
inline const char *name(Violation violation) noexcept
{
    return ax_violation_to_str(static_cast<ax_violation_t>(violation));
}

/// The table of intended transitions. Pure.
inline Health determine_next(Health health, Input input) noexcept
{
    return static_cast<Health>(ax_agent_determine_next(static_cast<ax_health_state_t>(health),
                                                       static_cast<ax_input_class_t>(input)));
}

/// An agent, its ledger, its rules and its fault flags, in UNINIT and under the built-in policies at
/// first. Its parts point to each other, so it stays where it is.
class Agent {
public:
    /// work is scratch: it holds one record and bounds its size; 1 KiB is enough for short answers.
    explicit Agent(ByteSpan work) noexcept : work_(work)
    {
        ax_agent_init(&agent_, faults_.raw());
        static_cast<void>(ax_policy_init(&policy_, &agent_.ledger, &agent_, faults_.raw()));
    }
    Agent(const Agent &) = delete;
    Agent &operator=(const Agent &) = delete;
    /// Lets go of the sink.
    ~Agent() { static_cast<void>(ledger().detach(faults_)); }

    /// Takes other policies, which must outlive the agent. Before the first reset.
    PolicyStatus use(const Registry &registry) noexcept
    {
        return PolicyStatus(ax_policy_init_with_registry(&policy_, registry.raw(), &agent_.ledger, &agent_,
                                                         faults_.raw()));
    }
    /// Not a temporary one, which the agent would outlive.
    PolicyStatus use(const Registry &&registry) = delete;
    /// Hands every later record to the sink before the agent goes on. A temporary would be gone.
    template <class Store> Status attach(const Sink<Store> &sink) noexcept
    {
        return ledger().attach(sink, faults_);
    }
    template <class Store> Status attach(const Sink<Store> &&sink) = delete;

    /// Takes an oracle's answer all the way: admitted, recorded, judged, acted on. Code::Encoding is an
    /// answer that was not admissible, and that is recorded and acted on all the same.
    Status observe(const Answer &answer) noexcept
    {
        return Status(ax_agent_observe(&agent_, &policy_, answer.raw(), work_.data(), work_.size(),
                                       faults_.raw()));
    }
    /// Observes the time, in the integrator's unit.
    Status time(std::uint64_t now) noexcept
    {
        return Status(ax_agent_observe_time(&agent_, &policy_, now, work_.data(), work_.size(),
                                            faults_.raw()));
    }
    /// Observes PolicyTrigger, FaultSignal or ResetRequest.
    Status control(Input input) noexcept
    {
        return Status(ax_agent_observe_control(&agent_, &policy_, static_cast<ax_input_class_t>(input),
                                               work_.data(), work_.size(), faults_.raw()));
    }
    Status reset() noexcept { return control(Input::ResetRequest); }

    /// Acts on an input whose observation is already in the ledger.
    void step(Input input, ByteView payload, std::uint64_t ledger_seq) noexcept
    {
        const ax_input_t raw{ static_cast<ax_input_class_t>(input), payload.data(), payload.size(),
                              ledger_seq };
        ax_agent_step(&agent_, &policy_, &raw, faults_.raw());
    }

    Health health() const noexcept { return static_cast<Health>(agent_.health); }
    bool enabled() const noexcept { return health() == Health::Enabled; }
    /// Why the last input was refused, where no record could say so.
    Violation violation() const noexcept { return static_cast<Violation>(agent_.violation); }
    /// Faults counted since the last reset.
    std::uint32_t fault_count() const noexcept { return agent_.fault_accumulator; }
    /// The last accepted timestamp; 0 before the first.
    std::uint64_t last_time() const noexcept { return agent_.last_timestamp; }

    LedgerRef ledger() noexcept { return LedgerRef(agent_.ledger); }
    RulesRef rules() noexcept { return RulesRef(policy_); }
    /// A flag that is set here stops the agent at its next input.
    Faults &faults() noexcept { return faults_; }

    /// Becomes the agent that a replay ended with, under the policies in use. The sink comes after.
    inline Status resume(const Replay &replay) noexcept;
    /// Commits what is missing of an interrupted last step, the sink being attached.
    inline Status complete(const Replay &replay) noexcept;

    ax_agent_ctx_t *raw() noexcept { return &agent_; }

private:
    ax_agent_ctx_t agent_;
    ax_policy_ctx_t policy_;
    Faults faults_;
    ByteSpan work_;
};

} // namespace axilog

#endif
