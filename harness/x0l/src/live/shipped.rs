//! The examples that are in the program: what a session runs on where nothing else is named.

use crate::condition::Condition;
use crate::template;

/// The constitution.
pub const CONSTITUTION: &str = include_str!("../../data/constitution.toml");

/// The corpus of L-B.
pub const CORPUS: &str = include_str!("../../data/l-b.corpus.txt");

/// Answers and faults for a session without a model.
pub const SCRIPT: &str = include_str!("../../data/script.jsonl");

/// Every example, by the name of its file.
pub const FILES: [(&str, &str); 9] = [
    ("constitution.toml", CONSTITUTION),
    ("l-a.toml", tasks(Condition::A)),
    ("l-b.toml", tasks(Condition::B)),
    ("l-b.corpus.txt", CORPUS),
    ("l-c.toml", tasks(Condition::C)),
    ("l-d.toml", tasks(Condition::D)),
    ("l-e.toml", tasks(Condition::E)),
    ("script.jsonl", SCRIPT),
    ("template.txt", template::BASE),
];

/// The tasks of a condition.
#[must_use]
pub const fn tasks(condition: Condition) -> &'static str {
    match condition {
        Condition::A => include_str!("../../data/l-a.toml"),
        Condition::B => include_str!("../../data/l-b.toml"),
        Condition::C => include_str!("../../data/l-c.toml"),
        Condition::D => include_str!("../../data/l-d.toml"),
        Condition::E => include_str!("../../data/l-e.toml"),
    }
}
