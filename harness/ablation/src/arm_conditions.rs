//! What must be the same in all runs of one oracle, so that a difference between them is one of their variants.

use std::path::Path;

use super::invalid_comparison::{ConditionDifference, InvalidComparison};
use super::sampling::Sampling;

/// The conditions under which the answers of a run were given.
#[derive(Clone, Copy, Debug)]
pub struct ArmConditions<'a> {
    /// The run's directory.
    pub dir: &'a Path,
    /// The kind of oracle, and the model that it is asked for.
    pub oracle: (&'a str, &'a str),
    /// How the model is asked to choose its words.
    pub sampling: Sampling,
    /// The model that answered, as the server names it; `None` where it does not.
    pub answered_by: Option<&'a str>,
    /// The tokens that the server counts in each prompt; `None` where it does not say.
    pub prompt_tokens: Option<u64>,
}

/// Checks that every run was made under the conditions of the first run of its oracle. Where a server does not say
/// who answered, or how many tokens it counted, nothing is compared.
///
/// # Errors
/// [`InvalidComparison`] with the first run that differs.
pub fn check_conditions(runs: &[ArmConditions<'_>]) -> Result<(), InvalidComparison> {
    for (place, run) in runs.iter().enumerate() {
        let earlier = runs.get(..place).unwrap_or_default();
        let Some(first) = earlier.iter().find(|first| run.oracle == first.oracle) else {
            continue;
        };
        if let Some((difference, detail)) = find_difference(first, run) {
            return Err(InvalidComparison {
                path: run.dir.to_owned(),
                difference,
                detail: format!(
                    "{detail} those of {}; run both arms under the same conditions",
                    first.dir.display()
                ),
            });
        }
    }
    Ok(())
}

/// Finds what `run` differs in, with the beginning of a sentence that the name of `first` ends.
fn find_difference(
    first: &ArmConditions<'_>,
    run: &ArmConditions<'_>,
) -> Option<(ConditionDifference, String)> {
    let (sampling, expected) = (run.sampling, first.sampling);
    if sampling != expected {
        let detail = format!("its answers were sampled with {sampling}, and with {expected}");
        return Some((ConditionDifference::SamplingChanged, detail));
    }
    if let (Some(found), Some(expected)) = (run.answered_by, first.answered_by)
        && found != expected
    {
        let detail = format!("{found:?} gave its answers, and {expected:?}");
        return Some((ConditionDifference::ModelChanged, detail));
    }
    if let (Some(found), Some(expected)) = (run.prompt_tokens, first.prompt_tokens)
        && found != expected
    {
        let detail = format!("the server counts {found} tokens in its prompts, and {expected} in");
        return Some((ConditionDifference::TokenCountChanged, detail));
    }
    None
}
