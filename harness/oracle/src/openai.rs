//! The client for OpenAI-compatible chat completion over HTTP (Q6, Q8, Q51, Q52).
//!
//! Each attempt has a connection of its own. There are no redirects, and the only retries are those of this
//! file, so that the recorded attempts are all that happened.

use std::fmt;
use std::time::{Duration, Instant};

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use tokio::runtime::{Builder, Runtime};

use crate::base_url::{completions_url, is_local};
use crate::error::OracleError;
use crate::exchange::{AskAttempt, AskFault, Exchange, ModelAnswer};
use crate::key::ApiKey;
use crate::question::Question;
use crate::wire;

/// The base URL of OpenAI's own server.
pub const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";

/// The limits of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientLimits {
    /// The time for one attempt, connecting and reading included.
    pub timeout: Duration,
    /// The waiting time before each further attempt. Its length is the number of further attempts.
    pub backoff: Vec<Duration>,
    /// The most bytes of a response that are read.
    pub max_response_bytes: usize,
}

impl Default for ClientLimits {
    /// Allows 30 s for each of four attempts with 1, 2 and 4 s between them (Q51), and 4 MiB of response.
    fn default() -> ClientLimits {
        ClientLimits {
            timeout: Duration::from_secs(30),
            backoff: [1, 2, 4].map(Duration::from_secs).to_vec(),
            max_response_bytes: 4 << 20,
        }
    }
}

/// A client bound to one base URL.
pub struct OpenAiClient {
    url: Url,
    authorization: Option<HeaderValue>,
    key: Option<ApiKey>,
    limits: ClientLimits,
    client: Client,
    runtime: Runtime,
}

impl OpenAiClient {
    /// Creates a client for `base_url`, the part of the URL before `/chat/completions`.
    ///
    /// The key is sent over TLS only, except to this machine itself, which may also do without a key. A proxy
    /// that the environment names is used, except for this machine.
    ///
    /// # Errors
    /// [`OracleError::InvalidBaseUrl`], also for a key that would be sent unencrypted;
    /// [`OracleError::MissingApiKey`]; [`OracleError::ClientSetup`].
    pub fn new(
        base_url: &str,
        key: Option<ApiKey>,
        limits: ClientLimits,
    ) -> Result<OpenAiClient, OracleError> {
        let url = completions_url(base_url)?;
        let local = is_local(&url);
        if !local {
            match (url.scheme(), &key) {
                ("https", None) => return Err(OracleError::MissingApiKey),
                ("http", Some(_)) => {
                    return Err(OracleError::InvalidBaseUrl {
                        url: base_url.to_owned(),
                        reason: "the API key would travel unencrypted; use https, or unset the key where the server needs none",
                    });
                }
                _ => {}
            }
        }
        let authorization = key.as_ref().map(|key| {
            let mut value =
                HeaderValue::from_str(&key.bearer()).map_err(|_| OracleError::InvalidApiKey)?;
            value.set_sensitive(true);
            Ok::<_, OracleError>(value)
        });
        // Fails where the process has chosen another provider already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut client = Client::builder()
            .user_agent(concat!("axilog/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .pool_max_idle_per_host(0)
            .timeout(limits.timeout);
        if local {
            client = client.no_proxy();
        }
        Ok(OpenAiClient {
            url,
            authorization: authorization.transpose()?,
            key,
            limits,
            client: client
                .build()
                .map_err(|error| OracleError::ClientSetup(describe_error(error)))?,
            runtime: Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|error| OracleError::ClientSetup(error.to_string()))?,
        })
    }

    /// Asks until there is an answer, a fault that is not transient, or no attempt left.
    pub(super) fn ask(&self, question: &Question) -> Exchange {
        self.runtime.block_on(self.run_attempts(question))
    }

    async fn run_attempts(&self, question: &Question) -> Exchange {
        let body = wire::write_request(question);
        let mut attempts = Vec::new();
        let mut waits = self.limits.backoff.iter();
        let mut waited = Duration::ZERO;
        loop {
            let start = Instant::now();
            let reply = self.run_attempt(body.clone()).await;
            attempts.push(AskAttempt {
                delay: waited,
                duration: start.elapsed(),
                fault: reply.as_ref().err().cloned(),
            });
            match (&reply, waits.next()) {
                (Err(fault), Some(wait)) if fault.is_transient() => {
                    tokio::time::sleep(*wait).await;
                    waited = *wait;
                }
                _ => return Exchange { reply, attempts },
            }
        }
    }

    async fn run_attempt(&self, body: Vec<u8>) -> Result<ModelAnswer, AskFault> {
        let (status, body) = self.receive(self.build_request(body)).await?;
        let has_key = self.key.as_ref().is_some_and(|key| key.is_in(&body));
        if !status.is_success() {
            let code = status.as_u16();
            // Servers quote a key that they do not know.
            let hidden = has_key || matches!(code, 401 | 403);
            let message = wire::read_error_message(&body).filter(|_| !hidden);
            return Err(AskFault::Status {
                code,
                message: message.unwrap_or_default(),
            });
        }
        let answer = wire::read_answer(&body).map_err(AskFault::Malformed)?;
        if has_key {
            return Err(AskFault::ContainsApiKey);
        }
        Ok(answer)
    }

    fn build_request(&self, body: Vec<u8>) -> RequestBuilder {
        let request = self
            .client
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json")
            .body(body);
        match &self.authorization {
            Some(value) => request.header(AUTHORIZATION, value.clone()),
            None => request,
        }
    }

    /// Sends a request and reads the status and the body of the response.
    async fn receive(&self, request: RequestBuilder) -> Result<(StatusCode, Vec<u8>), AskFault> {
        let response = request.send().await.map_err(classify_error)?;
        let status = response.status();
        match self.read_body(response).await {
            // The status of a failure counts even where its body cannot be read.
            Err(_) if !status.is_success() => Ok((status, Vec::new())),
            body => Ok((status, body?)),
        }
    }

    /// Reads the body, up to the limit.
    async fn read_body(&self, mut response: Response) -> Result<Vec<u8>, AskFault> {
        let limit = self.limits.max_response_bytes;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(classify_error)? {
            if chunk.len() > limit.saturating_sub(body.len()) {
                return Err(AskFault::Oversize { limit });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

impl fmt::Debug for OpenAiClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi")
            .field("url", &self.url.as_str())
            .field("key", &self.key)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

fn classify_error(error: reqwest::Error) -> AskFault {
    if error.is_timeout() {
        AskFault::Timeout
    } else {
        AskFault::Connection(describe_error(error))
    }
}

/// Describes an error and its causes, without the URL.
fn describe_error(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_default_limits_are_those_of_q51() {
        let limits = ClientLimits::default();
        assert_eq!(limits.timeout, Duration::from_secs(30));
        assert_eq!(limits.backoff, [1, 2, 4].map(Duration::from_secs));
    }

    #[test]
    fn debug_output_does_not_show_the_key() {
        let client = client(DEFAULT_BASE_URL, key()).unwrap();
        let shown = format!("{client:?} {client:#?}");
        assert!(
            shown.contains("ApiKey(hidden)") && !shown.contains("abcdefgh"),
            "{shown}"
        );
        let request = client.build_request(Vec::new());
        assert!(!format!("{request:?}").contains("abcdefgh"));
    }
}
