//! Asking a language model: the question, what comes back, and the record of both.
//!
//! SRS-004 §8.1, §15.1, §15.3; X-0L, binding answers B1, B3, Q43, Q51, Q52. [`consult`] is the only way
//! to an answer from outside this module, and it gives one out when the ledger has it: failures too
//! are observations, and the prompt is a blob beside the ledger.
//!
//! | file | what it holds |
//! |---|---|
//! | `question.rs` | what is asked, and its canonical form |
//! | `exchange.rs` | what comes back: an answer or a fault, after some attempts |
//! | `endpoint.rs` | the kinds of oracles by name, and oracles made of code |
//! | `openai.rs` | the client for OpenAI-compatible chat completion |
//! | `wire.rs` | the JSON that goes over the network |
//! | `key.rs` | the API key, which nothing shows |
//! | `scripted.rs` | answers and faults from a file |
//! | `recorded.rs` | answers from a ledger |
//! | `error.rs` | why an oracle cannot be asked at all |

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::todo,
        clippy::unimplemented,
        clippy::indexing_slicing
    )
)]

pub mod canonicalizer;
mod endpoint;
mod error;
mod exchange;
mod key;
mod openai;
mod question;
mod recorded;
mod scripted;
pub mod tokens;
mod wire;

use axilog::evidence::observation::Completion;
use axilog_ledger::decision::Decision;
use axilog_ledger::error::LedgerError;
// The canonicalizer names them so: its source text is frozen.
use axilog_ledger::input::line_ends;
use axilog_ledger::session::{Call, Reply, Session};
use axilog_ledger::{file as ledger_file, jcs};

pub use endpoint::{Endpoint, Kind, Local};
pub use error::OracleError;
pub use exchange::{Answer, Attempt, Exchange, Fault, Usage};
pub use key::ApiKey;
pub use openai::{DEFAULT_BASE_URL, Limits, OpenAi};
pub use question::{Constraint, Message, Question, Role};
pub use recorded::Recorded;
pub use scripted::Scripted;

/// One call of an oracle, recorded.
#[derive(Debug)]
pub struct Consultation {
    /// What the ledger holds of it.
    pub decision: Decision,
    /// What came back, and every attempt.
    pub exchange: Exchange,
}

impl Consultation {
    /// The answer's text as it came, if the ledger holds it as COMPLETE. What it does not hold so is no
    /// evidence, and nothing may act on it.
    #[must_use]
    pub fn admitted_text(&self) -> Option<&str> {
        let complete = self.decision.observation.completion == Completion::Complete;
        let answer = self.exchange.reply.as_ref().ok()?;
        complete.then_some(answer.text.as_str())
    }

    /// That text as the ledger holds it, its line ends LF: all that a replay has.
    #[must_use]
    pub fn recorded_text(&self) -> Option<String> {
        self.admitted_text().map(line_ends)
    }
}

/// Asks `endpoint` and records what comes back, as the oracle `oracle_id`'s, before anybody sees it.
///
/// # Errors
/// Before anything is asked: [`LedgerError::Input`] for a prompt that is not admissible,
/// [`LedgerError::Sealed`], [`LedgerError::Reserved`], [`LedgerError::Identity`], [`LedgerError::Model`]. Where there is
/// nothing to ask: [`OracleError::Oracle`]. In all these cases nothing is recorded. Afterwards
/// [`LedgerError::Core`] and [`FileError::Io`].
pub fn consult(
    session: &mut Session,
    endpoint: &mut Endpoint,
    oracle_id: &str,
    question: &Question,
) -> Result<Consultation, OracleError> {
    let call = Call {
        oracle_id: oracle_id.to_owned(),
        model_id: question.model.clone(),
        params: question.params,
        input: question.input().map_err(|reason| LedgerError::Input {
            path: "the prompt".into(),
            reason,
        })?,
    };
    session.check_call(&call.oracle_id, &call.model_id)?;
    let exchange = endpoint.ask(question, &call.input)?;
    let reply = match &exchange.reply {
        Ok(answer) => Reply::Answer(answer.text.as_bytes()),
        Err(fault) => Reply::Failed(fault.failure()),
    };
    let decision = session.observe(&call, reply)?;
    Ok(Consultation { decision, exchange })
}
