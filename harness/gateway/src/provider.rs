//! Asking the provider. Each call is sent once: nothing is repeated, and no redirect is followed.

use axilog_exchange::{ExchangeFault, Interface};
use std::time::Duration;

use axilog_oracle::{ApiKey, is_local, request_url};
use axum::body::Bytes;
use axum::http::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE,
    COOKIE, EXPECT, HOST, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, SET_COOKIE, TE, TRAILER,
    TRANSFER_ENCODING, UPGRADE,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use reqwest::{Client, Method, RequestBuilder, Url};

use crate::configuration::Upstream;
use crate::error::GatewayError;
use crate::error_form::ErrorForm;

/// How long a connection to the provider is kept that nobody uses. Servers close theirs after five seconds and more; a
/// request on a connection that the server closes at that moment would be neither answered nor refused.
const IDLE: Duration = Duration::from_secs(4);

/// The time until a connection to the provider must be there.
const CONNECTING: Duration = Duration::from_secs(30);

/// The headers of one connection, which end with it, and those that are the gateway's own matter.
const NOT_PASSED_ON: [HeaderName; 14] = [
    ACCEPT_ENCODING,
    CONNECTION,
    CONTENT_LENGTH,
    COOKIE,
    EXPECT,
    HOST,
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    SET_COOKIE,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
    HeaderName::from_static("keep-alive"),
];

/// The header of Anthropic's keys.
pub(crate) const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// The provider of the models.
pub(crate) struct Provider {
    client: Client,
    upstream: Upstream,
    max_answer_bytes: usize,
}

/// A response of the provider, whole.
pub(crate) struct ProviderResponse {
    pub(crate) status: StatusCode,
    /// The headers that a client gets.
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Why there is no whole response, and what came of it.
#[derive(Debug)]
pub(crate) struct ProviderFailure {
    pub(crate) fault: ExchangeFault,
    pub(crate) received: Vec<u8>,
}

impl ProviderResponse {
    /// The header `content-type`; empty where there is none.
    pub(crate) fn content_type(&self) -> &str {
        let value = self.headers.get(CONTENT_TYPE);
        value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }
}

/// The URL of `path` at the provider, or why the base URL is none.
pub(crate) fn provider_url(base_url: &str, path: &str) -> Result<Url, String> {
    request_url(base_url, path).map_err(|error| error.to_string())
}

impl Provider {
    pub(crate) fn new(
        upstream: Upstream,
        max_answer_bytes: usize,
    ) -> Result<Provider, GatewayError> {
        let url = provider_url(&upstream.base_url, "models").map_err(GatewayError::Setup)?;
        // Fails where the process has chosen another provider of cryptography already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(CONNECTING)
            .pool_idle_timeout(IDLE)
            .tcp_nodelay(true);
        if is_local(&url) {
            client = client.no_proxy();
        }
        Ok(Provider {
            client: client
                .build()
                .map_err(|error| GatewayError::Setup(error.to_string()))?,
            upstream,
            max_answer_bytes,
        })
    }

    /// The key that calls are sent with: the gateway's own, or else the client's.
    pub(crate) fn key_of(&self, client: Option<&ApiKey>) -> Option<ApiKey> {
        self.upstream.key.as_ref().or(client).cloned()
    }

