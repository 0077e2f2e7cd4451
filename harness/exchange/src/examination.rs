//! What came of a question: what is to be recorded of it, and whether there is an answer.

use axilog::evidence::observation::Failure;

use crate::answer::Response;
use crate::facts::Facts;
use crate::interface::Interface;
use crate::kept_input::keep_bytes;
use crate::record::Reply;

/// What came of a question to a provider.
#[derive(Debug)]
pub enum Arrival<'a> {
    /// A whole response.
    Response {
        /// The status of HTTP.
        status: u16,
        /// The header `content-type`; empty where there is none.
        content_type: &'a str,
        /// The body, decoded from any `content-encoding`.
        body: &'a [u8],
    },
    /// No whole response, why, and the bytes of its body that came.
    Fault(ExchangeFault, &'a [u8]),
}

/// Why there is no whole response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeFault {
    /// No connection came about, so nothing was asked.
    #[error("the provider cannot be reached, and was not asked: {0}")]
    Unreachable(String),
    /// The answer was not there in time.
    #[error("the provider did not answer in time")]
    Timeout,
    /// The connection broke, or what came is no response that can be used.
    #[error("the provider's answer did not arrive whole: {0}")]
    Broken(String),
    /// The program gave up waiting.
    #[error("nobody waited for the provider's answer")]
    Cancelled,
}

/// What a program may be told of an exchange, once it is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// There are answers, which policies judge.
    Answered,
    /// The provider answered with an error.
    ProviderError {
        /// Whether the body holds the key of the call.
        holds_key: bool,
    },
    /// The provider redirects the call elsewhere, where it would not be recorded.
    Redirected,
    /// There is no answer that can be used.
    Failed(ExchangeFault),
}

/// Why an answer is neither kept nor released.
const HOLDS_KEY: &str = "it holds the API key";

impl ExchangeFault {
    /// The fault in a word, as facts have it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            ExchangeFault::Unreachable(_) => "unreachable",
            ExchangeFault::Timeout => "timeout",
            ExchangeFault::Broken(_) => "broken",
            ExchangeFault::Cancelled => "cancelled",
        }
    }

    /// The failure of the oracle that the fault is; `None` where nobody was asked, or nobody waited.
    fn failure(&self) -> Option<Failure> {
        match self {
            ExchangeFault::Timeout => Some(Failure::Timeout),
            ExchangeFault::Broken(_) => Some(Failure::TransportError),
            ExchangeFault::Unreachable(_) | ExchangeFault::Cancelled => None,
        }
    }
}

/// Examines what came of a question. What holds the key of the call, as `holds_key` says, is not kept.
///
/// # Errors
/// Why what came cannot be kept, in words; in theory only.
pub fn examine_arrival(
    interface: Interface,
    facts: Facts,
    arrival: &Arrival<'_>,
    holds_key: impl Fn(&[u8]) -> bool,
) -> Result<(Reply, Finding), String> {
    let keep = |bytes: &[u8]| match holds_key(bytes) {
        true => Ok(None),
        false => keep_bytes(bytes).map(Some),
    };
    let (status, content_type, body) = match arrival {
        Arrival::Response {
            status,
            content_type,
            body,
        } => (*status, *content_type, *body),
        Arrival::Fault(fault, received) => {
            let response = match fault {
                ExchangeFault::Unreachable(_) => None,
                _ => keep(received)?,
            };
            let reply = Reply {
                response,
                failure: fault.failure(),
                ..Reply::without_answer(facts.with_fault(fault.name()))
            };
            return Ok((reply, Finding::Failed(fault.clone())));
        }
    };
    let facts = facts.with_status(status);
    if (300..400).contains(&status) {
        let reply = Reply::without_answer(facts.with_fault("redirect"));
        return Ok((reply, Finding::Redirected));
    }
    let is_key_in_body = holds_key(body);
    if !(200..300).contains(&status) {
        let finding = Finding::ProviderError {
            holds_key: is_key_in_body,
        };
        return Ok((Reply::without_answer(facts), finding));
    }
    let read = match is_key_in_body {
        true => Err(HOLDS_KEY.to_owned()),
        false => Response::read_body(interface, content_type, body),
    };
    // In a stream the key may stand in pieces.
    let holds_pieces = read.as_ref().is_ok_and(|read| read.holds(&holds_key));
    let response = match holds_pieces {
        true => None,
        false => keep(body)?,
    };
    match read {
        Ok(read) if !holds_pieces => {
            let reply = Reply {
                facts: facts.with_response(&read),
                response,
                answers: read.answers,
                failure: None,
            };
            Ok((reply, Finding::Answered))
        }
        unusable => {
            let reason = unusable.err().unwrap_or_else(|| HOLDS_KEY.to_owned());
            let fault = ExchangeFault::Broken(format!("the response is not usable: {reason}"));
            let reply = Reply {
                response,
                failure: fault.failure(),
                ..Reply::without_answer(facts.with_fault(fault.name()))
            };
            Ok((reply, Finding::Failed(fault)))
        }
    }
}
