//! The primary endpoint of an experiment, as it is declared before the first answer.

use std::path::PathBuf;

use axilog_ablation::endpoint::StudyEndpoint;
use axilog_ablation::header::RunHeader;
use axilog_ablation::margin::Margin;
use axilog_ablation::replay::HEADER_FILE;
use axilog_ablation::run::RunPlan;
use axilog_ablation::variant::Variant;

use crate::error::CommandError;

/// The options that declare how an experiment will be judged.
#[derive(clap::Args)]
pub(super) struct PrimaryOptions {
    /// The primary endpoint, which the header of each run declares before the first answer: agreement,
    /// disagreement, choices, answers or actions. Without it: disagreement with --controls, else agreement.
    #[arg(long, value_name = "ENDPOINT")]
    primary: Option<StudyEndpoint>,
    /// The share of steps below which a difference in the primary endpoint does not matter. The verdict is LESS_THAN where
    /// the endpoint is not told apart and its whole interval is smaller.
    #[arg(long, value_name = "SHARE")]
    pub(super) margin: Option<Margin>,
}

impl PrimaryOptions {
    /// The endpoint that the headers of `plans` declare; `None` for the base harness, and where runs that go on were
    /// begun without one. `has_controls` is whether the replicate runs with the others.
    pub(super) fn declare(
        &self,
        plans: &[(RunPlan, PathBuf)],
        has_controls: bool,
        resume: bool,
    ) -> Result<Option<StudyEndpoint>, CommandError> {
        let is_base = plans.iter().any(|(plan, _)| plan.variant == Variant::V300);
        if is_base && (self.primary.is_some() || self.margin.is_some()) {
            return Err(CommandError::PrimaryOfBaseHarness);
        }
        if is_base {
            return Ok(None);
        }
        let primary = match (self.primary, resume) {
            (None, true) => match read_declared(plans)? {
                Some(declared) => declared,
                None => Some(StudyEndpoint::default_for(has_controls)),
            },
            (None, false) => Some(StudyEndpoint::default_for(has_controls)),
            (named, _) => named,
        };
        // A replicate may be run by itself, beside another arm by itself.
        let is_several = plans.len() > 1;
        if primary == Some(StudyEndpoint::Disagreement) && is_several && !has_controls {
            return Err(CommandError::DisagreementWithoutControls);
        }
        if self.margin.is_some() && !primary.is_some_and(StudyEndpoint::is_share_of_steps) {
            return Err(CommandError::MarginOfOtherEndpoint);
        }
        Ok(primary)
    }
}

/// What the first run that was begun declares; the outer `None` where none was begun.
fn read_declared(
    plans: &[(RunPlan, PathBuf)],
) -> Result<Option<Option<StudyEndpoint>>, CommandError> {
    let headers = plans.iter().map(|(_, dir)| dir.join(HEADER_FILE));
    match headers.into_iter().find(|header| header.exists()) {
        Some(header) => Ok(Some(RunHeader::read(&header)?.0.primary)),
        None => Ok(None),
    }
}
