//! The controls of a comparison: what a difference between runs may be read as.
//!
//! A *replicate* is the baseline a second time. Where it is told apart from the baseline, something but the
//! memory changed between runs, and no difference may be read as the work of precedents.
//!
//! A *placebo* is held against the baseline, which shows whether it matters what a record says, and against
//! run B, which shows whether it matters that a record stands there, whatever it says.
//!
//! Where a primary endpoint was declared, the p-values of controls are corrected with all others of the comparison. In
//! runs of before, the placebo's two comparisons are a family and the replicate's is another.

use super::comparable_run::ComparableRun;
use super::run_difference::{RunDifference, RunPair};
use super::variant::Variant;

/// A control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Control {
    /// The placebo, against the baseline or run B.
    Placebo,
    /// The replicate, against the baseline.
    Replicate,
}

impl Control {
    /// The control as documents name it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Control::Placebo => "PLACEBO",
            Control::Replicate => "REPLICATE",
        }
    }
}

/// How a control differs from the run that it is held against.
#[derive(Clone, Debug)]
pub struct ControlDifference {
    /// The control.
    pub control: Control,
    /// The difference.
    pub difference: RunDifference,
}

/// Which runs of a comparison are held against which.
pub(crate) struct PairedRuns {
    /// Each pair, with the control that it judges: first each run that is no control of the first one, against the
    /// first; then each placebo of the first run, against it and against each run B of the same oracle; then each
    /// replicate of the first run, against it.
    pub(crate) pairs: Vec<(Option<Control>, RunPair)>,
}

impl PairedRuns {
    /// Pairs the runs of a comparison. A run is a control where the first run is a baseline of the same
    /// oracle.
    pub(crate) fn new(runs: &[ComparableRun]) -> PairedRuns {
        PairedRuns::pair(runs.len(), |place, variant| {
            let found = runs.first().zip(runs.get(place));
            found.is_some_and(|(first, run)| run.variant() == variant && run.has_oracle_of(first))
        })
    }

    /// Pairs the runs of an experiment with one oracle, before there are any.
    pub(crate) fn of_arms(arms: &[Variant]) -> PairedRuns {
        PairedRuns::pair(arms.len(), |place, variant| {
            arms.get(place) == Some(&variant)
        })
    }

    /// Pairs `count` runs. `is_own` tells whether the run at a place is of a variant and of the first run's oracle.
    fn pair(count: usize, is_own: impl Fn(usize, Variant) -> bool) -> PairedRuns {
        let mut pairs = Vec::new();
        let is_baseline = is_own(0, Variant::Baseline);
        for place in 1..count {
            let against = |reference: usize| RunPair {
                reference,
                run: place,
            };
            if is_baseline && is_own(place, Variant::Replicate) {
                pairs.push((Some(Control::Replicate), against(0)));
            } else if is_baseline && is_own(place, Variant::Placebo) {
                pairs.push((Some(Control::Placebo), against(0)));
                let without_memory = (1..count).filter(|other| is_own(*other, Variant::B));
                pairs.extend(without_memory.map(|b| (Some(Control::Placebo), against(b))));
            } else {
                pairs.push((None, against(0)));
            }
        }
        // Nothing is moved within a kind.
        pairs.sort_by_key(|(control, _)| *control);
        PairedRuns { pairs }
    }

    /// The place of the replicate that shows the noise in how the runs of `pair` disagree: the first replicate of the
    /// first run, if the pair is held against that and is no replicate's.
    pub(crate) fn find_replicate_beside(&self, pair: RunPair) -> Option<usize> {
        let is_replicate =
            |(control, _): &&(Option<Control>, RunPair)| *control == Some(Control::Replicate);
        let mut replicates = self
            .pairs
            .iter()
            .filter(is_replicate)
            .map(|(_, own)| own.run);
        let first = replicates.next()?;
        let is_own = first == pair.run || replicates.any(|place| place == pair.run);
        (pair.reference == 0 && !is_own).then_some(first)
    }
}
