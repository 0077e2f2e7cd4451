//! The input of a step: its class, and the part of its content that a step may know.
//!
//! formats.md §4 (Extracting the value) and §5 (Which input is an observation?); SRS-004 §11.3.
//! Determinism: D2.

use super::state::InputClass;
use crate::evidence::observation::{Completion, Failure, SealedObservation};
use crate::evidence::reader::Reader;
use crate::evidence::view::ObservationView;
use crate::json::escaped::EscapedText;
use crate::json::extract::{MAX_POLICIES, NO_VALUE, Selectors, extract};

/// The oracle id whose observations are the time.
pub const TIME_ORACLE: &str = "ax.time";

/// The oracle id whose observations are control inputs.
pub const CONTROL_ORACLE: &str = "ax.control";

/// Whether `oracle_id` says that an observation is the machine's own and no oracle's.
#[must_use]
pub fn is_reserved(oracle_id: &[u8]) -> bool {
    oracle_id == TIME_ORACLE.as_bytes() || oracle_id == CONTROL_ORACLE.as_bytes()
}

/// An input as the C surface takes it (`ax_input_t`).
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The class that the caller names; `None` for a number outside the closed set.
    pub class: Option<InputClass>,
    /// An `AX:OBS:v1` record, or for time also the bare `{"timestamp":N}`.
    pub payload: &'a [u8],
    /// The observation's sequence.
    pub ledger_seq: u64,
}

/// The id of an oracle, as it was given or as a record holds it.
#[derive(Clone, Copy)]
pub(crate) enum OracleId<'a> {
    Given(&'a [u8]),
    Recorded(EscapedText<'a>),
}

impl OracleId<'_> {
    pub(crate) fn is(self, id: &str) -> bool {
        match self {
            OracleId::Given(bytes) => bytes == id.as_bytes(),
            OracleId::Recorded(text) => text.is(id.as_bytes()),
        }
    }
}

/// An oracle's answer as its record holds it.
#[derive(Clone, Copy)]
pub(crate) struct RecordedAnswer<'a> {
    /// The oracle that answered.
    pub(crate) oracle: OracleId<'a>,
    pub(crate) completion: Completion,
    pub(crate) failure: Option<Failure>,
    pub(crate) output: EscapedText<'a>,
    /// Keys the reader's fingerprints, so that an answer cannot choose their collisions.
    pub(crate) key: [u8; 16],
}

impl<'a> RecordedAnswer<'a> {
    /// Puts the values of `selectors` in `values`; an answer that may not be used changes nothing.
    pub(crate) fn extract_into(
        &self,
        values: &mut [i32; MAX_POLICIES],
        selectors: &dyn Selectors,
        permit_truncated: bool,
    ) {
        if self.is_usable(permit_truncated) {
            extract(self.output, &self.key, selectors, values);
        }
    }

    pub(crate) fn is_usable(&self, permit_truncated: bool) -> bool {
        match self.completion {
            Completion::Complete => true,
            Completion::Truncated => permit_truncated,
            Completion::Error => false,
        }
    }
}

/// One input as a step takes it.
#[derive(Clone, Copy)]
pub(crate) enum Stimulus<'a> {
    /// The time, where the payload has one.
    Time(Option<u64>),
    /// An answer, where the payload is a record of one.
    Answer(Option<RecordedAnswer<'a>>),
    /// A control input, or `None` for the unknown class.
    Control(Option<InputClass>),
}

