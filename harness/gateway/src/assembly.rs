//! Putting a response together from the events of each interface, as the official clients do.

use std::collections::BTreeMap;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

/// The most choices, blocks or tool calls of a stream.
const MAX_PARTS: u64 = 1024;

/// The object that an event is.
fn object(event: &Value) -> Result<&Map<String, Value>, String> {
    event.as_object().ok_or_else(|| "is no object".to_owned())
}

/// The member that says which part an object belongs to.
fn read_index(object: &Value, name: &str) -> Result<u64, String> {
    let index = object.get(name).and_then(Value::as_u64);
    index.filter(|index| *index < MAX_PARTS).ok_or_else(|| {
        format!(
            "has no index from 0 to {} as {name:?}",
            MAX_PARTS.saturating_sub(1)
        )
    })
}

/// Chat completions and completions of OpenAI: pieces of each choice.
#[derive(Default)]
pub(crate) struct OpenAiChoices {
    rest: Map<String, Value>,
    choices: BTreeMap<u64, Value>,
    pub(crate) is_whole: bool,
}

impl OpenAiChoices {
    pub(crate) fn add(&mut self, event: &Value) -> Result<(), String> {
        for (name, value) in object(event)? {
            if name != "choices" {
                if !value.is_null() {
                    self.rest.insert(name.clone(), value.clone());
                }
                continue;
            }
            for piece in value.as_array().into_iter().flatten() {
                let index = read_index(piece, "index")?;
                let mut piece = object(piece)?.clone();
                // The pieces of a chat's message are its `delta`.
                if let Some(delta) = piece.remove("delta") {
                    piece.insert("message".to_owned(), delta);
                }
                let choice = self
                    .choices
                    .entry(index)
                    .or_insert_with(|| Map::new().into());
                merge(choice, &Value::Object(piece))?;
            }
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<Vec<u8>, String> {
        let choices = self.choices.into_values().collect();
        self.rest
            .insert("choices".to_owned(), Value::Array(choices));
        Ok(Value::Object(self.rest).to_string().into_bytes())
    }
}

/// Adds a piece to what came before: texts are joined, objects merged, and lists merged by the `index` of their items.
/// What names a thing (its role, id or type) is not joined.
fn merge(whole: &mut Value, piece: &Value) -> Result<(), String> {
    match (&mut *whole, piece) {
        (_, Value::Null) => {}
        (Value::String(whole), Value::String(piece)) => whole.push_str(piece),
        (Value::Object(whole), Value::Object(piece)) => {
            for (name, value) in piece {
                let member = whole.entry(name.clone()).or_insert(Value::Null);
                let is_name = matches!(
                    name.as_str(),
                    "finish_reason" | "id" | "index" | "role" | "type"
                );
                match is_name && !value.is_null() {
                    true => *member = value.clone(),
                    false => merge(member, value)?,
                }
            }
            whole.retain(|_, value| !value.is_null());
        }
        (Value::Null, Value::Object(_)) => {
            *whole = Map::new().into();
            merge(whole, piece)?;
        }
        (Value::Null, Value::Array(_)) => {
            *whole = Value::Array(Vec::new());
            merge(whole, piece)?;
        }
        (Value::Array(whole), Value::Array(pieces)) => {
            for piece in pieces {
                match piece.get("index") {
                    None => whole.push(piece.clone()),
                    Some(_) => {
                        let index = read_index(piece, "index")?;
                        let place = whole.iter().position(|item| {
                            item.get("index").and_then(Value::as_u64) == Some(index)
                        });
                        let item = match place.and_then(|place| whole.get_mut(place)) {
                            Some(item) => item,
                            None => {
                                whole.push(Value::Null);
                                match whole.last_mut() {
                                    Some(item) => item,
                                    None => continue,
                                }
                            }
                        };
                        merge(item, piece)?;
                    }
                }
            }
        }
        _ => *whole = piece.clone(),
    }
    Ok(())
}

/// Responses of OpenAI: the last event has the whole response, with which the pieces before it must agree.
#[derive(Default)]
pub(crate) struct OpenAiResponse {
    /// The text of each part, by its item and its index in it.
    texts: BTreeMap<(ItemName, u64), String>,
    /// The arguments of each call.
    arguments: BTreeMap<ItemName, String>,
    response: Option<Value>,
}

/// How an event names the item that it is about. Some servers leave the index out.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum ItemName {
    Index(u64),
    Id(String),
}

impl ItemName {
    fn read(event: &Value) -> Result<ItemName, String> {
        match (event.get("output_index"), event.get("item_id")) {
            (None, Some(Value::String(id))) => Ok(ItemName::Id(id.clone())),
            _ => read_index(event, "output_index").map(ItemName::Index),
        }
    }

    /// The item of this name in a whole response; null where there is none.
    fn find_in<'r>(&self, response: &'r Value) -> &'r Value {
        let items = response.get("output").and_then(Value::as_array);
        let mut items = items.into_iter().flatten();
        let item = match self {
            ItemName::Index(index) => usize::try_from(*index)
                .ok()
                .and_then(|index| items.nth(index)),
            ItemName::Id(id) => {
                items.find(|item| item.get("id").is_some_and(|own| own == id.as_str()))
            }
        };
        item.unwrap_or(&Value::Null)
    }
}

