//! Asks a language model, and records the question and the reply in an axilog ledger.
//!
//! A program that acts on a model's answers needs evidence of what it asked and what came back. This crate
//! gives an answer out only after the ledger holds it: [`consult_oracle`] asks an [`Oracle`], records the reply in a
//! session's ledger and then returns it. Failures are recorded too, and the prompt is stored as a blob beside
//! the ledger. An endpoint is a server with OpenAI's or Anthropic's interface, a script, an earlier ledger, or
//! code. SRS-004 §8.1, §15.1, §15.3; X-0L, binding answers B1, B3, Q43, Q51, Q52.
//!
//! ```
//! use axilog::evidence::observation::Params;
//! use axilog_ledger::session::Session;
//! use axilog_oracle::{Oracle, Question, ScriptedOracle, consult_oracle};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let dir = tempfile::tempdir()?;
//! let script = dir.path().join("script.jsonl");
//! std::fs::write(&script, r#"{"answer":"{\"value\":60}"}"#)?;
//! let (mut session, _) = Session::open_or_create(&dir.path().join("ledger.jsonl"), None, 1)?;
//! let mut endpoint = Oracle::Scripted(ScriptedOracle::open(&script)?);
//! let question = Question::new("model-1", "Answer in JSON.", "How fast?", Params::NULL);
//! let consultation = consult_oracle(&mut session, &mut endpoint, "llm", &question)?;
//! let recorded = &consultation.decision.observation;
//! println!("record {}: {:?}", recorded.ledger_seq, consultation.recorded_text());
//! assert_eq!(consultation.admitted_text(), Some(r#"{"value":60}"#));
//! # Ok(())
//! # }
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `consultation.rs` | [`consult_oracle`]: asking and recording |
//! | `endpoint.rs` | the kinds of oracles by name, and oracles made of code |
//! | `openai.rs` | the client for OpenAI-compatible chat completion |
//! | `anthropic.rs` | the client for Anthropic's messages API |
//! | `http_client.rs` | what both clients share: attempts, waits, limits |
//! | `clock.rs` | the clock that both wait by |
//! | `token_limit.rs` | the name under which a request limits the tokens of its answer |
//! | `retry_after.rs` | the header `Retry-After` |
//! | `server_message.rs` | the message of a server's error, fit to be shown |
//! | `transport_settings.rs` | how a run's calls are made, as its documents record it |
//! | `scripted.rs` | the oracle that answers from a script |
//! | `recorded.rs` | the oracle that answers from a ledger |
//! | `nearest_question.rs` | the recorded question that is most like another one |
//! | `wire.rs` | the JSON of OpenAI's requests and responses |
//! | `base_url.rs` | the URL that requests go to |
//! | `key.rs` | the API key, which is never shown |
//! | `key_search.rs` | the search for a key under escapes |
//! | `question.rs` | the question and its canonical form |
//! | `exchange.rs` | the reply: an answer or a fault, and the attempts |
//! | `provider_facts.rs` | which model answered, as its server says |
//! | `error.rs` | the errors of this crate |
//! | [`tokens`] | counting tokens |
//! | [`canonicalizer`] | finding the one JSON object in a model's text |
//! | [`canonicalized_json`] | what was found, as the command prints it |
//!
//! Without the feature `asking` the crate is the last two and the search for a key alone, and brings no HTTP client; with
//! the feature `tokens` it counts tokens too.

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

#[cfg(feature = "asking")]
mod anthropic;
#[cfg(feature = "asking")]
mod base_url;
pub mod canonicalized_json;
pub mod canonicalizer;
#[cfg(feature = "asking")]
mod clock;
#[cfg(feature = "asking")]
mod consultation;
#[cfg(feature = "asking")]
mod endpoint;
#[cfg(feature = "asking")]
mod error;
#[cfg(feature = "asking")]
mod exchange;
#[cfg(feature = "asking")]
mod http_client;
#[cfg(feature = "asking")]
mod key;
mod key_search;
#[cfg(feature = "asking")]
mod nearest_question;
#[cfg(feature = "asking")]
mod openai;
#[cfg(feature = "asking")]
mod provider_facts;
#[cfg(feature = "asking")]
mod question;
#[cfg(feature = "asking")]
mod recorded;
#[cfg(feature = "asking")]
mod retry_after;
#[cfg(feature = "asking")]
mod scripted;
#[cfg(feature = "asking")]
mod server_message;
#[cfg(feature = "asking")]
mod token_limit;
#[cfg(feature = "tokens")]
pub mod tokens;
#[cfg(feature = "asking")]
mod transport_settings;
#[cfg(feature = "asking")]
mod wire;

// The canonicalizer imports these under these names. Its source text is frozen.
mod jcs {
    pub use axilog_ledger::jcs::{
        TrackingCursor as Tracked, canonicalize as canonical, is_inexact_integer,
        max_depth as limit,
    };
}
mod ledger_file {
    pub use axilog_ledger::encoding::hex;
}

pub use self::key_search::{contains_secret, is_searched_for};

#[cfg(feature = "asking")]
pub use self::{
    anthropic::{ANTHROPIC_BASE_URL, AnthropicClient},
    base_url::{is_local, request_url},
    clock::{Clock, SystemClock, TimeLimit},
    consultation::{Consultation, consult_oracle, prepare_call, record_exchange},
    endpoint::{LocalOracle, Oracle, OracleKind, ServerOptions},
    error::OracleError,
    exchange::{AskAttempt, AskFault, Exchange, ModelAnswer, TokenUsage},
    http_client::ClientLimits,
    key::{ANTHROPIC_KEY_VARIABLE, ApiKey, OPENAI_KEY_VARIABLE},
    nearest_question::describe_nearest,
    openai::{DEFAULT_BASE_URL, OpenAiClient},
    provider_facts::ProviderFacts,
    question::{AnswerConstraint, AnswerSchema, GrammarDialect, Message, Question, Role},
    recorded::RecordedOracle,
    scripted::ScriptedOracle,
    token_limit::TokenLimitMember,
    transport_settings::TransportSettings,
};
