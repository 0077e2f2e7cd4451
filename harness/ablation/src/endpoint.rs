//! The endpoints of a comparison: the questions that are asked of two runs.
//!
//! One of them is *primary*: it was declared before the first answer, in the header that the ledger binds, so that
//! nobody can choose it by its result. The others are secondary.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr};

/// An endpoint.
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
pub enum StudyEndpoint {
    /// How often a choice is that of the last record.
    Agreement,
    /// How often a run differs from the baseline at the same step, beyond the replicate.
    Disagreement,
    /// How often each action was proposed.
    Choices,
    /// How often an answer was not useful.
    Answers,
    /// How often each action was done.
    Actions,
}

impl StudyEndpoint {
    /// The endpoint that is primary where none is named: disagreement where a replicate shows the oracle's own noise,
    /// else agreement.
    #[must_use]
    pub fn default_for(has_replicate: bool) -> StudyEndpoint {
        match has_replicate {
            true => StudyEndpoint::Disagreement,
            false => StudyEndpoint::Agreement,
        }
    }

    /// Whether it is a share of steps, of which a margin can be named.
    #[must_use]
    pub fn is_share_of_steps(self) -> bool {
        matches!(self, StudyEndpoint::Agreement | StudyEndpoint::Disagreement)
    }

    /// The endpoint's name in commands and documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Describes a name that no endpoint has.
fn explain_unknown_name(text: &str) -> String {
    format!(
        "there is no endpoint {text:?}; expected agreement, disagreement, choices, answers or actions"
    )
}
