//! What an operator asks of the gateway: the state of its ledgers, and the inputs that bring one back from ALARM while
//! the gateway is its only writer. SRS-004 §19.

use std::sync::Arc;

use axilog::agent::state::InputClass;
use axilog::hash::sha256;
use axilog_ledger::decision::StepDecision;
use axilog_ledger::encoding::hex;
use axilog_ledger::error::LedgerError;
use axilog_ledger::session::Session;
use axilog_ledger::session::shared::SharedSessionError;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::error_form::ErrorForm;
use crate::ledgers::{ends_session, now};
use crate::refusal::Refusal;
use crate::request::{RequestBounds, client_key, read_json};
use crate::response::refuse;
use crate::service::Service;

/// The most bytes of an operator's request.
const MAX_BYTES: usize = 4096;

/// The routes of operators.
pub(crate) fn operator_router(service: Arc<Service>) -> Router {
    Router::new()
        .route("/axilog/control", post(record_control))
        .route("/axilog/time", post(record_time))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(tell_readiness))
        .route("/metrics", get(tell_metrics))
        .with_state(service)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ControlRequest {
    ledger: String,
    input: ControlInput,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ControlInput {
    Mitigate,
    Reset,
    Fault,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TimeRequest {
    ledger: String,
    time: Option<u64>,
}

async fn record_control(State(service): State<Arc<Service>>, request: Request) -> Response {
    let recorded = async {
        let asked: ControlRequest = read_request(&service, request).await?;
        let class = match asked.input {
            ControlInput::Mitigate => InputClass::PolicyTrigger,
            ControlInput::Reset => InputClass::ResetRequest,
            ControlInput::Fault => InputClass::FaultSignal,
        };
        record(service, asked.ledger, move |session| {
            session.observe_control(class)
        })
        .await
    };
    to_response(recorded.await)
}

async fn record_time(State(service): State<Arc<Service>>, request: Request) -> Response {
    let recorded = async {
        let asked: TimeRequest = read_request(&service, request).await?;
        let time = asked.time.unwrap_or_else(now);
        record(service, asked.ledger, move |session| {
            session.observe_time(time, false)
        })
        .await
    };
    to_response(recorded.await)
}

/// Reads a request of an operator, whose key is checked first.
async fn read_request<T: DeserializeOwned>(
    service: &Service,
    request: Request,
) -> Result<T, Refusal> {
    check_operator(service, client_key(request.headers()))?;
    let bounds = RequestBounds {
        bytes: MAX_BYTES,
        ..service.bounds
    };
    let body = read_json(request, bounds).await?;
    serde_json::from_slice(&body).map_err(|error| {
        Refusal::bad_request(format!(
            "the body is not as expected: {error}; nothing was recorded"
        ))
    })
}

/// Checks that this is an operator's key.
pub(crate) fn check_operator(service: &Service, key: Option<String>) -> Result<(), Refusal> {
    if service.operator_keys.is_empty() {
        return Err(Refusal::new(
            StatusCode::FORBIDDEN,
            "permission_error",
            "the configuration names no operator's key ([operator], key_sha256)",
        ));
    }
    match key.is_some_and(|key| service.operator_keys.contains(&sha256(key.as_bytes()))) {
        true => Ok(()),
        false => Err(Refusal::new(
            StatusCode::UNAUTHORIZED,
            "authentication_error",
            "expected an operator's key (Authorization: Bearer KEY)",
        )),
    }
}

/// Records an input in a ledger.
async fn record(
    service: Arc<Service>,
    name: String,
    act: impl FnOnce(&mut Session) -> Result<StepDecision, LedgerError> + Send + 'static,
) -> Result<Value, Refusal> {
    let ledger = service
        .ledgers
        .find(&name)
        .ok_or_else(|| service.refuse_ledger(&name))?;
    let recorded = tokio::task::spawn_blocking(move || {
        let open = ledger
            .session()
            .map_err(|error| Refusal::unrecorded(&ledger.name, error))?;
        open.session.step(act).map_err(|error| {
            if ends_session(&error) {
                ledger.abandon(&open.session);
            }
            match &error {
                SharedSessionError::Ledger(LedgerError::TimeRollback { .. }) => Refusal::new(
                    StatusCode::CONFLICT,
                    "invalid_request_error",
                    error.to_string(),
                ),
                _ => Refusal::unrecorded(&ledger.name, &error),
            }
        })
    });
    let decision = recorded.await.map_err(|_| Refusal::failed())??;
    Ok(json!({
        "ledger": name,
        "ledger_seq": decision.observation.ledger_seq,
        "head": hex(&decision.head),
        "state": decision.health.as_str(),
        "permitted": decision.is_permitted,
    }))
}

fn to_response(recorded: Result<Value, Refusal>) -> Response {
    match recorded {
        Ok(recorded) => make_response(StatusCode::OK, "application/json", recorded.to_string()),
        Err(refusal) => refuse(&refusal, ErrorForm::OpenAi),
    }
}

fn make_response(status: StatusCode, content_type: &'static str, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let content_type = HeaderValue::from_static(content_type);
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}

/// Tells whether every ledger takes calls. It names none: anybody may ask.
async fn tell_readiness(State(service): State<Arc<Service>>) -> Response {
    let ready = tokio::task::spawn_blocking(move || service.ledgers.are_ready()).await;
    let (status, text) = match ready {
        Ok(true) => (StatusCode::OK, "ready\n"),
        _ => (
            StatusCode::SERVICE_UNAVAILABLE,
            "a ledger takes no calls: it waits for its operator, or cannot be written\n",
        ),
    };
    make_response(status, "text/plain", text.to_owned())
}

async fn tell_metrics(State(service): State<Arc<Service>>, request: Request) -> Response {
    // Names of ledgers and numbers of calls are nobody's matter beyond this machine.
    if !service.is_local
        && let Err(refusal) = check_operator(&service, client_key(request.headers()))
    {
        return refuse(&refusal, ErrorForm::OpenAi);
    }
    let told = tokio::task::spawn_blocking(move || {
        let ledgers = service.ledgers.all();
        let figures: Vec<_> = ledgers
            .filter_map(|ledger| Some((ledger.name.as_str(), ledger.read_figures()?)))
            .collect();
        let connections = service.connections.count();
        service
            .metrics
            .to_text(service.count_calls(), connections, &figures)
    });
    match told.await {
        Ok(text) => make_response(StatusCode::OK, "text/plain; version=0.0.4", text),
        Err(_) => refuse(&Refusal::failed(), ErrorForm::OpenAi),
    }
}
