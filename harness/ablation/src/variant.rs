//! The variants of a run: how much of the precedent memory each leaves in place.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A variant of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// The base harness, which has no memory.
    V300,
    /// The whole memory.
    Baseline,
    /// A memory that is never written: attempts are counted, and nothing is kept.
    B,
    /// A memory that is reset at the start of each episode, and only there.
    C,
}

impl Variant {
    /// The variant's name in commands and documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Variant::V300 => "v300",
            Variant::Baseline => "baseline",
            Variant::B => "b",
            Variant::C => "c",
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Variant {
    type Err = String;

    fn from_str(text: &str) -> Result<Variant, String> {
        [Variant::V300, Variant::Baseline, Variant::B, Variant::C]
            .into_iter()
            .find(|variant| variant.as_str() == text)
            .ok_or_else(|| format!("there is no variant {text:?}; expected v300, baseline, b or c"))
    }
}
