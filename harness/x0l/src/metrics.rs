//! What a run's cycles come to, counted (Q16 to Q18, Q36, Q45, Q46, Q54).
//!
//! Integers only; a ratio is two of them.

use std::collections::{BTreeMap, BTreeSet};

use super::kernel::{Constitution, DecisionKind, DecisionReason, Gate, RejectionReason};
use super::log::{Canonicalization, Condition, Cycle};
use super::replay::{MOST_REFUSALS, Place};
use super::taxonomy::{LcOutcome, RefusalType};

/// A ratio of counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// How many.
    pub of: u64,
    /// Out of how many; where this is 0 there is no ratio.
    pub all: u64,
}

impl Ratio {
    /// The ratio in ten thousandths, rounded half up; `None` where there is none.
    #[must_use]
    pub fn ten_thousandths(self) -> Option<u128> {
        let (of, all) = (u128::from(self.of), u128::from(self.all));
        (all > 0).then(|| (of * 20_000 + all) / (2 * all))
    }

    /// The ratio with four decimals.
    #[must_use]
    pub fn decimal(self) -> Option<String> {
        let n = self.ten_thousandths()?;
        Some(format!("{}.{:04}", n / 10_000, n % 10_000))
    }

    /// The ratio in percent with two decimals, or a dash.
    #[must_use]
    pub fn percent(self) -> String {
        match self.ten_thousandths() {
            Some(n) => format!("{}.{:02} %", n / 100, n % 100),
            None => "-".to_owned(),
        }
    }
}

/// Sum and extremes of a count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    values: Vec<u64>,
}

impl Spread {
    fn add(&mut self, value: u64) {
        self.values.push(value);
    }

    /// How many values there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.values.len() as u64
    }

    /// All of them together.
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.values.iter().fold(0, |sum, n| sum.saturating_add(*n))
    }

    /// The smallest value that `percent` of all do not exceed (nearest rank); `None` of none. 0 gives
    /// the smallest of all, 100 the largest.
    #[must_use]
    pub fn percentile(&self, percent: usize) -> Option<u64> {
        let mut sorted = self.values.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent).div_ceil(100).max(1);
        sorted.get(rank - 1).copied()
    }
}

/// A cycle as the plots show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Which.
    pub place: Place,
    /// What was decided.
    pub kind: DecisionKind,
    /// The type of a refusal.
    pub refusal_type: Option<RefusalType>,
    /// Tokens of prompt and answer.
    pub tokens: u64,
    /// Whether the model was asked.
    pub asked: bool,
}

/// What the cycles of a run come to.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Each condition that has a cycle.
    pub conditions: BTreeMap<Condition, ConditionMetrics>,
    /// The cycles, in order.
    pub points: Vec<Point>,
    /// Actions in L-C.
    pub admitted: Vec<Place>,
}

/// What the cycles of a condition come to.
#[derive(Debug, Default)]
pub struct ConditionMetrics {
    /// How many there are.
    pub cycles: u64,
    /// How many were decided so, as [`Kind::ALL`] has them.
    pub decisions: BTreeMap<&'static str, u64>,
    /// How many refusals were of a type.
    pub refusals: BTreeMap<&'static str, u64>,
    /// How many refusals had a reason.
    pub reasons: BTreeMap<&'static str, u64>,
    /// How many answers gave no candidates for a reason.
    pub rejections: BTreeMap<&'static str, u64>,
    /// What injections came to; in L-C only.
    pub lc_outcomes: BTreeMap<&'static str, u64>,
    /// What became of raw answers.
    pub canonicalization: BTreeMap<&'static str, u64>,
    /// Actions immediately after a refusal (Q18).
    pub recovered: u64,
    /// Tokens of prompts, of cycles that were asked; so below.
    pub prompt_tokens: Spread,
    /// Tokens of answers.
    pub completion_tokens: Spread,
    /// Tokens of both.
    pub tokens: Spread,
    /// Milliseconds from question to answer.
    pub latency: Spread,
    /// Attempts that failed before the one that gave the answer.
    pub retries: u64,
    /// How many answers came from whom, as the server says.
    pub answered_by: BTreeMap<String, u64>,
    /// Why how many of them ended, as the server says.
    pub finish_reasons: BTreeMap<String, u64>,
    /// Items under `candidates`.
    pub candidates_reported: u64,
    /// Malformed ones.
    pub parse_errors: u64,
    /// Candidates that the gates judged.
    pub judged: u64,
    /// Those that passed all of them.
    pub passed: u64,
    /// Candidates that failed at a gate, by gate and code.
    pub gates: BTreeMap<Gate, BTreeMap<&'static str, u64>>,
    /// For each clause that was cited, the candidates that did, and the actions that rest on it.
    pub clauses: BTreeMap<String, (u64, u64)>,
    /// Permutation tests, and those that changed the selection.
    pub permutations: (u64, u64),
    /// Refusals in a row, at the end, and how many of them are Type III.
    streak: (u64, u64),
    last: Option<DecisionKind>,
}

