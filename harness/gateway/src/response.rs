//! The responses of the gateway: released answers and errors, with the headers that say what was recorded.

use axilog_ledger::encoding::hex;
use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;

use crate::error_form::ErrorForm;
use crate::outcome::Outcome;
use crate::provider::ProviderResponse;
use crate::refusal::Refusal;

/// The header by which a call names its ledger, and by which its response does.
pub(crate) const LEDGER: HeaderName = HeaderName::from_static("x-axilog-ledger");
const SEQUENCE: HeaderName = HeaderName::from_static("x-axilog-seq");
const HEAD: HeaderName = HeaderName::from_static("x-axilog-head");
const DECISION: HeaderName = HeaderName::from_static("x-axilog-decision");
const STATE: HeaderName = HeaderName::from_static("x-axilog-state");
const REPLAYED: HeaderName = HeaderName::from_static("x-axilog-replayed");
/// What OpenAI's and Anthropic's clients obey.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// Makes the response of a call.
pub(crate) fn release(outcome: Outcome, ledger: &str, form: ErrorForm) -> Response {
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
        if recorded.is_replayed {
            insert(headers, REPLAYED, "true");
        }
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

pub(crate) fn to_response(response: ProviderResponse) -> Response {
    let mut made = Response::new(Body::from(response.body));
    *made.status_mut() = response.status;
    *made.headers_mut() = response.headers;
    made
}

/// Makes the response that a refusal is.
pub(crate) fn refuse(refusal: &Refusal, form: ErrorForm) -> Response {
    let mut response = Response::new(Body::from(refusal.to_body(form).to_string()));
    *response.status_mut() = refusal.status;
    let headers = response.headers_mut();
    insert(headers, CONTENT_TYPE, "application/json");
    if let Some(seconds) = refusal.retry_after {
        insert(headers, RETRY_AFTER, &seconds.to_string());
    }
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
