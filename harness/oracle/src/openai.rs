//! The client for OpenAI-compatible chat completion over HTTP (Q6, Q8, Q51, Q52).
//!
//! One connection per attempt, no redirects, no retries but those that are traced here: what is
//! recorded is all that happened.

use std::fmt;
use std::time::{Duration, Instant};

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use tokio::runtime::{Builder, Runtime};

use super::OracleError;
use super::exchange::{Answer, Attempt, Exchange, Fault};
use super::key::ApiKey;
use super::question::Question;
use super::wire;

/// Where questions go unless the caller says otherwise.
pub const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";

/// What bounds a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For one attempt, connecting and reading included.
    pub timeout: Duration,
    /// How long to wait before each further attempt; as many as there are.
    pub backoff: Vec<Duration>,
    /// The most bytes of a response that are read.
    pub max_response_bytes: usize,
}

impl Default for Limits {
    /// 30 s for each of four attempts, 1, 2 and 4 s between them (Q51), 4 MiB.
    fn default() -> Limits {
        Limits {
            timeout: Duration::from_secs(30),
            backoff: [1, 2, 4].map(Duration::from_secs).to_vec(),
            max_response_bytes: 4 << 20,
        }
    }
}

/// A client bound to one base URL.
pub struct OpenAi {
    url: Url,
    authorization: Option<HeaderValue>,
    key: Option<ApiKey>,
    limits: Limits,
    client: Client,
    runtime: Runtime,
}

