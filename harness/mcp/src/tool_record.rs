//! What is recorded of a call of a tool and of its result.

use axilog::admission::InputKind;
use axilog::evidence::observation::Params;
use axilog::hash::Hash;
use axilog_ledger::decision::StepDecision;
use axilog_ledger::decision_reasons::list_reasons;
use axilog_ledger::derivation::{Derivation, derive_input};
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::shared::SharedSession;
use axilog_ledger::session::{OracleCall, OracleReply};
use axilog_ledger::tool_calls::TOOL_PREFIX;
use serde::Deserialize;
use serde_json::value::RawValue;

/// Who stands behind the records.
#[derive(Clone, Debug)]
pub struct Identities {
    /// The model id of the calls: whoever chose the arguments.
    pub client: String,
    /// The model id of the results: the server and its version.
    pub server: String,
}

/// A call that a client makes.
#[derive(Clone)]
pub(crate) struct ToolCall {
    pub(crate) name: String,
    /// The request in canonical form.
    request: Vec<u8>,
    /// The arguments in canonical form.
    arguments: String,
}

/// A call that was recorded and may be made.
pub(crate) struct PermittedCall {
    pub(crate) call: ToolCall,
    /// The `obs_hash` of its record.
    hash: Hash,
}

#[derive(Deserialize)]
struct CallParams<'b> {
    name: String,
    #[serde(borrow)]
    arguments: Option<&'b RawValue>,
    #[serde(borrow)]
    task: Option<&'b RawValue>,
}

impl ToolCall {
    /// Reads the parameters of a request, which is kept whole.
    ///
    /// # Errors
    /// What is wrong with them, in words.
    pub(crate) fn read(request: &[u8], params: &str) -> Result<ToolCall, String> {
        let params: CallParams<'_> = serde_json::from_str(params)
            .map_err(|error| format!("the call of a tool has other parameters: {error}"))?;
        if params.task.is_some() {
            return Err(
                "calls as tasks are not taken, since their results come otherwise".to_owned(),
            );
        }
        Ok(ToolCall {
            name: params.name,
            request: request.to_vec(),
            arguments: params
                .arguments
                .map_or_else(|| "{}".to_owned(), |arguments| arguments.get().to_owned()),
        })
    }

    /// Records the call, before the server gets it.
    ///
    /// # Errors
    /// Why it may not be made, in words.
    pub(crate) fn record(
        self,
        session: &SharedSession,
        identities: &Identities,
    ) -> Result<PermittedCall, String> {
        let input = CanonicalInput::new(&self.request, InputKind::Json);
        let call = OracleCall {
            oracle_id: format!("{TOOL_PREFIX}{}", self.name),
            model_id: identities.client.clone(),
            params: Params::NULL,
            input: input.map_err(|reason| format!("the request cannot be recorded: {reason}"))?,
        };
        let decision = observe(session, &call, self.arguments.as_bytes())?;
        Ok(PermittedCall {
            call: self,
            hash: decision.observation.obs_hash,
        })
    }
}

impl PermittedCall {
    /// Records what came of the call, before the client gets it.
    ///
    /// # Errors
    /// Why it may not be passed on, in words.
    pub(crate) fn record_result(
        &self,
        session: &SharedSession,
        identities: &Identities,
        content: &str,
    ) -> Result<(), String> {
        let derivation = Derivation {
            sources: vec![self.hash],
            even_refused: false,
        };
        let input = derive_input(&self.call.request, InputKind::Json, &derivation);
        let call = OracleCall {
            oracle_id: format!("result.{}", self.call.name),
            model_id: identities.server.clone(),
            params: Params::NULL,
            input: input.map_err(|reason| format!("the request cannot be recorded: {reason}"))?,
        };
        observe(session, &call, content.as_bytes()).map(|_| ())
    }
}

/// Records an answer.
///
/// # Errors
/// Why it may not be acted on, in words.
fn observe(
    session: &SharedSession,
    call: &OracleCall,
    answer: &[u8],
) -> Result<StepDecision, String> {
    let decision = session
        .observe(call, OracleReply::Answer(answer))
        .map_err(|error| error.to_string())?;
    if decision.may_act {
        Ok(decision)
    } else if decision.is_permitted && !decision.lacks_policy {
        Err(format!(
            "the policies permit it, but the agent is in {}; an operator sees to it (axilog control) and starts the proxy again",
            decision.health.as_str()
        ))
    } else {
        Err(list_reasons(&decision).join("; "))
    }
}
