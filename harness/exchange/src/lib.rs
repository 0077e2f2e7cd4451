//! What a program asks the provider of a model and what comes back: read, put together, examined and recorded, without
//! HTTP.
//!
//! The gateway asks by its own client, and a program that has a client of its own asks by that: both keep the question
//! before they ask, and record what came, by this crate. So their ledgers are alike, and a policy judges the same texts.
//!
//! ```
//! use axilog_exchange::{
//!     ANSWER_ORACLE, Arrival, Facts, Finding, Interface, RecordedQuestion, examine_arrival, record_call, takes_facts,
//! };
//! use axilog_ledger::rules::RuleSet;
//! use axilog_ledger::session::shared::SharedSession;
//! use axilog_ledger::session::{OracleCall, Session};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! let path = dir.path().join("ledger.jsonl");
//! let (mut session, _) = Session::create(&path, RuleSet::without_policies()?, 1)?;
//! let takes_facts = takes_facts(&mut session)?;
//! let session = SharedSession::new(session);
//!
//! let body = br#"{"model":"m-1","messages":[{"role":"user","content":"How fast?"}]}"#;
//! let question = RecordedQuestion::read(Interface::ChatCompletions, body)?;
//! let call = OracleCall {
//!     oracle_id: ANSWER_ORACLE.to_owned(),
//!     model_id: question.model,
//!     params: question.params,
//!     input: question.input,
//! };
//! session.keep_question(&call)?; // and now the provider is asked
//! let arrival = Arrival::Response {
//!     status: 200,
//!     content_type: "application/json",
//!     body: br#"{"choices":[{"message":{"role":"assistant","content":"Slowly."}}]}"#,
//! };
//! let facts = Facts::new(Interface::ChatCompletions, &call.model_id, 12);
//! let (reply, finding) = examine_arrival(Interface::ChatCompletions, facts, &arrival, |_| false)?;
//! assert_eq!(finding, Finding::Answered);
//! let recorded = record_call(&session, takes_facts, &call, &reply)?;
//! assert!(recorded.may_act());
//! # Ok(())
//! # }
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `interface.rs` | the interfaces of providers |
//! | `oracles.rs` | whose observations the records of an exchange are |
//! | `question.rs` | what a request asks: its canonical form and its parameters |
//! | `kept_input.rs` | bytes in a form that a record's input may have |
//! | `answer.rs` | the answers in a response of the provider |
//! | `stream.rs`, `assembly.rs` | the events of a stream, and the response that they add up to |
//! | `facts.rs` | what is recorded of the provider beside its answers |
//! | `examination.rs` | what came of a question, and what is to be recorded of it |
//! | `record.rs` | the observations of one exchange |

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

mod answer;
mod assembly;
mod examination;
mod facts;
mod interface;
mod kept_input;
mod oracles;
mod question;
mod record;
mod stream;

pub use answer::{RecordedAnswer, Response, is_stream};
pub use examination::{Arrival, ExchangeFault, Finding, examine_arrival};
pub use facts::Facts;
pub use interface::Interface;
pub use kept_input::read_kept_bytes;
pub use oracles::{
    ANSWER_ORACLE, EMBEDDING_ORACLE, FACTS_ORACLE, JUDGES_FACTS, READER_MODEL, oracle_of,
    takes_facts,
};
pub use question::RecordedQuestion;
pub use record::{RecordedCall, Reply, record_call};
