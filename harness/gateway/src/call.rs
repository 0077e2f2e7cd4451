//! One call from the request to the released answer.
//!
//! The question is durable before the provider is asked. What the provider answers is recorded, and released once the
//! record is durable and every answer in it may be acted on. SRS-004 §4 and §7.2; decision D32.

use std::sync::Arc;
use std::time::Instant;

use axilog_exchange::{
    Arrival, ExchangeFault, Facts, Finding, Interface, RecordedCall, Reply, examine_arrival,
    oracle_of, record_call,
};
use axilog_ledger::session::OracleCall;
use axilog_ledger::session::shared::SharedSessionError;
use axilog_oracle::ApiKey;
use axum::http::StatusCode;

use crate::budget::{Reservation, UsedUp};
use crate::configuration::BreachAction;
use crate::ledgers::{GatewayLedger, OpenLedger, ends_session};
use crate::outcome::{Outcome, Recorded};
use crate::provider::{Provider, ProviderFailure, ProviderResponse};
use crate::refusal::Refusal;
use crate::replay::replay_reply;
use crate::request::ModelRequest;

/// A call that a client makes.
pub(crate) struct Call {
    pub(crate) ledger: Arc<GatewayLedger>,
    /// The client's key, where it is one.
    pub(crate) key: Option<ApiKey>,
    pub(crate) request: ModelRequest,
}

/// Makes a call. What waits for the disk, or reads long bodies, runs on threads of its own.
pub(crate) async fn make_call(provider: &Provider, call: Call) -> Outcome {
    let key = provider.key_of(call.key.as_ref());
    let call = Arc::new(call);
    let prepared = {
        let (call, key) = (call.clone(), key.clone());
        run_blocking(move || prepare(&call, key.as_ref())).await
    };
    let prepared = match prepared {
        Ok(Ok(Prepared::Asked(prepared))) => prepared,
        Ok(Ok(Prepared::Recorded(outcome))) => return outcome,
        Ok(Err(refusal)) | Err(refusal) => return refusal.into(),
    };
    let start = Instant::now();
    let ModelRequest {
        interface,
        headers,
        body,
        ..
    } = &call.request;
    let asked = provider.ask(*interface, headers, body.clone()).await;
    let model = &prepared.oracle_call.model_id;
    let facts = Facts::new(*interface, model, start.elapsed().as_millis());
    let finished = run_blocking(move || finish(&call, key.as_ref(), facts, asked, prepared));
    finished.await.unwrap_or_else(Outcome::from)
}

/// Runs what waits for the disk, or takes long, on a thread of its own.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Refusal> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| Refusal::failed())
}

/// A call before the provider is asked.
enum Prepared {
    Asked(PreparedCall),
    /// The ledger held the answer.
    Recorded(Outcome),
}

/// A call whose question is durable.
struct PreparedCall {
    ledger: OpenLedger,
    oracle_call: OracleCall,
    /// Room in the ledger's budget, where it has one.
    reservation: Option<Reservation>,
}

/// Checks that the call may be made, and keeps its question.
fn prepare(call: &Call, key: Option<&ApiKey>) -> Result<Prepared, Refusal> {
    if key.is_some_and(|key| key.is_in(&call.request.body)) {
        return Err(Refusal::bad_request(
            "the body holds the API key, which no file may hold; take it out of there; nothing was recorded or sent",
        ));
    }
    let question = &call.request.question;
    let of_model = call.ledger.settings.oracle_of(&question.model);
    let oracle_id = oracle_of(call.request.interface, of_model);
    let oracle_call = OracleCall {
        oracle_id: oracle_id.to_owned(),
        model_id: question.model.clone(),
        params: question.params,
        input: question.input.clone(),
    };
    keep_question(&call.ledger, call.request.interface, oracle_call)
}

