//! Requests and responses of HTTP: which call a request is, whose it is, and in which ledger it belongs.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axilog::hash::{Hash, sha256};
use axilog_ledger::encoding::hex;
use axilog_oracle::ApiKey;
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::Response;
use axum::routing::any;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::call::{Call, Outcome, make_call};
use crate::configuration::{Configuration, DEFAULT_LEDGER};
use crate::error::GatewayError;
use crate::interface::{ErrorForm, Interface};
use crate::late_stream::respond_late;
use crate::ledgers::{GatewayLedger, Ledgers};
use crate::provider::{Provider, ProviderResponse, X_API_KEY};
use crate::question::Question;
use crate::refusal::Refusal;

/// The header by which a call names its ledger, and by which its response does.
const LEDGER: HeaderName = HeaderName::from_static("x-axilog-ledger");
const SEQUENCE: HeaderName = HeaderName::from_static("x-axilog-seq");
const HEAD: HeaderName = HeaderName::from_static("x-axilog-head");
const DECISION: HeaderName = HeaderName::from_static("x-axilog-decision");
const STATE: HeaderName = HeaderName::from_static("x-axilog-state");
/// What OpenAI's and Anthropic's clients obey.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// What all calls share.
pub(crate) struct Service {
    pub(crate) provider: Provider,
    pub(crate) ledgers: Ledgers,
    ledgers_by_key: HashMap<Hash, String>,
    max_request_bytes: usize,
    comment_interval: Duration,
    /// A permit for each call at a time.
    permits: Arc<Semaphore>,
}

/// The most calls at a time. Further ones wait, each with its body.
const MAX_CALLS: u32 = 1024;

impl Service {
    pub(crate) fn open(configuration: Configuration) -> Result<Service, GatewayError> {
        let ledgers_by_key = configuration.ledgers_by_key();
        Ok(Service {
            provider: Provider::new(configuration.upstream, configuration.max_answer_bytes)?,
            ledgers: Ledgers::open(configuration.ledger)?,
            ledgers_by_key,
            max_request_bytes: configuration.max_request_bytes,
            comment_interval: configuration.comment_interval,
            permits: Arc::new(Semaphore::new(MAX_CALLS as usize)),
        })
    }

    /// Waits until no call is made any more.
    pub(crate) async fn wait_for_calls(&self) {
        // Nothing closes the semaphore.
        let _ = self.permits.acquire_many(MAX_CALLS).await;
    }
}

/// The routes of the gateway.
pub(crate) fn router(service: Arc<Service>) -> Router {
    Router::new()
        .route("/v1/{*path}", any(answer))
        .route("/l/{ledger}/v1/{*path}", any(answer_for_ledger))
        .fallback(answer_elsewhere)
        .layer(DefaultBodyLimit::disable())
        .with_state(service)
}

async fn answer(
    State(service): State<Arc<Service>>,
    Path(path): Path<String>,
    request: Request,
) -> Response {
    respond(service, None, &path, request).await
}

async fn answer_for_ledger(
    State(service): State<Arc<Service>>,
    Path((ledger, path)): Path<(String, String)>,
    request: Request,
) -> Response {
    respond(service, Some(ledger), &path, request).await
}

async fn answer_elsewhere() -> Response {
    let refusal = Refusal::new(StatusCode::NOT_FOUND, "not_found_error", no_such_path());
    refuse(&refusal, ErrorForm::OpenAi)
}

fn no_such_path() -> String {
    let paths = Interface::ALL.map(|interface| format!("/v1/{}", interface.path()));
    format!(
        "the gateway has nothing at this path; expected POST {}, or GET /v1/models, with /l/NAME before it for the ledger NAME",
        paths.join(", ")
    )
}

async fn respond(
    service: Arc<Service>,
    ledger: Option<String>,
    path: &str,
    request: Request,
) -> Response {
    let form = match path {
        "messages" => ErrorForm::Anthropic,
        _ => ErrorForm::OpenAi,
    };
    match take_call(&service, ledger, path, request).await {
        Ok(Taken::Models(headers)) => list_models(&service, &headers, form).await,
        Ok(Taken::Call(call)) => {
            let name = call.ledger.name.clone();
            let permit = service.permits.clone().acquire_owned().await;
            // The call goes on where the client has gone: what was asked is recorded.
            let interval = service.comment_interval;
            let streams = call.question.streams;
            let mut made = tokio::spawn(async move {
                let outcome = make_call(&service.provider, *call).await;
                drop(permit);
                outcome
            });
            let outcome = match streams {
                true => match timeout(interval, &mut made).await {
                    Ok(outcome) => outcome,
                    Err(_) => return respond_late(made, name, form, interval),
                },
                false => made.await,
            };
            match outcome {
                Ok(outcome) => release(outcome, &name, form),
                Err(_) => refuse(&Refusal::failed(), form),
            }
        }
        Err(refusal) => refuse(&refusal, form),
    }
}

/// What a request asks of the gateway.
enum Taken {
    Call(Box<Call>),
    Models(HeaderMap),
}

async fn take_call(
    service: &Service,
    ledger: Option<String>,
    path: &str,
    request: Request,
) -> Result<Taken, Refusal> {
    let (parts, body) = request.into_parts();
    let key = client_key(&parts.headers);
    let ledger = choose_ledger(service, ledger, &parts.headers, key.as_deref())?;
    if path == "models" && parts.method == Method::GET {
        return Ok(Taken::Models(parts.headers));
    }
    let interface = Interface::ALL
        .into_iter()
        .find(|interface| interface.path() == path)
        .ok_or_else(|| Refusal::new(StatusCode::NOT_FOUND, "not_found_error", no_such_path()))?;
    if parts.method != Method::POST {
        return Err(Refusal::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "invalid_request_error",
            format!("/v1/{path} takes POST, found {}", parts.method),
        ));
    }
    check_content_type(&parts.headers)?;
    let body = read_body(body, service.max_request_bytes).await?;
    let question = Question::read(interface, &body).map_err(Refusal::bad_request)?;
    Ok(Taken::Call(Box::new(Call {
        interface,
        ledger,
        headers: parts.headers,
        key: key.and_then(|key| ApiKey::new(key).ok()),
        question,
        body,
    })))
}

