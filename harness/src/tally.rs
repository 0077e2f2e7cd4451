//! Counts over the records of a ledger, as rows of tables and as JSON.

use std::collections::BTreeMap;

use axilog::agent::state::{Health, InputClass, Violation};
use axilog::agent::stimulus::{CONTROL_ORACLE, TIME_ORACLE, extract_timestamp};
use axilog::evidence::observation::{Completion, Failure};
use axilog::evidence::policy::{PolicyRecord, PolicyResult};
use axilog::evidence::transition::TransitionRecord;
use axilog::evidence::view::ObservationView;
use axilog::hash::Tag;
use axilog::json::extract::NO_VALUE;
use axilog_ledger::encoding::unescape;
use axilog_ledger::record_contents::RecordContents;
use axilog_ledger::verify::VerifiedRecord;
use axilog_policyc::{decimal, shortest_decimal};

use crate::ledger_counts::{
    AnswerSizes, CountedOracle, CountedPolicy, CountedTransition, LedgerCounts, TimeSpan,
};
use crate::lookalikes::{Lookalikes, find_lookalikes};
use crate::output::record_contents::{name_oracle, policy_id, tag_name};

/// How many observations one oracle has, by outcome.
#[derive(Default)]
struct AnswerCounts {
    complete: u64,
    truncated: u64,
    /// By how the oracle failed, in the order of [`Failure::ALL`].
    failed: [u64; 3],
}

impl AnswerCounts {
    fn failures(&self) -> u64 {
        self.failed.iter().sum()
    }

    fn total(&self) -> u64 {
        self.complete + self.truncated + self.failures()
    }
}

/// Counts of one policy's evaluations.
#[derive(Default)]
struct PolicyCounts {
    evaluated: u64,
    breaches: u64,
    no_value: u64,
    /// The least and the greatest value, raw Q16.16.
    actual: Option<(i32, i32)>,
}

/// Counts over a ledger.
#[derive(Default)]
pub(crate) struct Tally {
    tags: [u64; 5],
    oracles: BTreeMap<(String, String), AnswerCounts>,
    policies: BTreeMap<String, PolicyCounts>,
    /// By the numbers of the states before and after.
    transitions: BTreeMap<(u8, u8), u64>,
    violations: BTreeMap<&'static str, u64>,
    /// The timestamp of an observation whose transition is still to come.
    time: Option<u64>,
    /// The first and the last accepted timestamp.
    times: Option<(u64, u64)>,
    /// AnswerCounts that were not failures, all their bytes, the least and the greatest.
    answers: u64,
    bytes: u128,
    sizes: Option<(u64, u64)>,
}

impl Tally {
    /// Counts a record that verification accepted.
    pub(crate) fn count(&mut self, record: &VerifiedRecord<'_>) {
        for (tag, count) in Tag::ALL.into_iter().zip(&mut self.tags) {
            *count += u64::from(tag == record.entry.tag);
        }
        match RecordContents::read(record) {
            Some(RecordContents::Observation(view)) => {
                self.count_observation(&view);
                let of_time = view.oracle_id.bytes() == TIME_ORACLE.as_bytes();
                self.time = of_time
                    .then(|| extract_timestamp(record.entry.payload))
                    .flatten();
            }
            Some(RecordContents::Policy(record)) => self.count_policy(&record),
            Some(RecordContents::Transition(record)) => self.count_transition(&record),
            Some(
                RecordContents::Genesis | RecordContents::RawAnswer(_) | RecordContents::Seal(_),
            )
            | None => {}
        }
    }

    fn count_observation(&mut self, view: &ObservationView<'_>) {
        let oracle = unescape(view.oracle_id);
        let of_model = oracle != TIME_ORACLE && oracle != CONTROL_ORACLE;
        let counts = self
            .oracles
            .entry((oracle, unescape(view.model_id)))
            .or_default();
        match view.completion {
            Completion::Complete => counts.complete += 1,
            Completion::Truncated => counts.truncated += 1,
            Completion::Error => {
                for (failure, count) in Failure::ALL.into_iter().zip(&mut counts.failed) {
                    *count += u64::from(view.failure == Some(failure));
                }
            }
        }
        if of_model && view.completion != Completion::Error {
            let size = view.output_size;
            self.answers += 1;
            self.bytes += u128::from(size);
            self.sizes = Some(widen(self.sizes, size));
        }
    }

    fn count_policy(&mut self, record: &PolicyRecord<'_>) {
        let results = self.policies.entry(policy_id(record)).or_default();
        results.evaluated += 1;
        results.breaches += u64::from(record.result == PolicyResult::Breach);
        if record.actual == NO_VALUE {
            results.no_value += 1;
        } else {
            results.actual = Some(widen(results.actual, record.actual));
        }
    }

    fn count_transition(&mut self, record: &TransitionRecord) {
        let states = (record.prev_state as u8, record.next_state as u8);
        *self.transitions.entry(states).or_default() += 1;
        if let Some(violation) = record.violation {
            *self.violations.entry(violation.as_str()).or_default() += 1;
        }
        let refused = matches!(
            record.violation,
            Some(Violation::TimeRollback | Violation::ProtocolViolation)
        );
        if let (Some(time), Some(InputClass::TimeObs), false) =
            (self.time.take(), record.input_class, refused)
        {
            self.times = Some((self.times.map_or(time, |(first, _)| first), time));
        }
    }

    fn tags(&self) -> impl Iterator<Item = (&'static str, u64)> {
        Tag::ALL.into_iter().map(tag_name).zip(self.tags)
    }

