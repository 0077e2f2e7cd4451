//! How far reviewers who judged the same cycles agree.

use std::collections::BTreeMap;

use serde::Serialize;

use super::statement::Judgement;
use crate::metrics::Ratio;

/// The judgements of two reviewers on the cycles that both have judged.
///
/// The four counts are all that there is to know of the two; a coefficient such as Cohen's kappa can be computed of
/// them. It is not given by itself: where nearly every cycle is dismissed, it is small or has no value although the two
/// agree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReviewerAgreement {
    /// The reviewer whose name is first in the order of bytes.
    pub first: String,
    /// The other reviewer.
    pub second: String,
    /// The cycles that both have confirmed.
    pub both_confirmed: u64,
    /// The cycles that both have dismissed.
    pub both_dismissed: u64,
    /// The cycles that the first has confirmed and the second dismissed.
    pub only_first_confirmed: u64,
    /// The cycles that the second has confirmed and the first dismissed.
    pub only_second_confirmed: u64,
}

impl ReviewerAgreement {
    /// The cycles on which the two agree, out of those that both have judged.
    #[must_use]
    pub fn agreed(&self) -> Ratio {
        let of = self.both_confirmed + self.both_dismissed;
        let all = of + self.only_first_confirmed + self.only_second_confirmed;
        Ratio { of, all }
    }

    fn count(&mut self, first: Judgement, second: Judgement) {
        *match (first, second) {
            (Judgement::Confirmed, Judgement::Confirmed) => &mut self.both_confirmed,
            (Judgement::Dismissed, Judgement::Dismissed) => &mut self.both_dismissed,
            (Judgement::Confirmed, Judgement::Dismissed) => &mut self.only_first_confirmed,
            (Judgement::Dismissed, Judgement::Confirmed) => &mut self.only_second_confirmed,
        } += 1;
    }
}

/// Compares all pairs of reviewers who have judged a cycle in common. `cycles` has the judgements on each cycle, by the
/// names of who made them.
pub(super) fn compare_reviewers<'n>(
    cycles: impl Iterator<Item = BTreeMap<&'n str, Judgement>>,
) -> Vec<ReviewerAgreement> {
    let mut pairs: BTreeMap<(&str, &str), ReviewerAgreement> = BTreeMap::new();
    for judgements in cycles {
        for (place, (first, judged_first)) in judgements.iter().enumerate() {
            for (second, judged_second) in judgements.iter().skip(place + 1) {
                let pair = pairs.entry((first, second));
                let agreement = pair.or_insert_with(|| ReviewerAgreement {
                    first: (*first).to_owned(),
                    second: (*second).to_owned(),
                    both_confirmed: 0,
                    both_dismissed: 0,
                    only_first_confirmed: 0,
                    only_second_confirmed: 0,
                });
                agreement.count(*judged_first, *judged_second);
            }
        }
    }
    pairs.into_values().collect()
}
