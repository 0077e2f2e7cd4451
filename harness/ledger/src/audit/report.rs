//! What the caller of an audit expects, the single checks, and the verdict over them.

use super::budgets::AuditBudgets;
use crate::rules::{ExpectedRules, RuleSet, RulesSource};
use crate::verify::{LedgerExpectations, VerificationReport};

/// What the caller of an audit knows from elsewhere.
#[derive(Clone, Debug, Default)]
pub struct AuditExpectations<'p> {
    /// The ledger's length, heads and models.
    pub ledger: LedgerExpectations,
    /// The ledger's rules.
    pub rules: ExpectedRules<'p>,
    /// What is read at most.
    pub budgets: AuditBudgets,
    /// Whether a policy must have judged every answer that was permitted, as where the ledger's manifest requires it.
    pub require_policy: bool,
}

/// The verdict of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditVerdict {
    /// Every check was made and passed.
    Ok,
    /// A check was made and failed.
    Failed,
    /// No check failed, and one could not be made.
    Incomplete,
}

impl AuditVerdict {
    /// The verdict as output has it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            AuditVerdict::Ok => "OK",
            AuditVerdict::Failed => "FAILED",
            AuditVerdict::Incomplete => "INCOMPLETE",
        }
    }
}

/// The result of one check of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckResult {
    /// The check was made, and everything is right.
    Passed,
    /// The check was made, and something is wrong.
    Failed,
    /// The check could not be made.
    NotChecked,
}

impl CheckResult {
    /// The result as output has it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            CheckResult::Passed => "passed",
            CheckResult::Failed => "failed",
            CheckResult::NotChecked => "not checked",
        }
    }
}

/// One check of an audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditCheck {
    /// The subject of the check, one of [`CHECKS`], [`HELD_HEAD`] or [`SAVED_TREE`].
    pub subject: &'static str,
    /// The result.
    pub result: CheckResult,
    /// What was found, in words.
    pub finding: String,
    /// The files or records that are wrong or missing, a line each.
    pub details: Vec<String>,
}

/// The subjects of an audit, in the order of its checks.
pub const CHECKS: [&str; 11] = [
    "chain",
    "rules",
    "decisions",
    "manifest",
    "schemas",
    "oracles",
    "models",
    "blobs",
    "raw answers",
    "derivations",
    "end",
];

/// The subject of the check that an audit makes after all others where it is given a head that somebody holds.
pub const HELD_HEAD: &str = "held head";

/// The subject of the check that an audit makes of the tree which a signer of heads has left beside the ledger.
pub const SAVED_TREE: &str = "saved tree";

/// An oracle of which answers were permitted without any policy, and without a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnjudgedOracle {
    /// The oracle.
    pub oracle_id: String,
    /// The number of such answers.
    pub answers: u64,
}

/// The result of an audit.
pub struct AuditReport {
    /// The result of the verification that the audit includes.
    pub verification: VerificationReport,
    /// The rules under which the decisions were made again and where they came from; `None` where they were not.
    pub rules: Option<(RuleSet, RulesSource)>,
    /// The checks, one for each of [`CHECKS`], in that order, and those of the heads that were given.
    pub checks: Vec<AuditCheck>,
    /// What the ledger alone cannot show and the caller named nothing to compare with, in words.
    pub not_compared: Vec<String>,
    /// The oracles that neither a policy nor a schema of their answers covers.
    pub unjudged_oracles: Vec<UnjudgedOracle>,
}

impl AuditReport {
    /// The verdict over all checks.
    #[must_use]
    pub fn verdict(&self) -> AuditVerdict {
        let has = |result| self.checks.iter().any(|check| check.result == result);
        match (has(CheckResult::Failed), has(CheckResult::NotChecked)) {
            (true, _) => AuditVerdict::Failed,
            (false, true) => AuditVerdict::Incomplete,
            (false, false) => AuditVerdict::Ok,
        }
    }
}

/// The most lines that a check names of one kind.
const MAX_NAMED: usize = 20;

/// The first of these lines, and how many more there are.
pub(super) fn name_first(mut lines: Vec<String>) -> Vec<String> {
    let rest = lines.len().saturating_sub(MAX_NAMED);
    lines.truncate(MAX_NAMED);
    if rest > 0 {
        lines.push(format!("{rest} more"));
    }
    lines
}
