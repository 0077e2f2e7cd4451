//! The contents of one record of a ledger, and the choice of records by them.

use axilog::evidence::policy::{PolicyRecord, PolicyResult};
use axilog::evidence::proof::{Proof, RawAnswer, Seal};
use axilog::evidence::transition::TransitionRecord;
use axilog::evidence::view::ObservationView;
use axilog::hash::Tag;
use axilog::ledger::Entry;

use crate::encoding::unescape;
use crate::verify::VerifiedRecord;

/// The contents of a record, read by its tag.
#[derive(Clone, Copy)]
pub enum RecordContents<'a> {
    /// The first record of every ledger.
    Genesis,
    /// What an oracle, the clock or an operator said.
    Observation(ObservationView<'a>),
    /// What one policy said of the observation before.
    Policy(PolicyRecord<'a>),
    /// What the observation before made of the agent.
    Transition(TransitionRecord),
    /// The length and the hash of an answer that the observation before does not hold whole.
    RawAnswer(RawAnswer),
    /// The end of the ledger.
    Seal(Seal),
}

impl<'a> RecordContents<'a> {
    /// Reads a record that verification accepted; `None` where the bytes are not what the tag says.
    #[must_use]
    pub fn read(record: &VerifiedRecord<'a>) -> Option<RecordContents<'a>> {
        match record.observation {
            Some(view) => Some(RecordContents::Observation(view)),
            None => RecordContents::read_entry(&record.entry),
        }
    }

    /// Reads a record that nobody verified; `None` where the bytes are not what the tag says.
    #[must_use]
    pub fn read_entry(entry: &Entry<'a>) -> Option<RecordContents<'a>> {
        let payload = entry.payload;
        match entry.tag {
            Tag::State => Some(RecordContents::Genesis),
            Tag::Obs => ObservationView::parse(payload)
                .ok()
                .map(RecordContents::Observation),
            Tag::Policy => PolicyRecord::parse(payload)
                .ok()
                .map(RecordContents::Policy),
            Tag::Trans => TransitionRecord::parse(payload)
                .ok()
                .map(RecordContents::Transition),
            Tag::Proof => Proof::parse(payload).ok().map(|proof| match proof {
                Proof::Raw(raw) => RecordContents::RawAnswer(raw),
                Proof::Seal(seal) => RecordContents::Seal(seal),
            }),
        }
    }

    /// Whether the record holds a breach or a violation.
    #[must_use]
    pub fn is_breach(&self) -> bool {
        match self {
            RecordContents::Policy(record) => record.result == PolicyResult::Breach,
            RecordContents::Transition(record) => record.violation.is_some(),
            RecordContents::Genesis
            | RecordContents::Observation(_)
            | RecordContents::RawAnswer(_)
            | RecordContents::Seal(_) => false,
        }
    }
}

/// Follows the records of a ledger and tells which belong to one oracle: its observations, and the records after each
/// up to the next observation.
#[derive(Clone, Debug)]
pub struct OracleSteps {
    oracle: String,
    is_open: bool,
}

impl OracleSteps {
    /// Follows the steps of `oracle`, from the first record of a ledger on.
    #[must_use]
    pub fn of(oracle: &str) -> OracleSteps {
        OracleSteps {
            oracle: oracle.to_owned(),
            is_open: false,
        }
    }

    /// Takes the next record; whether it belongs to the oracle.
    pub fn take(&mut self, contents: &RecordContents<'_>) -> bool {
        match contents {
            RecordContents::Observation(view) => {
                self.is_open = unescape(view.oracle_id) == self.oracle;
            }
            RecordContents::Genesis | RecordContents::Seal(_) => self.is_open = false,
            RecordContents::Policy(_)
            | RecordContents::RawAnswer(_)
            | RecordContents::Transition(_) => {}
        }
        self.is_open
    }
}
