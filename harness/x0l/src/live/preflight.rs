//! What is checked before a session, so that none begins that could not end well (Q4, Q5; A4, A5).
//!
//! No question is asked here: [`super::run`] calibrates first.

use std::fs;
use std::io;
use std::path::Path;

use axilog_ledger::file::hex;
use axilog_oracle::canonicalizer::{self, SELF_TEST_HASH};

use super::{LiveError, Plan, fuzz};
use crate::X0lError;
use crate::budget::{Budget, PromptTokens};

/// The source hash of the canonicalizer that this version was frozen with.
const SOURCE_HASH: &str = "bd22723f857112491cf2e9f30f0e535bd48bc8b0948aac4dd671bb067a83496d";

/// What the canonicalizer makes of the drawn texts.
const FUZZ_DIGEST: &str = "f6d7c0e5382276c2f1f2f61b77e311c8577f7657db39e472f6c0d2e6b04cc991";

/// One check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What is checked, in a word.
    pub name: &'static str,
    /// What was found, or what is wrong and what to do.
    pub found: Result<String, String>,
}

/// What preflight found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preflight {
    /// Every check, in order.
    pub checks: Vec<Check>,
    /// The B2 that is surely enough: under it every cycle can be executed.
    pub needed_b2: u64,
}

impl Preflight {
    /// Whether a session may begin.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.checks.iter().all(|check| check.found.is_ok())
    }

    /// Nothing where a session may begin.
    ///
    /// # Errors
    /// [`LiveError::NotReady`] with every check that fails.
    pub fn ready(&self) -> Result<(), LiveError> {
        let wrong = |check: &Check| {
            let reason = check.found.as_ref().err()?;
            Some(format!("{}: {reason}", check.name))
        };
        let reasons: Vec<String> = self.checks.iter().filter_map(wrong).collect();
        match reasons.as_slice() {
            [] => Ok(()),
            reasons => Err(LiveError::NotReady(reasons.join("; "))),
        }
    }
}

/// Checks `plan`, and `out` as the place for a run.
///
/// # Errors
/// [`X0lError::Live`] where a prompt cannot be counted.
pub fn preflight(plan: &Plan, out: &Path) -> Result<Preflight, X0lError> {
    let mut prompts = Prompts::default();
    for (index, (_, task)) in plan.cycles().enumerate() {
        let prompt = plan.prompt(task, index as u64 + 1);
        if let Err(reason) = prompt.input() {
            prompts
                .inadmissible
                .get_or_insert_with(|| format!("the task {}: {reason}", task.id));
        }
        prompts.add(plan, plan.settings.ruler.prompt(&prompt)?);
    }
    let frozen = &plan.frozen;
    let mut checks = canonicalizer();
    let mut add = |name, found| checks.push(Check { name, found });
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
    add("prompts", prompts.admissible());
    add("B1", prompts.b1(frozen.b1));
    add("B2", prompts.b2(plan));
    add("context", prompts.context(plan));
    add("out", place(out));
    Ok(Preflight {
        checks,
        needed_b2: prompts.needed,
    })
}

fn canonicalizer() -> Vec<Check> {
    let compared = |name, found: String, expected: &str| Check {
        name,
        found: if found == expected {
            Ok(found)
        } else {
            Err(format!(
                "found {found}, expected {expected}: this is not the canonicalizer that was frozen; install axilog anew"
            ))
        },
    };
    let fuzz = match fuzz::pass() {
        Ok(digest) => {
            let mut check = compared("fuzz", hex(&digest), FUZZ_DIGEST);
            check.found = check
                .found
                .map(|digest| format!("{} texts, {digest}", fuzz::TRIED));
            check
        }
        Err(reason) => Check {
            name: "fuzz",
            found: Err(reason),
        },
    };
    vec![
        compared(
            "canonicalizer",
            hex(&canonicalizer::source_hash()),
            SOURCE_HASH,
        ),
        compared(
            "self test",
            hex(&canonicalizer::self_test_hash()),
            SELF_TEST_HASH,
        ),
        fuzz,
    ]
}

/// What is known of all prompts.
#[derive(Default)]
struct Prompts {
    count: u64,
    /// The first that no oracle may be asked.
    inadmissible: Option<String>,
    /// The most tokens that the longest has for certain, and those it can have.
    at_least: u64,
    at_most: u64,
    too_long: u64,
    /// The worst case of all that are sent.
    sent: u64,
    /// The most that any cycle is held against B2 with.
    needed: u64,
}

impl Prompts {
    fn add(&mut self, plan: &Plan, tokens: PromptTokens) {
        let budget = Budget::new(&plan.frozen);
        self.count += 1;
        self.at_least = self.at_least.max(tokens.at_least);
        self.at_most = self.at_most.max(tokens.at_most);
        // What is too long costs nothing, but B2 is looked at first.
        let reached = self.sent.saturating_add(budget.worst_case(tokens));
        self.needed = self.needed.max(reached);
        if budget.is_too_long(tokens) {
            self.too_long += 1;
        } else {
            self.sent = reached;
        }
    }

    fn admissible(&self) -> Result<String, String> {
        match &self.inadmissible {
            None => Ok(format!(
                "{}, of at most {} tokens",
                self.count, self.at_most
            )),
            Some(reason) => Err(reason.clone()),
        }
    }

    fn b1(&self, b1: u64) -> Result<String, String> {
        Ok(match self.too_long {
            0 => format!("{b1} tokens"),
            count => format!("{b1} tokens; {count} prompts are longer and will not be sent"),
        })
    }

    fn b2(&self, plan: &Plan) -> Result<String, String> {
        let (b2, needed) = (plan.frozen.b2, self.needed);
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

    fn context(&self, plan: &Plan) -> Result<String, String> {
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

/// Whether a run may have its directory there. Nothing is made.
fn place(out: &Path) -> Result<String, String> {
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

    /// A changed canonicalizer is another one: whoever changes it freezes it anew, here.
    #[test]
    fn this_canonicalizer_is_the_frozen_one() {
        for check in canonicalizer() {
            assert!(check.found.is_ok(), "{check:?}");
        }
    }
}
