//! Identifiers: the names of worlds, scenes, players, kinds, pins and the like.

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize};

use crate::error::{MemoryError, Result};
use crate::words::deserialize_text;

const EXPECTED: &str = "a name: 1 to 128 of A-Z a-z 0-9 . _ : -, the first a letter or digit";

/// A name of 1 to 128 of `A–Z a–z 0–9 . _ : -`, the first a letter or digit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Identifier(String);

impl Identifier {
    /// Reads `text`, which is the `field` of `what` in errors.
    ///
    /// # Errors
    /// [`MemoryError::Document`] for any other text.
    pub fn new(what: &str, field: &str, text: &str) -> Result<Identifier> {
        Identifier::parse(text).ok_or_else(|| {
            MemoryError::document(what, field, format!("found {text:?}, expected {EXPECTED}"))
        })
    }

    fn parse(text: &str) -> Option<Identifier> {
        let mut bytes = text.bytes();
        let is_identifier = text.len() <= 128
            && bytes.next().is_some_and(|b| b.is_ascii_alphanumeric())
            && bytes.all(|b| b.is_ascii_alphanumeric() || b"._:-".contains(&b));
        is_identifier.then(|| Identifier(text.to_owned()))
    }
}

impl Deref for Identifier {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Identifier {
    fn deserialize<D: Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<Identifier, D::Error> {
        deserialize_text(deserializer, &EXPECTED, Identifier::parse)
    }
}
