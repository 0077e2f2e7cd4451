//! What policies would decide on an answer, and why, without a ledger.

use axilog_policyc::PolicySet;

use crate::decision::StepDecision;
use crate::missing_value;
use crate::rules::RuleSet;
use crate::trial::decide_answer;

/// An oracle's id that no observation can have.
#[derive(Debug, thiserror::Error)]
#[error("{}: no oracle id: expected 1 to 256 bytes of text in NFC without control characters", .0.escape_debug())]
pub struct InadmissibleOracleId(String);

/// What would be decided on an answer as one of an oracle.
pub struct TrialVerdict {
    /// The oracle; `None` for every one that no policy names.
    pub oracle: Option<String>,
    /// The decision of an ENABLED agent.
    pub decision: StepDecision,
}

impl TrialVerdict {
    /// Why there is no value in `answer`, for each selector that lacks one: the selector, and the reason in words.
    #[must_use]
    pub fn missing_values(&self, answer: &[u8]) -> Vec<(String, String)> {
        let mut found: Vec<(String, String)> = Vec::new();
        let judgements = self.decision.judgements.iter();
        for judged in judgements.filter(|j| j.actual.is_none()) {
            if !found
                .iter()
                .any(|(selector, _)| *selector == judged.selector)
            {
                let selector = judged.selector.clone();
                let why = missing_value::explain(answer, &selector);
                found.push((selector, why));
            }
        }
        found
    }
}

/// Decides on `answer` as one of `oracle`; without one as one of each oracle that the policies name, and of any other.
///
/// # Errors
/// [`InadmissibleOracleId`] where no observation can have the id of an oracle.
pub fn try_answer(
    policies: PolicySet,
    answer: &[u8],
    oracle: Option<&str>,
) -> Result<Vec<TrialVerdict>, InadmissibleOracleId> {
    let scopes: Vec<Option<String>> = match oracle {
        Some(oracle) => vec![Some(oracle.to_owned())],
        None => {
            let named = policies.named_oracles().into_iter();
            named
                .map(|named| Some(named.to_owned()))
                .chain([None])
                .collect()
        }
    };
    let other = find_other_oracle(&policies);
    let rules = RuleSet::new(policies, false, false);
    let decide = |scope: Option<String>| {
        let oracle = scope.as_deref().unwrap_or(&other);
        let decision = decide_answer(answer, oracle, &rules)
            .map_err(|_| InadmissibleOracleId(oracle.to_owned()))?;
        Ok(TrialVerdict {
            oracle: scope,
            decision,
        })
    };
    scopes.into_iter().map(decide).collect()
}

/// The id of an oracle that no policy names.
fn find_other_oracle(policies: &PolicySet) -> String {
    let named = policies.named_oracles();
    let mut other = "oracle".to_owned();
    while named.contains(&other.as_str()) {
        other.push('-');
    }
    other
}
