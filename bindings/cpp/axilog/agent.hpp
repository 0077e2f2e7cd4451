/// The agent, which decides whether a program may act on an answer (agent.h; SRS-004 section 19).

#ifndef AXILOG_AGENT_HPP
#define AXILOG_AGENT_HPP

#include "axilog/agent.h"
#include "axilog/ledger.hpp"
#include "axilog/observation.hpp"
#include "axilog/policy.hpp"
#include "axilog/replay.h"

namespace axilog {

class Replay;

/// The agent's state.
enum class Health : int {
    Uninit = AX_HEALTH_UNINIT,
    Init = AX_HEALTH_INIT,
    Enabled = AX_HEALTH_ENABLED,
    Alarm = AX_HEALTH_ALARM,
    Degraded = AX_HEALTH_DEGRADED,
    Stopped = AX_HEALTH_STOPPED,
};

/// The class of an agent's input. An Answer is an oracle's.
enum class InputClass : int {
    Time = AX_INPUT_TIME_OBS,
    Answer = AX_INPUT_LLM_OBS,
    PolicyTrigger = AX_INPUT_POLICY_TRIGGER,
    FaultSignal = AX_INPUT_FAULT_SIGNAL,
    ResetRequest = AX_INPUT_RESET_REQUEST,
};

/// The rule that an agent or its ledger violated.
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

/// The name of a state, such as "ENABLED".
inline const char *name(Health health) noexcept
{
    return ax_health_state_to_str(static_cast<ax_health_state_t>(health));
}

/// The name of an input class, such as "LLM_OBS".
inline const char *name(InputClass input_class) noexcept
{
    return ax_input_class_to_str(static_cast<ax_input_class_t>(input_class));
}

/// The name of a violation, such as "POLICY_BREACH"; NULL for None.
inline const char *name(Violation violation) noexcept
{
    return ax_violation_to_str(static_cast<ax_violation_t>(violation));
}

/// Looks up the next state in the table of intended transitions, without any effect.
inline Health determine_next(Health health, InputClass input_class) noexcept
{
    return static_cast<Health>(ax_agent_determine_next(static_cast<ax_health_state_t>(health),
                                                       static_cast<ax_input_class_t>(input_class)));
}

/// An agent with its ledger, its policies and its fault flags. A new agent is Uninit and has the built-in
/// policies. Its parts point to each other, so it can be neither copied nor moved.
class Agent {
public:
    /// The agent writes each record into `work`, which bounds the size of a record and must outlive the
    /// agent. 1 KiB is enough for short answers.
    explicit Agent(ByteSpan work) noexcept : work_(work)
    {
        ax_agent_init(&agent_, faults_.raw());
        static_cast<void>(ax_policy_init(&policy_, &agent_.ledger, &agent_, faults_.raw()));
    }
    Agent(const Agent &) = delete;
    Agent &operator=(const Agent &) = delete;
    /// Detaches the sink.
    ~Agent() { static_cast<void>(ledger().detach(faults_)); }

    /// Sets other policies, which must outlive the agent. Call it before the first reset.
    PolicyStatus use(const Registry &registry) noexcept
    {
        return PolicyStatus(ax_policy_init_with_registry(&policy_, registry.raw(), &agent_.ledger, &agent_,
                                                         faults_.raw()));
    }
    /// A temporary table is refused, since the agent would outlive it.
    PolicyStatus use(const Registry &&registry) = delete;
    /// Calls the sink with every later record, before the agent changes its state. The sink must outlive
    /// the agent, so a temporary one is refused.
    template <class Store> Status attach(const Sink<Store> &sink) noexcept
    {
        return ledger().attach(sink, faults_);
    }
    template <class Store> Status attach(const Sink<Store> &&sink) = delete;

    /// Admits and records an oracle's answer, evaluates the policies on it and commits the transition.
    /// Returns Code::Encoding for an inadmissible answer, which is recorded and evaluated too. The `work`
    /// of the agent must not overlap the answer: Code::Protocol, and nothing is recorded. Whether the
    /// program may act on the answer, may_act() tells. The library takes every id in NFC without control
    /// characters; is_visible_ascii() tells whether what is shown of an id is what it is.
    Status observe(const Answer &answer) noexcept
    {
        return Status(ax_agent_observe(&agent_, &policy_, answer.raw(), work_.data(), work_.size(),
                                       faults_.raw()));
    }
    /// Records the time, in the unit of the times before.
    Status observe_time(std::uint64_t now) noexcept
    {
        return Status(ax_agent_observe_time(&agent_, &policy_, now, work_.data(), work_.size(),
                                            faults_.raw()));
    }
    /// Records PolicyTrigger, FaultSignal or ResetRequest.
    Status observe_control(InputClass input_class) noexcept
    {
        return Status(ax_agent_observe_control(&agent_, &policy_, static_cast<ax_input_class_t>(input_class),
                                               work_.data(), work_.size(), faults_.raw()));
    }
    /// Records a reset request: Uninit and Degraded become Init.
    Status reset() noexcept { return observe_control(InputClass::ResetRequest); }

    /// Evaluates and commits the transition on an input whose observation is already in the ledger.
    void step(InputClass input_class, ByteView payload, std::uint64_t ledger_seq) noexcept
    {
        const ax_input_t raw{ static_cast<ax_input_class_t>(input_class), payload.data(), payload.size(),
                              ledger_seq };
        ax_agent_step(&agent_, &policy_, &raw, faults_.raw());
    }

    /// Whether the last answer may be acted on: it was permitted, and the agent is Enabled after it.
    bool may_act() const noexcept { return ax_agent_may_act(&agent_, &policy_) == 1; }
    Health health() const noexcept { return static_cast<Health>(agent_.health); }
    bool enabled() const noexcept { return health() == Health::Enabled; }
    /// The violation for which the last input was refused, where no record holds it.
    Violation violation() const noexcept { return static_cast<Violation>(agent_.violation); }
    /// How many faults the agent counted since the last reset.
    std::uint32_t fault_count() const noexcept { return agent_.fault_accumulator; }
    /// The last accepted timestamp; 0 before the first.
    std::uint64_t last_time() const noexcept { return agent_.last_timestamp; }

    LedgerRef ledger() noexcept { return LedgerRef(agent_.ledger); }
    RulesRef rules() noexcept { return RulesRef(policy_); }
    /// The fault flags. A flag that is set stops the agent at its next input.
    Faults &faults() noexcept { return faults_; }

    /// Takes the state that a replay ended with, under the policies of this agent. Attach the sink after
    /// it.
    inline Status resume(const Replay &replay) noexcept;
    /// Commits the records that an interrupted last step lacks to the attached sink.
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
