//! What becomes of each line that a client and a server write.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axilog_ledger::error::LedgerError;
use axilog_ledger::session::Session;
use axilog_ledger::session::shared::{SharedSession, SharedSessionError};

use crate::message::{Message, MessageKind, write_refusal, write_tool_error};
use crate::tool_record::{Identities, PermittedCall, ToolCall};

/// The longest line that is read, in bytes.
pub const MAX_LINE_BYTES: usize = 64 << 20;

/// The most requests of a client that wait for their answers.
const MAX_PENDING: usize = 4096;

/// The method that calls a tool.
const CALL: &str = "tools/call";

/// What becomes of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineDecision {
    /// The line is passed on in this form.
    Pass(Vec<u8>),
    /// The client gets this line; the server gets nothing.
    Reply(Vec<u8>),
    /// Nobody gets anything, because of this.
    Drop(String),
}

/// A proxy between one client and one server.
pub struct Proxy {
    session: SharedSession,
    identities: Identities,
    /// The requests of the client that the server has not answered, by id.
    pending: Mutex<HashMap<String, PendingRequest>>,
}

enum PendingRequest {
    ToolCall(PermittedCall),
    Other,
}

impl Proxy {
    /// A proxy that records in the ledger of `session`.
    #[must_use]
    pub fn new(session: Session, identities: Identities) -> Proxy {
        Proxy {
            session: SharedSession::new(session),
            identities,
            pending: Mutex::default(),
        }
    }

    /// Decides on a line of the client. When it is passed on, the call in it is recorded.
    pub fn take_client_line(&self, line: &[u8]) -> LineDecision {
        let message = match Message::read(line) {
            Ok(message) => message,
            Err(fault) => return refuse("null", &format!("the line is no message: {fault}")),
        };
        let (id, method, params) = match message.kind {
            MessageKind::Request { id, method, params } => (id, method, params),
            MessageKind::Notification { method } if method == CALL => {
                return refuse(
                    "null",
                    "the call of a tool has no id, so that nobody could answer it",
                );
            }
            MessageKind::Notification { .. } | MessageKind::Response { .. } => {
                return LineDecision::Pass(message.canonical);
            }
        };
        if self.lock_pending().len() >= MAX_PENDING {
            return refuse(
                &id,
                &format!("{MAX_PENDING} requests wait for the server already"),
            );
        }
        if self.lock_pending().contains_key(&id) {
            return refuse(&id, "a request with this id waits for the server already");
        }
        let request = match method.as_str() {
            CALL => {
                let call = match ToolCall::read(&message.canonical, &params) {
                    Ok(call) => call,
                    Err(fault) => return refuse(&id, &fault),
                };
                let name = call.name.clone();
                match call.record(&self.session, &self.identities) {
                    Ok(permitted) => PendingRequest::ToolCall(permitted),
                    Err(reason) => {
                        let text = format!(
                            "axilog refused the call of {name}, and the server did not get it: {reason}"
                        );
                        return LineDecision::Reply(write_tool_error(&id, &text));
                    }
                }
            }
            _ => PendingRequest::Other,
        };
        self.lock_pending().insert(id, request);
        LineDecision::Pass(message.canonical)
    }

    /// Decides on a line of the server. When it is passed on, the result in it is recorded.
    pub fn take_server_line(&self, line: &[u8]) -> LineDecision {
        let message = match Message::read(line) {
            Ok(message) => message,
            Err(fault) => {
                return LineDecision::Drop(format!("a line of the server is no message: {fault}"));
            }
        };
        let MessageKind::Response { id, content } = message.kind else {
            return LineDecision::Pass(message.canonical);
        };
        // In a statement of its own, so that the lock is not held while the result is recorded.
        let request = self.lock_pending().remove(&id);
        match request {
            None => LineDecision::Drop(format!("the server answered {id}, which nobody asked")),
            Some(PendingRequest::Other) => LineDecision::Pass(message.canonical),
            Some(PendingRequest::ToolCall(call)) => {
                match call.record_result(&self.session, &self.identities, &content) {
                    Ok(()) => LineDecision::Pass(message.canonical),
                    Err(reason) => {
                        let name = &call.call.name;
                        let text = format!("axilog kept back the result of {name}: {reason}");
                        LineDecision::Reply(write_tool_error(&id, &text))
                    }
                }
            }
        }
    }

    /// Closes the ledger once what is being recorded is durable. Calls and results are refused from then on; closing
    /// again does nothing.
    ///
    /// # Errors
    /// That of [`Session::sync`].
    pub fn close(&self) -> Result<(), LedgerError> {
        match self.session.close() {
            Err(SharedSessionError::Ledger(error)) => Err(error),
            Ok(()) | Err(SharedSessionError::Closed | SharedSessionError::Panicked) => Ok(()),
        }
    }

    fn lock_pending(&self) -> MutexGuard<'_, HashMap<String, PendingRequest>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refuse(id: &str, text: &str) -> LineDecision {
    LineDecision::Reply(write_refusal(id, text))
}
