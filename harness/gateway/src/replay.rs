//! Answering calls from a ledger, without the provider: equal questions get the recorded responses, byte for byte and in
//! their order. What was kept back then is kept back again.

use axilog_exchange::{Interface, RecordedQuestion, Response};
use std::path::Path as FilePath;
use std::sync::Arc;

use axilog::evidence::observation::Failure;
use axilog_ledger::error::LedgerError;
use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response as HttpResponse;
use axum::routing::any;
use serde_json::{Value, json};

use crate::configuration::{BreachAction, MAX_BODY_BYTES};
use crate::configuration_file::DEFAULT_CLIENT_TIME;
use crate::error_form::ErrorForm;
use crate::outcome::{Outcome, Recorded};
use crate::provider::ProviderResponse;
use crate::recording::{RecordedReply, Recording, Unrecorded};
use crate::refusal::Refusal;
use crate::request::{RequestBounds, error_form, read_model_request, refuse_path};
use crate::response::{refuse, release, to_response};

/// What a request may take: what any configuration allows, and the time that one has by default.
const BOUNDS: RequestBounds = RequestBounds {
    bytes: MAX_BODY_BYTES,
    time: DEFAULT_CLIENT_TIME,
};

/// A ledger whose calls are answered again.
pub(crate) struct ReplayedLedger {
    /// The ledger's name, which is that of its file.
    name: String,
    recording: Recording,
}

impl ReplayedLedger {
    /// Reads and verifies a ledger.
    pub(crate) fn open(path: &FilePath) -> Result<ReplayedLedger, LedgerError> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Ok(ReplayedLedger {
            // It stands in a header.
            name: name.chars().filter(char::is_ascii_graphic).collect(),
            recording: Recording::read(path)?,
        })
    }
}

/// The routes of a gateway without a provider.
pub(crate) fn replay_router(ledger: Arc<ReplayedLedger>) -> Router {
    Router::new()
        .route("/v1/{*path}", any(answer))
        .route("/l/{ledger}/v1/{*path}", any(answer_for_ledger))
        .fallback(|| async { refuse(&refuse_path(), ErrorForm::OpenAi) })
        .layer(DefaultBodyLimit::disable())
        .with_state(ledger)
}

async fn answer_for_ledger(
    State(ledger): State<Arc<ReplayedLedger>>,
    Path((name, path)): Path<(String, String)>,
    request: Request,
) -> HttpResponse {
    if name == ledger.name {
        return answer(State(ledger), Path(path), request).await;
    }
    let message = format!("the gateway has no ledger {name:?}; it has {}", ledger.name);
    let refusal = Refusal::new(StatusCode::NOT_FOUND, "not_found_error", message);
    refuse(&refusal, error_form(&path))
}

async fn answer(
    State(ledger): State<Arc<ReplayedLedger>>,
    Path(path): Path<String>,
    request: Request,
) -> HttpResponse {
    let form = error_form(&path);
    if path == "models" && request.method() == Method::GET {
        let models = ledger.recording.models.iter();
        let models: Vec<Value> = models
            .map(|id| json!({ "id": id, "object": "model" }))
            .collect();
        return to_response(json_response(json!({ "object": "list", "data": models })));
    }
    let asked = match read_model_request(&path, request, BOUNDS).await {
        Ok(asked) => asked,
        Err(refusal) => return refuse(&refusal, form),
    };
    let name = ledger.name.clone();
    let found = tokio::task::spawn_blocking(move || ledger.find(asked.interface, &asked.question));
    match found.await {
        Ok(outcome) => release(outcome, &name, form),
        Err(_) => refuse(&Refusal::failed(), form),
    }
}

fn json_response(body: Value) -> ProviderResponse {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    ProviderResponse {
        status: StatusCode::OK,
        headers,
        body: body.to_string().into(),
    }
}

impl ReplayedLedger {
    fn find(&self, interface: Interface, question: &RecordedQuestion) -> Outcome {
        match self.recording.take(interface, &question.input) {
            Ok(reply) => {
                let on_breach = BreachAction::Refuse;
                replay_reply(&self.recording, interface, &reply, &self.name, on_breach)
            }
            Err(unrecorded) => self
                .refuse_question(interface, question, &unrecorded)
                .into(),
        }
    }

