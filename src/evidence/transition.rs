//! `AX:TRANS:v1`: what the agent did with one input.
//!
//! formats.md §5; SRS-004-SHALL-014, SHALL-016, SHALL-032. Determinism: D1.

use super::reader::Reader;
use crate::fault::Error;
use crate::json::writer;
use crate::sink::Sink;

/// Room for any transition record, and a NUL: the longest has 175 bytes.
pub const MAX_TRANSITION_RECORD_BYTES: usize = 192;

/// The health of an agent. Numbers and names are fixed (formats.md §5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Health {
    /// The agent waits for its first reset.
    Uninit = 0,
    /// The agent was reset and waits for the time.
    Init = 1,
    /// The agent runs.
    Enabled = 2,
    /// A policy was breached, or too many faults were counted.
    Alarm = 3,
    /// An operator handled the alarm; the agent waits for a reset.
    Degraded = 4,
    /// The agent stopped for good; only a new agent goes on.
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

/// The class of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum InputClass {
    /// The input is the time.
    TimeObs = 0,
    /// The input is an oracle's answer.
    LlmObs = 1,
    /// An operator handled an alarm.
    PolicyTrigger = 2,
    /// The machine reports a fault.
    FaultSignal = 3,
    /// An operator asks for a reset.
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

/// A rule that an input violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Violation {
    /// A timestamp did not exceed the last one.
    TimeRollback = 1,
    /// A policy was breached.
    PolicyBreach = 2,
    /// Too many faults were counted.
    FaultBudgetExceeded = 3,
    /// The state does not allow the input.
    ProtocolViolation = 4,
    /// The chain does not begin with the golden genesis.
    GenesisMismatch = 5,
    /// A record could not be committed.
    CommitFailure = 6,
    /// A sequence did not increase.
    SequenceOrder = 7,
    /// An input came to a stopped agent.
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
    /// The number of faults after this input.
    pub fault_count: u32,
    /// The class of the input; `None` is written `UNKNOWN`.
    pub input_class: Option<InputClass>,
    /// `ledger_seq` of the observation.
    pub ledger_seq: u64,
    /// The state after the input.
    pub next_state: Health,
    /// The state before the input.
    pub prev_state: Health,
    /// The rule that was violated, if any.
    pub violation: Option<Violation>,
}

impl TransitionRecord {
    /// Writes the canonical record.
    pub fn write(&self, out: &mut (impl Sink + ?Sized)) {
        self.write_from(self.prev_state.as_str(), out);
    }

    /// The same, with another name for the state before the input.
    pub(crate) fn write_from(&self, prev_state: &str, out: &mut (impl Sink + ?Sized)) {
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
        out.put(prev_state.as_bytes());
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
        let next_state = read_health(reader.until_quote()?)?;
        reader.literal(b",\"prev_state\":\"")?;
        let prev_state = read_health(reader.until_quote()?)?;
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

fn read_health(name: &[u8]) -> Result<Health, Error> {
    Health::ALL
        .into_iter()
        .find(|h| h.as_str().as_bytes() == name)
        .ok_or(Error::Schema)
}
