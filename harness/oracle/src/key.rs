//! The API key: read from the environment only, and never shown (Q52a).

use std::fmt;

use serde_json::Value;

use crate::error::{KEY_VARIABLE, OracleError};

/// An API key. It has neither `Display` nor `Serialize`, and its `Debug` shows nothing of it.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// Reads the key from `OPENAI_API_KEY`; `None` where the variable is absent or empty.
    ///
    /// # Errors
    /// [`OracleError::InvalidApiKey`] as [`ApiKey::new`].
    pub fn from_env() -> Result<Option<ApiKey>, OracleError> {
        match std::env::var(KEY_VARIABLE) {
            Ok(text) if !text.is_empty() => ApiKey::new(text).map(Some),
            Err(std::env::VarError::NotUnicode(_)) => Err(OracleError::InvalidApiKey),
            _ => Ok(None),
        }
    }

    /// Creates a key from its text.
    ///
    /// # Errors
    /// [`OracleError::InvalidApiKey`] where the text is not 8 or more printable ASCII characters without spaces. A
    /// shorter key could occur in an answer by chance.
    pub fn new(text: String) -> Result<ApiKey, OracleError> {
        if text.len() < 8 || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(OracleError::InvalidApiKey);
        }
        Ok(ApiKey(text))
    }

    /// The value of the authorization header.
    pub(super) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// Whether `bytes` hold the key, as they are or, as JSON, behind escapes.
    pub(super) fn is_in(&self, bytes: &[u8]) -> bool {
        let contains = |text: &[u8], key: &str| {
            let mut parts = text.windows(key.len());
            parts.any(|part| part == key.as_bytes())
        };
        let json: Result<Value, _> = serde_json::from_slice(bytes);
        let written = json.map_or_else(|_| String::new(), |json| json.to_string());
        let key = Value::from(self.0.as_str()).to_string();
        contains(bytes, &self.0) || contains(written.as_bytes(), key.trim_matches('"'))
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
        let odd = ApiKey::new(r#"a/b\c"defg"#.to_owned()).unwrap();
        assert!(odd.is_in(br#"["a\/b\\c\u0022defg"]"#) && !odd.is_in(br#"["a/b"]"#));
        for bad in ["short", "sk abcdefgh", "sk-abcdefgh\n", "sk-äbcdefgh"] {
            let error = ApiKey::new(bad.to_owned()).unwrap_err();
            assert!(!format!("{error} {error:?}").contains(bad));
        }
    }
}
