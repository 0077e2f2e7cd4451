//! The variants of a run: how much of the precedent memory each leaves in place.
//!
//! The experiment has three, [`Variant::EXPERIMENT`]. The controls, [`Variant::CONTROLS`], run beside them and
//! show what a difference between the three may be read as.

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
    /// A memory that keeps, for each record that the baseline would keep, a placebo: a record of the same
    /// length with drawn content.
    Placebo,
    /// The baseline a second time: it differs from the baseline by the oracle's own noise alone.
    Replicate,
}

impl Variant {
    /// Every variant.
    pub const ALL: [Variant; 6] = [
        Variant::V300,
        Variant::Baseline,
        Variant::B,
        Variant::C,
        Variant::Placebo,
        Variant::Replicate,
    ];

    /// The three runs of the experiment, in their order.
    pub const EXPERIMENT: [Variant; 3] = [Variant::Baseline, Variant::B, Variant::C];

    /// The controls, in their order. The replicate comes last, so that it shows whatever changed meanwhile.
    pub const CONTROLS: [Variant; 2] = [Variant::Placebo, Variant::Replicate];

    /// Whether something stands in the prompt from the first record on and never leaves it, as in the
    /// baseline: its own record, or a placebo.
    #[must_use]
    pub fn fills_every_episode(self) -> bool {
        matches!(
            self,
            Variant::Baseline | Variant::Placebo | Variant::Replicate
        )
    }

    /// The variant's name in commands and documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Variant::V300 => "v300",
            Variant::Baseline => "baseline",
            Variant::B => "b",
            Variant::C => "c",
            Variant::Placebo => "placebo",
            Variant::Replicate => "replicate",
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
        Variant::ALL
            .into_iter()
            .find(|variant| variant.as_str() == text)
            .ok_or_else(|| {
                format!(
                    "there is no variant {text:?}; expected v300, baseline, b, c, placebo or replicate"
                )
            })
    }
}
