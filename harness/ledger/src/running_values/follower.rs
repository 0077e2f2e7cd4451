//! Follows the records of a ledger: which running value is due, and whether those that are recorded are the right ones.
//! A session, its opening and an audit do the same with what it says.

use std::collections::VecDeque;

use axilog::agent::state::Health;
use axilog::agent::stimulus::{TIME_ORACLE, extract_timestamp};
use axilog::evidence::observation::Completion;
use axilog::evidence::transition::TransitionRecord;
use axilog::evidence::view::ObservationView;
use axilog::hash::{Hash, Tag, sha256};
use axilog::ledger::Entry;
use bigdecimal::BigDecimal;

use super::declaration::{MODEL_ID, RunningValues, is_running_value_id};
use super::saved::SavedRunningValues;
use super::series::{NextValue, Series};
use crate::encoding::unescape;
use crate::input::CanonicalInput;

/// The most characters of a recorded answer that a fault shows.
const EXCERPT: usize = 64;

/// The most answers within windows that are saved: a state stays short.
const MAX_SAVED_AMOUNTS: usize = 20_000;

/// The running values of a ledger, after the records that were followed.
pub(crate) struct RunningValueFollower {
    series: Vec<Series>,
    /// The last time of the ledger.
    now: u64,
    /// The observation on which the next transition decides.
    undecided: Option<UndecidedObservation>,
    /// The last permitted answer, until its running values are recorded.
    incomplete: Option<IncompleteAnswer>,
    /// The number of running values that were recorded as they should be.
    pub(crate) recomputed: u64,
}

/// An observation on which nothing is decided yet.
enum UndecidedObservation {
    /// An answer that running values count.
    Answer(CountedAnswer),
    /// A running value.
    Value { obs_hash: Hash },
}

struct CountedAnswer {
    obs_hash: Hash,
    ledger_seq: u64,
    oracle_id: String,
    output: String,
}

/// A permitted answer whose running values are not all recorded.
struct IncompleteAnswer {
    answer: CountedAnswer,
    /// The places of those that are not recorded yet.
    due: VecDeque<usize>,
    /// The value that is due next.
    next: NextValue,
    /// Those that were recorded and permitted.
    permitted: Vec<(usize, Option<BigDecimal>, Hash)>,
}

/// The running value that is recorded next.
pub(crate) struct DueValue {
    /// The oracle id.
    pub(crate) id: String,
    /// The question.
    pub(crate) question: CanonicalInput,
    /// The answer.
    pub(crate) answer: String,
}

impl RunningValueFollower {
    /// Follows a ledger with these running values from its first record on.
    pub(crate) fn new(values: &RunningValues) -> RunningValueFollower {
        let series = values.iter();
        RunningValueFollower {
            series: series
                .filter_map(|(id, value)| Series::new(id, value))
                .collect(),
            now: 0,
            undecided: None,
            incomplete: None,
            recomputed: 0,
        }
    }

    /// What is saved of them after a step; `None` where running values of an answer are still to be recorded, or where
    /// more answers count than a state has room for. Of an observation without a transition nothing is saved: its step is
    /// over, and nothing is decided on it any more.
    pub(crate) fn save(&self) -> Option<SavedRunningValues> {
        let series = self.series.iter();
        let amounts: usize = series.clone().map(Series::count_within).sum();
        let is_saved = self.incomplete.is_none() && amounts <= MAX_SAVED_AMOUNTS;
        is_saved.then(|| SavedRunningValues {
            now: self.now,
            series: series
                .map(|series| (series.id.clone(), series.save()))
                .collect(),
        })
    }

    /// Follows a ledger with these running values from where they were saved; `None` where other ones were.
    pub(crate) fn restore(
        values: &RunningValues,
        saved: &SavedRunningValues,
    ) -> Option<RunningValueFollower> {
        let mut follower = RunningValueFollower::new(values);
        let is_same = follower.series.len() == saved.series.len();
        let series = follower.series.drain(..);
        let series: Option<Vec<Series>> = series
            .map(|series| {
                let saved = saved.series.get(&series.id)?;
                series.restore(saved)
            })
            .collect();
        follower.series = series.filter(|_| is_same)?;
        follower.now = saved.now;
        Some(follower)
    }

    /// Whether the answers of an oracle count in any of the values.
    pub(crate) fn counts(&self, oracle_id: &str) -> bool {
        self.series.iter().any(|series| series.counts(oracle_id))
    }

    /// The running value that has to be recorded next, before any other observation of an answer.
    pub(crate) fn due_value(&self) -> Option<DueValue> {
        let incomplete = self
            .incomplete
            .as_ref()
            .filter(|_| self.undecided.is_none())?;
        let series = self.series.get(*incomplete.due.front()?)?;
        Some(DueValue {
            id: series.id.clone(),
            question: incomplete.next.question.clone(),
            answer: incomplete.next.answer.clone(),
        })
    }

    /// The sequence of the answer after which running values are missing, if any are.
    pub(crate) fn incomplete_answer(&self) -> Option<u64> {
        Some(self.incomplete.as_ref()?.answer.ledger_seq)
    }

