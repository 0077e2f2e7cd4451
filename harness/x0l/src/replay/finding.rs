//! What replay found to be otherwise than it should: in which file, at which cycle, in which field.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Value, json};

use crate::document::{DocumentError, excerpt};
use crate::log::{Condition, Cycle};

/// One thing that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file, by its name in the run's directory.
    pub file: String,
    /// Its line, from 1.
    pub line: Option<u64>,
    /// The cycle.
    pub cycle: Option<Place>,
    /// The field, record or other part; empty for the file as a whole.
    pub field: String,
    /// What is there.
    pub found: String,
    /// What should be.
    pub expected: String,
}

/// Which cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its number in the session.
    pub number: u64,
    /// Its condition.
    pub condition: Condition,
    /// Its number in that.
    pub cycle: u64,
}

impl Finding {
    /// That `field` of `file` is not as it should be.
    pub fn new(
        file: impl Into<String>,
        field: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Finding {
        Finding {
            file: file.into(),
            line: None,
            cycle: None,
            field: field.into(),
            found: found.into(),
            expected: expected.into(),
        }
    }

    /// That something in `file` could not be read.
    pub fn wrong(file: impl Into<String>, wrong: DocumentError) -> Finding {
        Finding::new(file, wrong.field, wrong.found, wrong.expected)
    }

    /// That `file` is not there.
    pub fn missing(file: impl Into<String>) -> Finding {
        Finding::new(file, "", "no such file", "one")
    }

    /// The same, in the cycle on this line of the log.
    #[must_use]
    pub fn in_cycle(mut self, line: u64, cycle: &Cycle) -> Finding {
        self.line = Some(line);
        self.cycle = Some(Place {
            number: cycle.number,
            condition: cycle.condition,
            cycle: cycle.cycle,
        });
        self
    }

    /// The same, on this line.
    #[must_use]
    pub fn on_line(mut self, line: u64) -> Finding {
        self.line = Some(line);
        self
    }

    /// Its fields.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "file": self.file,
            "line": self.line,
            "cycle": self.cycle.map(|place| place.number),
            "condition": self.cycle.map(|place| place.condition.as_str()),
            "condition_cycle": self.cycle.map(|place| place.cycle),
            "field": self.field,
            "found": self.found,
            "expected": self.expected,
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(place) = &self.cycle {
            let condition = place.condition.as_str();
            write!(f, ": cycle {} ({condition} {})", place.number, place.cycle)?;
        }
        if !self.field.is_empty() {
            write!(f, ": {}", self.field)?;
        }
        write!(f, ": found {}, expected {}", self.found, self.expected)
    }
}

/// Hands `differs` every place at which `found` and `expected` are unlike: the path, and both.
pub fn differences(
    found: &Value,
    expected: &Value,
    path: &str,
    differs: &mut dyn FnMut(&str, String, String),
) {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            let names: BTreeSet<&String> = found.keys().chain(expected.keys()).collect();
            let told = |value: Option<&Value>| value.map_or("nothing".to_owned(), excerpt);
            for name in names {
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{name}");
                match (found.get(name), expected.get(name)) {
                    (Some(found), Some(expected)) => differences(found, expected, &path, differs),
                    (found, expected) => differs(&path, told(found), told(expected)),
                }
            }
        }
        (Value::Array(found), Value::Array(expected)) if found.len() == expected.len() => {
            for (n, (found, expected)) in found.iter().zip(expected).enumerate() {
                differences(found, expected, &format!("{path}[{n}]"), differs);
            }
        }
        (Value::Array(found), Value::Array(expected)) => {
            let items = |items: &[Value]| format!("{} items", items.len());
            differs(path, items(found), items(expected));
        }
        (Value::String(one), Value::String(other)) if one != other => {
            differs(path, from_there(one, other), from_there(other, one));
        }
        (found, expected) if found != expected => {
            differs(path, excerpt(found), excerpt(expected));
        }
        _ => {}
    }
}

/// A text as it is told; a long one from shortly before the place where it is unlike `other`.
fn from_there(text: &str, other: &str) -> String {
    const BEFORE: usize = 20;
    let equal = text.chars().zip(other.chars());
    let equal = equal.take_while(|(a, b)| a == b).count();
    if equal <= 2 * BEFORE {
        return excerpt(&text.into());
    }
    let rest: String = text.chars().skip(equal - BEFORE).collect();
    format!(
        "...{} (unlike from character {})",
        excerpt(&rest.into()),
        equal + 1
    )
}
