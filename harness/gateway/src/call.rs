//! One call from the request to the released answer.
//!
//! The question is durable before the provider is asked. What the provider answers is recorded, and released once the
//! record is durable and every answer in it may be acted on. SRS-004 §4 and §7.2; decision D32.

use std::sync::Arc;
use std::time::Instant;

use axilog::agent::state::Health;
use axilog::evidence::observation::Failure;
use axilog::hash::Hash;
use axilog_ledger::decision::StepDecision;
use axilog_ledger::session::OracleCall;
use axilog_ledger::session::shared::SharedSessionError;
use axilog_oracle::ApiKey;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};

use crate::answer::Response;
use crate::configuration::BreachAction;
use crate::facts::Facts;
use crate::interface::Interface;
use crate::ledgers::{GatewayLedger, OpenLedger, ends_session};
use crate::provider::{Provider, ProviderFault, ProviderResponse};
use crate::question::Question;
use crate::record::{Reply, record_call};
use crate::refusal::Refusal;

/// The oracle of embeddings, which are recorded by their digest.
const EMBEDDING_ORACLE: &str = "llm.embedding";

/// A call that a client makes.
pub(crate) struct Call {
    pub(crate) interface: Interface,
    pub(crate) ledger: Arc<GatewayLedger>,
    pub(crate) headers: HeaderMap,
    /// The client's key, where it is one.
    pub(crate) key: Option<ApiKey>,
    pub(crate) body: Bytes,
}

/// How a call ended.
pub(crate) struct Outcome {
    pub(crate) result: Result<ProviderResponse, Refusal>,
    /// What was recorded last; `None` where nothing was.
    pub(crate) recorded: Option<Recorded>,
}

/// The last record of a call.
pub(crate) struct Recorded {
    pub(crate) ledger_seq: u64,
    pub(crate) head: Hash,
    pub(crate) health: Health,
    /// Whether each answer may be acted on; `None` where there was none.
    pub(crate) may_act: Option<bool>,
}

impl From<Refusal> for Outcome {
    fn from(refusal: Refusal) -> Outcome {
        Outcome {
            result: Err(refusal),
            recorded: None,
        }
    }
}

/// Makes a call.
pub(crate) async fn make_call(provider: &Provider, call: Call) -> Outcome {
    match prepare(provider, &call).await {
        Ok(prepared) => finish(provider, &call, prepared).await,
        Err(refusal) => refusal.into(),
    }
}

/// A call whose question is durable.
struct PreparedCall {
    ledger: OpenLedger,
    oracle_call: OracleCall,
}

/// Checks that the call may be made, and keeps its question.
async fn prepare(provider: &Provider, call: &Call) -> Result<PreparedCall, Refusal> {
    let question = Question::read(call.interface, &call.body).map_err(Refusal::bad_request)?;
    if provider
        .key_of(call.key.as_ref())
        .is_some_and(|key| key.is_in(&call.body))
    {
        return Err(Refusal::bad_request(
            "the body holds the API key, which no file may hold; take it out of there; nothing was recorded or sent",
        ));
    }
    let oracle_id = match call.interface {
        Interface::Embeddings => EMBEDDING_ORACLE,
        _ => call.ledger.settings.oracle_of(&question.model),
    };
    let oracle_call = OracleCall {
        oracle_id: oracle_id.to_owned(),
        model_id: question.model,
        params: question.params,
        input: question.input,
    };
    let ledger = call.ledger.clone();
    run_blocking(move || keep_question(&ledger, oracle_call)).await?
}

/// Runs what waits for the disk on a thread of its own.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Refusal> {
    tokio::task::spawn_blocking(work).await.map_err(|_| {
        Refusal::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "axilog_error",
            "the gateway has failed at this call",
        )
    })
}

