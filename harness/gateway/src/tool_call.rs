//! The tool calls in an answer: what the client is asked to do, and with which arguments.

use axilog_ledger::jcs::canonicalize;
use serde::Deserialize;
use serde_json::value::RawValue;

/// What stands before a tool's name in the id of its oracle.
pub(crate) const TOOL_PREFIX: &str = "tool.";

/// A call of a tool.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ToolCall {
    /// The tool's name.
    pub(crate) name: String,
    /// The arguments: canonical JSON where they are JSON, else the text.
    pub(crate) arguments: Vec<u8>,
}

#[derive(Deserialize)]
struct ChatMessage<'b> {
    #[serde(borrow)]
    tool_calls: Option<Vec<ChatCall<'b>>>,
    #[serde(borrow)]
    function_call: Option<NamedCall<'b>>,
}

#[derive(Deserialize)]
struct ChatCall<'b> {
    #[serde(borrow)]
    function: Option<NamedCall<'b>>,
    #[serde(borrow)]
    custom: Option<NamedCall<'b>>,
}

#[derive(Deserialize)]
struct NamedCall<'b> {
    name: Option<String>,
    #[serde(borrow)]
    arguments: Option<&'b RawValue>,
    #[serde(borrow)]
    input: Option<&'b RawValue>,
}

#[derive(Deserialize)]
struct ItemKind {
    r#type: Option<String>,
}

/// The tool calls of a chat's message, in their order.
///
/// # Errors
/// A call that has no name, or another form than the interface's.
pub(crate) fn read_message_calls(message: &RawValue) -> Result<Vec<ToolCall>, String> {
    if !message.get().starts_with('{') {
        return Ok(Vec::new());
    }
    let read: ChatMessage<'_> = serde_json::from_str(message.get())
        .map_err(|error| format!("it has a tool call of another form: {error}"))?;
    let calls = read.tool_calls.into_iter().flatten();
    let named = calls
        .map(|call| call.function.or(call.custom))
        .chain(read.function_call.map(Some));
    named
        .map(|call| match call {
            Some(call) => call.read(),
            None => Err("it has a tool call without a function".to_owned()),
        })
        .collect()
}

/// The tool calls among the items of a response or a message, in their order. A call that the provider makes itself is
/// one too.
///
/// # Errors
/// A call that has no name, or another form than the interface's.
pub(crate) fn read_item_calls(items: &RawValue) -> Result<Vec<ToolCall>, String> {
    let items: Vec<&RawValue> =
        serde_json::from_str(items.get()).map_err(|error| error.to_string())?;
    let mut calls = Vec::new();
    for item in items.into_iter().filter(|item| item.get().starts_with('{')) {
        let told = |error: serde_json::Error| format!("it has an item of another form: {error}");
        let kind: ItemKind = serde_json::from_str(item.get()).map_err(told)?;
        let kind = kind.r#type.unwrap_or_default();
        let is_named = matches!(kind.as_str(), "function_call" | "custom_tool_call")
            || kind.ends_with("tool_use");
        if is_named {
            let call: NamedCall<'_> = serde_json::from_str(item.get()).map_err(told)?;
            calls.push(call.read()?);
        } else if let Some(name) = kind.strip_suffix("_call") {
            calls.push(ToolCall {
                name: name.to_owned(),
                arguments: item.get().as_bytes().to_vec(),
            });
        }
    }
    Ok(calls)
}

impl NamedCall<'_> {
    fn read(self) -> Result<ToolCall, String> {
        let name = self.name.filter(|name| !name.is_empty());
        Ok(ToolCall {
            name: name.ok_or("it has a tool call without a name")?,
            arguments: self
                .arguments
                .or(self.input)
                .map(read_arguments)
                .unwrap_or_default(),
        })
    }
}

/// Arguments are JSON, or a string that holds JSON, or a string that holds a text.
fn read_arguments(value: &RawValue) -> Vec<u8> {
    match serde_json::from_str::<String>(value.get()) {
        Ok(text) => canonicalize(text.as_bytes()).unwrap_or_else(|_| text.into_bytes()),
        // The response is canonical already.
        Err(_) => value.get().as_bytes().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    fn to_pairs(calls: Vec<ToolCall>) -> Vec<(String, String)> {
        let calls = calls.into_iter();
        calls
            .map(|call| (call.name, String::from_utf8(call.arguments).unwrap()))
            .collect()
    }

    fn call(name: &str, arguments: &str) -> (String, String) {
        (name.to_owned(), arguments.to_owned())
    }

    #[test]
    fn calls_are_read_in_their_order_with_parsed_arguments() {
        let message = r#"{"content":null,"tool_calls":[
            {"function":{"name":"pay","arguments":"{\"b\": 1.0, \"a\":18446744073709551615}"}},
            {"custom":{"name":"say","input":"hello there"}},
            {"function":{"name":"go","arguments":""}},
            {"function":{"name":"odd","arguments":{"x":1}}}],
            "function_call":{"name":"old","arguments":"[1]"}}"#;
        assert_eq!(
            to_pairs(read_message_calls(&raw(message)).unwrap()),
            [
                call("pay", r#"{"a":18446744073709551615,"b":1}"#),
                call("say", "hello there"),
                call("go", ""),
                call("odd", r#"{"x":1}"#),
                call("old", "[1]"),
            ]
        );
        let items = r#"[{"type":"text","text":"a"},{"type":"tool_use","name":"pay","input":{"n":1}},
            {"type":"function_call","name":"go","arguments":"{}"},{"type":"custom_tool_call","name":"say","input":"a"},
            {"type":"local_shell_call","action":{}}]"#;
        assert_eq!(
            to_pairs(read_item_calls(&raw(items)).unwrap()),
            [
                call("pay", r#"{"n":1}"#),
                call("go", "{}"),
                call("say", "a"),
                call("local_shell", r#"{"type":"local_shell_call","action":{}}"#),
            ]
        );
        assert_eq!(
            to_pairs(read_message_calls(&raw(r#"{"content":"a","tool_calls":null}"#)).unwrap()),
            []
        );
    }

    #[test]
    fn a_call_without_a_name_is_refused() {
        for message in [
            r#"{"tool_calls":[{}]}"#,
            r#"{"tool_calls":[{"function":{"arguments":"{}"}}]}"#,
            r#"{"tool_calls":[{"function":{"name":""}}]}"#,
            r#"{"tool_calls":{"function":{"name":"a"}}}"#,
            r#"{"tool_calls":[{"function":{"name":7}}]}"#,
        ] {
            assert!(read_message_calls(&raw(message)).is_err(), "{message}");
        }
        for items in [r#"[{"type":"tool_use","input":{}}]"#, r#"[{"type":7}]"#] {
            assert!(read_item_calls(&raw(items)).is_err(), "{items}");
        }
    }
}