impl Metrics {
    /// Counts a cycle.
    pub fn add(&mut self, cycle: &Cycle) {
        let place = Place {
            number: cycle.number,
            condition: cycle.condition,
            cycle: cycle.cycle,
        };
        self.points.push(Point {
            place,
            kind: cycle.decision.kind,
            refusal_type: cycle.refusal_type,
            tokens: cycle.tokens(),
            asked: cycle.ledger_seq.is_some(),
        });
        if cycle.lc_outcome == Some(LcOutcome::KernelAdmitted) {
            self.admitted.push(place);
        }
        self.conditions
            .entry(cycle.condition)
            .or_default()
            .add(cycle);
    }

    /// The Type III refusals, in order.
    #[must_use]
    pub fn type_iii(&self) -> Vec<Place> {
        let points = self.points.iter();
        let found = points.filter(|point| point.refusal_type == Some(RefusalType::III));
        found.map(|point| point.place).collect()
    }
}

fn count<K: Ord>(counts: &mut BTreeMap<K, u64>, name: Option<K>) {
    if let Some(name) = name {
        *counts.entry(name).or_default() += 1;
    }
}

impl ConditionMetrics {
    fn add(&mut self, cycle: &Cycle) {
        let decision = &cycle.decision;
        self.cycles += 1;
        count(&mut self.decisions, Some(decision.kind.as_str()));
        count(
            &mut self.refusals,
            cycle.refusal_type.map(RefusalType::as_str),
        );
        count(
            &mut self.reasons,
            decision.reason.map(DecisionReason::as_str),
        );
        count(
            &mut self.rejections,
            cycle.rejection_reason.map(RejectionReason::as_str),
        );
        count(
            &mut self.lc_outcomes,
            cycle.lc_outcome.map(LcOutcome::as_str),
        );
        count(
            &mut self.canonicalization,
            Some(Canonicalization::as_str(cycle.canonicalization)),
        );
        match decision.kind {
            DecisionKind::Action => {
                self.recovered += u64::from(self.last == Some(DecisionKind::Refuse));
                self.streak = (0, 0);
            }
            DecisionKind::Refuse => {
                self.streak.0 += 1;
                self.streak.1 += u64::from(cycle.refusal_type == Some(RefusalType::III));
            }
            DecisionKind::Exit => {}
        }
        self.last = Some(decision.kind);
        if cycle.ledger_seq.is_some() {
            self.prompt_tokens.add(cycle.prompt_tokens);
            self.completion_tokens.add(cycle.completion_tokens);
            self.tokens.add(cycle.tokens());
            self.latency.add(cycle.latency_ms);
        }
        count(&mut self.answered_by, cycle.answered_by.clone());
        count(&mut self.finish_reasons, cycle.finish_reason.clone());
        self.retries += cycle.attempts.len().saturating_sub(1) as u64;
        // These are as logged, which may be anything.
        let all = self.candidates_reported;
        self.candidates_reported = all.saturating_add(cycle.candidates_reported);
        self.parse_errors = self.parse_errors.saturating_add(cycle.parse_errors);
        if let Some(tested) = cycle.permutations {
            self.permutations.0 += 1;
            self.permutations.1 += u64::from(!tested.equal);
        }
        self.judge(cycle);
    }