    fn refuse_question(
        &self,
        interface: Interface,
        question: &RecordedQuestion,
        unrecorded: &Unrecorded,
    ) -> Refusal {
        let name = &self.name;
        let message = match unrecorded {
            Unrecorded::Exhausted(count) => format!(
                "the ledger {name} holds {count} answers to this question, and each was given; begin the gateway again, \
                 or record more"
            ),
            Unrecorded::Missing => {
                let nearest = self.recording.describe_nearest(interface, &question.input);
                let nearest = nearest.unwrap_or_else(|error| error.to_string());
                format!("the ledger {name} holds no answer to this question; {nearest}")
            }
        };
        Refusal::new(StatusCode::NOT_FOUND, "axilog_not_in_ledger", message)
    }
}

/// Gives a recorded reply as its call ended.
pub(crate) fn replay_reply(
    recording: &Recording,
    interface: Interface,
    reply: &RecordedReply,
    ledger: &str,
    on_breach: BreachAction,
) -> Outcome {
    let (result, may_act) = match replay_response(recording, interface, reply, ledger) {
        Ok((response, takes_tools)) => {
            let may_act = reply.may_act && takes_tools;
            let is_released = may_act || (takes_tools && on_breach == BreachAction::Flag);
            match is_released {
                true => (Ok(response), may_act),
                false => (Err(kept_back(ledger, reply)), false),
            }
        }
        Err(refusal) => (Err(refusal), false),
    };
    Outcome {
        result,
        recorded: Some(Recorded {
            ledger_seq: reply.ledger_seq,
            head: reply.head,
            health: reply.health,
            may_act: Some(may_act),
            is_replayed: true,
        }),
    }
}

fn kept_back(ledger: &str, reply: &RecordedReply) -> Refusal {
    let sequence = reply.ledger_seq;
    let mut refusal = Refusal::new(
        StatusCode::FORBIDDEN,
        "axilog_breach",
        format!(
            "the recorded answer was not released: it may not be acted on (ledger {ledger}, up to record {sequence})"
        ),
    );
    refusal.details = json!({ "ledger": ledger, "ledger_seq": sequence });
    refusal
}

/// The recorded response, and whether the ledger took each tool call in it.
fn replay_response(
    recording: &Recording,
    interface: Interface,
    reply: &RecordedReply,
    ledger: &str,
) -> Result<(ProviderResponse, bool), Refusal> {
    let of_failure = |status, what: &str| {
        let sequence = reply.ledger_seq;
        let message = format!("the ledger {ledger} records that {what} (record {sequence})");
        Refusal::new(status, "axilog_provider_error", message)
    };
    match reply.failure {
        None => {}
        Some(Failure::Timeout) => {
            let what = "the provider did not answer in time";
            return Err(of_failure(StatusCode::GATEWAY_TIMEOUT, what));
        }
        Some(Failure::TransportError) => {
            let what = "the provider's answer did not arrive whole";
            return Err(of_failure(StatusCode::BAD_GATEWAY, what));
        }
        Some(_) => return Err(kept_back(ledger, reply)),
    }
    let body = recording.read_response(reply);
    let body = body.map_err(|error| Refusal::unrecorded(ledger, error))?;
    let body = body.ok_or_else(|| {
        let sequence = reply.ledger_seq;
        Refusal::unrecorded(
            ledger,
            format!("the response of record {sequence} is missing among its blobs, or damaged"),
        )
    })?;
    // The first byte tells: a JSON text cannot begin as a line of a stream does.
    let is_json = body.trim_ascii_start().first() == Some(&b'{');
    let content_type = match is_json {
        true => "application/json",
        false => "text/event-stream",
    };
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(content_type))]);
    let read = Response::read_body(interface, content_type, &body);
    let read = read.map_err(|reason| Refusal::unrecorded(ledger, reason))?;
    let calls = read.answers.iter().map(|answer| answer.tool_calls.len());
    let response = ProviderResponse {
        status: StatusCode::OK,
        headers,
        body: body.into(),
    };
    Ok((response, calls.sum::<usize>() == reply.tool_calls))
}
