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
    /// The tool's name; not empty, and whatever else the message says.
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
/// `message` is JSON: the `message` of a choice of OpenAI's chat completions, a response of OpenAI's responses or its
/// `output`, or a message of Anthropic or its `content`. A call that the provider makes itself is listed too, with the
/// whole item as its arguments where it has none of its own.
///
/// # Errors
/// [`InvalidMessage`] where `message` is no JSON with a canonical form, neither an object nor an array, a whole chat
/// completion, or holds a call without a name or of another form. Nothing of such a message may be acted on.
pub fn split_tool_calls(message: &[u8]) -> Result<Vec<ToolCall>, InvalidMessage> {
    let canonical = canonicalize(message).map_err(|error| {
        InvalidMessage(format!(
            "it is not JSON at byte {}: {}",
            error.offset, error.reason
        ))
    })?;
    let message: &RawValue =
        serde_json::from_slice(&canonical).map_err(|error| InvalidMessage(error.to_string()))?;
    if !message.get().starts_with(['{', '[']) {
        let fault = "it is neither an object nor an array of items";
        return Err(InvalidMessage(fault.to_owned()));
    }
    let whole: Whole<'_> = match message.get().starts_with('{') {
        true => read(message)?,
        false => Whole::default(),
    };
    if whole.choices.is_some() {
        let fault = "it has \"choices\", so it is a whole response; give the message of a choice";
        return Err(InvalidMessage(fault.to_owned()));
    }
    list_tool_calls(message)
}

/// Lists the tool calls of a message, or of a list of items, that is in canonical form. Another value has none.
///
/// # Errors
/// [`InvalidMessage`] for a call without a name or of another form.
pub fn list_tool_calls(message: &RawValue) -> Result<Vec<ToolCall>, InvalidMessage> {
    match message.get().as_bytes().first() {
        Some(b'{') => list_message_calls(message),
        Some(b'[') => list_item_calls(message),
        _ => Ok(Vec::new()),
    }
}

/// What tells a whole chat completion from a message.
#[derive(Default, Deserialize)]
struct Whole<'b> {
    #[serde(borrow)]
    choices: Option<&'b RawValue>,
}

#[derive(Deserialize)]
struct Message<'b> {
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

fn list_message_calls(message: &RawValue) -> Result<Vec<ToolCall>, InvalidMessage> {
    let message: Message<'_> = read(message)?;
    let mut calls = Vec::new();
    for items in [message.content, message.output].into_iter().flatten() {
        if items.get().starts_with('[') {
            calls.extend(list_item_calls(items)?);
        }
    }
    let named = message.tool_calls.into_iter().flatten();
    let named = named
        .map(|call| call.function.or(call.custom))
        .chain(message.function_call.map(Some));
    for call in named {
        let call = call.ok_or_else(|| InvalidMessage("a call has no function".to_owned()))?;
        calls.push(call.read()?);
    }
    Ok(calls)
}

fn list_item_calls(items: &RawValue) -> Result<Vec<ToolCall>, InvalidMessage> {
    let items: Vec<&RawValue> = read(items)?;
    let mut calls = Vec::new();
    for item in items.into_iter().filter(|item| item.get().starts_with('{')) {
        let kind = read::<ItemKind>(item)?.r#type.unwrap_or_default();
        let is_named = matches!(kind.as_str(), "function_call" | "custom_tool_call")
            || kind.ends_with("tool_use");
        if is_named {
            calls.push(read::<NamedCall<'_>>(item)?.read()?);
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

impl NamedCall<'_> {
    fn read(self) -> Result<ToolCall, InvalidMessage> {
        let name = self.name.filter(|name| !name.is_empty());
        Ok(ToolCall {
            name: name.ok_or_else(|| InvalidMessage("a call has no name".to_owned()))?,
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
