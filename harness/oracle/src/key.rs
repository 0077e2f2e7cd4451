//! The API key: read from the environment only, and never shown (Q52a).

use std::fmt;

use crate::error::OracleError;
use crate::key_search::{contains_secret, is_searched_for};

/// The environment variable that holds the key of an OpenAI-compatible server (Q52a).
pub const OPENAI_KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// The environment variable that holds the key of Anthropic's server.
pub const ANTHROPIC_KEY_VARIABLE: &str = "ANTHROPIC_API_KEY";

/// An API key. It has neither `Display` nor `Serialize`, and its `Debug` shows nothing of it.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// Reads the key from the environment variable `variable`; `None` where it is absent or empty.
    ///
    /// # Errors
    /// [`OracleError::InvalidApiKey`] as [`ApiKey::new`], with the variable's name.
    pub fn from_env(variable: &'static str) -> Result<Option<ApiKey>, OracleError> {
        let invalid = |_| OracleError::InvalidApiKey { variable };
        match std::env::var(variable) {
            Ok(text) if !text.is_empty() => ApiKey::new(text).map(Some).map_err(invalid),
            Err(std::env::VarError::NotUnicode(_)) => Err(OracleError::InvalidApiKey { variable }),
            _ => Ok(None),
        }
    }

    /// Creates a key from its text.
    ///
    /// # Errors
    /// [`OracleError::InvalidApiKey`] where the text is not 8 or more printable ASCII characters without spaces. A
    /// shorter key could occur in an answer by chance.
    pub fn new(text: String) -> Result<ApiKey, OracleError> {
        if !is_searched_for(&text) {
            return Err(OracleError::InvalidApiKey {
                variable: "the text",
            });
        }
        Ok(ApiKey(text))
    }

    /// The value of the header `authorization`.
    #[must_use]
    pub fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// The key itself, for the header `x-api-key`.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether `bytes` hold the key, as they are or under the escapes of JSON and of URLs.
    #[must_use]
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        contains_secret(bytes, &self.0)
    }

    /// Whether `text` holds the key, or `length` bytes of it in a row.
    pub(super) fn shares_piece(&self, text: &str, length: usize) -> bool {
        let mut pieces = self.0.as_bytes().windows(length);
        self.is_in(text.as_bytes())
            || pieces.any(|piece| text.as_bytes().windows(length).any(|part| part == piece))
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_hidden_and_found_behind_escapes() {
        let key = ApiKey::new("sk-abcdefgh".to_owned()).unwrap();
        assert_eq!(format!("{key:?} {key:#?}"), "ApiKey(hidden) ApiKey(hidden)");
        assert!(key.is_in(b"x sk-abcdefgh y") && !key.is_in(b"sk-abcdefg"));
        assert!(key.is_in(br#"{"said":["\u0073k-abcdefgh?"]}"#));
        assert!(key.shares_piece("...abcdefgh", 8) && !key.shares_piece("...bcdefgh", 8));
        for bad in ["short", "sk abcdefgh", "sk-abcdefgh\n", "sk-äbcdefgh"] {
            let error = ApiKey::new(bad.to_owned()).unwrap_err();
            assert!(!format!("{error} {error:?}").contains(bad));
        }
    }
}