fn keep_question(ledger: &GatewayLedger, call: OracleCall) -> Result<PreparedCall, Refusal> {
    let open = ledger
        .session()
        .map_err(|error| Refusal::unrecorded(&ledger.name, error))?;
    let health = open.session.ask(|session| Ok(session.agent().health));
    let health = health.map_err(|error| refuse_step(ledger, &open, &error))?;
    if health != Health::Enabled && ledger.settings.on_breach == BreachAction::Refuse {
        let path = ledger.settings.path.display().to_string();
        return Err(Refusal::not_enabled(&ledger.name, &path, health));
    }
    let kept = open.session.keep_question(&call);
    kept.map_err(|error| refuse_step(ledger, &open, &error))?;
    Ok(PreparedCall {
        ledger: open,
        oracle_call: call,
    })
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

/// Asks the provider, records what comes, and decides what the client gets.
async fn finish(provider: &Provider, call: &Call, prepared: PreparedCall) -> Outcome {
    let start = Instant::now();
    let asked = provider
        .ask(call.interface, &call.headers, call.body.clone())
        .await;
    let model = &prepared.oracle_call.model_id;
    let facts = Facts::new(call.interface, model, start.elapsed().as_millis());
    let Examined {
        facts,
        replies,
        result,
    } = examine(provider, call, facts, asked);
    let ledger = call.ledger.clone();
    let recorded = run_blocking(move || {
        let PreparedCall {
            ledger: open,
            oracle_call,
        } = prepared;
        let decisions = record_call(&open, &oracle_call, &facts, &replies);
        let decisions = decisions.map_err(|error| refuse_step(&ledger, &open, &error))?;
        Ok::<_, Refusal>((decisions, replies.len()))
    });
    match recorded.await {
        Ok(Ok((decisions, answers))) => decide(call, result, &decisions, answers),
        Ok(Err(refusal)) | Err(refusal) => refusal.into(),
    }
}

/// What a response of the provider amounts to.
struct Examined {
    facts: Facts,
    replies: Vec<Reply>,
    /// What the client gets where everything that is recorded may be acted on.
    result: Result<ProviderResponse, Refusal>,
}

fn examine(
    provider: &Provider,
    call: &Call,
    facts: Facts,
    asked: Result<ProviderResponse, ProviderFault>,
) -> Examined {
    let response = match asked {
        Ok(response) => response,
        Err(fault) => return examine_fault(facts, fault),
    };
    let facts = facts.with_status(response.status.as_u16());
    if response.status.is_redirection() {
        let message = "the provider redirects the call elsewhere, where it would not be recorded; name the URL of the \
                       provider itself as base_url";
        return Examined {
            facts: facts.with_fault("redirect"),
            replies: Vec::new(),
            result: Err(Refusal::new(
                StatusCode::BAD_GATEWAY,
                "axilog_provider_error",
                message,
            )),
        };
    }
    let key = provider.key_of(call.key.as_ref());
    let holds_key = key.is_some_and(|key| key.is_in(&response.body));
    if !response.status.is_success() && !holds_key {
        return Examined {
            facts,
            replies: Vec::new(),
            result: Ok(response),
        };
    }
    let read = match holds_key {
        true => Err("it holds the API key".to_owned()),
        false => Response::read(call.interface, &response.body),
    };
    match read {
        Ok(read) => Examined {
            facts: facts.with_response(&read),
            replies: read.answers.into_iter().map(Reply::Answer).collect(),
            result: Ok(response),
        },
        Err(reason) => {
            let fault = ProviderFault::Broken(format!("the response is not usable: {reason}"));
            examine_fault(facts, fault)
        }
    }
}

fn examine_fault(facts: Facts, fault: ProviderFault) -> Examined {
    let facts = facts.with_fault(fault.name());
    let (status, reply, message) = match fault {
        ProviderFault::Unreachable(reason) => {
            let mut refusal = Refusal::new(
                StatusCode::BAD_GATEWAY,
                "axilog_provider_error",
                format!("the provider cannot be reached, and was not asked: {reason}"),
            );
            refusal.may_retry = true;
            return Examined {
                facts,
                replies: Vec::new(),
                result: Err(refusal),
            };
        }
        ProviderFault::Timeout => (
            StatusCode::GATEWAY_TIMEOUT,
            Failure::Timeout,
            "the provider did not answer in time (upstream.timeout)".to_owned(),
        ),
        ProviderFault::Broken(reason) => (
            StatusCode::BAD_GATEWAY,
            Failure::TransportError,
            format!("the provider's answer did not arrive whole: {reason}"),
        ),
    };
    Examined {
        facts,
        replies: vec![Reply::Failure(reply)],
        result: Err(Refusal::new(status, "axilog_provider_error", message)),
    }
}

/// Decides what the client gets, now that everything is recorded.
fn decide(
    call: &Call,
    result: Result<ProviderResponse, Refusal>,
    decisions: &[StepDecision],
    answers: usize,
) -> Outcome {
    let of_answers = decisions
        .get(decisions.len().saturating_sub(answers)..)
        .unwrap_or_default();
    let refused = of_answers.iter().find(|decision| !decision.may_act);
    let recorded = decisions.last().map(|last| Recorded {
        ledger_seq: last.observation.ledger_seq,
        head: last.head,
        health: last.health,
        may_act: (answers > 0).then_some(refused.is_none()),
    });
    let keeps_back = call.ledger.settings.on_breach == BreachAction::Refuse;
    let result = match (result, refused) {
        (Ok(_), Some(decision)) if keeps_back => Err(Refusal::breach(&call.ledger.name, decision)),
        (result, _) => result,
    };
    Outcome { result, recorded }
}
