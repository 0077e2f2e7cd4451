//! The states of the agent and the pure table of transitions between them.
//!
//! formats.md §5; SRS-004 §19. Determinism: D2. The names of states, inputs and violations are those
//! of the transition record.

pub use crate::evidence::transition::{Health, InputClass, Violation};

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
