//! Asking a server over HTTP: attempts, waits between them, and what a response may hold (Q8, Q51, Q52a).
//!
//! Each attempt has a connection of its own. There are no redirects, and the only retries are those of this
//! file, so that the recorded attempts are all that happened. The forms of requests and answers are their
//! callers'.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant, SystemTime};

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use tokio::runtime::{Builder, Runtime};

use crate::base_url::{is_local, request_url};
use crate::clock::{Clock, SystemClock, TimeLimit};
use crate::error::OracleError;
use crate::exchange::{AskAttempt, AskFault, Exchange, ModelAnswer};
use crate::key::ApiKey;
use crate::question::Question;
use crate::retry_after::read_retry_after;
use crate::server_message::read_message;
use crate::wire::STREAMED;

/// The limits of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientLimits {
    /// The time for one attempt, connecting and reading included.
    pub timeout: Duration,
    /// The waiting time before each further attempt. Its length is the number of further attempts.
    pub backoff: Vec<Duration>,
    /// The longest wait that a server's `Retry-After` can bring about. A server that asks for more gets the next
    /// attempt after this time.
    pub max_retry_after: Duration,
    /// The least time between the starts of two requests; zero for no limit.
    pub pace: Duration,
    /// The most bytes of a response that are read.
    pub max_response_bytes: usize,
}

impl Default for ClientLimits {
    /// Allows 30 s for each of four attempts with 1, 2 and 4 s between them (Q51), or up to 60 s where the server
    /// asks for that, and 4 MiB of response.
    fn default() -> ClientLimits {
        ClientLimits {
            timeout: Duration::from_secs(30),
            backoff: [1, 2, 4].map(Duration::from_secs).to_vec(),
            max_retry_after: Duration::from_secs(60),
            pace: Duration::ZERO,
            max_response_bytes: 4 << 20,
        }
    }
}

/// The requests and responses of one interface.
pub(crate) struct Protocol {
    /// The path of requests below the base URL.
    pub(crate) path: &'static str,
    /// The environment variable that the key is read from.
    pub(crate) key_variable: &'static str,
    /// Reads the answer in the body of a success. The error says what is wrong with the body.
    pub(crate) read_answer: fn(&[u8]) -> Result<ModelAnswer, String>,
}

/// A client bound to one base URL and one interface.
pub(crate) struct HttpClient {
    url: Url,
    protocol: Protocol,
    headers: HeaderMap,
    key: Option<ApiKey>,
    limits: ClientLimits,
    clock: Arc<dyn Clock>,
    client: Client,
    runtime: Runtime,
    /// The start of the last request.
    last_start: Option<Instant>,
}

/// An attempt without an answer, and the wait that the server asked for.
struct FailedAttempt {
    fault: AskFault,
    retry_after: Option<Duration>,
}

impl From<AskFault> for FailedAttempt {
    fn from(fault: AskFault) -> FailedAttempt {
        FailedAttempt {
            fault,
            retry_after: None,
        }
    }
}

/// A response that was read.
struct ServerResponse {
    status: StatusCode,
    body: Vec<u8>,
    retry_after: Option<Duration>,
}

