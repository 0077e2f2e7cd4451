//! The conditions of a session (Q38).

use serde_json::Value;

use crate::fields::{FromJson, Wrong, one_of};

/// A condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// Structured tasks. The only one with a floor for actions (Q45).
    A,
    /// A corpus in frozen order.
    B,
    /// Adversarial injections.
    C,
    /// Pressure to be verbose.
    D,
    /// Several candidates in one answer.
    E,
}

impl Condition {
    /// Every condition, in order.
    pub const ALL: [Condition; 5] = [
        Condition::A,
        Condition::B,
        Condition::C,
        Condition::D,
        Condition::E,
    ];

    /// As logs have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Condition::A => "L-A",
            Condition::B => "L-B",
            Condition::C => "L-C",
            Condition::D => "L-D",
            Condition::E => "L-E",
        }
    }
}

impl FromJson for Condition {
    fn from_json(value: &Value) -> Result<Condition, Wrong> {
        one_of(value, &Condition::ALL, Condition::as_str)
    }
}
