//! What a session runs on that the tests build, and how it ends.

use axilog_x0l::log::{Condition, FrozenAttempt};

pub const CONSTITUTION: &str = include_str!("../../data/constitution.toml");
const CORPORA: [(Condition, &str); 2] = [
    (Condition::B, include_str!("../../data/l-b.corpus.txt")),
    (Condition::D, include_str!("../../data/l-d.corpus.txt")),
];
const TASKS: [&str; 5] = [
    include_str!("../../data/l-a.toml"),
    include_str!("../../data/l-b.toml"),
    include_str!("../../data/l-c.toml"),
    include_str!("../../data/l-d.toml"),
    include_str!("../../data/l-e.toml"),
];

pub fn corpus(id: Condition) -> Option<&'static str> {
    let mut corpora = CORPORA.into_iter();
    corpora.find_map(|(other, text)| (other == id).then_some(text))
}

/// The end of a run.
#[derive(Clone, Copy, PartialEq)]
pub enum RunEnd {
    Complete,
    /// Ctrl-C after this number of cycles.
    Interrupted(u64),
    /// The process is killed after this number of cycles.
    Killed(u64),
}

/// When the ledger of a run gets the hashes of the cycle log's lines.
#[derive(Clone, Copy, PartialEq)]
pub enum LineBinding {
    /// As each cycle ends.
    EachCycle,
    /// All of them after the last cycle.
    Late,
    /// Not at all.
    Never,
    /// Not at all, in a run of the earlier format.
    EarlierFormat,
}

/// What a session runs on, where that is not the same in all tests.
#[derive(Clone)]
pub struct BuiltSession {
    pub oracle: &'static str,
    pub constitution: String,
    /// L-C's task file, where it is not the shipped one.
    pub injections: Option<String>,
    /// When the ledger gets the hashes of the cycle log's lines.
    pub binding: LineBinding,
    /// The place among the attempts under a plan.
    pub plan: Option<FrozenAttempt>,
}

impl Default for BuiltSession {
    /// A model that a server has, and the shipped files.
    fn default() -> BuiltSession {
        BuiltSession {
            oracle: "openai",
            constitution: CONSTITUTION.to_owned(),
            injections: None,
            binding: LineBinding::EachCycle,
            plan: None,
        }
    }
}

impl BuiltSession {
    /// The task file of a condition.
    pub fn tasks(&self, id: Condition) -> &str {
        match (&self.injections, id) {
            (Some(injections), Condition::C) => injections,
            _ => TASKS[id as usize],
        }
    }
}