impl<'a> Stimulus<'a> {
    /// Reads the input that a caller hands to the step. An observation counts only under its own sequence.
    pub(crate) fn read(input: &Input<'a>) -> Stimulus<'a> {
        match input.class {
            Some(InputClass::TimeObs) => Stimulus::Time(
                read_bare_timestamp(input.payload).or_else(|| match read_observation(input) {
                    Some(Stimulus::Time(timestamp)) => timestamp,
                    _ => None,
                }),
            ),
            Some(InputClass::LlmObs) => Stimulus::Answer(match read_observation(input) {
                Some(Stimulus::Answer(recorded)) => recorded,
                _ => None,
            }),
            control => Stimulus::Control(control),
        }
    }

    /// The stimulus that a verified observation is.
    pub(crate) fn of_view(view: &ObservationView<'a>) -> Stimulus<'a> {
        Stimulus::of_recorded_answer(RecordedAnswer {
            oracle: OracleId::Recorded(view.oracle_id),
            completion: view.completion,
            failure: view.failure,
            output: view.output,
            key: key_of(&view.obs_hash),
        })
    }

    /// The stimulus that an observation is which was just written.
    pub(crate) fn of_sealed(
        oracle_id: &'a [u8],
        completion: Completion,
        failure: Option<Failure>,
        sealed: &SealedObservation<'a>,
    ) -> Stimulus<'a> {
        Stimulus::of_recorded_answer(RecordedAnswer {
            oracle: OracleId::Given(oracle_id),
            completion,
            failure,
            output: sealed.output,
            key: key_of(&sealed.obs_hash),
        })
    }

    fn of_recorded_answer(recorded: RecordedAnswer<'a>) -> Stimulus<'a> {
        let whole = recorded.completion == Completion::Complete;
        let output = recorded.output.bytes();
        if recorded.oracle.is(TIME_ORACLE) {
            Stimulus::Time(read_timestamp(output, b"{\\\"timestamp\\\":").filter(|_| whole))
        } else if recorded.oracle.is(CONTROL_ORACLE) {
            Stimulus::Control(read_control(output).filter(|_| whole))
        } else {
            Stimulus::Answer(Some(recorded))
        }
    }

    /// The class that goes into the transition record.
    pub(crate) fn class(&self) -> Option<InputClass> {
        match self {
            Stimulus::Time(_) => Some(InputClass::TimeObs),
            Stimulus::Answer(_) => Some(InputClass::LlmObs),
            Stimulus::Control(class) => *class,
        }
    }
}

/// The timestamp of a time payload: `{"timestamp":N}` itself, or the record of an `ax.time`
/// observation whose output is exactly that.
#[must_use]
pub fn extract_timestamp(payload: &[u8]) -> Option<u64> {
    read_bare_timestamp(payload).or_else(|| {
        match Stimulus::of_view(&ObservationView::parse(payload).ok()?) {
            Stimulus::Time(timestamp) => timestamp,
            _ => None,
        }
    })
}

/// The value of the selector `value` in the answer whose record is the payload, raw Q16.16, or
/// [`NO_VALUE`] (formats.md §4).
#[must_use]
pub fn extract_value(input: &Input<'_>) -> i32 {
    struct Value;
    impl Selectors for Value {
        fn count(&self) -> usize {
            1
        }
        fn path(&self, index: usize) -> Option<&str> {
            (index == 0).then_some(crate::policy::DEFAULT_SELECTOR)
        }
        fn takes_least(&self, _: usize) -> bool {
            false
        }
    }
    let mut values = [NO_VALUE; MAX_POLICIES];
    if let Stimulus::Answer(Some(recorded)) = Stimulus::read(input) {
        recorded.extract_into(&mut values, &Value, false);
    }
    values.first().copied().unwrap_or(NO_VALUE)
}

fn read_observation<'a>(input: &Input<'a>) -> Option<Stimulus<'a>> {
    let view = ObservationView::parse(input.payload).ok()?;
    (view.ledger_seq == input.ledger_seq).then(|| Stimulus::of_view(&view))
}

fn read_bare_timestamp(payload: &[u8]) -> Option<u64> {
    read_timestamp(payload, b"{\"timestamp\":")
}

fn read_timestamp(text: &[u8], opening: &[u8]) -> Option<u64> {
    let mut reader = Reader::new(text);
    reader.literal(opening).ok()?;
    let timestamp = reader.u64().ok()?;
    reader.literal(b"}").ok()?;
    reader.end().ok()?;
    Some(timestamp)
}

fn read_control(escaped: &[u8]) -> Option<InputClass> {
    let name = escaped
        .strip_prefix(b"{\\\"input_class\\\":\\\"")?
        .strip_suffix(b"\\\"}")?;
    InputClass::ALL
        .into_iter()
        .find(|c| c.is_control() && c.as_str().as_bytes() == name)
}

fn key_of(obs_hash: &[u8; 32]) -> [u8; 16] {
    let mut key = [0u8; 16];
    for (to, from) in key.iter_mut().zip(obs_hash) {
        *to = *from;
    }
    key
}
