//! A stream that begins before its answer is there, so that a client that waits for events does not give up. Its status
//! is 200 by then: an answer that is kept back is an event with the error, in the form of the interface, and what was
//! recorded stands in a comment.

use axilog_exchange::is_stream;
use std::convert::Infallible;
use std::fmt::Write;
use std::time::Duration;

use axilog_ledger::encoding::hex;
use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use futures_util::stream::unfold;
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::error_form::ErrorForm;
use crate::outcome::Outcome;
use crate::provider::ProviderResponse;
use crate::refusal::Refusal;

/// Makes the response of a call that is still made: a comment now and in each interval, and then the provider's events.
pub(crate) fn respond_late(
    made: JoinHandle<Outcome>,
    ledger: String,
    form: ErrorForm,
    interval: Duration,
) -> Response {
    let events = unfold(
        Some((made, ledger, Duration::ZERO)),
        move |state| async move {
            let (mut made, ledger, wait) = state?;
            let (bytes, state) = match timeout(wait, &mut made).await {
                Err(_) => (
                    ": the answer is awaited\n\n".into(),
                    Some((made, ledger, interval)),
                ),
                Ok(Ok(outcome)) => (write_outcome(outcome, &ledger, form), None),
                Ok(Err(_)) => (write_error(&Refusal::failed().to_body(form), form), None),
            };
            Some((Ok::<Bytes, Infallible>(bytes), state))
        },
    );
    let mut response = Response::new(Body::from_stream(events));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn write_outcome(outcome: Outcome, ledger: &str, form: ErrorForm) -> Bytes {
    let mut comment = format!(": x-axilog-ledger: {ledger}");
    if let Some(recorded) = &outcome.recorded {
        let decision = match recorded.may_act {
            Some(true) => "; x-axilog-decision: PERMITTED",
            Some(false) => "; x-axilog-decision: BREACH",
            None => "",
        };
        // Writing to a string cannot fail.
        let _ = write!(
            comment,
            "; x-axilog-seq: {}; x-axilog-head: {}; x-axilog-state: {}{decision}",
            recorded.ledger_seq,
            hex(&recorded.head),
            recorded.health.as_str()
        );
    }
    let events = match outcome.result {
        Ok(response) => write_response(response, form),
        Err(refusal) => write_error(&refusal.to_body(form), form),
    };
    [comment.as_bytes(), b"\n\n", &events].concat().into()
}

/// The provider's events as they came, or why there are none.
fn write_response(response: ProviderResponse, form: ErrorForm) -> Bytes {
    if response.status.is_success() {
        if is_stream(response.content_type()) {
            return response.body;
        }
        let message = "the provider answered without a stream, which was asked for; the answer is recorded, and can be \
                       replayed";
        let refusal = Refusal::new(StatusCode::BAD_GATEWAY, "axilog_provider_error", message);
        return write_error(&refusal.to_body(form), form);
    }
    match serde_json::from_slice::<Value>(&response.body) {
        Ok(body) if body.get("error").is_some() => write_error(&body, form),
        _ => {
            let message = format!("the provider answered with the status {}", response.status);
            let refusal = Refusal::new(StatusCode::BAD_GATEWAY, "axilog_provider_error", message);
            write_error(&refusal.to_body(form), form)
        }
    }
}

fn write_error(body: &Value, form: ErrorForm) -> Bytes {
    match form {
        ErrorForm::OpenAi => format!("data: {body}\n\n"),
        ErrorForm::Anthropic => format!("event: error\ndata: {body}\n\n"),
    }
    .into()
}
