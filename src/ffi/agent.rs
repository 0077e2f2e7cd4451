//! `agent.h`: the agent (formats.md §5; SRS-004 §19, §25.5).

use core::mem::MaybeUninit;

use super::audit::ax_ledger_ctx_t;
use super::pointer::{Flags, bytes, enum_value};
use super::types::ct_fault_flags_t;
use crate::agent::Agent;
use crate::agent::state::{Health, InputClass, Violation};
use crate::agent::stimulus::Input;
use crate::fault::{Error, Faults};
use crate::hash::GOLDEN_GENESIS;
use crate::ledger::Ledger;

/// The health of an agent.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ax_health_state_t {
    /// The agent waits for its first reset.
    AX_HEALTH_UNINIT = 0,
    /// The agent was reset and waits for the time.
    AX_HEALTH_INIT = 1,
    /// The agent runs.
    AX_HEALTH_ENABLED = 2,
    /// A policy was breached, or too many faults were counted.
    AX_HEALTH_ALARM = 3,
    /// An operator handled the alarm; the agent waits for a reset.
    AX_HEALTH_DEGRADED = 4,
    /// The agent stopped for good.
    AX_HEALTH_STOPPED = 5,
}

/// The class of an input. Any other number is the unknown class, which stops the agent.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ax_input_class_t {
    /// The input is the time.
    AX_INPUT_TIME_OBS = 0,
    /// The input is an oracle's answer.
    AX_INPUT_LLM_OBS = 1,
    /// An operator handled an alarm.
    AX_INPUT_POLICY_TRIGGER = 2,
    /// The machine reports a fault.
    AX_INPUT_FAULT_SIGNAL = 3,
    /// An operator asks for a reset.
    AX_INPUT_RESET_REQUEST = 4,
}

/// A rule that an input violated.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ax_violation_t {
    /// No rule was violated.
    AX_VIOLATION_NONE = 0,
    /// A timestamp did not exceed the last one.
    AX_VIOLATION_TIME_ROLLBACK = 1,
    /// A policy was breached.
    AX_VIOLATION_POLICY_BREACH = 2,
    /// Too many faults were counted.
    AX_VIOLATION_FAULT_EXCEEDED = 3,
    /// The state does not allow the input.
    AX_VIOLATION_PROTOCOL = 4,
    /// The chain does not begin with the golden genesis.
    AX_VIOLATION_GENESIS_MISMATCH = 5,
    /// A record could not be committed.
    AX_VIOLATION_COMMIT_FAILURE = 6,
    /// A sequence did not increase.
    AX_VIOLATION_SEQUENCE_ORDER = 7,
    /// An input came to a stopped agent.
    AX_VIOLATION_TERMINALITY = 8,
}

/// Number of input classes.
pub const AX_INPUT_CLASS_COUNT: i32 = 5;
/// Number of health states.
pub const AX_HEALTH_STATE_COUNT: i32 = 6;

/// The chain value of every ledger's genesis (formats.md §1).
#[unsafe(export_name = "axilog_impl_AX_GOLDEN_GENESIS_HASH")]
pub static AX_GOLDEN_GENESIS_HASH: [u8; 32] = GOLDEN_GENESIS;

/// One input of the agent, whose observation is already in the ledger.
#[repr(C)]
pub struct ax_input_t {
    /// Class of the input.
    pub r#type: MaybeUninit<ax_input_class_t>,
    /// AX:OBS:v1 record of the input, or for the time also the bare {"timestamp":N}; may be NULL for
    /// a control input.
    pub payload: *const u8,
    /// Bytes of payload.
    pub payload_len: u64,
    /// Sequence of the observation.
    pub ledger_seq: u64,
}

