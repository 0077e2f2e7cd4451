//! What comes back from an oracle: an answer or a fault, after one attempt or several.

use std::fmt;
use std::time::Duration;

use axilog::evidence::observation::Failure;

/// A model's answer, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What it said, raw.
    pub text: String,
    /// The model that answered, as it names itself.
    pub model: Option<String>,
    /// Why it stopped, as in `stop` or `length`.
    pub finish_reason: Option<String>,
    /// What it cost; `None` where the oracle does not say, which is not zero.
    pub usage: Option<Usage>,
}

/// Tokens, as the oracle counts them (Q11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Of the prompt.
    pub prompt_tokens: u64,
    /// Of the answer.
    pub completion_tokens: u64,
}

/// Why an attempt gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing, or not everything, in time.
    Timeout,
    /// No connection, or one that broke; what the system said.
    Connection(String),
    /// A status other than success, and what the server says about it.
    Status {
        /// The status.
        code: u16,
        /// The server's words, shortened; empty where it has none that may be shown.
        message: String,
    },
    /// A success that is no chat completion: what is wrong with it.
    Malformed(String),
    /// More bytes than are read.
    Oversize {
        /// The most that are read.
        limit: usize,
    },
    /// The answer holds the API key, which goes into no file.
    HoldsKey,
    /// The ledger that answers holds this failure.
    Recorded(Failure),
}

impl Fault {
    /// Whether the same question may be asked again (Q51): after timeouts, connection errors, 429
    /// and 5xx.
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

    /// How a record calls it.
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
    /// How long was waited before it.
    pub waited: Duration,
    /// How long it took.
    pub took: Duration,
    /// Why it failed; `None` where it gave the answer.
    pub fault: Option<Fault>,
}

/// A question's answer, or the fault of the last attempt; and every attempt, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// What came of it.
    pub reply: Result<Answer, Fault>,
    /// How it came about; never empty.
    pub attempts: Vec<Attempt>,
}
