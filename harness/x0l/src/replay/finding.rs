//! A difference that replay finds in a run: in which file, which cycle, which field.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::json;

use crate::document::DocumentError;
use crate::log::{Condition, Cycle};

/// A difference between a run's directory and what replay expects there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayFinding {
    /// The file, by its name in the run's directory.
    pub file: String,
    /// The line of the file, from 1.
    pub line: Option<u64>,
    /// The cycle that the line records.
    pub cycle: Option<CycleId>,
    /// The field, record or other part; empty for the file as a whole.
    pub field: String,
    /// What the file holds.
    pub found: String,
    /// What the file should hold.
    pub expected: String,
}

/// A cycle of a session, by its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CycleId {
    /// The cycle's number in the session, from 1.
    #[serde(rename = "cycle")]
    pub number: u64,
    /// The cycle's condition.
    #[serde(serialize_with = "write_condition")]
    pub condition: Condition,
    /// The cycle's number in its condition, from 1.
    #[serde(rename = "condition_cycle")]
    pub cycle: u64,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn write_condition<S: Serializer>(id: &Condition, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(id.as_str())
}

impl CycleId {
    /// The numbers of a recorded cycle.
    #[must_use]
    pub fn of(cycle: &Cycle) -> CycleId {
        CycleId {
            number: cycle.number,
            condition: cycle.condition,
            cycle: cycle.cycle,
        }
    }
}

/// A cycle as messages and pages name it, as in `cycle 11 (L-C 3)`.
impl fmt::Display for CycleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let condition = self.condition.as_str();
        write!(f, "cycle {} ({condition} {})", self.number, self.cycle)
    }
}

/// Writes the finding as `report.json` and `--json` have it, with null for a missing line or cycle.
impl Serialize for ReplayFinding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let document = json!({
            "file": self.file,
            "line": self.line,
            "cycle": self.cycle.map(|id| id.number),
            "condition": self.cycle.map(|id| id.condition.as_str()),
            "condition_cycle": self.cycle.map(|id| id.cycle),
            "field": self.field,
            "found": self.found,
            "expected": self.expected,
        });
        document.serialize(serializer)
    }
}

impl ReplayFinding {
    /// A finding that `field` of `file` holds `found` instead of `expected`.
    pub fn new(
        file: impl Into<String>,
        field: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> ReplayFinding {
        ReplayFinding {
            file: file.into(),
            line: None,
            cycle: None,
            field: field.into(),
            found: found.into(),
            expected: expected.into(),
        }
    }

    /// A finding that a value in `file` could not be read.
    pub fn unreadable(file: impl Into<String>, error: DocumentError) -> ReplayFinding {
        ReplayFinding::new(file, error.field, error.found, error.expected)
    }

    /// A finding that `file` does not exist.
    pub fn missing(file: impl Into<String>) -> ReplayFinding {
        ReplayFinding::new(file, "", "no such file", "one")
    }

    /// Adds the cycle and its line in the log to the finding.
    #[must_use]
    pub fn in_cycle(mut self, line: u64, cycle: &Cycle) -> ReplayFinding {
        self.line = Some(line);
        self.cycle = Some(CycleId::of(cycle));
        self
    }

    /// Adds a line number to the finding.
    #[must_use]
    pub fn on_line(mut self, line: u64) -> ReplayFinding {
        self.line = Some(line);
        self
    }
}

impl fmt::Display for ReplayFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(id) = &self.cycle {
            write!(f, ": {id}")?;
        }
        if !self.field.is_empty() {
            write!(f, ": {}", self.field)?;
        }
        write!(f, ": found {}, expected {}", self.found, self.expected)
    }
}
