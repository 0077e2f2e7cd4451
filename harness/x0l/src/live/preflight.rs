//! The checks before a session (Q4, Q5; A4, A5).
//!
//! Preflight asks the oracle nothing: the calibration is the first part of [`super::run_session`].

use std::fs;
use std::io;
use std::path::Path;

use axilog_ledger::encoding::hex;
use axilog_oracle::canonicalizer;

use super::error::LiveError;
use super::fuzz;
use super::plan::SessionPlan;
use crate::budget::{Budget, PromptTokens, expected_answer};
use crate::condition::Condition;
use crate::error::X0lError;
use crate::frozen_code::{canonicalizer_hashes, kernel_hashes};
use crate::kernel;

/// The frozen source hash of the canonicalizer, with what it calls.
const CANONICALIZER_HASH: &str = "1f6775a7282c0b8a6b3217d4ef0450af1f5942b011718b45c3c07fdf25afd548";

/// The frozen source hash of the kernel, with what it calls.
const KERNEL_HASH: &str = "f1a926543819d65f19a3863a2defd5295317562e699260d601cb0edb58c7f7f8";

/// The frozen digest of the fuzz pass.
const FUZZ_DIGEST: &str = "0f2e0fa085802baf1115aef0b359ee18955f4b2291ad5a16acf3e11ea5a27456";

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
    /// The B2 that is demanded: under it every cycle can run, if the answers have the expected lengths.
    pub needed_b2: u64,
    /// The least B2 under which every cycle can surely run.
    pub surely_enough_b2: u64,
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
    for (index, (condition, task)) in plan.cycles().enumerate() {
        let prompt = plan.render_prompt(task, index as u64 + 1);
        if let Err(reason) = prompt.input() {
            prompts
                .inadmissible
                .get_or_insert_with(|| format!("the task {}: {reason}", task.id));
        }
        let tokens = plan.settings.token_counter.count_prompt(&prompt)?;
        prompts.add_prompt(plan, condition, tokens);
    }
    let frozen = &plan.frozen;
    let mut checks = check_code();
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
        surely_enough_b2: prompts.surely_enough_b2,
    })
}

/// Checks that the canonicalizer and the kernel that run here are the frozen ones, by source and by result.
fn check_code() -> Vec<PreflightCheck> {
    let compare = |name, found: String, expected: &str| PreflightCheck {
        name,
        result: if found == expected {
            Ok(found)
        } else {
            Err(format!(
                "found {found}, expected {expected}: this is not the code that was frozen; install axilog anew"
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
    let (canonicalizer, kernel) = (canonicalizer_hashes(), kernel_hashes());
    vec![
        compare(
            "canonicalizer",
            hex(&canonicalizer.source_hash),
            CANONICALIZER_HASH,
        ),
        compare(
            "self test",
            hex(&canonicalizer.self_test_hash),
            canonicalizer::SELF_TEST_HASH,
        ),
        compare("kernel", hex(&kernel.source_hash), KERNEL_HASH),
        compare(
            "kernel test",
            hex(&kernel.self_test_hash),
            kernel::SELF_TEST_HASH,
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
    /// The largest number that a cycle is compared with B2 by, if all before it cost the most.
    surely_enough_b2: u64,
    /// The tokens that all prompts that are sent are expected to cost, with their answers.
    expected: u64,
    /// The largest number that a cycle is compared with B2 by, if all before it cost what is expected.
    needed_b2: u64,
}

impl PromptTotals {
    fn add_prompt(&mut self, plan: &SessionPlan, condition: Condition, tokens: PromptTokens) {
        let budget = Budget::new(&plan.frozen);
        self.count += 1;
        self.at_least = self.at_least.max(tokens.at_least);
        self.at_most = self.at_most.max(tokens.at_most);
        // A prompt that is too long costs nothing, but its cycle is compared with B2 first.
        let reached = self.worst_case.saturating_add(budget.worst_case(tokens));
        self.surely_enough_b2 = self.surely_enough_b2.max(reached);
        let needed = self.expected.saturating_add(budget.worst_case(tokens));
        self.needed_b2 = self.needed_b2.max(needed);
        if budget.is_too_long(tokens) {
            self.too_long += 1;
        } else {
            self.worst_case = reached;
            let cost = tokens.expected.saturating_add(expected_answer(condition));
            self.expected = self.expected.saturating_add(cost);
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
        let (b2, needed, surely) = (plan.frozen.b2, self.needed_b2, self.surely_enough_b2);
        let numbers = format!("{needed} are expected, {surely} are surely enough");
        match (needed <= b2, plan.settings.accept_partial) {
            (true, _) => Ok(format!("{b2} tokens; {numbers}")),
            (false, true) => Ok(format!(
                "{b2} tokens, which may end the session early: {numbers}"
            )),
            (false, false) => Err(format!(
                "{b2} tokens will probably end the session early: {numbers}; give --b2 {needed} or more, or take what comes with --accept-partial"
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

    /// Whoever changes the canonicalizer, the kernel or what they call must freeze it anew, in the constants of this file.
    #[test]
    fn the_code_that_runs_is_the_frozen_one() {
        for check in check_code() {
            assert!(check.result.is_ok(), "{check:?}");
        }
    }
}
