//! One running value in the course of a ledger: what counts, and what the next value is.

use std::collections::VecDeque;
use std::str::FromStr;

use axilog::admission::InputKind;
use axilog::hash::{Hash, HexHash, unhex};
use bigdecimal::BigDecimal;

use super::amounts::find_amount;
use super::declaration::{RunningValue, RunningValueKind};
use super::saved::SavedSeries;
use crate::derivation::{Derivation, derive_input};
use crate::encoding::hex;
use crate::input::CanonicalInput;

/// A running value and the answers that count. Memory grows with the answers within its window; without a window it
/// does not grow.
pub(super) struct Series {
    /// The oracle id under which the value is recorded.
    pub(super) id: String,
    definition: RunningValue,
    kind: RunningValueKind,
    /// The amounts within the window, with the times at which they counted; empty where there is no window.
    within: VecDeque<(u64, BigDecimal)>,
    /// What a sum or a count adds up to.
    total: BigDecimal,
    /// The amount that a change is computed from.
    last: Option<BigDecimal>,
    /// The last observation of the value whose answer counted.
    last_counted: Option<Hash>,
}

/// The value after an answer, before it counts.
pub(super) struct NextValue {
    /// What the answer adds, or is compared with; `None` where it has no such number.
    pub(super) amount: Option<BigDecimal>,
    /// The question under which the value is recorded.
    pub(super) question: CanonicalInput,
    /// The answer that is recorded.
    pub(super) answer: String,
}

impl Series {
    /// `None` where the id is no running value's.
    pub(super) fn new(id: &str, definition: &RunningValue) -> Option<Series> {
        Some(Series {
            kind: RunningValueKind::of_id(id)?,
            id: id.to_owned(),
            definition: definition.clone(),
            within: VecDeque::new(),
            total: BigDecimal::from(0),
            last: None,
            last_counted: None,
        })
    }

    /// The number of answers within the window.
    pub(super) fn count_within(&self) -> usize {
        self.within.len()
    }

    /// What is saved of it.
    pub(super) fn save(&self) -> SavedSeries {
        let within = self.within.iter();
        SavedSeries {
            last: self.last.as_ref().map(BigDecimal::to_string),
            last_counted: self.last_counted.as_ref().map(hex),
            total: self.total.to_string(),
            within: within
                .map(|(time, amount)| (*time, amount.to_string()))
                .collect(),
        }
    }

    /// Goes on from what was saved of it; `None` where that is no running value.
    pub(super) fn restore(self, saved: &SavedSeries) -> Option<Series> {
        let read_amount = |text: &String| BigDecimal::from_str(text).ok();
        let read_hash = |text: &String| unhex(&HexHash::try_from(text.as_bytes()).ok()?);
        let within = saved.within.iter();
        Some(Series {
            within: within
                .map(|(time, amount)| Some((*time, read_amount(amount)?)))
                .collect::<Option<_>>()?,
            total: read_amount(&saved.total)?,
            last: match &saved.last {
                Some(last) => Some(read_amount(last)?),
                None => None,
            },
            last_counted: match &saved.last_counted {
                Some(hash) => Some(read_hash(hash)?),
                None => None,
            },
            ..self
        })
    }

    /// Whether the answers of an oracle count.
    pub(super) fn counts(&self, oracle_id: &str) -> bool {
        self.definition.oracle == oracle_id
    }

    /// Computes the value after an answer, `now` being the last time of the ledger.
    ///
    /// # Errors
    /// Why the question cannot be written, in words. None is known.
    pub(super) fn compute(
        &mut self,
        now: u64,
        obs_hash: Hash,
        answer: &str,
    ) -> Result<NextValue, String> {
        self.expire(now);
        let amount = find_amount(self.kind, &self.definition, answer);
        let value = amount.as_ref().map(|amount| match (self.kind, &self.last) {
            (RunningValueKind::Sum | RunningValueKind::Count, _) => &self.total + amount,
            (RunningValueKind::Change, Some(last)) => amount - last,
            (RunningValueKind::Change, None) => BigDecimal::from(0),
        });
        let value = value.map_or("null".to_owned(), |value| {
            value.normalized().to_plain_string()
        });
        let derivation = Derivation {
            sources: [Some(obs_hash), self.last_counted]
                .into_iter()
                .flatten()
                .collect(),
            even_refused: false,
        };
        Ok(NextValue {
            amount,
            question: derive_input(b"", InputKind::Text, &derivation)?,
            answer: format!(r#"{{"value":{value}}}"#),
        })
    }

    /// Counts an answer that may be acted on, whose value was recorded in the observation `obs_hash`.
    pub(super) fn count(&mut self, now: u64, amount: Option<BigDecimal>, obs_hash: Hash) {
        self.last_counted = Some(obs_hash);
        let Some(amount) = amount else {
            return;
        };
        if self.definition.window.is_some() {
            self.within.push_back((now, amount.clone()));
        }
        self.total += &amount;
        self.last = Some(amount);
    }

    /// Takes the answers out whose window has passed.
    fn expire(&mut self, now: u64) {
        let Some(window) = self.definition.window else {
            return;
        };
        let has_passed = |time: u64| now.saturating_sub(time) >= window;
        while self
            .within
            .front()
            .is_some_and(|(time, _)| has_passed(*time))
            && let Some((_, amount)) = self.within.pop_front()
        {
            self.total -= amount;
        }
    }
}
