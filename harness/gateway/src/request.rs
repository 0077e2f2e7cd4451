//! What every request is checked for: its path, its key, that it says it is JSON, and the length and time of its body.

use axilog_exchange::{Interface, RecordedQuestion};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode};
use futures_util::StreamExt;
use tokio::time::timeout;

use crate::error_form::ErrorForm;
use crate::provider::X_API_KEY;
use crate::refusal::Refusal;

/// What a request may take.
#[derive(Clone, Copy)]
pub(crate) struct RequestBounds {
    /// The most bytes of its body.
    pub(crate) bytes: usize,
    /// How long its body may take.
    pub(crate) time: Duration,
}

/// A request that asks a model.
pub(crate) struct ModelRequest {
    pub(crate) interface: Interface,
    pub(crate) headers: HeaderMap,
    pub(crate) question: RecordedQuestion,
    pub(crate) body: Bytes,
}

/// Reads a request that asks a model at `path`, the part of its path after `/v1/`.
pub(crate) async fn read_model_request(
    path: &str,
    request: Request,
    bounds: RequestBounds,
) -> Result<ModelRequest, Refusal> {
    let (parts, body) = request.into_parts();
    let interface = Interface::at(path).ok_or_else(refuse_path)?;
    if parts.method != Method::POST {
        return Err(Refusal::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "invalid_request_error",
            format!("/v1/{path} takes POST, found {}", parts.method),
        ));
    }
    check_content_type(&parts.headers)?;
    let body = read_body(body, bounds).await?;
    let question = read_question(interface, body.clone()).await?;
    Ok(ModelRequest {
        interface,
        headers: parts.headers,
        question,
        body,
    })
}

/// The most bytes of a body that is read on the threads which serve all connections.
const SHORT_BODY: usize = 64 << 10;

async fn read_question(interface: Interface, body: Bytes) -> Result<RecordedQuestion, Refusal> {
    let is_short = body.len() <= SHORT_BODY;
    let read = move || RecordedQuestion::read(interface, &body).map_err(Refusal::bad_request);
    if is_short {
        return read();
    }
    tokio::task::spawn_blocking(read)
        .await
        .map_err(|_| Refusal::failed())?
}

/// Reads the body of a request that must be JSON.
pub(crate) async fn read_json(request: Request, bounds: RequestBounds) -> Result<Bytes, Refusal> {
    check_content_type(request.headers())?;
    read_body(request.into_body(), bounds).await
}

/// The form of the errors at a path.
pub(crate) fn error_form(path: &str) -> ErrorForm {
    match path {
        "messages" => ErrorForm::Anthropic,
        _ => ErrorForm::OpenAi,
    }
}

/// The refusal of a path at which there is nothing.
pub(crate) fn refuse_path() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "not_found_error", no_such_path())
}

fn no_such_path() -> String {
    let paths = Interface::ALL.map(|interface| format!("/v1/{}", interface.path()));
    format!(
        "the gateway has nothing at this path; expected POST {}, or GET /v1/models, with /l/NAME before it for the ledger NAME",
        paths.join(", ")
    )
}

/// The key that the client sends. Both headers are read: programs mix them.
pub(crate) fn client_key(headers: &HeaderMap) -> Option<String> {
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

async fn read_body(body: Body, bounds: RequestBounds) -> Result<Bytes, Refusal> {
    let RequestBounds { bytes, time } = bounds;
    let refuse = |status, reason: String| {
        let message = format!("{reason}; nothing was recorded");
        Refusal::new(status, "invalid_request_error", message)
    };
    let Ok(read) = timeout(time, read_to_end(body, bytes)).await else {
        let seconds = time.as_secs();
        let mut refusal = refuse(
            StatusCode::REQUEST_TIMEOUT,
            format!(
                "the body did not arrive within {seconds} seconds (client_time of a configuration)"
            ),
        );
        // A network that was slow may be quicker the next time.
        refusal.may_retry = true;
        return Err(refusal);
    };
    read.map_err(|fault| match fault {
        BodyFault::TooLong => refuse(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the body is longer than {bytes} bytes (max_request_bytes of a configuration)"),
        ),
        BodyFault::Cut => refuse(
            StatusCode::BAD_REQUEST,
            "the body did not arrive whole".to_owned(),
        ),
    })
}

/// Why there is no body.
enum BodyFault {
    TooLong,
    Cut,
}

/// Reads a body of at most `limit` bytes. A longer one is read to its end too, up to twice the limit, and thrown away: a
/// client reads the reason once it has written, and a connection that is closed under it would take the reason away.
async fn read_to_end(body: Body, limit: usize) -> Result<Bytes, BodyFault> {
    let mut pieces = body.into_data_stream();
    let mut kept = Vec::new();
    let mut length = 0usize;
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|_| BodyFault::Cut)?;
        length = length.saturating_add(piece.len());
        if length <= limit {
            kept.extend_from_slice(&piece);
        } else if length <= limit.saturating_mul(2) {
            kept = Vec::new();
        } else {
            break;
        }
    }
    match length <= limit {
        true => Ok(Bytes::from(kept)),
        false => Err(BodyFault::TooLong),
    }
}