impl ax_input_t {
    /// # Safety
    /// The payload is NULL or valid for `'a`.
    pub(super) unsafe fn load<'a>(&self) -> Option<Input<'a>> {
        let len = usize::try_from(self.payload_len).ok()?;
        Some(Input {
            class: load_class(self.r#type),
            // SAFETY: by contract.
            payload: unsafe { bytes(self.payload, len) }?,
            ledger_seq: self.ledger_seq,
        })
    }
}

/// An agent and the ledger that it writes. The caller owns the context; ax_agent_init makes it. The
/// context may be copied: its only pointer is the ledger's sink.
#[repr(C)]
pub struct ax_agent_ctx_t {
    /// Ledger of the agent.
    pub ledger: ax_ledger_ctx_t,
    /// Health of the agent.
    pub health: MaybeUninit<ax_health_state_t>,
    /// Number of faults since the last reset.
    pub fault_accumulator: u32,
    /// Last accepted timestamp in the integrator's unit; 0 before the first.
    pub last_timestamp: u64,
    /// Sequence of the last observation that the agent acted on.
    pub last_seen_seq: u64,
    /// 1 where the agent failed by itself, whatever the state of its ledger; else 0.
    pub local_failed_flag: u8,
    /// Padding; zero.
    pub _pad: [u8; 7],
    /// Rule for which the last input was refused without a record, and the violation that the next
    /// ax_agent_commit_transition writes.
    pub violation: MaybeUninit<ax_violation_t>,
}

impl ax_agent_ctx_t {
    /// A number that is no state makes a failed agent: it must not act on what it does not know.
    pub(super) fn load(&self) -> Option<Agent> {
        let health = load_health(self.health);
        Some(Agent {
            ledger: self.ledger.load()?,
            health: health.unwrap_or(Health::Stopped),
            fault_count: self.fault_accumulator,
            last_timestamp: self.last_timestamp,
            last_seen_seq: self.last_seen_seq,
            failed: self.local_failed_flag != 0 || health.is_none(),
            violation: load_violation(self.violation).unwrap_or_default(),
        })
    }

    /// Everything but the sink.
    pub(super) fn store(&mut self, agent: &Agent) {
        self.ledger.store(&agent.ledger);
        self.health = MaybeUninit::new(health_of(agent.health));
        self.fault_accumulator = agent.fault_count;
        self.last_timestamp = agent.last_timestamp;
        self.last_seen_seq = agent.last_seen_seq;
        self.local_failed_flag = u8::from(agent.failed);
        self._pad = [0; 7];
        self.violation = MaybeUninit::new(violation_of(agent.violation));
    }

    pub(super) fn note_breach(&mut self, committed: bool) {
        let why = if committed {
            Violation::PolicyBreach
        } else {
            Violation::CommitFailure
        };
        self.violation = MaybeUninit::new(violation_of(Some(why)));
    }
}

/// Makes a new agent in UNINIT with a new ledger and no sink; initialising again begins a new
/// ledger.
///
/// @param ctx Agent to overwrite, owned by the caller. NULL sets domain.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing.
/// @see SRS-004 §19 and §25.5; formats.md §5 (Lifecycle)
///
/// @par Example
/// ```c
/// static ax_agent_ctx_t agent;
/// ct_fault_flags_t faults;
///
/// ct_fault_init(&faults);
/// ax_agent_init(&agent, &faults);
/// assert(agent.health == AX_HEALTH_UNINIT && agent.ledger.sequence == 0);
/// assert(!ct_fault_any(&faults));
/// ```
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_agent_init")]
pub unsafe extern "C" fn ax_agent_init(ctx: *mut ax_agent_ctx_t, faults: *mut ct_fault_flags_t) {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return;
    };
    // SAFETY: by contract.
    if unsafe { place(ctx, &Agent::new()) }.is_err() {
        flags.null();
    }
}

/// Writes `agent` over whatever `ctx` holds, without a sink.
///
/// # Safety
/// `ctx` is NULL or writable.
pub(super) unsafe fn place(ctx: *mut ax_agent_ctx_t, agent: &Agent) -> Result<(), Error> {
    if ctx.is_null() {
        return Err(Error::Protocol);
    }
    // SAFETY: not NULL; zero is a valid value of every field.
    unsafe {
        ctx.write_bytes(0, 1);
        (*ctx).store(agent);
    }
    Ok(())
}

