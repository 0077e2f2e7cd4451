//! The oracles of a ledger: with which model each answered, and whether any policy judged it.
//!
//! SRS-004 §7.2 (SHALL-008); formats.md §4: an oracle that no policy covers is permitted by nothing.

use std::collections::BTreeMap;

use axilog::agent::stimulus::is_reserved;
use axilog::evidence::transition::TransitionRecord;
use axilog::hash::Tag;

use crate::encoding::unescape;
use crate::verify::VerifiedRecord;

/// The oracles of a ledger, by id. Memory grows with their number.
#[derive(Default)]
pub(super) struct Oracles {
    known: BTreeMap<String, OracleSummary>,
    /// The oracle of the last observation, if it was an answer, and whether a policy judged that.
    last: Option<(String, bool)>,
}

/// What a ledger says about an oracle.
pub(super) struct OracleSummary {
    /// Its model.
    pub(super) model_id: String,
    /// The number of answers that a decision permitted without any policy.
    pub(super) unjudged_answers: u64,
}

impl Oracles {
    /// Takes the next good record of the ledger.
    pub(super) fn take_record(&mut self, record: &VerifiedRecord<'_>) {
        match record.entry.tag {
            Tag::Policy => {
                if let Some((_, judged)) = &mut self.last {
                    *judged = true;
                }
            }
            Tag::Trans => {
                if let Some((oracle_id, false)) = self.last.take()
                    && TransitionRecord::parse(record.entry.payload)
                        .is_ok_and(|transition| transition.violation.is_none())
                    && let Some(oracle) = self.known.get_mut(&oracle_id)
                {
                    oracle.unjudged_answers = oracle.unjudged_answers.saturating_add(1);
                }
            }
            _ => {}
        }
        let Some(view) = &record.observation else {
            return;
        };
        self.last = None;
        if is_reserved(view.oracle_id.bytes()) {
            return;
        }
        let oracle_id = unescape(view.oracle_id);
        self.known
            .entry(oracle_id.clone())
            .or_insert_with(|| OracleSummary {
                model_id: unescape(view.model_id),
                unjudged_answers: 0,
            });
        self.last = Some((oracle_id, false));
    }

    /// The oracles by id.
    pub(super) fn by_id(&self) -> &BTreeMap<String, OracleSummary> {
        &self.known
    }
}