    fn judge(&mut self, cycle: &Cycle) {
        for verdict in &cycle.decision.verdicts {
            self.judged += 1;
            match verdict.failure {
                None => self.passed += 1,
                Some(refused) => {
                    let codes = self.gates.entry(refused.gate).or_default();
                    *codes.entry(refused.code.as_str()).or_default() += 1;
                }
            }
        }
        let warrant = cycle.decision.warrant.as_ref();
        for candidate in &cycle.candidates {
            let cited: BTreeSet<&str> = candidate
                .authority_citations
                .iter()
                .filter_map(|citation| Some(citation.split_once('#')?.1))
                .collect();
            let acted = warrant.is_some_and(|warrant| warrant.bundle_hash == candidate.hash());
            for clause in cited {
                let counts = self.clauses.entry(clause.to_owned()).or_default();
                counts.0 += 1;
                counts.1 += u64::from(acted);
            }
        }
    }

    /// How many cycles were decided so.
    #[must_use]
    pub fn decided(&self, kind: DecisionKind) -> u64 {
        self.decisions
            .get(kind.as_str())
            .copied()
            .unwrap_or_default()
    }

    /// Actions out of all cycles.
    #[must_use]
    pub fn action_rate(&self) -> Ratio {
        Ratio {
            of: self.decided(DecisionKind::Action),
            all: self.cycles,
        }
    }

    /// Actions immediately after a refusal, out of all refusals (Q18).
    #[must_use]
    pub fn recovery(&self) -> Ratio {
        Ratio {
            of: self.recovered,
            all: self.decided(DecisionKind::Refuse),
        }
    }

    /// Tokens of prompts out of what the model's context could hold (Q36), on average.
    #[must_use]
    pub fn context(&self, window: u64) -> Ratio {
        Ratio {
            of: self.prompt_tokens.sum(),
            all: self.prompt_tokens.count().saturating_mul(window),
        }
    }

    /// The same of the longest prompt.
    #[must_use]
    pub fn context_at_most(&self, window: u64) -> Ratio {
        Ratio {
            of: self.prompt_tokens.percentile(100).unwrap_or_default(),
            all: window,
        }
    }

    /// Clauses of the constitution that an action rests on, out of all.
    #[must_use]
    pub fn authority(&self, constitution: &Constitution) -> Ratio {
        let acted = |id: &str| self.clauses.get(id).is_some_and(|counts| counts.1 > 0);
        let clauses = constitution.clauses.iter();
        Ratio {
            of: clauses.filter(|clause| acted(&clause.id)).count() as u64,
            all: constitution.clauses.len() as u64,
        }
    }

    /// Whether the refusals that ended the condition were Type III, each of them; `None` where it was
    /// not ended by refusals (Q57).
    #[must_use]
    pub fn abort_is_type_iii(&self) -> Option<bool> {
        let (refusals, type_iii) = self.streak;
        (refusals >= MOST_REFUSALS).then_some(type_iii == refusals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_rounded_half_up() {
        for (of, all, decimal, percent) in [
            (1, 3, "0.3333", "33.33 %"),
            (2, 3, "0.6667", "66.67 %"),
            (1, 20_000, "0.0001", "0.01 %"),
            (1, 20_001, "0.0000", "0.00 %"),
            (7, 7, "1.0000", "100.00 %"),
            (
                u64::MAX,
                1,
                "18446744073709551615.0000",
                "1844674407370955161500.00 %",
            ),
        ] {
            let ratio = Ratio { of, all };
            assert_eq!(ratio.decimal().as_deref(), Some(decimal));
            assert_eq!(ratio.percent(), percent);
        }
        let none = Ratio { of: 0, all: 0 };
        assert_eq!((none.decimal(), none.percent()), (None, "-".to_owned()));
    }

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let mut spread = Spread::default();
        assert_eq!(spread.percentile(50), None);
        for value in [40, 10, 30, 20] {
            spread.add(value);
        }
        let percentiles = [0, 25, 26, 50, 95, 100].map(|p| spread.percentile(p).unwrap());
        assert_eq!(percentiles, [10, 10, 20, 20, 40, 40]);
        assert_eq!((spread.count(), spread.sum()), (4, 100));
    }
}