impl HttpClient {
    /// Creates a client for `base_url`, the part of the URL before the protocol's path.
    ///
    /// The key is sent over TLS only, except to this machine itself, which may also do without a key. A proxy
    /// that the environment names is used, except for this machine.
    ///
    /// # Errors
    /// [`OracleError::InvalidBaseUrl`], also for a key that would be sent unencrypted or stands in the URL;
    /// [`OracleError::MissingApiKey`]; [`OracleError::ClientSetup`].
    pub(crate) fn new(
        base_url: &str,
        protocol: Protocol,
        key: Option<ApiKey>,
        limits: ClientLimits,
    ) -> Result<HttpClient, OracleError> {
        let refuse = |url: &str, reason| OracleError::InvalidBaseUrl {
            url: url.to_owned(),
            reason,
        };
        // The URL is recorded, and shown in errors.
        if key
            .as_ref()
            .is_some_and(|key| key.is_in(base_url.as_bytes()))
        {
            let reason = "holds the API key, which would be recorded with it; leave it out, it is sent in a header";
            return Err(refuse("the base URL", reason));
        }
        let url = request_url(base_url, protocol.path)?;
        let local = is_local(&url);
        if !local {
            match (url.scheme(), &key) {
                ("https", None) => {
                    let variable = protocol.key_variable;
                    return Err(OracleError::MissingApiKey { variable });
                }
                ("http", Some(_)) => {
                    let reason = "the API key would travel unencrypted; use https, or unset the key where the server needs none";
                    return Err(refuse(base_url, reason));
                }
                _ => {}
            }
        }
        let setup = |error: String| OracleError::ClientSetup(error);
        let client = build_client(&url).map_err(|error| setup(describe_error(error)))?;
        let runtime = Builder::new_current_thread().enable_all().build();
        Ok(HttpClient {
            url,
            protocol,
            headers: HeaderMap::new(),
            key,
            limits,
            clock: Arc::new(SystemClock),
            client,
            runtime: runtime.map_err(|error| setup(error.to_string()))?,
            last_start: None,
        })
    }

    /// Reads and waits by another clock than the system's.
    pub(crate) fn set_clock(&mut self, clock: Arc<dyn Clock>) {
        self.clock = clock;
    }

    /// Sends a header with every request. Its value is shown nowhere.
    pub(crate) fn add_secret_header(
        &mut self,
        name: HeaderName,
        value: &str,
    ) -> Result<(), OracleError> {
        let variable = self.protocol.key_variable;
        let invalid = |_| OracleError::InvalidApiKey { variable };
        let mut value = HeaderValue::from_str(value).map_err(invalid)?;
        value.set_sensitive(true);
        self.headers.insert(name, value);
        Ok(())
    }

    /// Sends a header with every request.
    pub(crate) fn add_header(&mut self, name: HeaderName, value: &'static str) {
        self.headers.insert(name, HeaderValue::from_static(value));
    }

    /// Refuses a question that holds the key. The question is written to files before it is sent.
    ///
    /// # Errors
    /// [`OracleError::QuestionHoldsApiKey`].
    pub(crate) fn check_for_key(&self, question: &Question) -> Result<(), OracleError> {
        self.check_text("the model's name", question.model.as_bytes())?;
        for message in &question.messages {
            self.check_text("a message", message.content.as_bytes())?;
        }
        match &question.constraint {
            Some(constraint) => {
                self.check_text("the form of the answer", constraint.text().as_bytes())
            }
            None => Ok(()),
        }
    }

    /// Refuses a text that holds the key. `place` names the text.
    ///
    /// # Errors
    /// [`OracleError::QuestionHoldsApiKey`].
    pub(crate) fn check_text(&self, place: &'static str, text: &[u8]) -> Result<(), OracleError> {
        match &self.key {
            Some(key) if key.is_in(text) => Err(OracleError::QuestionHoldsApiKey { place }),
            _ => Ok(()),
        }
    }

    /// Sends `body` until there is an answer, a fault that is not transient, or no attempt left. `advise` gives
    /// what to add to the message of a status.
    pub(crate) fn ask(
        &mut self,
        body: &[u8],
        advise: &dyn Fn(u16, &str) -> Option<&'static str>,
    ) -> Exchange {
        let mut attempts = Vec::new();
        let mut backoff = self.limits.backoff.clone().into_iter();
        let mut delay = Duration::ZERO;
        self.clock.sleep(self.remaining_pace());
        loop {
            let start = self.clock.now();
            self.last_start = Some(start);
            let mut result = self.runtime.block_on(self.run_attempt(body.to_vec()));
            if let Err(failed) = &mut result
                && let AskFault::Status { code, message } = &mut failed.fault
                && let Some(advice) = advise(*code, message)
            {
                message.push_str(advice);
            }
            attempts.push(AskAttempt {
                delay,
                duration: self.time_since(start),
                fault: result.as_ref().err().map(|failed| failed.fault.clone()),
            });
            match (result, backoff.next()) {
                (Err(failed), Some(least)) if failed.fault.is_transient() => {
                    let asked = failed.retry_after.unwrap_or_default();
                    let asked = asked.min(self.limits.max_retry_after);
                    delay = least.max(asked).max(self.remaining_pace());
                    self.clock.sleep(delay);
                }
                (result, _) => {
                    return Exchange {
                        reply: result.map_err(|failed| failed.fault),
                        attempts,
                    };
                }
            }
        }
    }

