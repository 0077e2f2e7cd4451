//! What becomes of each line that a client and a server write.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axilog_ledger::session::Session;

use crate::message::{Message, MessageKind, write_refusal, write_tool_error};
use crate::tool_record::{Identities, PermittedCall, ToolCall};

/// The longest line that is read, in bytes.
pub const MAX_LINE_BYTES: usize = 64 << 20;

/// The most questions of a client that wait for their answers.
const MAX_PENDING: usize = 4096;

/// The method that calls a tool.
const CALL: &str = "tools/call";

/// What becomes of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The line is passed on in this form.
    Pass(Vec<u8>),
    /// The client gets this line; the server gets nothing.
    Reply(Vec<u8>),
    /// Nobody gets anything, because of this.
    Drop(String),
}

/// A proxy between one client and one server.
pub struct Proxy {
    session: Mutex<Session>,
    identities: Identities,
    /// The questions of the client that the server has not answered, by id.
    pending: Mutex<HashMap<String, Question>>,
}

enum Question {
    ToolCall(PermittedCall),
    Other,
}

impl Proxy {
    /// A proxy that records in the ledger of `session`.
    #[must_use]
    pub fn new(session: Session, identities: Identities) -> Proxy {
        Proxy {
            session: Mutex::new(session),
            identities,
            pending: Mutex::default(),
        }
    }

    /// Decides on a line of the client. When it is passed on, the call in it is recorded.
    pub fn take_client_line(&self, line: &[u8]) -> Outcome {
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
                return Outcome::Pass(message.canonical);
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
        let question = match method.as_str() {
            CALL => {
                let call = match ToolCall::read(&message.canonical, &params) {
                    Ok(call) => call,
                    Err(fault) => return refuse(&id, &fault),
                };
                let name = call.name.clone();
                match call.record(&mut self.lock_session(), &self.identities) {
                    Ok(permitted) => Question::ToolCall(permitted),
                    Err(reason) => {
                        let text = format!(
                            "axilog refused the call of {name}, and the server did not get it: {reason}"
                        );
                        return Outcome::Reply(write_tool_error(&id, &text));
                    }
                }
            }
            _ => Question::Other,
        };
        self.lock_pending().insert(id, question);
        Outcome::Pass(message.canonical)
    }

    /// Decides on a line of the server. When it is passed on, the result in it is recorded.
    pub fn take_server_line(&self, line: &[u8]) -> Outcome {
        let message = match Message::read(line) {
            Ok(message) => message,
            Err(fault) => {
                return Outcome::Drop(format!("a line of the server is no message: {fault}"));
            }
        };
        let MessageKind::Response { id, content } = message.kind else {
            return Outcome::Pass(message.canonical);
        };
        // Bound first: the lock is not held while the result is recorded.
        let question = self.lock_pending().remove(&id);
        match question {
            None => Outcome::Drop(format!("the server answered {id}, which nobody asked")),
            Some(Question::Other) => Outcome::Pass(message.canonical),
            Some(Question::ToolCall(call)) => {
                let recorded =
                    call.record_result(&mut self.lock_session(), &self.identities, &content);
                match recorded {
                    Ok(()) => Outcome::Pass(message.canonical),
                    Err(reason) => {
                        let name = &call.call.name;
                        let text = format!("axilog kept back the result of {name}: {reason}");
                        Outcome::Reply(write_tool_error(&id, &text))
                    }
                }
            }
        }
    }

    /// Waits until what is being recorded is durable; nothing is recorded as long as the guard lives.
    #[must_use]
    pub fn end(&self) -> impl Drop + '_ {
        self.lock_session()
    }

    fn lock_session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_pending(&self) -> MutexGuard<'_, HashMap<String, Question>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refuse(id: &str, text: &str) -> Outcome {
    Outcome::Reply(write_refusal(id, text))
}
