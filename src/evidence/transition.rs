//! `AX:TRANS:v1`: what the agent did with one input.
//!
//! formats.md §5; SRS-004-SHALL-014, SHALL-016, SHALL-032. Determinism: D1.

use super::reader::Reader;
use crate::fault::Error;
use crate::json::writer;
use crate::sink::Sink;

/// Room for any transition record, and a NUL: the longest has 175 bytes.
pub const MAX_TRANSITION_RECORD_BYTES: usize = 192;

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

/// The fields of an `AX:TRANS:v1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransitionRecord {
    /// Faults counted after this input.
    pub fault_count: u32,
    /// What kind of input it was; `None` is written `UNKNOWN`.
    pub input_class: Option<InputClass>,
    /// `ledger_seq` of the observation.
    pub ledger_seq: u64,
    /// The state after.
    pub next_state: Health,
    /// The state before.
    pub prev_state: Health,
    /// Why the state is ALARM or STOPPED, where a rule was violated.
    pub violation: Option<Violation>,
}

impl TransitionRecord {
    /// Writes the canonical record.
    pub fn write(&self, out: &mut (impl Sink + ?Sized)) {
        out.put(b"{\"fault_count\":");
        writer::u64(u64::from(self.fault_count), out);
        out.put(b",\"input_class\":\"");
        out.put(
            self.input_class
                .map_or("UNKNOWN", InputClass::as_str)
                .as_bytes(),
        );
        out.put(b"\",\"ledger_seq\":");
        writer::u64(self.ledger_seq, out);
        out.put(b",\"next_state\":\"");
        out.put(self.next_state.as_str().as_bytes());
        out.put(b"\",\"prev_state\":\"");
        out.put(self.prev_state.as_str().as_bytes());
        out.put(b"\",\"violation\":");
        match self.violation {
            Some(violation) => {
                out.put(b"\"");
                out.put(violation.as_str().as_bytes());
                out.put(b"\"");
            }
            None => out.put(b"null"),
        }
        out.put(b"}");
    }

    /// Reads exactly the canonical bytes.
    ///
    /// # Errors
    /// [`Error::Schema`] for anything else.
    pub fn parse(record: &[u8]) -> Result<TransitionRecord, Error> {
        let mut reader = Reader::new(record);
        reader.literal(b"{\"fault_count\":")?;
        let fault_count = u32::try_from(reader.u64()?).map_err(|_| Error::Schema)?;
        reader.literal(b",\"input_class\":\"")?;
        let class = reader.until_quote()?;
        let input_class = InputClass::ALL
            .into_iter()
            .find(|c| c.as_str().as_bytes() == class);
        if input_class.is_none() && class != b"UNKNOWN" {
            return Err(Error::Schema);
        }
        reader.literal(b",\"ledger_seq\":")?;
        let ledger_seq = reader.u64()?;
        reader.literal(b",\"next_state\":\"")?;
        let next_state = health(reader.until_quote()?)?;
        reader.literal(b",\"prev_state\":\"")?;
        let prev_state = health(reader.until_quote()?)?;
        reader.literal(b",\"violation\":")?;
        let violation = if reader.literal(b"null").is_ok() {
            None
        } else {
            reader.literal(b"\"")?;
            let name = reader.until_quote()?;
            let found = Violation::ALL
                .into_iter()
                .find(|v| v.as_str().as_bytes() == name);
            Some(found.ok_or(Error::Schema)?)
        };
        reader.literal(b"}")?;
        reader.end()?;
        Ok(TransitionRecord {
            fault_count,
            input_class,
            ledger_seq,
            next_state,
            prev_state,
            violation,
        })
    }
}

fn health(name: &[u8]) -> Result<Health, Error> {
    Health::ALL
        .into_iter()
        .find(|h| h.as_str().as_bytes() == name)
        .ok_or(Error::Schema)
}