    /// Asks the provider, with the client's headers but for those that are of one connection only.
    pub(crate) async fn ask(
        &self,
        interface: Interface,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<ProviderResponse, ProviderFailure> {
        self.send(
            Method::POST,
            interface.path(),
            ErrorForm::of(interface),
            headers,
            Some(body),
        )
        .await
    }

    /// Fetches the list of models.
    pub(crate) async fn list_models(
        &self,
        headers: &HeaderMap,
    ) -> Result<ProviderResponse, ProviderFailure> {
        let form = match headers.contains_key(&X_API_KEY) {
            true => ErrorForm::Anthropic,
            false => ErrorForm::OpenAi,
        };
        self.send(Method::GET, "models", form, headers, None).await
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        form: ErrorForm,
        headers: &HeaderMap,
        body: Option<Bytes>,
    ) -> Result<ProviderResponse, ProviderFailure> {
        let mut received = Vec::new();
        let sent = self.make_request(method, path, form, headers, body);
        let exchange = async { self.exchange(sent?, &mut received).await };
        let exchanged = tokio::time::timeout(self.upstream.timeout, exchange).await;
        match exchanged.unwrap_or(Err(ExchangeFault::Timeout)) {
            Ok((status, headers)) => Ok(ProviderResponse {
                status,
                headers,
                body: received.into(),
            }),
            Err(fault) => Err(ProviderFailure { fault, received }),
        }
    }

    fn make_request(
        &self,
        method: Method,
        path: &str,
        form: ErrorForm,
        headers: &HeaderMap,
        body: Option<Bytes>,
    ) -> Result<RequestBuilder, ExchangeFault> {
        let url = provider_url(&self.upstream.base_url, path).map_err(ExchangeFault::Broken)?;
        let mut sent = passed_on(headers);
        if let Some(key) = &self.upstream.key {
            sent.remove(AUTHORIZATION);
            sent.remove(&X_API_KEY);
            let (name, text) = match form {
                ErrorForm::OpenAi => (AUTHORIZATION, key.bearer()),
                ErrorForm::Anthropic => (X_API_KEY, key.text().to_owned()),
            };
            // A key is printable ASCII, and so a header's value.
            if let Ok(mut value) = HeaderValue::from_str(&text) {
                value.set_sensitive(true);
                sent.insert(name, value);
            }
        }
        sent.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let request = self.client.request(method, url).headers(sent);
        Ok(match body {
            Some(body) => request.body(body),
            None => request,
        })
    }

    /// Sends a request, and adds the response's body to `received` as it comes.
    async fn exchange(
        &self,
        request: RequestBuilder,
        received: &mut Vec<u8>,
    ) -> Result<(StatusCode, HeaderMap), ExchangeFault> {
        let mut response = request.send().await.map_err(|error| self.classify(error))?;
        let status = response.status();
        let headers = passed_on(response.headers());
        if let Some(encoding) = headers
            .get(CONTENT_ENCODING)
            .filter(|value| *value != "identity")
        {
            return Err(ExchangeFault::Broken(format!(
                "the provider sent the content-encoding {encoding:?}, and was asked for none"
            )));
        }
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| self.classify(error))?
        {
            if chunk.len() > self.max_answer_bytes.saturating_sub(received.len()) {
                return Err(ExchangeFault::Broken(format!(
                    "the response is longer than {} bytes (max_answer_bytes)",
                    self.max_answer_bytes
                )));
            }
            received.extend_from_slice(&chunk);
        }
        Ok((status, headers))
    }

    fn classify(&self, error: reqwest::Error) -> ExchangeFault {
        let is_connect = error.is_connect();
        let is_timeout = error.is_timeout();
        // The URL is the configuration's, and its path says nothing more.
        let reason = describe(&error.without_url());
        match (is_connect, is_timeout) {
            (true, _) => ExchangeFault::Unreachable(reason),
            (false, true) => ExchangeFault::Timeout,
            (false, false) => ExchangeFault::Broken(reason),
        }
    }
}

/// The error and what caused it, in one line.
fn describe(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// The headers that belong to the message and not to the connection.
fn passed_on(headers: &HeaderMap) -> HeaderMap {
    let mut passed = headers.clone();
    // What the header `connection` names belongs to the connection too.
    for value in headers.get_all(CONNECTION) {
        for name in value.to_str().unwrap_or_default().split(',') {
            if let Ok(name) = HeaderName::try_from(name.trim()) {
                passed.remove(name);
            }
        }
    }
    for name in &NOT_PASSED_ON {
        passed.remove(name);
    }
    let own: Vec<HeaderName> = passed
        .keys()
        .filter(|name| name.as_str().starts_with("x-axilog-"))
        .cloned()
        .collect();
    for name in own {
        passed.remove(name);
    }
    passed
}
