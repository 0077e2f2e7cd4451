//! The exchange with an oracle: an answer or a fault, after one attempt or several.

use std::fmt;
use std::time::Duration;

use axilog::evidence::observation::Failure;
use serde::{Deserialize, Serialize};

/// A model's complete answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelAnswer {
    /// The raw text.
    pub text: String,
    /// The model's name in the response.
    pub model: Option<String>,
    /// The build or configuration that answered, as the server names it (`system_fingerprint`).
    pub system_fingerprint: Option<String>,
    /// The reason why the model stopped, as in `stop` or `length`.
    pub finish_reason: Option<String>,
    /// The usage. `None` where the oracle reports none, which does not mean zero.
    pub usage: Option<TokenUsage>,
}

/// The usage of a call in tokens, as the oracle counts them (Q11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// The tokens of the prompt.
    pub prompt_tokens: u64,
    /// The tokens of the answer.
    pub completion_tokens: u64,
}

/// The reason why an attempt gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskFault {
    /// The response did not arrive, or not completely, within the time limit.
    Timeout,
    /// The connection failed, with the system's error.
    Connection(String),
    /// The server answered with a status other than success.
    Status {
        /// The status.
        code: u16,
        /// The server's error message on one line, without keys; empty where there is none that may be shown.
        message: String,
    },
    /// The response is a success and no completion, with the reason.
    Malformed(String),
    /// The response is longer than the limit.
    Oversize {
        /// The limit in bytes.
        limit: usize,
    },
    /// The answer holds the API key, which no file may hold.
    ContainsApiKey,
    /// The ledger that answers holds this failure instead of an answer.
    RecordedFailure(Failure),
}

impl AskFault {
    /// Whether the same question may be asked again (Q8, Q51): after a timeout, a connection error, a response
    /// that is no completion, and the statuses 408, 409, 425, 429 and 5xx.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            AskFault::Timeout
            | AskFault::Connection(_)
            | AskFault::Malformed(_)
            | AskFault::Oversize { .. } => true,
            AskFault::Status { code, .. } => {
                matches!(*code, 408 | 409 | 425 | 429 | 500..600)
            }
            AskFault::ContainsApiKey | AskFault::RecordedFailure(_) => false,
        }
    }

    /// The failure that a record holds for this fault.
    #[must_use]
    pub fn failure(&self) -> Failure {
        match self {
            AskFault::Timeout => Failure::Timeout,
            AskFault::Connection(_)
            | AskFault::Status { .. }
            | AskFault::Malformed(_)
            | AskFault::Oversize { .. } => Failure::TransportError,
            AskFault::ContainsApiKey => Failure::InvalidOutput,
            AskFault::RecordedFailure(failure) => *failure,
        }
    }
}

impl fmt::Display for AskFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskFault::Timeout => f.write_str("no whole answer in time"),
            AskFault::Connection(reason) => write!(f, "the connection failed: {reason}"),
            AskFault::Status { code, message } if message.is_empty() => write!(f, "status {code}"),
            AskFault::Status { code, message } => write!(f, "status {code}: {message}"),
            AskFault::Malformed(reason) => write!(f, "no completion: {reason}"),
            AskFault::Oversize { limit } => write!(f, "an answer of more than {limit} bytes"),
            AskFault::ContainsApiKey => f.write_str("an answer that holds the API key"),
            AskFault::RecordedFailure(failure) => write!(f, "a recorded {}", failure.as_str()),
        }
    }
}

/// One attempt to get an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskAttempt {
    /// The waiting time since the attempt before; zero for the first.
    pub delay: Duration,
    /// The duration of the attempt.
    pub duration: Duration,
    /// The fault; `None` where the attempt gave the answer.
    pub fault: Option<AskFault>,
}

/// The reply to a question, and every attempt to get it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The answer, or the fault of the last attempt.
    pub reply: Result<ModelAnswer, AskFault>,
    /// The attempts in order; never empty.
    pub attempts: Vec<AskAttempt>,
}

impl Exchange {
    /// An exchange of one attempt that took no time.
    #[must_use]
    pub fn immediate(reply: Result<ModelAnswer, AskFault>) -> Exchange {
        let attempt = AskAttempt {
            delay: Duration::ZERO,
            duration: Duration::ZERO,
            fault: reply.as_ref().err().cloned(),
        };
        Exchange {
            reply,
            attempts: vec![attempt],
        }
    }
}
