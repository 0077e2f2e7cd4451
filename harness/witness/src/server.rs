//! The answers of a witness over HTTP (C2SP tlog-witness).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axilog_connections::Connections;
use axilog_heads::ExtensionProof;
use axum::Router;
use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::time::timeout;

use crate::head_store::HeadStore;
use crate::known_logs::KnownLogs;
use crate::metrics::Metrics;
use crate::refusal::Refusal;
use crate::signer::Signer;

/// The most bytes of a submission: 63 hashes, and a checkpoint with thirty of the longest signatures.
pub const MAX_SUBMISSION_BYTES: usize = 128 << 10;

/// The type of the answer that names the size of the last head.
const SIZE: &str = "text/x.tlog.size";
const TEXT: &str = "text/plain; charset=utf-8";

/// What all answers share.
pub(crate) struct Service {
    pub(crate) logs: KnownLogs,
    /// The origins of the logs, by their SHA-256 in hexadecimal.
    pub(crate) origins: BTreeMap<String, String>,
    pub(crate) signer: Signer,
    /// For the answers that only read.
    pub(crate) store: Mutex<HeadStore>,
    pub(crate) metrics: Metrics,
    pub(crate) connections: Connections,
    /// How long a client may take to send a submission.
    pub(crate) client_time: Duration,
}

/// The routes of a witness.
pub(crate) fn router(service: Arc<Service>) -> Router {
    Router::new()
        .route("/add-checkpoint", post(add_checkpoint))
        .route("/{log}/checkpoint", get(show_checkpoint))
        .route("/metrics", get(show_metrics))
        .with_state(service)
}

async fn add_checkpoint(State(service): State<Arc<Service>>, request: Request) -> Response {
    let response = match read_submission(&service, request.into_body()).await {
        Ok(body) => match sign(&service, &body).await {
            Ok(signature) => typed(StatusCode::OK, TEXT, signature),
            Err(refusal) => refuse(&refusal),
        },
        Err(unread) => unread,
    };
    let status = response.status().as_u16();
    service.metrics.count_submission(status);
    response
}

/// Reads a submission within its bounds.
async fn read_submission(service: &Service, body: Body) -> Result<Bytes, Response> {
    let too_long = || {
        let expected = format!(
            "the submission is longer than {MAX_SUBMISSION_BYTES} bytes; expected the lines old N, hashes, an empty line, and a checkpoint\n"
        );
        answer(StatusCode::PAYLOAD_TOO_LARGE, &expected)
    };
    // Of a length that was announced nothing needs to come.
    if body.size_hint().lower() > MAX_SUBMISSION_BYTES as u64 {
        return Err(too_long());
    }
    match timeout(service.client_time, to_bytes(body, MAX_SUBMISSION_BYTES)).await {
        Ok(Ok(body)) => Ok(body),
        // To a client that broke off nobody can answer.
        Ok(Err(_)) => Err(too_long()),
        Err(_) => Err(answer(
            StatusCode::REQUEST_TIMEOUT,
            "the submission did not come in time\n",
        )),
    }
}

async fn sign(service: &Service, body: &[u8]) -> Result<Vec<u8>, Refusal> {
    let mut proof = ExtensionProof::parse_submission(body).map_err(Refusal::Malformed)?;
    service.logs.check(proof.checkpoint_mut())?;
    service.signer.sign(proof).await
}

fn refuse(refusal: &Refusal) -> Response {
    let status = StatusCode::from_u16(refusal.status());
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let kind = match refusal {
        Refusal::OtherOldSize { .. } => SIZE,
        _ => TEXT,
    };
    typed(status, kind, format!("{refusal}\n").into_bytes())
}

async fn show_checkpoint(State(service): State<Arc<Service>>, Path(log): Path<String>) -> Response {
    let Some(origin) = service.origins.get(&log) else {
        return answer(StatusCode::NOT_FOUND, "this witness knows no such log\n");
    };
    let store = service.store.lock();
    let read = store
        .unwrap_or_else(PoisonError::into_inner)
        .read_checkpoint(origin);
    match read {
        Ok(Some(checkpoint)) => typed(StatusCode::OK, TEXT, checkpoint),
        Ok(None) => answer(
            StatusCode::NOT_FOUND,
            "this witness has signed no head of this log\n",
        ),
        Err(_) => answer(
            StatusCode::SERVICE_UNAVAILABLE,
            "the witness cannot read its heads just now; try again later\n",
        ),
    }
}

async fn show_metrics(State(service): State<Arc<Service>>) -> Response {
    let text = (service.metrics).to_text(service.logs.count(), service.connections.count());
    typed(
        StatusCode::OK,
        "text/plain; version=0.0.4",
        text.into_bytes(),
    )
}

fn answer(status: StatusCode, text: &str) -> Response {
    typed(status, TEXT, text.as_bytes().to_vec())
}

fn typed(status: StatusCode, kind: &'static str, body: Vec<u8>) -> Response {
    let header: [(HeaderName, &str); 1] = [(CONTENT_TYPE, kind)];
    (status, header, body).into_response()
}
