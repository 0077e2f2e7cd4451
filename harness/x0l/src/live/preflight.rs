//! The checks before a session (Q4, Q5; A4, A5).
//!
//! Preflight asks the oracle nothing: the calibration is the first part of [`super::run_session`].

use std::fs;
use std::io;
use std::path::Path;

use axilog_ledger::encoding::hex;
use axilog_oracle::canonicalizer::{self, SELF_TEST_HASH};

use super::{LiveError, SessionPlan, fuzz};
use crate::X0lError;
use crate::budget::{Budget, PromptTokens};

/// The frozen source hash of the canonicalizer.
const SOURCE_HASH: &str = "bd22723f857112491cf2e9f30f0e535bd48bc8b0948aac4dd671bb067a83496d";

/// The frozen digest of the fuzz pass.
const FUZZ_DIGEST: &str = "f6d7c0e5382276c2f1f2f61b77e311c8577f7657db39e472f6c0d2e6b04cc991";

/// A check and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreflightCheck {
    /// The name of what is checked.
    pub name: &'static str,
    /// What was found, or what is wrong and what to do.
    pub result: Result<String, String>,
}

/// The results of preflight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preflight {
    /// The checks, in order.
    pub checks: Vec<PreflightCheck>,
    /// The least B2 under which every cycle can surely run.
    pub needed_b2: u64,
}

impl Preflight {
    /// Whether every check passed, so that a session may begin.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.checks.iter().all(|check| check.result.is_ok())
    }

    /// Fails unless every check passed.
    ///
    /// # Errors
    /// [`LiveError::NotReady`] with every check that failed.
    pub fn require_ready(&self) -> Result<(), LiveError> {
        let describe = |check: &PreflightCheck| {
            let reason = check.result.as_ref().err()?;
            Some(format!("{}: {reason}", check.name))
        };
        let reasons: Vec<String> = self.checks.iter().filter_map(describe).collect();
        match reasons.as_slice() {
            [] => Ok(()),
            reasons => Err(LiveError::NotReady(reasons.join("; "))),
        }
    }
}

/// Checks `plan`, and whether `out` can be the directory of its run.
///
/// # Errors
/// [`X0lError::Live`] where the tokens of a prompt cannot be counted.
pub fn preflight(plan: &SessionPlan, out: &Path) -> Result<Preflight, X0lError> {
    let mut prompts = PromptTotals::default();
    for (index, (_, task)) in plan.cycles().enumerate() {
        let prompt = plan.render_prompt(task, index as u64 + 1);
        if let Err(reason) = prompt.input() {
            prompts
                .inadmissible
                .get_or_insert_with(|| format!("the task {}: {reason}", task.id));
        }
        let tokens = plan.settings.token_counter.count_prompt(&prompt)?;
        prompts.add_prompt(plan, tokens);
    }
    let frozen = &plan.frozen;
    let mut checks = check_canonicalizer();
    let mut add = |name, result| checks.push(PreflightCheck { name, result });
    let constitution = &plan.constitution;
    add(
        "constitution",
        Ok(format!(
            "version {}, {}",
            constitution.version,
            hex(&constitution.hash)
        )),
    );
    for planned in &plan.conditions {
        let count = planned.set.tasks.len();
        let file = planned.set.hash;
        add(
            planned.set.condition.as_str(),
            Ok(format!("{count} tasks, {}", hex(&file))),
        );
    }
    let kind = match frozen.erratum {
        Some(_) => "a syntax erratum",
        None => "the base template",
    };
    add(
        "template",
        Ok(format!("{kind}, {}", hex(&plan.template.hash))),
    );
    add("prompts", prompts.check_admissible());
    add("B1", prompts.check_b1(frozen.b1));
    add("B2", prompts.check_b2(plan));
    add("context", prompts.check_context(plan));
    add("out", check_directory(out));
    Ok(Preflight {
        checks,
        needed_b2: prompts.needed_b2,
    })
}

