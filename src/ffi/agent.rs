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

/// The agent's health.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ax_health_state_t {
    /// Before the first reset.
    AX_HEALTH_UNINIT = 0,
    /// Reset; waiting for the time.
    AX_HEALTH_INIT = 1,
    /// Running.
    AX_HEALTH_ENABLED = 2,
    /// A policy was breached, or faults gather.
    AX_HEALTH_ALARM = 3,
    /// An alarm was handled; waiting for a reset.
    AX_HEALTH_DEGRADED = 4,
    /// Terminal.
    AX_HEALTH_STOPPED = 5,
}

/// What kind of input the agent takes. Any other number is the unknown class, which stops it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ax_input_class_t {
    /// The time.
    AX_INPUT_TIME_OBS = 0,
    /// An oracle's answer.
    AX_INPUT_LLM_OBS = 1,
    /// An operator's handling of an alarm.
    AX_INPUT_POLICY_TRIGGER = 2,
    /// A fault of the machine.
    AX_INPUT_FAULT_SIGNAL = 3,
    /// A reset.
    AX_INPUT_RESET_REQUEST = 4,
}

/// Which rule was violated.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ax_violation_t {
    /// None.
    AX_VIOLATION_NONE = 0,
    /// A timestamp that does not exceed the last.
    AX_VIOLATION_TIME_ROLLBACK = 1,
    /// A policy said no.
    AX_VIOLATION_POLICY_BREACH = 2,
    /// Too many faults.
    AX_VIOLATION_FAULT_EXCEEDED = 3,
    /// An input that the state does not allow.
    AX_VIOLATION_PROTOCOL = 4,
    /// The chain does not begin with the golden genesis.
    AX_VIOLATION_GENESIS_MISMATCH = 5,
    /// A record could not be committed.
    AX_VIOLATION_COMMIT_FAILURE = 6,
    /// A sequence that does not increase.
    AX_VIOLATION_SEQUENCE_ORDER = 7,
    /// An input to a stopped agent.
    AX_VIOLATION_TERMINALITY = 8,
}

/// How many input classes there are.
pub const AX_INPUT_CLASS_COUNT: i32 = 5;
/// How many health states there are.
pub const AX_HEALTH_STATE_COUNT: i32 = 6;

/// The chain value of every ledger's genesis (formats.md §1).
#[unsafe(no_mangle)]
pub static AX_GOLDEN_GENESIS_HASH: [u8; 32] = GOLDEN_GENESIS;

/// One input of the agent, whose observation is already in the ledger.
#[repr(C)]
pub struct ax_input_t {
    /// What it is.
    pub r#type: MaybeUninit<ax_input_class_t>,
    /// Its AX:OBS:v1 record, or for time also the bare {"timestamp":N}. Control inputs need none.
    pub payload: *const u8,
    /// Bytes of payload.
    pub payload_len: u64,
    /// The observation's sequence.
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

/// The agent and the ledger it writes. Caller-owned; made by ax_agent_init. It holds no pointer but
/// the ledger's sink and may be copied.
#[repr(C)]
pub struct ax_agent_ctx_t {
    /// Its ledger.
    pub ledger: ax_ledger_ctx_t,
    /// Its state.
    pub health: MaybeUninit<ax_health_state_t>,
    /// Faults counted since the last reset.
    pub fault_accumulator: u32,
    /// The last accepted timestamp; 0 before the first.
    pub last_timestamp: u64,
    /// The sequence of the last observation that was acted on.
    pub last_seen_seq: u64,
    /// 1: the agent failed by itself, whatever its ledger says.
    pub local_failed_flag: u8,
    /// Zero.
    pub _pad: [u8; 7],
    /// Why the last input was refused, where no record could say so; and the violation that the next
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

/// Makes a new agent in UNINIT with a new ledger and no sink. Initialising again begins anew.
///
/// # Safety
/// ctx is NULL (flag domain) or writable; faults is NULL or a ct_fault_flags_t.
#[unsafe(no_mangle)]
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

/// Compares the genesis of the agent's ledger with the golden one. A mismatch, or a ledger that was
/// never initialised, stops the agent with GENESIS_MISMATCH (flag domain).
///
/// # Safety
/// ctx is NULL (flag domain) or an agent; faults is NULL or a ct_fault_flags_t.
#[unsafe(no_mangle)]
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

pub(super) fn health_of(health: Health) -> ax_health_state_t {
    match health {
        Health::Uninit => ax_health_state_t::AX_HEALTH_UNINIT,
        Health::Init => ax_health_state_t::AX_HEALTH_INIT,
        Health::Enabled => ax_health_state_t::AX_HEALTH_ENABLED,
        Health::Alarm => ax_health_state_t::AX_HEALTH_ALARM,
        Health::Degraded => ax_health_state_t::AX_HEALTH_DEGRADED,
        Health::Stopped => ax_health_state_t::AX_HEALTH_STOPPED,
    }
}

pub(super) fn violation_of(violation: Option<Violation>) -> ax_violation_t {
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