    pub(crate) fn tags_text(&self) -> String {
        list_counts(self.tags())
    }

    /// What a summary of the ledger has.
    pub(crate) fn counts(&self) -> LedgerCounts {
        LedgerCounts {
            tags: self.tags().collect(),
            oracles: self.oracles.iter().map(count_oracle).collect(),
            policies: self.policies.iter().map(count_policy).collect(),
            violations: self.violations.clone(),
            times: self.times.map(|(first, last)| TimeSpan {
                first,
                last,
                span: last.saturating_sub(first),
            }),
        }
    }

    pub(crate) fn violations_text(&self) -> String {
        list_counts(self.violations.iter().map(|(name, n)| (*name, *n)))
    }

    pub(crate) fn oracle_rows(&self) -> Vec<[String; 5]> {
        let row = |((oracle, model), counts): (&(String, String), &AnswerCounts)| {
            let whom = name_oracle(oracle, model);
            let how = Failure::ALL.map(Failure::as_str).into_iter();
            let how: Vec<String> = how
                .zip(counts.failed)
                .filter(|(_, n)| *n > 0)
                .map(|(name, n)| format!("{n} {name}"))
                .collect();
            [
                whom,
                counts.total().to_string(),
                counts.complete.to_string(),
                counts.truncated.to_string(),
                how.join("\n"),
            ]
        };
        self.oracles.iter().map(row).collect()
    }

    /// The oracle ids, then the model ids, that look alike.
    pub(crate) fn lookalikes(&self) -> Vec<Lookalikes> {
        let oracles = self.oracles.keys().map(|(oracle, _)| oracle.as_str());
        let models = self.oracles.keys().map(|(_, model)| model.as_str());
        [
            find_lookalikes("oracle_id", oracles),
            find_lookalikes("model_id", models),
        ]
        .concat()
    }

    pub(crate) fn policy_rows(&self) -> Vec<[String; 6]> {
        let row = |(id, results): (&String, &PolicyCounts)| {
            let actual = results.actual;
            [
                id.clone(),
                results.evaluated.to_string(),
                results.breaches.to_string(),
                results.no_value.to_string(),
                actual.map_or_else(String::new, |(min, _)| shortest_decimal(min)),
                actual.map_or_else(String::new, |(_, max)| shortest_decimal(max)),
            ]
        };
        self.policies.iter().map(row).collect()
    }

    pub(crate) fn transition_rows(&self) -> Vec<[String; 3]> {
        let row = |((from, to), times): (&(u8, u8), &u64)| {
            [
                state_name(*from).into(),
                state_name(*to).into(),
                times.to_string(),
            ]
        };
        self.transitions.iter().map(row).collect()
    }

    pub(crate) fn count_transitions(&self) -> Vec<CountedTransition> {
        let counted = |(&(from, to), &count): (&(u8, u8), &u64)| CountedTransition {
            prev_state: state_name(from),
            next_state: state_name(to),
            count,
        };
        self.transitions.iter().map(counted).collect()
    }

    pub(crate) fn times_text(&self) -> Option<String> {
        let (first, last) = self.times?;
        Some(format!(
            "{first} to {last}, a span of {}",
            last.saturating_sub(first)
        ))
    }

    /// The mean size of an answer, rounded down.
    fn mean_size(&self) -> u64 {
        let mean = self.bytes.checked_div(u128::from(self.answers));
        mean.and_then(|mean| u64::try_from(mean).ok()).unwrap_or(0)
    }

    pub(crate) fn answers_text(&self) -> Option<String> {
        let (min, max) = self.sizes?;
        let (answers, mean) = (self.answers, self.mean_size());
        Some(match min == max {
            true => format!("{answers}, {min} bytes each"),
            false => format!("{answers}, of {min} to {max} bytes, {mean} on average"),
        })
    }

    pub(crate) fn answer_sizes(&self) -> AnswerSizes {
        let (size_min, size_max) = self.sizes.unzip();
        AnswerSizes {
            count: self.answers,
            size_min,
            size_mean: self.sizes.map(|_| self.mean_size()),
            size_max,
        }
    }
}

fn count_oracle(((oracle, model), counts): (&(String, String), &AnswerCounts)) -> CountedOracle {
    let types = Failure::ALL.map(Failure::as_str).into_iter();
    CountedOracle {
        oracle_id: oracle.clone(),
        model_id: model.clone(),
        observations: counts.total(),
        complete: counts.complete,
        truncated: counts.truncated,
        error: counts.failures(),
        failures: types.zip(counts.failed).collect(),
    }
}

fn count_policy((id, results): (&String, &PolicyCounts)) -> CountedPolicy {
    let (min, max) = results.actual.unzip();
    CountedPolicy {
        policy_id: id.clone(),
        evaluated: results.evaluated,
        breaches: results.breaches,
        no_value: results.no_value,
        min,
        min_decimal: min.map(decimal),
        max,
        max_decimal: max.map(decimal),
    }
}

/// The least range that holds `range` and `value`.
fn widen<T: Ord + Copy>(range: Option<(T, T)>, value: T) -> (T, T) {
    range.map_or((value, value), |(min, max)| {
        (min.min(value), max.max(value))
    })
}

fn state_name(number: u8) -> &'static str {
    let found = Health::ALL.into_iter().find(|h| *h as u8 == number);
    found.map_or("", Health::as_str)
}

fn list_counts<'a>(counts: impl Iterator<Item = (&'a str, u64)>) -> String {
    let counts: Vec<String> = counts.map(|(name, n)| format!("{n} {name}")).collect();
    counts.join(", ")
}
