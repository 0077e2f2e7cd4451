//! Why runs cannot be held against each other: `INVALID_COMPARISON / DIFFERENCE`.

use std::path::PathBuf;

use strum::IntoStaticStr;

/// What two runs differ in, besides their variant and their oracle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum ConditionDifference {
    /// The environment.
    EnvironmentChanged,
    /// The sampling parameters.
    SamplingChanged,
    /// The model that answered, as the server names it.
    ModelChanged,
    /// The tokens that the server counts in a prompt (Gate P4).
    TokenCountChanged,
}

/// Two runs of different environments, or two of one oracle that differ in more than their variant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: INVALID_COMPARISON / {}: {detail}", <&str>::from(difference), path = path.display())]
pub struct InvalidComparison {
    /// The directory of the later run.
    pub path: PathBuf,
    /// What the two differ in.
    pub difference: ConditionDifference,
    /// Both values, in a sentence.
    pub detail: String,
}
