//! What a client gets in place of an answer: a status, and an error in the form of its interface. The official clients
//! repeat a call of a status from 500 on, and some others, unless a header says that they should not.

use axilog::agent::state::Health;
use axilog::evidence::policy::PolicyResult;
use axilog_ledger::decision::StepDecision;
use axilog_ledger::decision_reasons::list_reasons;
use axilog_ledger::error::LedgerError;
use axilog_policyc::decimal;
use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use crate::budget::UsedUp;
use crate::error_form::ErrorForm;

/// Why a client gets no answer.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    /// The type of the error, which programs compare.
    pub(crate) kind: &'static str,
    /// The error in words.
    pub(crate) message: String,
    /// Whether the same call may succeed if it is repeated at once.
    pub(crate) may_retry: bool,
    /// The seconds after which the same call may succeed, where that is known.
    pub(crate) retry_after: Option<u64>,
    /// What was decided, for programs; null where nothing was.
    pub(crate) details: Value,
}

impl Refusal {
    pub(crate) fn new(
        status: StatusCode,
        kind: &'static str,
        message: impl Into<String>,
    ) -> Refusal {
        Refusal {
            status,
            kind,
            message: message.into(),
            may_retry: false,
            retry_after: None,
            details: Value::Null,
        }
    }

    /// A defect of the gateway.
    pub(crate) fn failed() -> Refusal {
        Refusal::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "axilog_error",
            "a defect of the gateway has ended this call; its standard error says where, and the ledger what was recorded",
        )
    }

    /// The request cannot be asked as it stands.
    pub(crate) fn bad_request(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, "invalid_request_error", message)
    }

    /// An answer that may not be acted on was kept back.
    pub(crate) fn breach(ledger: &str, decision: &StepDecision) -> Refusal {
        let sequence = decision.observation.ledger_seq;
        let policies: Vec<Value> = decision
            .list_judgements()
            .filter(|judgement| judgement.result == PolicyResult::Breach)
            .map(|judgement| {
                json!({
                    "policy": judgement.policy_id,
                    "selector": judgement.selector,
                    "value": judgement.actual.map(decimal),
                    "limit": decimal(judgement.threshold),
                })
            })
            .collect();
        let mut refusal = Refusal::new(
            StatusCode::FORBIDDEN,
            "axilog_breach",
            format!(
                "the answer is recorded and was not released: {} (ledger {ledger}, record {sequence})",
                list_reasons(decision).join("; ")
            ),
        );
        refusal.details = json!({ "ledger": ledger, "ledger_seq": sequence, "policies": policies });
        refusal
    }

    /// An answer calls a tool that the ledger does not take.
    pub(crate) fn tool(ledger: &str, tool: &str, error: &LedgerError) -> Refusal {
        let mut refusal = Refusal::new(
            StatusCode::FORBIDDEN,
            "axilog_breach",
            format!("the answer calls the tool {tool:?} and was not released: {error}"),
        );
        refusal.details = json!({ "ledger": ledger, "tool": tool });
        refusal
    }

    /// A budget of the ledger is used up.
    pub(crate) fn budget(ledger: &str, used_up: &UsedUp) -> Refusal {
        let UsedUp {
            limit,
            most,
            retry_after,
        } = used_up;
        let until = match retry_after {
            Some(seconds) => format!("the window ends in {seconds} seconds"),
            None => "raise it in the configuration, or begin another ledger".to_owned(),
        };
        let message = format!(
            "the budget of the ledger {ledger} has no room for a further call: {limit} is {most}; {until}; nothing was asked"
        );
        let mut refusal = Refusal::new(StatusCode::TOO_MANY_REQUESTS, "axilog_budget", message);
        refusal.retry_after = *retry_after;
        refusal.details = json!({ "ledger": ledger, "limit": limit, "most": most });
        refusal
    }

    /// The ledger takes no calls until an operator acts.
    pub(crate) fn not_enabled(ledger: &str, path: &str, health: Health) -> Refusal {
        let commands = [
            (
                "mitigate",
                format!("`axilog control mitigate --ledger {path}`"),
            ),
            ("reset", format!("`axilog control reset --ledger {path}`")),
            ("the time", format!("`axilog time --ledger {path}`")),
        ];
        let missing = match health {
            Health::Alarm => commands.get(..),
            Health::Degraded => commands.get(1..),
            Health::Init => commands.get(2..),
            _ => None,
        };
        let steps = match missing {
            Some(missing) => {
                let (inputs, commands): (Vec<&str>, Vec<&str>) =
                    missing.iter().map(|(input, command)| (*input, command.as_str())).unzip();
                format!(
                    "an operator has to look at it (`axilog show {path}`) and then to record {}: with an operator's key by \
                     POST /axilog/control and /axilog/time, or with the gateway stopped by {}",
                    inputs.join(", "),
                    commands.join(", ")
                )
            }
            None => "this state is for good: give the ledger another name in the configuration, so that a new one begins"
                .to_owned(),
        };
        let state = health.as_str();
        let mut refusal = Refusal::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "axilog_not_enabled",
            format!("the ledger {ledger} is in the state {state} and takes no calls; {steps}"),
        );
        refusal.details = json!({ "ledger": ledger, "state": state });
        refusal
    }

    /// Nothing can be recorded, so nothing is asked or released.
    pub(crate) fn unrecorded(ledger: &str, reason: impl std::fmt::Display) -> Refusal {
        let mut refusal = Refusal::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "axilog_not_recorded",
            format!("the ledger {ledger} cannot record the call: {reason}"),
        );
        refusal.details = json!({ "ledger": ledger });
        refusal
    }

    /// The body in the form of an interface.
    pub(crate) fn to_body(&self, form: ErrorForm) -> Value {
        let mut error = Map::new();
        error.insert("message".to_owned(), self.message.clone().into());
        error.insert("type".to_owned(), self.kind.into());
        if form == ErrorForm::OpenAi {
            error.insert("param".to_owned(), Value::Null);
            error.insert("code".to_owned(), self.kind.into());
        }
        if !self.details.is_null() {
            error.insert("axilog".to_owned(), self.details.clone());
        }
        match form {
            ErrorForm::OpenAi => json!({ "error": error }),
            ErrorForm::Anthropic => json!({ "type": "error", "error": error }),
        }
    }
}