impl OpenAiResponse {
    pub(crate) fn add(&mut self, event: &Value) -> Result<(), String> {
        let kind = object(event)?
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let delta = event
            .get("delta")
            .and_then(Value::as_str)
            .unwrap_or_default();
        match kind {
            "response.output_text.delta" | "response.refusal.delta" => {
                let part = match event.get("content_index") {
                    None => 0,
                    Some(_) => read_index(event, "content_index")?,
                };
                let text = self
                    .texts
                    .entry((ItemName::read(event)?, part))
                    .or_default();
                text.push_str(delta);
            }
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                let arguments = self.arguments.entry(ItemName::read(event)?).or_default();
                arguments.push_str(delta);
            }
            "response.completed" | "response.incomplete" => {
                let response = event.get("response").cloned().unwrap_or_default();
                self.compare(&response)?;
                self.response = Some(response);
            }
            "response.failed" => return Err("reports an error of the provider".to_owned()),
            _ => {}
        }
        Ok(())
    }

    /// Checks that a whole response holds what its pieces add up to.
    fn compare(&self, response: &Value) -> Result<(), String> {
        let texts = self.texts.iter().map(|((item, part), text)| {
            let parts = item
                .find_in(response)
                .get("content")
                .and_then(Value::as_array);
            let part = usize::try_from(*part)
                .ok()
                .and_then(|part| parts?.get(part));
            (
                text,
                part.and_then(|part| part.get("text").or(part.get("refusal"))),
            )
        });
        let arguments = self.arguments.iter().map(|(item, arguments)| {
            let item = item.find_in(response);
            (arguments, item.get("arguments").or(item.get("input")))
        });
        let mut both = texts.chain(arguments);
        match both.all(|(pieces, whole)| whole.and_then(Value::as_str) == Some(pieces)) {
            true => Ok(()),
            false => Err("says another thing than the events before it".to_owned()),
        }
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.response.is_some()
    }

    pub(crate) fn finish(self) -> Result<Vec<u8>, String> {
        let response = self.response.unwrap_or_default();
        Ok(response.to_string().into_bytes())
    }
}

/// Messages of Anthropic: blocks that are begun, added to and ended.
#[derive(Default)]
pub(crate) struct AnthropicMessage {
    rest: Map<String, Value>,
    blocks: BTreeMap<u64, Block>,
    pub(crate) is_whole: bool,
}

#[derive(Default)]
struct Block {
    members: Map<String, Value>,
    /// The JSON of a tool's input, in pieces.
    input: String,
}

impl AnthropicMessage {
    pub(crate) fn add(&mut self, event: &Value) -> Result<(), String> {
        let kind = object(event)?
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default();
        match kind {
            "message_start" => {
                if let Some(Value::Object(message)) = event.get("message") {
                    self.rest = message.clone();
                }
            }
            "content_block_start" => {
                let index = read_index(event, "index")?;
                let Some(Value::Object(members)) = event.get("content_block") else {
                    return Err("begins a block that is no object".to_owned());
                };
                let block = Block {
                    members: members.clone(),
                    input: String::new(),
                };
                if self.blocks.insert(index, block).is_some() {
                    return Err(format!("begins block {index} a second time"));
                }
            }
            "content_block_delta" => {
                let index = read_index(event, "index")?;
                let block = self.blocks.get_mut(&index);
                let block =
                    block.ok_or_else(|| format!("adds to block {index}, which was not begun"))?;
                block.add(event.get("delta").unwrap_or(&Value::Null))?;
            }
            "message_delta" => {
                for name in ["delta", "usage"] {
                    let Some(Value::Object(members)) = event.get(name) else {
                        continue;
                    };
                    let whole = match name {
                        "delta" => &mut self.rest,
                        _ => {
                            let usage = self
                                .rest
                                .entry("usage")
                                .or_insert_with(|| Map::new().into());
                            match usage.as_object_mut() {
                                Some(usage) => usage,
                                None => continue,
                            }
                        }
                    };
                    whole.extend(members.clone());
                }
            }
            "message_stop" => self.is_whole = true,
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<Vec<u8>, String> {
        self.rest.remove("content");
        let mut content = Vec::new();
        for block in self.blocks.into_values() {
            content.push(block.finish()?);
        }
        let mut whole: BTreeMap<String, Box<RawValue>> = BTreeMap::new();
        for (name, value) in self.rest {
            whole.insert(name, to_raw(&value)?);
        }
        whole.insert("content".to_owned(), to_raw(&content)?);
        Ok(to_raw(&whole)?.get().as_bytes().to_vec())
    }
}

impl Block {
    fn add(&mut self, delta: &Value) -> Result<(), String> {
        for (name, value) in object(delta)? {
            match (name.as_str(), value) {
                ("type", _) => {}
                ("partial_json", Value::String(piece)) => self.input.push_str(piece),
                _ => {
                    // The name of a piece is that of what it belongs to, but for citations.
                    let name = match name.as_str() {
                        "citation" => "citations",
                        name => name,
                    };
                    let member = self.members.entry(name).or_insert(Value::Null);
                    match value {
                        Value::Object(_) if name == "citations" => {
                            merge(member, &Value::Array(vec![value.clone()]))?;
                        }
                        _ => merge(member, value)?,
                    }
                }
            }
        }
        Ok(())
    }

    /// The block with its tool's input as it stands in the pieces, every digit of its numbers included.
    fn finish(self) -> Result<BTreeMap<String, Box<RawValue>>, String> {
        let mut members = BTreeMap::new();
        for (name, value) in &self.members {
            members.insert(name.clone(), to_raw(value)?);
        }
        if !self.input.is_empty() {
            let input = RawValue::from_string(self.input)
                .map_err(|error| format!("the input of a tool is no JSON: {error}"))?;
            members.insert("input".to_owned(), input);
        }
        Ok(members)
    }
}

fn to_raw(value: &impl serde::Serialize) -> Result<Box<RawValue>, String> {
    to_raw_value(value).map_err(|error| error.to_string())
}
