//! The client for OpenAI-compatible chat completion (Q6, Q52).

use std::fmt;
use std::sync::Arc;

use reqwest::header::AUTHORIZATION;

use crate::clock::Clock;
use crate::error::OracleError;
use crate::exchange::Exchange;
use crate::http_client::{ClientLimits, HttpClient, Protocol};
use crate::key::{ApiKey, OPENAI_KEY_VARIABLE};
use crate::question::Question;
use crate::token_limit::TokenLimitMember;
use crate::wire;

/// The base URL of OpenAI's own server.
pub const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";

/// A client bound to one base URL.
pub struct OpenAiClient {
    http: HttpClient,
    token_limit: TokenLimitMember,
}

impl OpenAiClient {
    /// Creates a client for `base_url`, the part of the URL before `/chat/completions`.
    ///
    /// The key is sent over TLS only, except to this machine itself, which may also do without a key. A proxy
    /// that the environment names is used, except for this machine.
    ///
    /// # Errors
    /// [`OracleError::InvalidBaseUrl`], also for a key that would be sent unencrypted or stands in the URL;
    /// [`OracleError::MissingApiKey`]; [`OracleError::ClientSetup`].
    pub fn new(
        base_url: &str,
        key: Option<ApiKey>,
        limits: ClientLimits,
    ) -> Result<OpenAiClient, OracleError> {
        let protocol = Protocol {
            path: "chat/completions",
            key_variable: OPENAI_KEY_VARIABLE,
            read_answer: wire::read_answer,
        };
        let bearer = key.as_ref().map(ApiKey::bearer);
        let mut http = HttpClient::new(base_url, protocol, key, limits)?;
        if let Some(bearer) = bearer {
            http.add_secret_header(AUTHORIZATION, &bearer)?;
        }
        Ok(OpenAiClient {
            http,
            token_limit: TokenLimitMember::default(),
        })
    }

    /// Sends the limit of an answer's tokens as this member.
    #[must_use]
    pub fn with_token_limit(mut self, member: TokenLimitMember) -> OpenAiClient {
        self.token_limit = member;
        self
    }

    /// Reads and waits by this clock instead of the system's.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> OpenAiClient {
        self.http.set_clock(clock);
        self
    }

    /// The HTTP client.
    pub(super) fn http(&self) -> &HttpClient {
        &self.http
    }

    /// Asks until there is an answer, a fault that is not transient, or no attempt left.
    pub(super) fn ask(&mut self, question: &Question) -> Exchange {
        let body = wire::write_request(question, self.token_limit);
        let token_limit = self.token_limit;
        self.http
            .ask(&body, &|code, message| token_limit.advise(code, message))
    }
}

impl fmt::Debug for OpenAiClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiClient")
            .field("http", &self.http)
            .field("token_limit", &self.token_limit)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn key() -> Option<ApiKey> {
        Some(ApiKey::new("sk-abcdefgh".to_owned()).unwrap())
    }

    fn client(url: &str, key: Option<ApiKey>) -> Result<OpenAiClient, OracleError> {
        OpenAiClient::new(url, key, ClientLimits::default())
    }

    #[test]
    fn keys_are_sent_encrypted_or_not_at_all() {
        for url in [
            "http://localhost:1",
            "http://127.0.0.1:1/v1",
            "http://[::1]:1",
        ] {
            assert!(
                client(url, key()).is_ok() && client(url, None).is_ok(),
                "{url}"
            );
        }
        assert!(client("http://models.example", None).is_ok());
        let clear = client("http://models.example", key()).unwrap_err();
        assert!(clear.to_string().contains("unencrypted"), "{clear}");
        let none = client(DEFAULT_BASE_URL, None).unwrap_err();
        assert!(
            none.to_string().starts_with("OPENAI_API_KEY is not set"),
            "{none}"
        );
    }

    #[test]
    fn a_base_url_that_holds_the_key_is_refused_and_not_shown() {
        for url in [
            "https://h/sk-abcdefgh/v1",
            "https://h/%73k-abcdefgh/v1",
            "https://h/%2573k%252Dabcdefgh",
        ] {
            let error = client(url, key()).unwrap_err();
            let shown = format!("{error} {error:?}");
            assert!(shown.contains("holds the API key"), "{shown}");
            assert!(!shown.contains("abcdefgh"), "{shown}");
        }
    }

    #[test]
    fn the_default_limits_are_those_of_q51() {
        let limits = ClientLimits::default();
        assert_eq!(limits.timeout, Duration::from_secs(30));
        assert_eq!(limits.backoff, [1, 2, 4].map(Duration::from_secs));
        assert_eq!(limits.max_retry_after, Duration::from_secs(60));
        assert_eq!(limits.pace, Duration::ZERO);
    }

    #[test]
    fn debug_output_does_not_show_the_key() {
        let client = client(DEFAULT_BASE_URL, key()).unwrap();
        let shown = format!("{client:?} {client:#?}");
        assert!(
            shown.contains("ApiKey(hidden)") && !shown.contains("abcdefgh"),
            "{shown}"
        );
        let request = client.http.build_request(Vec::new());
        assert!(!format!("{request:?}").contains("abcdefgh"));
    }
}
