//! The errors of counting tokens.

use std::path::PathBuf;

use super::vocabularies;

/// The reason why tokens cannot be counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// The vocabulary of the model is not known.
    #[error(
        "the tokenizer of the model {0:?} is not known, and none is guessed; name it with --tokenizer ({names})",
        names = vocabularies::names()
    )]
    UnknownModel(String),

    /// The name is not that of a vocabulary.
    #[error("there is no tokenizer {0:?}; --tokenizer takes one of {names}, or the path of a tokenizer.json", names = vocabularies::names())]
    UnknownTokenizer(String),

    /// The tokenizer is not the model's own, which is known.
    #[error(
        "the model {model:?} counts its tokens with {own}, and {named:?} was named; leave --tokenizer out, and calibrate again where a calibration names it"
    )]
    ForeignTokenizer {
        /// The model.
        model: String,
        /// The tokenizer that was named.
        named: String,
        /// The vocabulary that is the model's own.
        own: &'static str,
    },

    /// The file is no tokenizer, or this build reads no such files.
    #[error("{path}: {reason}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason, and what to do.
        reason: String,
    },

    /// The file is not the one with which a run was counted.
    #[error(
        "{path}: its SHA-256 is {found}, and the tokenizer that was recorded has {expected}; put the file back that was used then",
        path = path.display()
    )]
    OtherFile {
        /// The file.
        path: PathBuf,
        /// The file's digest, in hexadecimal.
        found: String,
        /// The digest that was recorded.
        expected: String,
    },

    /// The tokenizer could not split the text.
    #[error("{bytes} bytes of text cannot be split into tokens: {reason}")]
    Uncountable {
        /// The length of the text in bytes.
        bytes: usize,
        /// The tokenizer's error.
        reason: String,
    },
}
