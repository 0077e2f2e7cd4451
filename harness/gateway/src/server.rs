//! The calls of a gateway with a provider: which call a request is, whose it is, and in which ledger it belongs.

use std::sync::Arc;
use std::time::Instant;

use axilog::hash::sha256;
use axilog_oracle::ApiKey;
use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use axum::routing::any;
use tokio::time::timeout;

use crate::call::{Call, make_call};
use crate::call_log::LoggedCall;
use crate::configuration::DEFAULT_LEDGER;
use crate::error_form::ErrorForm;
use crate::late_stream::respond_late;
use crate::ledgers::GatewayLedger;
use crate::operator::operator_router;
use crate::page::page_router;
use crate::refusal::Refusal;
use crate::request::{client_key, error_form, read_model_request, refuse_path};
use crate::response::{LEDGER, refuse, release, to_response};
use crate::service::Service;

/// The routes of the gateway.
pub(crate) fn router(service: Arc<Service>) -> Router {
    Router::new()
        .route("/v1/{*path}", any(answer))
        .route("/l/{ledger}/v1/{*path}", any(answer_for_ledger))
        .fallback(answer_elsewhere)
        .layer(DefaultBodyLimit::disable())
        .with_state(service.clone())
        .merge(operator_router(service.clone()))
        .merge(page_router(service))
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
    refuse(&refuse_path(), ErrorForm::OpenAi)
}

async fn respond(
    service: Arc<Service>,
    ledger: Option<String>,
    path: &str,
    request: Request,
) -> Response {
    let form = error_form(path);
    match read_client_request(&service, ledger, path, request).await {
        Ok(ClientRequest::Models(headers)) => list_models(&service, &headers, form).await,
        Ok(ClientRequest::Answer(call)) => {
            let name = call.ledger.name.clone();
            let permit = service.permits.clone().acquire_owned().await;
            // The call goes on where the client has gone: what was asked is recorded.
            let interval = service.comment_interval;
            let streams = call.request.question.streams;
            let logged = LoggedCall {
                ledger: name.clone(),
                interface: call.request.interface,
                model: name_model(&service, &call),
                streams,
            };
            let start = Instant::now();
            let mut made = tokio::spawn(async move {
                let outcome = make_call(&service.provider, *call).await;
                service.metrics.count_call(&logged.ledger, &outcome);
                let ended = logged.end(&outcome, start.elapsed());
                if service.logs_calls {
                    ended.write();
                }
                service.live_calls.publish(&ended.describe(&outcome));
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

/// The model that is asked for. A key in its place, which is refused, stands in no log.
fn name_model(service: &Service, call: &Call) -> String {
    let model = &call.request.question.model;
    let key = service.provider.key_of(call.key.as_ref());
    match key.is_some_and(|key| key.is_in(model.as_bytes())) {
        true => String::new(),
        false => model.clone(),
    }
}

/// What a client asks of the gateway.
enum ClientRequest {
    /// A model's answer.
    Answer(Box<Call>),
    /// The list of models, with these headers.
    Models(HeaderMap),
}

async fn read_client_request(
    service: &Service,
    ledger: Option<String>,
    path: &str,
    request: Request,
) -> Result<ClientRequest, Refusal> {
    let key = client_key(request.headers());
    let ledger = choose_ledger(service, ledger, request.headers(), key.as_deref())?;
    if path == "models" && request.method() == Method::GET {
        return Ok(ClientRequest::Models(request.into_parts().0.headers));
    }
    Ok(ClientRequest::Answer(Box::new(Call {
        ledger,
        key: key.and_then(|key| ApiKey::new(key).ok()),
        request: read_model_request(path, request, service.bounds).await?,
    })))
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
    let ledger = service.ledgers.find(name);
    let ledger = ledger.ok_or_else(|| service.refuse_ledger(name))?;
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