/// Compares the genesis of an agent's ledger with the golden one, and stops the agent where they
/// differ.
///
/// A ledger that was never initialised counts as another genesis. The agent is then STOPPED with
/// GENESIS_MISMATCH (flag domain).
///
/// @param ctx Agent to check. NULL sets domain.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing.
/// @see SRS-004 §19 and §25.5; formats.md §5 (Lifecycle)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_agent_bind")]
pub unsafe extern "C" fn ax_agent_bind(ctx: *mut ax_agent_ctx_t, faults: *mut ct_fault_flags_t) {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return;
    };
    // SAFETY: by contract.
    let Some(raw) = (unsafe { ctx.as_mut() }) else {
        flags.null();
        return;
    };
    let unbound = Ledger {
        genesis: [0; 32],
        ..Ledger::genesis()
    };
    let initialised = raw.load();
    let known = initialised.is_some();
    let mut agent = initialised.unwrap_or(Agent {
        ledger: unbound,
        ..Agent::new()
    });
    let mut raised = Faults::NONE;
    agent.bind(&mut raised);
    if known {
        raw.store(&agent);
    } else {
        raw.health = MaybeUninit::new(health_of(agent.health));
        raw.violation = MaybeUninit::new(violation_of(agent.violation));
    }
    flags.raise(raised);
}

/// `None` for a number that is no state.
pub(super) fn load_health(raw: MaybeUninit<ax_health_state_t>) -> Option<Health> {
    Health::ALL
        .get(usize::try_from(enum_value(raw)).ok()?)
        .copied()
}

/// `None` for a number outside the closed set.
pub(super) fn load_class(raw: MaybeUninit<ax_input_class_t>) -> Option<InputClass> {
    InputClass::ALL
        .get(usize::try_from(enum_value(raw)).ok()?)
        .copied()
}

/// `None` for a number that is no violation, `Some(None)` for AX_VIOLATION_NONE.
pub(super) fn load_violation(raw: MaybeUninit<ax_violation_t>) -> Option<Option<Violation>> {
    match usize::try_from(enum_value(raw)).ok()? {
        0 => Some(None),
        number => Violation::ALL
            .get(number.checked_sub(1)?)
            .map(|&violation| Some(violation)),
    }
}

/// The C form of a health state.
#[must_use]
pub fn health_of(health: Health) -> ax_health_state_t {
    match health {
        Health::Uninit => ax_health_state_t::AX_HEALTH_UNINIT,
        Health::Init => ax_health_state_t::AX_HEALTH_INIT,
        Health::Enabled => ax_health_state_t::AX_HEALTH_ENABLED,
        Health::Alarm => ax_health_state_t::AX_HEALTH_ALARM,
        Health::Degraded => ax_health_state_t::AX_HEALTH_DEGRADED,
        Health::Stopped => ax_health_state_t::AX_HEALTH_STOPPED,
    }
}

/// The C form of a violation.
#[must_use]
pub fn violation_of(violation: Option<Violation>) -> ax_violation_t {
    match violation {
        None => ax_violation_t::AX_VIOLATION_NONE,
        Some(Violation::TimeRollback) => ax_violation_t::AX_VIOLATION_TIME_ROLLBACK,
        Some(Violation::PolicyBreach) => ax_violation_t::AX_VIOLATION_POLICY_BREACH,
        Some(Violation::FaultBudgetExceeded) => ax_violation_t::AX_VIOLATION_FAULT_EXCEEDED,
        Some(Violation::ProtocolViolation) => ax_violation_t::AX_VIOLATION_PROTOCOL,
        Some(Violation::GenesisMismatch) => ax_violation_t::AX_VIOLATION_GENESIS_MISMATCH,
        Some(Violation::CommitFailure) => ax_violation_t::AX_VIOLATION_COMMIT_FAILURE,
        Some(Violation::SequenceOrder) => ax_violation_t::AX_VIOLATION_SEQUENCE_ORDER,
        Some(Violation::Terminality) => ax_violation_t::AX_VIOLATION_TERMINALITY,
    }
}