fn keep_question(
    ledger: &GatewayLedger,
    interface: Interface,
    call: OracleCall,
) -> Result<Prepared, Refusal> {
    let open = ledger
        .session()
        .map_err(|error| Refusal::unrecorded(&ledger.name, error))?;
    if let Some(recording) = &open.recording
        && let Ok(reply) = recording.take(interface, &call.input)
    {
        let on_breach = ledger.settings.on_breach;
        let outcome = replay_reply(recording, interface, &reply, &ledger.name, on_breach);
        return Ok(Prepared::Recorded(outcome));
    }
    let ticked = ledger.tick(&open);
    ticked.map_err(|error| refuse_step(ledger, &open, &error))?;
    let health = open.session.ask(|session| Ok(session.agent().health));
    let health = health.map_err(|error| refuse_step(ledger, &open, &error))?;
    if !ledger.takes_calls(health) {
        let path = ledger.settings.path.display().to_string();
        return Err(Refusal::not_enabled(&ledger.name, &path, health));
    }
    let kept = open.session.keep_question(&call);
    kept.map_err(|error| refuse_step(ledger, &open, &error))?;
    let reservation = match &open.budget {
        None => None,
        Some(budget) => {
            let time = open
                .session
                .ask(|session| Ok(session.agent().last_timestamp));
            let time = time.map_err(|error| refuse_step(ledger, &open, &error))?;
            match budget.reserve(time) {
                Ok(reservation) => Some(reservation),
                Err(used_up) => return refuse_budget(ledger, &open, interface, &call, &used_up),
            }
        }
    };
    Ok(Prepared::Asked(PreparedCall {
        ledger: open,
        oracle_call: call,
        reservation,
    }))
}

/// Records that a call was refused because a budget is used up.
fn refuse_budget(
    ledger: &GatewayLedger,
    open: &OpenLedger,
    interface: Interface,
    call: &OracleCall,
    used_up: &UsedUp,
) -> Result<Prepared, Refusal> {
    let facts = Facts::new(interface, &call.model_id, 0).with_fault("budget");
    let recorded = record_call(
        &open.session,
        open.takes_facts,
        call,
        &Reply::without_answer(facts),
    );
    let recorded = recorded.map_err(|error| refuse_step(ledger, open, &error))?;
    Ok(Prepared::Recorded(Outcome {
        result: Err(Refusal::budget(&ledger.name, used_up)),
        recorded: recorded.last.map(|last| Recorded::of(&last, None)),
    }))
}

/// The refusal of a call that could not be recorded. A session that has failed is given up.
fn refuse_step(ledger: &GatewayLedger, open: &OpenLedger, error: &SharedSessionError) -> Refusal {
    if ends_session(error) {
        ledger.abandon(&open.session);
        return Refusal::unrecorded(&ledger.name, error);
    }
    use axilog_ledger::error::LedgerError as E;
    match error {
        SharedSessionError::Ledger(E::ModelMismatch { .. }) => Refusal::bad_request(format!(
            "{error}; the configuration can name an oracle for each further model ([ledger.{}.models])",
            ledger.name
        )),
        SharedSessionError::Ledger(
            E::InvalidIdentity { .. }
            | E::ReservedOracleId { .. }
            | E::RunningValueId { .. }
            | E::UndeclaredOracle { .. }
            | E::UnjudgedOracle { .. }
            | E::QuestionViolatesSchema { .. }
            | E::InvalidInput { .. }
            | E::UnknownSource { .. }
            | E::SourceNoAnswer { .. }
            | E::SourceRefused { .. },
        ) => Refusal::bad_request(error.to_string()),
        _ => Refusal::unrecorded(&ledger.name, error),
    }
}

/// Records what came from the provider, and decides what the client gets.
fn finish(
    call: &Call,
    key: Option<&ApiKey>,
    facts: Facts,
    asked: Result<ProviderResponse, ProviderFailure>,
    prepared: PreparedCall,
) -> Outcome {
    let PreparedCall {
        ledger: open,
        oracle_call,
        reservation,
    } = prepared;
    let (reply, result) = match examine(call.request.interface, key, facts, asked) {
        Ok(examined) => examined,
        Err(reason) => return Refusal::unrecorded(&call.ledger.name, reason).into(),
    };
    let recorded = match record_call(&open.session, open.takes_facts, &oracle_call, &reply) {
        Ok(recorded) => recorded,
        Err(error) => return refuse_step(&call.ledger, &open, &error).into(),
    };
    if let Some(reservation) = reservation {
        reservation.settle(&reply.facts.to_canonical(), recorded.time);
    }
    decide(call, result, recorded)
}

