//! How many seeds an experiment takes before any of its tests can have a verdict. It follows from the plan alone, so
//! that nobody pays for answers from which nothing can follow.

use super::controls::{Control, PairedRuns};
use super::endpoint::StudyEndpoint;
use super::judged_tests::{FamilyTest, TestVerdict, judge_tests};
use super::primary_endpoint::weigh_primary;
use super::swap_test::{MAX_EXACT_SEEDS, PValue};
use super::variant::Variant;

/// The fewest seeds under which some test of a comparison of `arms`, whose first is the baseline and whose headers declare
/// `primary`, can be told apart; `None` where nothing is compared.
#[must_use]
pub fn count_sufficient_seeds(arms: &[Variant], primary: StudyEndpoint) -> Option<usize> {
    let paired = PairedRuns::of_arms(arms);
    let tests: Vec<bool> = paired
        .pairs
        .iter()
        .flat_map(|(control, pair)| {
            let has_noise = paired.find_replicate_beside(*pair).is_some();
            list_endpoints(has_noise).map(|endpoint| is_primary(*control, endpoint, primary))
        })
        .collect();
    (1..=MAX_EXACT_SEEDS).find(|seeds| can_have_verdict(&tests, *seeds))
}

/// The endpoints that are tested of a pair; `has_noise` is whether a replicate shows the oracle's own noise in it.
fn list_endpoints(has_noise: bool) -> impl Iterator<Item = StudyEndpoint> {
    let always = [
        StudyEndpoint::Choices,
        StudyEndpoint::Answers,
        StudyEndpoint::Actions,
        StudyEndpoint::Agreement,
    ];
    always
        .into_iter()
        .chain(has_noise.then_some(StudyEndpoint::Disagreement))
}

fn is_primary(control: Option<Control>, endpoint: StudyEndpoint, primary: StudyEndpoint) -> bool {
    control.is_none() && endpoint == primary
}

/// Whether one of the tests, each of which is primary or not, is told apart under `seeds` seeds where all have the
/// smallest p-value.
fn can_have_verdict(tests: &[bool], seeds: usize) -> bool {
    let primary = tests.iter().filter(|is_primary| **is_primary).count();
    let weight = weigh_primary(seeds, primary as u64, (tests.len() - primary) as u64);
    let tests: Vec<FamilyTest> = tests
        .iter()
        .map(|is_primary| FamilyTest {
            seeds,
            p_value: PValue::smallest(seeds),
            largest: None,
            weight: if *is_primary { weight } else { 1 },
        })
        .collect();
    let judged = judge_tests(&tests);
    judged
        .iter()
        .any(|test| test.verdict == TestVerdict::ToldApart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_seeds_follow_from_the_arms() {
        use Variant::{B, Baseline, C, Placebo, Replicate};
        for (arms, primary, expected) in [
            (vec![Baseline, B, C], StudyEndpoint::Agreement, Some(7)),
            (vec![Baseline, B], StudyEndpoint::Agreement, Some(6)),
            (
                vec![Baseline, B, C, Placebo, Replicate],
                StudyEndpoint::Disagreement,
                Some(7),
            ),
            // No pair but those of the controls: nine tests of one weight.
            (
                vec![Baseline, Placebo, Replicate],
                StudyEndpoint::Disagreement,
                Some(9),
            ),
            (vec![Baseline], StudyEndpoint::Agreement, None),
            (vec![], StudyEndpoint::Agreement, None),
        ] {
            assert_eq!(count_sufficient_seeds(&arms, primary), expected, "{arms:?}");
        }
    }
}
