//! What must be the same in all runs that are compared, and in those of one oracle, so that a difference between them is
//! one of their variants.

use std::path::Path;

use super::invalid_comparison::{ConditionDifference, InvalidComparison};
use super::sampling::Sampling;

/// The conditions under which the answers of a run were given.
#[derive(Clone, Copy, Debug)]
pub struct ArmConditions<'a> {
    /// The run's directory.
    pub dir: &'a Path,
    /// The environment's id, and SHA-256 of its file where its id alone does not say which one it is.
    pub environment: (&'a str, Option<&'a str>),
    /// The kind of oracle, and the model that it is asked for.
    pub oracle: (&'a str, &'a str),
    /// How the model is asked to choose its words.
    pub sampling: Sampling,
    /// The model that answered, as the server names it; `None` where it does not.
    pub answered_by: Option<&'a str>,
    /// The tokens that the server counts in each prompt; `None` where it does not say.
    pub prompt_tokens: Option<u64>,
}

/// Checks that all runs are of one environment: a conclusion is about the environment in which it was drawn.
///
/// # Errors
/// [`InvalidComparison`] with the first run whose environment is not that of the first of all.
pub fn check_environments(runs: &[ArmConditions<'_>]) -> Result<(), InvalidComparison> {
    let Some((first, others)) = runs.split_first() else {
        return Ok(());
    };
    match others
        .iter()
        .find(|run| run.environment != first.environment)
    {
        None => Ok(()),
        Some(run) => Err(InvalidComparison {
            path: run.dir.to_owned(),
            difference: ConditionDifference::EnvironmentChanged,
            detail: format!(
                "its environment is {}, and that of {} is {}; compare runs of one environment, and report each environment by itself",
                describe_environment(run.environment),
                first.dir.display(),
                describe_environment(first.environment)
            ),
        }),
    }
}

/// Checks that the runs of each oracle were made under the same conditions. Every two of them are compared: where a
/// server does not say of one who answered, or how many tokens it counted, it may say so of two others.
///
/// # Errors
/// [`InvalidComparison`] with the first run that differs from one before it.
pub fn check_conditions(runs: &[ArmConditions<'_>]) -> Result<(), InvalidComparison> {
    for (place, run) in runs.iter().enumerate() {
        let earlier = runs.get(..place).unwrap_or_default().iter();
        for other in earlier.filter(|other| other.oracle == run.oracle) {
            if let Some((difference, detail)) = find_difference(other, run) {
                return Err(InvalidComparison {
                    path: run.dir.to_owned(),
                    difference,
                    detail: format!(
                        "{detail} those of {}; run both arms under the same conditions",
                        other.dir.display()
                    ),
                });
            }
        }
    }
    Ok(())
}

/// Names an environment by its id, and by its file where the id alone does not say which one it is.
pub fn describe_environment((id, hash): (&str, Option<&str>)) -> String {
    match hash {
        None => id.to_owned(),
        Some(hash) => format!("{id} with SHA-256 {hash}"),
    }
}

/// Finds what `run` differs in, with the beginning of a sentence that the name of `other` ends.
fn find_difference(
    other: &ArmConditions<'_>,
    run: &ArmConditions<'_>,
) -> Option<(ConditionDifference, String)> {
    let (sampling, expected) = (run.sampling, other.sampling);
    if sampling != expected {
        let detail = format!("its answers were sampled with {sampling}, and with {expected}");
        return Some((ConditionDifference::SamplingChanged, detail));
    }
    if let (Some(found), Some(expected)) = (run.answered_by, other.answered_by)
        && found != expected
    {
        let detail = format!("{found:?} gave its answers, and {expected:?}");
        return Some((ConditionDifference::ModelChanged, detail));
    }
    if let (Some(found), Some(expected)) = (run.prompt_tokens, other.prompt_tokens)
        && found != expected
    {
        let detail = format!("the server counts {found} tokens in its prompts, and {expected} in");
        return Some((ConditionDifference::TokenCountChanged, detail));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions(dir: &'static str, answered_by: Option<&'static str>) -> ArmConditions<'static> {
        ArmConditions {
            dir: Path::new(dir),
            environment: ("harbour/1", None),
            oracle: ("openai", "m"),
            sampling: Sampling::default(),
            answered_by,
            prompt_tokens: None,
        }
    }

    /// An arm that comes first and of which a server says nothing, such as one that had no turn yet, hides nothing.
    #[test]
    fn every_two_runs_are_compared() {
        let silent = conditions("baseline", None);
        let [one, other] = ["one", "other"].map(Some);
        for runs in [
            [silent, conditions("b", one), conditions("c", other)],
            [conditions("baseline", one), silent, conditions("c", other)],
        ] {
            let found = check_conditions(&runs).unwrap_err();
            assert_eq!(found.path, Path::new("c"));
            assert_eq!(found.difference, ConditionDifference::ModelChanged);
        }
        let alike = [silent, conditions("b", one), conditions("c", one)];
        assert!(check_conditions(&alike).is_ok());
    }
}
