//! Messages of JSON-RPC 2.0, as MCP writes them: one per line.

use axilog_ledger::jcs::canonicalize;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

/// A message in canonical form.
pub(crate) struct Message {
    /// The whole of it.
    pub(crate) canonical: Vec<u8>,
    pub(crate) kind: MessageKind,
}

/// What a message is. An id is canonical JSON.
pub(crate) enum MessageKind {
    /// A question that is answered under its id.
    Request {
        id: String,
        method: String,
        /// Canonical JSON; empty where there are none.
        params: String,
    },
    /// A message that nobody answers.
    Notification { method: String },
    /// The answer to a question; its result or its error as canonical JSON.
    Response { id: String, content: String },
}

#[derive(Deserialize)]
struct Members<'b> {
    #[serde(borrow)]
    id: Option<&'b RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'b RawValue>,
    #[serde(borrow)]
    result: Option<&'b RawValue>,
    #[serde(borrow)]
    error: Option<&'b RawValue>,
}

impl Message {
    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(crate) fn read(line: &[u8]) -> Result<Message, String> {
        let canonical = canonicalize(line)
            .map_err(|error| format!("byte {}: {}", error.offset, error.reason))?;
        if !canonical.starts_with(b"{") {
            return Err("it is no JSON object; batches are not taken".to_owned());
        }
        let members: Members<'_> =
            serde_json::from_slice(&canonical).map_err(|error| error.to_string())?;
        let own = |value: Option<&RawValue>| value.map(|value| value.get().to_owned());
        let id = own(members.id);
        if id
            .as_deref()
            .is_some_and(|id| id.starts_with(['{', '[', 't', 'f']))
        {
            return Err("its id is neither a string nor a number".to_owned());
        }
        let kind = match (members.method, id, members.result, members.error) {
            (Some(method), Some(id), None, None) => MessageKind::Request {
                id,
                method,
                params: own(members.params).unwrap_or_default(),
            },
            (Some(method), None, None, None) => MessageKind::Notification { method },
            (None, Some(id), Some(content), None) => MessageKind::Response {
                id,
                content: content.get().to_owned(),
            },
            (None, Some(id), None, Some(error)) => MessageKind::Response {
                id,
                content: format!("{{\"error\":{}}}", error.get()),
            },
            _ => {
                return Err(
                    "it is neither a request, nor a notification, nor a response".to_owned(),
                );
            }
        };
        Ok(Message { canonical, kind })
    }
}

/// A response that says to the client, and to its model, that a tool failed.
pub(crate) fn write_tool_error(id: &str, text: &str) -> Vec<u8> {
    let result = json!({ "content": [{ "type": "text", "text": text }], "isError": true });
    format!("{{\"id\":{id},\"jsonrpc\":\"2.0\",\"result\":{result}}}").into_bytes()
}

/// A response that refuses a message; `id` is `null` where it has none that can be read.
pub(crate) fn write_refusal(id: &str, text: &str) -> Vec<u8> {
    // JSON-RPC 2.0 §5.1: Invalid Request.
    let error = json!({ "code": -32600, "message": text });
    format!("{{\"error\":{error},\"id\":{id},\"jsonrpc\":\"2.0\"}}").into_bytes()
}
