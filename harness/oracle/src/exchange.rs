//! The exchange with an oracle: an answer or a fault, after one attempt or several.

use std::fmt;
use std::time::Duration;

use axilog::evidence::observation::Failure;
use serde::Deserialize;

/// A model's complete answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The raw text.
    pub text: String,
    /// The model's name in the response.
    pub model: Option<String>,
    /// The reason why the model stopped, as in `stop` or `length`.
    pub finish_reason: Option<String>,
    /// The usage. `None` where the oracle reports none, which does not mean zero.
    pub usage: Option<Usage>,
}

/// The usage of a call in tokens, as the oracle counts them (Q11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Usage {
    /// The tokens of the prompt.
    pub prompt_tokens: u64,
    /// The tokens of the answer.
    pub completion_tokens: u64,
}

/// The reason why an attempt gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The response did not arrive, or not completely, within the time limit.
    Timeout,
    /// The connection failed, with the system's error.
    Connection(String),
    /// The server answered with a status other than success.
    Status {
        /// The status.
        code: u16,
        /// The server's error message, shortened; empty where there is none that may be shown.
        message: String,
    },
    /// The response is no chat completion, with the reason.
    Malformed(String),
    /// The response is longer than the limit.
    Oversize {
        /// The limit in bytes.
        limit: usize,
    },
    /// The answer holds the API key, which no file may hold.
    HoldsKey,
    /// The ledger that answers holds this failure instead of an answer.
    Recorded(Failure),
}

impl Fault {
    /// Whether the same question may be asked again (Q51): after a timeout, a connection error, 429 and 5xx.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Fault::Timeout | Fault::Connection(_) => true,
            Fault::Status { code, .. } => *code == 429 || (500..600).contains(code),
            Fault::Malformed(_) | Fault::Oversize { .. } | Fault::HoldsKey | Fault::Recorded(_) => {
                false
            }
        }
    }

    /// The failure that a record holds for this fault.
    #[must_use]
    pub fn failure(&self) -> Failure {
        match self {
            Fault::Timeout => Failure::Timeout,
            Fault::Connection(_) | Fault::Status { .. } => Failure::TransportError,
            Fault::Malformed(_) | Fault::Oversize { .. } | Fault::HoldsKey => {
                Failure::InvalidOutput
            }
            Fault::Recorded(failure) => *failure,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Timeout => f.write_str("no whole answer in time"),
            Fault::Connection(reason) => write!(f, "the connection failed: {reason}"),
            Fault::Status { code, message } if message.is_empty() => write!(f, "status {code}"),
            Fault::Status { code, message } => write!(f, "status {code}: {message}"),
            Fault::Malformed(reason) => write!(f, "no chat completion: {reason}"),
            Fault::Oversize { limit } => write!(f, "an answer of more than {limit} bytes"),
            Fault::HoldsKey => f.write_str("an answer that holds the API key"),
            Fault::Recorded(failure) => write!(f, "a recorded {}", failure.as_str()),
        }
    }
}

/// One attempt to get an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The waiting time before the attempt.
    pub waited: Duration,
    /// The duration of the attempt.
    pub took: Duration,
    /// The fault; `None` where the attempt gave the answer.
    pub fault: Option<Fault>,
}

/// The reply to a question, and every attempt to get it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The answer, or the fault of the last attempt.
    pub reply: Result<Answer, Fault>,
    /// The attempts in order; never empty.
    pub attempts: Vec<Attempt>,
}

impl Exchange {
    /// An exchange of one attempt that took no time.
    pub(crate) fn immediate(reply: Result<Answer, Fault>) -> Exchange {
        let attempt = Attempt {
            waited: Duration::ZERO,
            took: Duration::ZERO,
            fault: reply.as_ref().err().cloned(),
        };
        Exchange {
            reply,
            attempts: vec![attempt],
        }
    }
}
