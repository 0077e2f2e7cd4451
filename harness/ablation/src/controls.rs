//! The controls of a comparison: what a difference between runs may be read as.
//!
//! A *replicate* is the baseline a second time. Where it is told apart from the baseline, something but the
//! memory changed between runs, and no difference may be read as the work of precedents. It is judged by
//! itself: a correction would make the warning rarer and no conclusion safer.
//!
//! A *placebo* is held against the baseline, which shows whether it matters what a record says, and against
//! run B, which shows whether it matters that a record stands there, whatever it says. The two are a family of their own.

use super::comparable_run::ComparableRun;
use super::resampling::SeedResamples;
use super::run_difference::{RunDifference, RunPair, judge_family};
use super::variant::Variant;

/// A control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Each run that is no control of the first one, against the first.
    pub(crate) others: Vec<RunPair>,
    /// Each replicate of the first run, against it.
    replicates: Vec<RunPair>,
    /// Each placebo of the first run, against it and against each run B of the same oracle.
    placebos: Vec<RunPair>,
}

impl PairedRuns {
    /// Pairs the runs of a comparison. A run is a control where the first run is a baseline of the same
    /// oracle.
    pub(crate) fn new(runs: &[ComparableRun]) -> PairedRuns {
        let mut paired = PairedRuns {
            others: Vec::new(),
            replicates: Vec::new(),
            placebos: Vec::new(),
        };
        let Some(first) = runs.first() else {
            return paired;
        };
        let is_baseline = first.variant() == Variant::Baseline;
        let is_own = |place: usize, variant: Variant| {
            let run = runs.get(place);
            run.is_some_and(|run| run.variant() == variant && run.has_oracle_of(first))
        };
        for place in 1..runs.len() {
            let against_first = RunPair {
                reference: 0,
                run: place,
            };
            if is_baseline && is_own(place, Variant::Replicate) {
                paired.replicates.push(against_first);
            } else if is_baseline && is_own(place, Variant::Placebo) {
                paired.placebos.push(against_first);
                let without_memory = (1..runs.len()).filter(|other| is_own(*other, Variant::B));
                paired.placebos.extend(without_memory.map(|b| RunPair {
                    reference: b,
                    run: place,
                }));
            } else {
                paired.others.push(against_first);
            }
        }
        paired
    }
}

/// Judges the controls: the placebos as one family, the replicates as another.
pub(crate) fn judge_controls(
    paired: &PairedRuns,
    runs: &[ComparableRun],
    actions: &[String],
    resamples: &SeedResamples,
) -> Vec<ControlDifference> {
    let families = [
        (Control::Placebo, &paired.placebos),
        (Control::Replicate, &paired.replicates),
    ];
    let judge = |(control, pairs): (Control, &Vec<RunPair>)| {
        let judged = judge_family(pairs, runs, actions, resamples).into_iter();
        judged.map(move |difference| ControlDifference {
            control,
            difference,
        })
    };
    families.into_iter().flat_map(judge).collect()
}