impl OpenAi {
    /// A client for `base_url`, which is what stands before `/chat/completions`.
    ///
    /// The key is sent over TLS, and to this machine itself, which needs none. A proxy that the
    /// environment names is used, except for this machine.
    ///
    /// # Errors
    /// [`OracleError::BaseUrl`], also for a key that would travel in the clear;
    /// [`OracleError::NoKey`]; [`OracleError::Client`].
    pub fn new(base_url: &str, key: Option<ApiKey>, limits: Limits) -> Result<OpenAi, OracleError> {
        let url = parse(base_url)?;
        let local = is_local(&url);
        if !local {
            match (url.scheme(), &key) {
                ("https", None) => return Err(OracleError::NoKey),
                ("http", Some(_)) => {
                    return Err(OracleError::BaseUrl {
                        url: base_url.to_owned(),
                        reason: "the API key would travel unencrypted; use https, or unset the key where the server needs none",
                    });
                }
                _ => {}
            }
        }
        let authorization = key.as_ref().map(|key| {
            let mut value =
                HeaderValue::from_str(&key.bearer()).map_err(|_| OracleError::BadKey)?;
            value.set_sensitive(true);
            Ok::<_, OracleError>(value)
        });
        // Another one that the process has chosen serves as well.
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
        Ok(OpenAi {
            url,
            authorization: authorization.transpose()?,
            key,
            limits,
            client: client
                .build()
                .map_err(|error| OracleError::Client(told(error)))?,
            runtime: Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|error| OracleError::Client(error.to_string()))?,
        })
    }

    /// Asks until there is an answer, a fault that does not pass, or no attempt left.
    pub(super) fn ask(&self, question: &Question) -> Exchange {
        self.runtime.block_on(self.attempts(question))
    }

    async fn attempts(&self, question: &Question) -> Exchange {
        let body = wire::request(question);
        let mut attempts = Vec::new();
        let mut waits = self.limits.backoff.iter();
        let mut waited = Duration::ZERO;
        loop {
            let start = Instant::now();
            let reply = self.attempt(body.clone()).await;
            attempts.push(Attempt {
                waited,
                took: start.elapsed(),
                fault: reply.as_ref().err().cloned(),
            });
            match (&reply, waits.next()) {
                (Err(fault), Some(wait)) if fault.may_pass() => {
                    tokio::time::sleep(*wait).await;
                    waited = *wait;
                }
                _ => return Exchange { reply, attempts },
            }
        }
    }

    async fn attempt(&self, body: Vec<u8>) -> Result<Answer, Fault> {
        let (status, body) = self.response(self.request(body)).await?;
        let has_key = self.key.as_ref().is_some_and(|key| key.is_in(&body));
        if !status.is_success() {
            let code = status.as_u16();
            // Servers like to quote a key they do not know.
            let hidden = has_key || matches!(code, 401 | 403);
            let message = wire::complaint(&body).filter(|_| !hidden);
            return Err(Fault::Status {
                code,
                message: message.unwrap_or_default(),
            });
        }
        let answer = wire::answer(&body).map_err(Fault::Malformed)?;
        if has_key {
            return Err(Fault::HoldsKey);
        }
        Ok(answer)
    }

    fn request(&self, body: Vec<u8>) -> RequestBuilder {
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

    /// The status and the body.
    async fn response(&self, request: RequestBuilder) -> Result<(StatusCode, Vec<u8>), Fault> {
        let response = request.send().await.map_err(|error| self.fault(error))?;
        let status = response.status();
        match self.body(response).await {
            // It decides, whatever becomes of the words to it.
            Err(_) if !status.is_success() => Ok((status, Vec::new())),
            body => Ok((status, body?)),
        }
    }

    /// The body, where it is no longer than may be read.
    async fn body(&self, mut response: Response) -> Result<Vec<u8>, Fault> {
        let limit = self.limits.max_response_bytes;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.fault(error))? {
            if chunk.len() > limit.saturating_sub(body.len()) {
                return Err(Fault::Oversize { limit });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn fault(&self, error: reqwest::Error) -> Fault {
        if error.is_timeout() {
            Fault::Timeout
        } else {
            Fault::Connection(told(error))
        }
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi")
            .field("url", &self.url.as_str())
            .field("key", &self.key)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

fn parse(base_url: &str) -> Result<Url, OracleError> {
    // What has a password or a query is not even shown.
    let shown = if base_url.contains(['@', '?', '#']) {
        "the base URL"
    } else {
        base_url
    };
    let refused = |reason| OracleError::BaseUrl {
        url: shown.to_owned(),
        reason,
    };
    let mut url = Url::parse(base_url).map_err(|_| refused("is not a URL"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refused("is neither http nor https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused("has a user name or password in it"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(refused("has a query or a fragment"));
    }
    let path = format!("{}/chat/completions", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Ok(url)
}

/// Whether the URL names this machine.
fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let address: Result<std::net::IpAddr, _> = address.parse();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// An error with its causes, without the URL.
fn told(error: reqwest::Error) -> String {
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

    fn client(url: &str, key: Option<ApiKey>) -> Result<OpenAi, OracleError> {
        OpenAi::new(url, key, Limits::default())
    }

    #[test]
    fn questions_go_behind_the_base_url() {
        for (base, url) in [
            (
                DEFAULT_BASE_URL,
                "https://api.openai.com/v1/chat/completions",
            ),
            ("https://h/v1/", "https://h/v1/chat/completions"),
            ("https://h", "https://h/chat/completions"),
        ] {
            assert_eq!(client(base, key()).unwrap().url.as_str(), url);
        }
    }

    #[test]
    fn keys_travel_encrypted_or_not_at_all() {
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
    fn bad_base_urls_are_refused_and_secrets_in_them_are_not_shown() {
        for url in ["", "models", "ftp://h", "https://h/?a=b", "https://h/#a"] {
            let error = client(url, key()).unwrap_err().to_string();
            assert!(error.contains("https://api.openai.com/v1"), "{error}");
        }
        for url in ["https://u:secret@h/v1", "u:secret@h", "https://h/?k=secret"] {
            let error = client(url, key()).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("secret"));
        }
    }

    #[test]
    fn what_is_frozen() {
        let limits = Limits::default();
        assert_eq!(limits.timeout, Duration::from_secs(30));
        assert_eq!(limits.backoff, [1, 2, 4].map(Duration::from_secs));
    }

    #[test]
    fn nothing_shows_the_key() {
        let client = client(DEFAULT_BASE_URL, key()).unwrap();
        let shown = format!("{client:?} {client:#?}");
        assert!(
            shown.contains("ApiKey(hidden)") && !shown.contains("abcdefgh"),
            "{shown}"
        );
        let request = client.request(Vec::new());
        assert!(!format!("{request:?}").contains("abcdefgh"));
    }
}
