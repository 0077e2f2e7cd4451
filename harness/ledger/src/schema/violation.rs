//! What is wrong with a schema, and how a question or an answer violates one.

use crate::visible_text::escape_deceptive_text;

use super::bounds::{MAX_COMPARISONS, MAX_VALIDATED_BYTES};

/// The most characters of a place or a constraint that a text shows.
const EXCERPT: usize = 120;

/// The reason why a document is refused as a schema, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidSchema(pub(super) String);

/// The reason why the schemas that a manifest names cannot be used, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnusableSchemas {
    /// A schema is not among the blobs.
    #[error("the schema {0} is missing among the blobs")]
    Missing(String),
    /// This build validates nothing.
    #[error("this build of axilog cannot validate schemas; build it with the feature `schemas`")]
    NotBuilt,
    /// A blob is not the schema that the manifest names, or none.
    #[error("the schema {hash}: {reason}")]
    Bad {
        /// The SHA-256 that the manifest names.
        hash: String,
        /// What was found.
        reason: String,
    },
}

impl UnusableSchemas {
    /// Whether something is wrong, rather than missing here.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        matches!(self, UnusableSchemas::Bad { .. })
    }
}

/// The reason why a text does not conform to a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaViolation {
    /// The text has more than [`MAX_VALIDATED_BYTES`].
    TooLong {
        /// The length of the text.
        bytes: usize,
    },
    /// The validation could take more than [`MAX_COMPARISONS`].
    TooMuchWork {
        /// The most comparisons that it could take.
        comparisons: u64,
    },
    /// The text is not one JSON value.
    NotJson {
        /// The place of the fault in bytes.
        offset: usize,
        /// The fault in words.
        reason: String,
    },
    /// The JSON value does not conform.
    Keyword {
        /// The place of the value in the document, an RFC 6901 pointer.
        instance: String,
        /// The place of the violated keyword in the schema, an RFC 6901 pointer.
        keyword: String,
        /// The keyword's value in the schema as JSON, where it is short.
        constraint: Option<String>,
    },
    /// The JSON value does not conform to a schema that refers to itself. Where it does not is not searched for: the
    /// search could take time exponential in the depth of the value.
    Recursive,
}

impl std::fmt::Display for SchemaViolation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SchemaViolation::TooLong { bytes } => write!(
                f,
                "it has {bytes} bytes, and at most {MAX_VALIDATED_BYTES} are validated"
            ),
            SchemaViolation::TooMuchWork { comparisons } => write!(
                f,
                "its validation could take {comparisons} comparisons, and at most {MAX_COMPARISONS} are made"
            ),
            SchemaViolation::NotJson { offset, reason } => {
                write!(f, "it is not JSON: byte {offset}: {reason}")
            }
            SchemaViolation::Keyword {
                instance,
                keyword,
                constraint,
            } => {
                match instance.as_str() {
                    "" => f.write_str("the whole value")?,
                    place => write!(f, "the value at {}", shorten(place))?,
                }
                match keyword.as_str() {
                    "" => f.write_str(" is what the schema never allows")?,
                    place => write!(f, " violates {} of the schema", shorten(place))?,
                }
                match constraint {
                    Some(constraint) => write!(f, ": {}", shorten(constraint)),
                    None => Ok(()),
                }
            }
            SchemaViolation::Recursive => {
                f.write_str("it does not conform to the schema, which refers to itself")
            }
        }
    }
}

fn shorten(text: &str) -> String {
    let shown: String = text.chars().take(EXCERPT).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("{}{more}", escape_deceptive_text(&shown))
}