    /// Takes the next record.
    ///
    /// # Errors
    /// What is wrong with it, in words: a running value that is missing, differs, or is due after no answer. The follower
    /// goes on as if the record were right.
    pub(crate) fn take(
        &mut self,
        entry: &Entry<'_>,
        observation: Option<&ObservationView<'_>>,
    ) -> Result<(), String> {
        match observation {
            Some(view) => self.take_observation(view, entry.payload),
            None if entry.tag == Tag::Trans => {
                let transition = TransitionRecord::parse(entry.payload);
                let is_permitted = transition.is_ok_and(|transition| {
                    transition.violation.is_none() && transition.next_state == Health::Enabled
                });
                self.take_decision(is_permitted)
            }
            None => Ok(()),
        }
    }

    fn take_observation(
        &mut self,
        view: &ObservationView<'_>,
        payload: &[u8],
    ) -> Result<(), String> {
        self.undecided = None;
        let oracle_id = unescape(view.oracle_id);
        if oracle_id == TIME_ORACLE {
            // A time that is not after the last one is refused.
            self.now = extract_timestamp(payload).map_or(self.now, |time| time.max(self.now));
        }
        let due = self.due_value();
        match due {
            Some(due) if due.id == oracle_id => {
                self.undecided = Some(UndecidedObservation::Value {
                    obs_hash: view.obs_hash,
                });
                self.compare(view, &due)
            }
            Some(due) => {
                let seq = self.incomplete_answer().unwrap_or_default();
                self.incomplete = None;
                let fault = Err(format!(
                    "observation {}: expected the running value {} after answer {seq}, found oracle {oracle_id:?}",
                    view.ledger_seq, due.id
                ));
                self.note_answer(view, oracle_id);
                fault
            }
            None if is_running_value_id(&oracle_id) => Err(format!(
                "observation {}: a running value {oracle_id:?}, and none is due",
                view.ledger_seq
            )),
            None => {
                self.note_answer(view, oracle_id);
                Ok(())
            }
        }
    }

    fn note_answer(&mut self, view: &ObservationView<'_>, oracle_id: String) {
        if self.counts(&oracle_id) {
            self.undecided = Some(UndecidedObservation::Answer(CountedAnswer {
                obs_hash: view.obs_hash,
                ledger_seq: view.ledger_seq,
                oracle_id,
                output: unescape(view.output),
            }));
        }
    }

    /// Compares a recorded running value with the one that was due.
    fn compare(&mut self, view: &ObservationView<'_>, due: &DueValue) -> Result<(), String> {
        let output = unescape(view.output);
        let model = unescape(view.model_id);
        let part = if output != due.answer || view.completion != Completion::Complete {
            let start: String = output.chars().take(EXCERPT).collect();
            format!("the answer {start:?}, expected {:?}", due.answer)
        } else if view.input_hash != sha256(due.question.bytes()) {
            "another question than the one that names its answers".to_owned()
        } else if model != MODEL_ID {
            format!("the model {model:?}, expected {MODEL_ID:?}")
        } else {
            self.recomputed = self.recomputed.saturating_add(1);
            return Ok(());
        };
        Err(format!(
            "observation {}: the running value {} has {part}",
            view.ledger_seq, due.id
        ))
    }

    fn take_decision(&mut self, is_permitted: bool) -> Result<(), String> {
        match (self.undecided.take(), is_permitted) {
            (Some(UndecidedObservation::Answer(answer)), true) => self.begin_values(answer),
            (Some(UndecidedObservation::Value { obs_hash }), true) => {
                self.note_permitted_value(obs_hash)
            }
            // The answer may not be acted on, and does not count.
            (Some(_), false) => {
                self.incomplete = None;
                Ok(())
            }
            (None, _) => Ok(()),
        }
    }

    fn begin_values(&mut self, answer: CountedAnswer) -> Result<(), String> {
        let series = self.series.iter().enumerate();
        let due: VecDeque<usize> = series
            .filter(|(_, series)| series.counts(&answer.oracle_id))
            .map(|(place, _)| place)
            .collect();
        let Some(next) = self.compute_first(&due, &answer)? else {
            return Ok(());
        };
        self.incomplete = Some(IncompleteAnswer {
            answer,
            due,
            next,
            permitted: Vec::new(),
        });
        Ok(())
    }

    fn note_permitted_value(&mut self, obs_hash: Hash) -> Result<(), String> {
        let Some(mut incomplete) = self.incomplete.take() else {
            return Ok(());
        };
        if let Some(place) = incomplete.due.pop_front() {
            incomplete
                .permitted
                .push((place, incomplete.next.amount.take(), obs_hash));
        }
        if let Some(next) = self.compute_first(&incomplete.due, &incomplete.answer)? {
            incomplete.next = next;
            self.incomplete = Some(incomplete);
            return Ok(());
        }
        for (place, amount, obs_hash) in incomplete.permitted {
            if let Some(series) = self.series.get_mut(place) {
                series.count(self.now, amount, obs_hash);
            }
        }
        Ok(())
    }

    /// Computes the first of these values after an answer; `None` where there is none.
    fn compute_first(
        &mut self,
        due: &VecDeque<usize>,
        answer: &CountedAnswer,
    ) -> Result<Option<NextValue>, String> {
        let Some(series) = due.front().and_then(|place| self.series.get_mut(*place)) else {
            return Ok(None);
        };
        series
            .compute(self.now, answer.obs_hash, &answer.output)
            .map(Some)
    }
}