/// What is to be recorded, and what the client gets where all of it may be acted on.
type Examined = (Reply, Result<ProviderResponse, Refusal>);

/// Examines what came from the provider. The error is why it cannot be kept.
fn examine(
    interface: Interface,
    key: Option<&ApiKey>,
    facts: Facts,
    asked: Result<ProviderResponse, ProviderFailure>,
) -> Result<Examined, String> {
    let arrival = match &asked {
        Ok(response) => Arrival::Response {
            status: response.status.as_u16(),
            content_type: response.content_type(),
            body: &response.body,
        },
        Err(ProviderFailure { fault, received }) => Arrival::Fault(fault.clone(), received),
    };
    let holds_key = |bytes: &[u8]| key.is_some_and(|key| key.is_in(bytes));
    let (reply, finding) = examine_arrival(interface, facts, &arrival, holds_key)?;
    let refusal = refuse_finding(&finding, &asked);
    Ok(match (refusal, asked) {
        (None, Ok(response)) => (reply, Ok(response)),
        (refusal, _) => (reply, Err(refusal.unwrap_or_else(Refusal::failed))),
    })
}

/// What the client gets in place of a response that is not passed on; `None` where it is.
fn refuse_finding(
    finding: &Finding,
    asked: &Result<ProviderResponse, ProviderFailure>,
) -> Option<Refusal> {
    let refuse = |status, message: String| Refusal::new(status, "axilog_provider_error", message);
    let fault = match finding {
        Finding::Answered | Finding::ProviderError { holds_key: false } => return None,
        // The provider's error, but for its words.
        Finding::ProviderError { holds_key: true } => {
            let status = asked
                .as_ref()
                .map_or(StatusCode::BAD_GATEWAY, |asked| asked.status);
            let message = format!(
                "the provider answered with the status {}; its message holds the API key, and is not passed on",
                status.as_u16()
            );
            return Some(refuse(status, message));
        }
        Finding::Redirected => {
            let message = "the provider redirects the call elsewhere, where it would not be recorded; name the URL of the \
                           provider itself as base_url";
            return Some(refuse(StatusCode::BAD_GATEWAY, message.to_owned()));
        }
        Finding::Failed(fault) => fault,
    };
    let mut refusal = match fault {
        ExchangeFault::Timeout => refuse(
            StatusCode::GATEWAY_TIMEOUT,
            format!("{fault} (upstream.timeout)"),
        ),
        _ => refuse(StatusCode::BAD_GATEWAY, fault.to_string()),
    };
    refusal.may_retry = matches!(fault, ExchangeFault::Unreachable(_));
    Some(refusal)
}

/// Decides what the client gets, now that everything is recorded.
fn decide(
    call: &Call,
    result: Result<ProviderResponse, Refusal>,
    recorded: RecordedCall,
) -> Outcome {
    let ledger = &call.ledger.name;
    let refused = recorded.find_refused();
    let may_act = (!recorded.decisions.is_empty()).then_some(recorded.may_act());
    let noted = recorded
        .last
        .as_ref()
        .map(|last| Recorded::of(last, may_act));
    let keeps_back = call.ledger.settings.on_breach == BreachAction::Refuse;
    let result = match (result, refused, &recorded.refused_tool) {
        (Ok(_), Some(decision), _) if keeps_back => Err(Refusal::breach(ledger, decision)),
        // It is not recorded, and so released by no setting.
        (Ok(_), _, Some((name, error))) => Err(Refusal::tool(ledger, name, error)),
        (result, ..) => result,
    };
    Outcome {
        result,
        recorded: noted,
    }
}
