//! The agent's vocabulary and its pure transition table.
//!
//! formats.md §5; SRS-004 §19. Determinism: D2.

/// The agent's health. Numbers and names are fixed (formats.md §5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Health {
    /// Before the first reset.
    Uninit = 0,
    /// Reset; waiting for the time.
    Init = 1,
    /// Running.
    Enabled = 2,
    /// A policy was breached, or faults gather.
    Alarm = 3,
    /// An alarm was handled; waiting for a reset.
    Degraded = 4,
    /// Terminal: only a new agent leaves it.
    Stopped = 5,
}

impl Health {
    /// Every state, in the order of its number.
    pub const ALL: [Health; 6] = [
        Health::Uninit,
        Health::Init,
        Health::Enabled,
        Health::Alarm,
        Health::Degraded,
        Health::Stopped,
    ];

    /// The state's name in records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Health::Uninit => "UNINIT",
            Health::Init => "INIT",
            Health::Enabled => "ENABLED",
            Health::Alarm => "ALARM",
            Health::Degraded => "DEGRADED",
            Health::Stopped => "STOPPED",
        }
    }
}

/// What kind of input the agent takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum InputClass {
    /// The time.
    TimeObs = 0,
    /// An oracle's answer.
    LlmObs = 1,
    /// An operator's handling of an alarm.
    PolicyTrigger = 2,
    /// A fault of the machine.
    FaultSignal = 3,
    /// A reset.
    ResetRequest = 4,
}

impl InputClass {
    /// Every class, in the order of its number.
    pub const ALL: [InputClass; 5] = [
        InputClass::TimeObs,
        InputClass::LlmObs,
        InputClass::PolicyTrigger,
        InputClass::FaultSignal,
        InputClass::ResetRequest,
    ];

    /// The class's name in records and control outputs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            InputClass::TimeObs => "TIME_OBS",
            InputClass::LlmObs => "LLM_OBS",
            InputClass::PolicyTrigger => "POLICY_TRIGGER",
            InputClass::FaultSignal => "FAULT_SIGNAL",
            InputClass::ResetRequest => "RESET_REQUEST",
        }
    }

    /// Whether the class arrives as an `ax.control` observation.
    #[must_use]
    pub fn is_control(self) -> bool {
        matches!(
            self,
            InputClass::PolicyTrigger | InputClass::FaultSignal | InputClass::ResetRequest
        )
    }
}

/// Which rule was violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Violation {
    /// A timestamp that does not exceed the last.
    TimeRollback = 1,
    /// A policy said no.
    PolicyBreach = 2,
    /// Too many faults.
    FaultBudgetExceeded = 3,
    /// An input that the state does not allow.
    ProtocolViolation = 4,
    /// The chain does not begin with the golden genesis.
    GenesisMismatch = 5,
    /// A record could not be committed.
    CommitFailure = 6,
    /// A sequence that does not increase.
    SequenceOrder = 7,
    /// An input to a stopped agent.
    Terminality = 8,
}

impl Violation {
    /// Every violation, in the order of its number.
    pub const ALL: [Violation; 8] = [
        Violation::TimeRollback,
        Violation::PolicyBreach,
        Violation::FaultBudgetExceeded,
        Violation::ProtocolViolation,
        Violation::GenesisMismatch,
        Violation::CommitFailure,
        Violation::SequenceOrder,
        Violation::Terminality,
    ];

    /// The violation's name in records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Violation::TimeRollback => "TIME_ROLLBACK",
            Violation::PolicyBreach => "POLICY_BREACH",
            Violation::FaultBudgetExceeded => "FAULT_BUDGET_EXCEEDED",
            Violation::ProtocolViolation => "PROTOCOL_VIOLATION",
            Violation::GenesisMismatch => "GENESIS_MISMATCH",
            Violation::CommitFailure => "COMMIT_FAILURE",
            Violation::SequenceOrder => "SEQUENCE_ORDER",
            Violation::Terminality => "TERMINALITY",
        }
    }
}

/// Faults in ENABLED from which the agent is in ALARM.
pub const FAULT_THRESHOLD_ALARM: u32 = 3;

/// Faults in ENABLED from which the agent is STOPPED.
pub const FAULT_THRESHOLD_STOP: u32 = 5;

/// The pure table of intended transitions; `class` is `None` for one outside the closed set.
/// Policies, faults, time and genesis are applied on top of it by the step.
#[must_use]
pub fn determine_next(state: Health, class: Option<InputClass>) -> (Health, Option<Violation>) {
    use {Health as H, InputClass as I, Violation as V};
    match (state, class) {
        (H::Stopped, _) => (H::Stopped, None),
        (_, None) => (H::Stopped, Some(V::ProtocolViolation)),
        (H::Uninit, Some(I::ResetRequest)) => (H::Init, None),
        (H::Uninit, Some(_)) => (H::Stopped, Some(V::ProtocolViolation)),
        (H::Init, Some(I::TimeObs)) => (H::Enabled, None),
        (H::Init, Some(I::FaultSignal)) => (H::Stopped, Some(V::ProtocolViolation)),
        (H::Enabled, Some(I::FaultSignal)) => (H::Alarm, None),
        (H::Alarm, Some(I::PolicyTrigger)) => (H::Degraded, None),
        (H::Alarm | H::Degraded, Some(I::FaultSignal)) => {
            (H::Stopped, Some(V::FaultBudgetExceeded))
        }
        (H::Degraded, Some(I::ResetRequest)) => (H::Init, None),
        (H::Init | H::Enabled | H::Alarm | H::Degraded, Some(_)) => (state, None),
    }
}