fn check_canonicalizer() -> Vec<PreflightCheck> {
    let compare = |name, found: String, expected: &str| PreflightCheck {
        name,
        result: if found == expected {
            Ok(found)
        } else {
            Err(format!(
                "found {found}, expected {expected}: this is not the canonicalizer that was frozen; install axilog anew"
            ))
        },
    };
    let fuzz = match fuzz::run_fuzz_pass() {
        Ok(digest) => {
            let mut check = compare("fuzz", hex(&digest), FUZZ_DIGEST);
            check.result = check
                .result
                .map(|digest| format!("{} texts, {digest}", fuzz::TEXT_COUNT));
            check
        }
        Err(reason) => PreflightCheck {
            name: "fuzz",
            result: Err(reason),
        },
    };
    vec![
        compare(
            "canonicalizer",
            hex(&canonicalizer::source_hash()),
            SOURCE_HASH,
        ),
        compare(
            "self test",
            hex(&canonicalizer::self_test_hash()),
            SELF_TEST_HASH,
        ),
        fuzz,
    ]
}

/// The totals over all prompts of a session.
#[derive(Default)]
struct PromptTotals {
    count: u64,
    /// The first prompt that the ledger would not admit, and why.
    inadmissible: Option<String>,
    /// The longest prompt's tokens, at the least.
    at_least: u64,
    /// The longest prompt's tokens, at the most.
    at_most: u64,
    /// The number of prompts that are longer than B1 and will not be sent.
    too_long: u64,
    /// The most tokens that all prompts that are sent can cost, with their answers.
    worst_case: u64,
    /// The largest number that a cycle is compared with B2 by.
    needed_b2: u64,
}

impl PromptTotals {
    fn add_prompt(&mut self, plan: &SessionPlan, tokens: PromptTokens) {
        let budget = Budget::new(&plan.frozen);
        self.count += 1;
        self.at_least = self.at_least.max(tokens.at_least);
        self.at_most = self.at_most.max(tokens.at_most);
        // A prompt that is too long costs nothing, but its cycle is compared with B2 first.
        let reached = self.worst_case.saturating_add(budget.worst_case(tokens));
        self.needed_b2 = self.needed_b2.max(reached);
        if budget.is_too_long(tokens) {
            self.too_long += 1;
        } else {
            self.worst_case = reached;
        }
    }

    fn check_admissible(&self) -> Result<String, String> {
        match &self.inadmissible {
            None => Ok(format!(
                "{}, of at most {} tokens",
                self.count, self.at_most
            )),
            Some(reason) => Err(reason.clone()),
        }
    }

    fn check_b1(&self, b1: u64) -> Result<String, String> {
        Ok(match self.too_long {
            0 => format!("{b1} tokens"),
            count => format!("{b1} tokens; {count} prompts are longer and will not be sent"),
        })
    }

    fn check_b2(&self, plan: &SessionPlan) -> Result<String, String> {
        let (b2, needed) = (plan.frozen.b2, self.needed_b2);
        match (needed <= b2, plan.settings.accept_partial) {
            (true, _) => Ok(format!("{b2} tokens, and {needed} are surely enough")),
            (false, true) => Ok(format!(
                "{b2} tokens, which may end the session early: {needed} are surely enough"
            )),
            (false, false) => Err(format!(
                "{b2} tokens may end the session early; --b2 {needed} is surely enough, or take what comes with --accept-partial"
            )),
        }
    }

    fn check_context(&self, plan: &SessionPlan) -> Result<String, String> {
        let window = plan.frozen.context_window_size;
        let needed = self.at_least.saturating_add(plan.frozen.max_tokens);
        if needed > window {
            Err(format!(
                "the longest prompt and its answer need at least {needed} tokens, and the context window has {window}"
            ))
        } else {
            Ok(format!("a window of {window} tokens"))
        }
    }
}

/// Checks whether a run can have this directory, without creating it.
fn check_directory(out: &Path) -> Result<String, String> {
    let shown = out.display();
    match fs::read_dir(out) {
        Ok(mut entries) => match entries.next() {
            None => Ok(format!("{shown}, which is empty")),
            Some(_) => Err(format!(
                "{shown} is not empty, and a run is never resumed or overwritten; name another directory"
            )),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(format!("{shown}, which is new"))
        }
        Err(error) => Err(format!("{shown}: {error}; name a directory with --out")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever changes the canonicalizer must freeze it anew, in the constants of this file.
    #[test]
    fn this_canonicalizer_is_the_frozen_one() {
        for check in check_canonicalizer() {
            assert!(check.result.is_ok(), "{check:?}");
        }
    }
}
