//! What policies and schemas would decide on an answer, and why, without recording it.

use std::path::Path;

use axilog::evidence::policy::PolicyResult;
use axilog_policyc::{PolicySet, decimal};

use crate::answer_values::{FoundNumber, explain_missing, find_numbers};
use crate::decision::{PolicyJudgement, StepDecision};
use crate::decision_reasons::list_reasons;
use crate::error::LedgerError;
use crate::rules::RuleSet;
use crate::schema::violation::SchemaViolation;
use crate::schema::{DeclaredSchemas, SchemaSubject};
use crate::session::read_declared_schemas;
use crate::trial::decide_answer;

/// An oracle's id that no observation can have.
#[derive(Debug, thiserror::Error)]
#[error("{}: no oracle id: expected 1 to 256 bytes of text in NFC without control characters", .0.escape_debug())]
pub struct InadmissibleOracleId(String);

/// What an answer is tried under.
pub struct TrialRules {
    rules: RuleSet,
    schemas: DeclaredSchemas,
}

impl TrialRules {
    /// Policies, and schemas of answers.
    #[must_use]
    pub fn new(policies: PolicySet, schemas: DeclaredSchemas) -> TrialRules {
        TrialRules {
            rules: RuleSet::new(policies, false, false),
            schemas,
        }
    }

    /// The rules of the ledger `path`, and the schemas that it declares.
    ///
    /// # Errors
    /// [`LedgerError::SchemasUnusable`] for a manifest or schema that is missing or bad, [`LedgerError::File`].
    pub fn of_ledger(path: &Path, rules: RuleSet) -> Result<TrialRules, LedgerError> {
        let schemas = read_declared_schemas(path, &rules)?;
        Ok(TrialRules { rules, schemas })
    }

    /// The oracles that a policy or a schema of answers names, in the order of their ids.
    fn named_oracles(&self) -> Vec<&str> {
        let of_schemas = self.schemas.oracle_ids();
        let judged = of_schemas.filter(|id| self.schemas.get(id, SchemaSubject::Output).is_some());
        let mut named: Vec<&str> = self.rules.policies().named_oracles();
        named.extend(judged);
        named.sort_unstable();
        named.dedup();
        named
    }
}

/// What would be decided on an answer as one of an oracle.
pub struct TrialVerdict {
    /// The oracle; `None` for every one that no policy and no schema names.
    pub oracle: Option<String>,
    /// What an ENABLED agent would decide by the policies alone.
    pub decision: StepDecision,
    /// Whether a schema of the oracle's answers is declared.
    pub has_schema: bool,
    /// How the answer violates that schema. It is recorded as INVALID_OUTPUT then, and no policy sees its values.
    pub schema_violation: Option<SchemaViolation>,
}

impl TrialVerdict {
    /// Whether the answer would be permitted.
    #[must_use]
    pub fn is_permitted(&self) -> bool {
        self.decision.is_permitted && self.schema_violation.is_none()
    }

    /// Lists the reasons that decide; there is at least one.
    #[must_use]
    pub fn list_reasons(&self) -> Vec<String> {
        let violation = self.schema_violation.as_ref();
        let mut reasons: Vec<String> = violation
            .map(|violation| format!("the answer violates its schema: {violation}"))
            .into_iter()
            .collect();
        if violation.is_none() || !self.decision.is_permitted {
            reasons.extend(list_reasons(&self.decision));
        }
        reasons
    }

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
                let why = explain_missing(answer, &selector);
                found.push((selector, why));
            }
        }
        found
    }

    /// The numbers of `answer` that lie beside a limit and count as the limit, because policies compare values that are
    /// rounded to 1/65536, in words. A schema compares the number as it is written.
    #[must_use]
    pub fn rounded_values(&self, answer: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        for judged in &self.decision.judgements {
            let Some(actual) = judged.actual.filter(|actual| *actual == judged.threshold) else {
                continue;
            };
            let numbers = find_numbers(answer, &judged.selector).unwrap_or_default();
            for number in numbers.iter().filter(|n| n.value == actual && !n.is_exact) {
                let result = match judged.result {
                    PolicyResult::Permitted => "permitted",
                    PolicyResult::Breach => "a breach",
                };
                found.push(format!(
                    "\"{}\" is {}, and {} compares it as {}, which is {result}",
                    number.place,
                    number.written,
                    judged.policy_id,
                    decimal(actual)
                ));
            }
        }
        found
    }
}

/// Decides on `answer` as one of `oracle`; without one as one of each oracle that the policies and schemas name, and of
/// any other.
///
/// # Errors
/// [`InadmissibleOracleId`] where no observation can have the id of an oracle.
pub fn try_answer(
    rules: &TrialRules,
    answer: &[u8],
    oracle: Option<&str>,
) -> Result<Vec<TrialVerdict>, InadmissibleOracleId> {
    let named = rules.named_oracles();
    let other = find_other_oracle(&named);
    let scopes: Vec<Option<&str>> = match oracle {
        Some(oracle) => vec![Some(oracle)],
        None => named.iter().copied().map(Some).chain([None]).collect(),
    };
    let decide = |scope: Option<&str>| {
        let oracle = scope.unwrap_or(&other);
        let decision = decide_answer(answer, oracle, &rules.rules)
            .map_err(|_| InadmissibleOracleId(oracle.to_owned()))?;
        Ok(TrialVerdict {
            oracle: scope.map(str::to_owned),
            decision,
            has_schema: rules.schemas.get(oracle, SchemaSubject::Output).is_some(),
            schema_violation: rules.schemas.find_violation(oracle, answer),
        })
    };
    scopes.into_iter().map(decide).collect()
}

/// The id of an oracle that is not `named`.
fn find_other_oracle(named: &[&str]) -> String {
    let mut other = "oracle".to_owned();
    while named.contains(&other.as_str()) {
        other.push('-');
    }
    other
}

/// The number of `answer` that a policy compares: of several, the one that decides. `None` where there is none, and
/// where the policy compares a number of elements.
#[must_use]
pub fn find_deciding_number(judged: &PolicyJudgement, answer: &[u8]) -> Option<FoundNumber> {
    let actual = judged.actual?;
    let numbers = find_numbers(answer, &judged.selector).ok()?;
    numbers.into_iter().find(|number| number.value == actual)
}