    /// The time until the next request may start.
    fn remaining_pace(&self) -> Duration {
        self.last_start.map_or(Duration::ZERO, |start| {
            self.limits.pace.saturating_sub(self.time_since(start))
        })
    }

    fn time_since(&self, start: Instant) -> Duration {
        self.clock.now().saturating_duration_since(start)
    }

    async fn run_attempt(&self, body: Vec<u8>) -> Result<ModelAnswer, FailedAttempt> {
        let response = self.receive(self.build_request(body)).await?;
        let ServerResponse { status, body, .. } = &response;
        let message = || read_message(body, self.key.as_ref());
        if !status.is_success() {
            return Err(FailedAttempt {
                fault: AskFault::Status {
                    code: status.as_u16(),
                    message: message().unwrap_or_default(),
                },
                retry_after: response.retry_after,
            });
        }
        let answer = (self.protocol.read_answer)(body).map_err(|reason| {
            // Some servers and proxies report their errors with the status 200.
            let message = message().map(|message| format!("; the server's message: {message}"));
            AskFault::Malformed(reason + &message.unwrap_or_default())
        });
        match &self.key {
            Some(key) if answer.is_ok() && key.is_in(body) => Err(AskFault::ContainsApiKey.into()),
            _ => Ok(answer?),
        }
    }

    pub(crate) fn build_request(&self, body: Vec<u8>) -> RequestBuilder {
        self.client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json")
            .body(body)
    }

    /// Sends a request and reads the response.
    async fn receive(&self, request: RequestBuilder) -> Result<ServerResponse, AskFault> {
        let mut limit = self.clock.limit(self.limits.timeout);
        let sent = async { request.send().await.map_err(classify_error) };
        let response = finish_within(&mut limit, sent).await?;
        let status = response.status();
        let retry_after = read_retry_after(response.headers(), SystemTime::now());
        if status.is_success() && is_event_stream(&response) {
            // Its first event would be read as soon as the model begins to answer, and its last one never.
            return Err(AskFault::Malformed(STREAMED.to_owned()));
        }
        let body = read_body(response, self.limits.max_response_bytes);
        let body = match finish_within(&mut limit, body).await {
            // The status of a failure counts even where its body cannot be read.
            Err(_) if !status.is_success() => Vec::new(),
            body => body?,
        };
        Ok(ServerResponse {
            status,
            body,
            retry_after,
        })
    }
}

/// Makes a client for `url` whose requests are each one attempt on a connection of its own. A proxy that the
/// environment names is used, except for this machine.
pub(crate) fn build_client(url: &Url) -> Result<Client, reqwest::Error> {
    // Fails where the process has chosen another provider already, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut client = Client::builder()
        .user_agent(concat!("axilog/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .pool_max_idle_per_host(0);
    if is_local(url) {
        client = client.no_proxy();
    }
    client.build()
}

/// Does `work`, or gives it up when its time is over.
async fn finish_within<T>(
    limit: &mut TimeLimit,
    work: impl Future<Output = Result<T, AskFault>>,
) -> Result<T, AskFault> {
    let mut work = pin!(work);
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Pending => limit
            .as_mut()
            .poll(context)
            .map(|()| Err(AskFault::Timeout)),
        done => done,
    })
    .await
}

/// Reads the body of a response, which may have `limit` bytes.
pub(crate) async fn read_body(mut response: Response, limit: usize) -> Result<Vec<u8>, AskFault> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(classify_error)? {
        if chunk.len() > limit.saturating_sub(body.len()) {
            return Err(AskFault::Oversize { limit });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClient")
            .field("url", &self.url.as_str())
            .field("key", &self.key)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Whether a response is a stream of server-sent events.
fn is_event_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("text/event-stream")
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
