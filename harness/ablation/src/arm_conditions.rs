//! What must be the same in all runs of one oracle, so that a difference between them is one of their variants.

use super::comparable_run::ComparableRun;
use super::invalid_comparison::{ConditionDifference, InvalidComparison};

/// Checks that every run was made under the conditions of the first run of its oracle. Where a server does not say
/// who answered, or how many tokens it counted, nothing is compared.
///
/// # Errors
/// [`InvalidComparison`] with the first run that differs.
pub fn check_conditions(runs: &[ComparableRun]) -> Result<(), InvalidComparison> {
    for (place, run) in runs.iter().enumerate() {
        let earlier = runs.get(..place).unwrap_or_default();
        let Some(first) = earlier.iter().find(|first| run.has_oracle_of(first)) else {
            continue;
        };
        if let Some((difference, detail)) = find_difference(first, run) {
            return Err(InvalidComparison {
                path: run.dir.clone(),
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
    first: &ComparableRun,
    run: &ComparableRun,
) -> Option<(ConditionDifference, String)> {
    let (sampling, expected) = (run.header.sampling, first.header.sampling);
    if sampling != expected {
        let detail = format!("its answers were sampled with {sampling}, and with {expected}");
        return Some((ConditionDifference::SamplingChanged, detail));
    }
    if let (Some(found), Some(expected)) = (&run.answered_by, &first.answered_by)
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