/// The key that the client sends. Both headers are read: programs mix them.
fn client_key(headers: &HeaderMap) -> Option<String> {
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let bearer = text(&AUTHORIZATION).map(|text| {
        let (scheme, key) = text.split_once(' ').unwrap_or(("", text));
        let is_bearer = scheme.eq_ignore_ascii_case("bearer") || scheme.is_empty();
        if is_bearer { key.trim() } else { text }
    });
    bearer
        .or_else(|| text(&X_API_KEY))
        .filter(|key| !key.is_empty())
        .map(str::to_owned)
}

/// Chooses the ledger of a call: that of its key, or that which the path or the header names, or the default one.
fn choose_ledger(
    service: &Service,
    in_path: Option<String>,
    headers: &HeaderMap,
    key: Option<&str>,
) -> Result<Arc<GatewayLedger>, Refusal> {
    let in_header = match headers.get(&LEDGER).map(HeaderValue::to_str) {
        None => None,
        Some(Ok(name)) => Some(name.to_owned()),
        Some(Err(_)) => {
            return Err(Refusal::bad_request(
                "x-axilog-ledger is no name of a ledger",
            ));
        }
    };
    let named = match (in_path, in_header) {
        (Some(a), Some(b)) if a != b => {
            return Err(Refusal::bad_request(
                "the path and x-axilog-ledger name different ledgers; name one",
            ));
        }
        (a, b) => a.or(b),
    };
    let of_key = key.and_then(|key| service.ledgers_by_key.get(&sha256(key.as_bytes())));
    let name = match (&named, of_key) {
        (Some(name), _) => name.as_str(),
        (None, Some(name)) => name,
        (None, None) => DEFAULT_LEDGER,
    };
    let ledger = service.ledgers.find(name).ok_or_else(|| {
        Refusal::new(
            StatusCode::NOT_FOUND,
            "not_found_error",
            format!(
                "the gateway has no ledger {name:?}; it has {}",
                service.ledgers.names().join(", ")
            ),
        )
    })?;
    let is_bound = !ledger.settings.keys.is_empty();
    match of_key {
        Some(owner) if *owner != ledger.name => Err(Refusal::new(
            StatusCode::FORBIDDEN,
            "permission_error",
            format!("this key belongs to another ledger than {name}"),
        )),
        None if is_bound => Err(Refusal::new(
            StatusCode::UNAUTHORIZED,
            "authentication_error",
            format!(
                "the ledger {name} takes calls with its own keys only; send one as the API key"
            ),
        )),
        _ => Ok(ledger),
    }
}

/// Demands JSON: a page in a browser can send other content to this machine without being asked.
fn check_content_type(headers: &HeaderMap) -> Result<(), Refusal> {
    let value = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let media_type = value
        .and_then(|value| value.split(';').next())
        .map(str::trim);
    match media_type {
        Some(media_type) if media_type.eq_ignore_ascii_case("application/json") => Ok(()),
        _ => Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "invalid_request_error",
            "expected the header content-type: application/json; nothing was recorded",
        )),
    }
}

async fn read_body(body: Body, limit: usize) -> Result<Bytes, Refusal> {
    to_bytes(body, limit).await.map_err(|_| {
        Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "invalid_request_error",
            format!(
                "the body did not arrive whole, or is longer than {limit} bytes (max_request_bytes); nothing was recorded"
            ),
        )
    })
}

async fn list_models(service: &Service, headers: &HeaderMap, form: ErrorForm) -> Response {
    match service.provider.list_models(headers).await {
        Ok(response) if !response.status.is_redirection() => to_response(response),
        _ => {
            let mut refusal = Refusal::new(
                StatusCode::BAD_GATEWAY,
                "axilog_provider_error",
                "the provider does not give its list of models",
            );
            refusal.may_retry = true;
            refuse(&refusal, form)
        }
    }
}

/// Makes the response of a call.
fn release(outcome: Outcome, ledger: &str, form: ErrorForm) -> Response {
    let mut response = match outcome.result {
        Ok(response) => to_response(response),
        Err(refusal) => refuse(&refusal, form),
    };
    let headers = response.headers_mut();
    insert(headers, LEDGER, ledger);
    if let Some(recorded) = outcome.recorded {
        insert(headers, SEQUENCE, &recorded.ledger_seq.to_string());
        insert(headers, HEAD, &hex(&recorded.head));
        insert(headers, STATE, recorded.health.as_str());
        if let Some(may_act) = recorded.may_act {
            insert(
                headers,
                DECISION,
                if may_act { "PERMITTED" } else { "BREACH" },
            );
        }
    }
    response
}

fn to_response(response: ProviderResponse) -> Response {
    let mut made = Response::new(Body::from(response.body));
    *made.status_mut() = response.status;
    *made.headers_mut() = response.headers;
    made
}

fn refuse(refusal: &Refusal, form: ErrorForm) -> Response {
    let mut response = Response::new(Body::from(refusal.to_body(form).to_string()));
    *response.status_mut() = refusal.status;
    let headers = response.headers_mut();
    insert(headers, CONTENT_TYPE, "application/json");
    insert(
        headers,
        SHOULD_RETRY,
        if refusal.may_retry { "true" } else { "false" },
    );
    response
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    // Each of these values is printable ASCII.
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}
