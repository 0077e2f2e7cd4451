//! The example files, compiled in. A session uses them where no other files are named.

use crate::condition::Condition;
use crate::template;

/// The example constitution.
pub const CONSTITUTION: &str = include_str!("../../data/constitution.toml");

/// The example corpus of L-B.
pub const CORPUS: &str = include_str!("../../data/l-b.corpus.txt");

/// The example corpus of L-D.
pub const LONG_CORPUS: &str = include_str!("../../data/l-d.corpus.txt");

/// The example script: answers and faults for a session without a model.
pub const SCRIPT: &str = include_str!("../../data/script.jsonl");

/// Every example, with the name of its file.
pub const FILES: [(&str, &str); 10] = [
    ("constitution.toml", CONSTITUTION),
    ("l-a.toml", tasks(Condition::A)),
    ("l-b.toml", tasks(Condition::B)),
    ("l-b.corpus.txt", CORPUS),
    ("l-c.toml", tasks(Condition::C)),
    ("l-d.toml", tasks(Condition::D)),
    ("l-d.corpus.txt", LONG_CORPUS),
    ("l-e.toml", tasks(Condition::E)),
    ("script.jsonl", SCRIPT),
    ("template.txt", template::BASE),
];

/// The example corpus of a condition whose tasks have one.
#[must_use]
pub const fn corpus(condition: Condition) -> Option<&'static str> {
    match condition {
        Condition::B => Some(CORPUS),
        Condition::D => Some(LONG_CORPUS),
        Condition::A | Condition::C | Condition::E => None,
    }
}

/// The example tasks of a condition.
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
