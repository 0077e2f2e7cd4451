//! The tool calls in an assistant's message: what the program is asked to do, and with which arguments.
//!
//! Each is an observation of its own, of the oracle `tool.NAME`, so that policies and schemas go by tool. The forms are
//! those of OpenAI's chat completions and responses and of Anthropic's messages.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::jcs::canonicalize;

/// What stands before a tool's name in the id of its oracle.
pub const TOOL_PREFIX: &str = "tool.";

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool's name as the message has it: not empty, but perhaps no identity that a record may have.
    pub name: String,
    /// The arguments: canonical JSON where they are JSON, else the text; empty where there are none.
    pub arguments: Vec<u8>,
}

/// A message whose tool calls cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the message cannot be split into tool calls: {0}")]
pub struct InvalidMessage(String);

impl ToolCall {
    /// The oracle that the call is an observation of.
    #[must_use]
    pub fn oracle_id(&self) -> String {
        format!("{TOOL_PREFIX}{}", self.name)
    }
}

/// Lists the tool calls of an assistant's message, in their order.
///
/// `message` is JSON: the `message` of a choice of OpenAI's chat completions or its `tool_calls`, a response of OpenAI's
/// responses or its `output`, or a message of Anthropic or its `content`. Calls that the provider makes itself are listed
/// too: `server_tool_use` like any other, and an item of another type that ends in `_call` under the name before that
/// ending, with the whole item as its arguments.
///
/// # Errors
/// [`InvalidMessage`] where `message` is no JSON with a canonical form, or none of these (as a whole chat completion), or
/// holds a call without a name, with two places for its arguments, or of another form. Nothing of such a message may be
/// acted on.
pub fn split_tool_calls(message: &[u8]) -> Result<Vec<ToolCall>, InvalidMessage> {
    let canonical = canonicalize(message).map_err(|error| {
        InvalidMessage(format!(
            "it is not JSON at byte {}: {}",
            error.offset, error.reason
        ))
    })?;
    let message: &RawValue =
        serde_json::from_slice(&canonical).map_err(|error| InvalidMessage(error.to_string()))?;
    match message.get().as_bytes().first() {
        Some(b'{') => {
            let message: Message<'_> = read(message)?;
            message.check_form()?;
            message.list_calls()
        }
        Some(b'[') => {
            // An item without a type is none of those that are known, and could hide a call.
            read::<Vec<TypedItem>>(message)?;
            list_item_calls(message)
        }
        _ => Err(InvalidMessage(
            "it is neither an object nor an array of items".to_owned(),
        )),
    }
}

/// Lists the tool calls of a message, or of a list of items, that is in canonical form. Another value has none.
///
/// # Errors
/// [`InvalidMessage`] for a call without a name or of another form.
pub fn list_tool_calls(message: &RawValue) -> Result<Vec<ToolCall>, InvalidMessage> {
    match message.get().as_bytes().first() {
        Some(b'{') => read::<Message<'_>>(message)?.list_calls(),
        Some(b'[') => list_item_calls(message),
        _ => Ok(Vec::new()),
    }
}

#[derive(Deserialize)]
struct Message<'b> {
    /// A whole chat completion has it, and a message does not.
    #[serde(borrow)]
    choices: Option<&'b RawValue>,
    #[serde(borrow)]
    role: Option<&'b RawValue>,
    /// A list of items in a message of Anthropic.
    #[serde(borrow)]
    content: Option<&'b RawValue>,
    /// The list of items of a response.
    #[serde(borrow)]
    output: Option<&'b RawValue>,
    #[serde(borrow)]
    tool_calls: Option<Vec<ChatCall<'b>>>,
    #[serde(borrow)]
    function_call: Option<NamedCall<'b>>,
}

/// An item of a list, of which only the type is known.
#[derive(Deserialize)]
struct TypedItem {
    #[serde(rename = "type")]
    _type: String,
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

impl Message<'_> {
    /// Checks that a message, and not what holds or surrounds one, was given.
    fn check_form(&self) -> Result<(), InvalidMessage> {
        let is_message = self.role.is_some()
            || self.content.is_some()
            || self.output.is_some()
            || self.tool_calls.is_some()
            || self.function_call.is_some();
        match is_message && self.choices.is_none() {
            true => Ok(()),
            false => Err(InvalidMessage(
                "it is no message, which has a \"role\", a \"content\", an \"output\", \"tool_calls\" or a \"function_call\"; \
                 of a chat completion, give the \"message\" of one of its \"choices\""
                    .to_owned(),
            )),
        }
    }

    fn list_calls(self) -> Result<Vec<ToolCall>, InvalidMessage> {
        let mut calls = Vec::new();
        for items in [self.content, self.output].into_iter().flatten() {
            if items.get().starts_with('[') {
                calls.extend(list_item_calls(items)?);
            }
        }
        for call in self.tool_calls.into_iter().flatten() {
            calls.push(call.read(calls.len())?);
        }
        if let Some(call) = self.function_call {
            calls.push(call.read(calls.len())?);
        }
        Ok(calls)
    }
}

fn list_item_calls(items: &RawValue) -> Result<Vec<ToolCall>, InvalidMessage> {
    let items: Vec<&RawValue> = read(items)?;
    let mut calls = Vec::new();
    for item in items.into_iter().filter(|item| item.get().starts_with('{')) {
        let kind = read::<ItemKind>(item)?.r#type.unwrap_or_default();
        let is_named = matches!(kind.as_str(), "function_call" | "custom_tool_call")
            || kind.ends_with("tool_use");
        if is_named {
            calls.push(read::<NamedCall<'_>>(item)?.read(calls.len())?);
        } else if matches!(kind.as_str(), "function" | "custom") {
            // The items of a chat message's `tool_calls`.
            calls.push(read::<ChatCall<'_>>(item)?.read(calls.len())?);
        } else if let Some(name) = kind.strip_suffix("_call") {
            // A call that the provider makes itself, as a search.
            calls.push(ToolCall {
                name: name.to_owned(),
                arguments: item.get().as_bytes().to_vec(),
            });
        }
    }
    Ok(calls)
}

fn read<'b, T: Deserialize<'b>>(value: &'b RawValue) -> Result<T, InvalidMessage> {
    serde_json::from_str(value.get())
        .map_err(|error| InvalidMessage(format!("a part has another form: {error}")))
}

impl ChatCall<'_> {
    /// Reads the call at `index` of its message.
    fn read(self, index: usize) -> Result<ToolCall, InvalidMessage> {
        match (self.function, self.custom) {
            (Some(call), None) | (None, Some(call)) => call.read(index),
            (None, None) => Err(InvalidMessage(format!("call {index} has no function"))),
            (Some(_), Some(_)) => Err(InvalidMessage(format!(
                "call {index} has both \"function\" and \"custom\", expected one of them"
            ))),
        }
    }
}

impl NamedCall<'_> {
    /// Reads the call at `index` of its message.
    fn read(self, index: usize) -> Result<ToolCall, InvalidMessage> {
        let name = self.name.filter(|name| !name.is_empty());
        if self.arguments.is_some() && self.input.is_some() {
            return Err(InvalidMessage(format!(
                "call {index} has both \"arguments\" and \"input\", expected one of them"
            )));
        }
        Ok(ToolCall {
            name: name.ok_or_else(|| InvalidMessage(format!("call {index} has no name")))?,
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
        // The message is canonical already.
        Err(_) => value.get().as_bytes().to_vec(),
    }
}
