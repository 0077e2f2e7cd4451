//! The variants of a run: how much of the precedent memory each leaves in place.
//!
//! The experiment has three, [`Variant::EXPERIMENT`]. The controls, [`Variant::CONTROLS`], run beside them and
//! show what a difference between the three may be read as.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr};

/// A variant of a run.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
#[strum(parse_err_ty = String, parse_err_fn = explain_unknown_name)]
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
    /// The three runs of the experiment, in their order.
    pub const EXPERIMENT: [Variant; 3] = [Variant::Baseline, Variant::B, Variant::C];

    /// The controls, in their order.
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
        self.into()
    }
}

/// Describes a name that no variant has.
fn explain_unknown_name(text: &str) -> String {
    format!("there is no variant {text:?}; expected v300, baseline, b, c, placebo or replicate")
}
