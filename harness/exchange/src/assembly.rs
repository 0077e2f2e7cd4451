//! Putting a response together from the events of each interface, as the official clients do.

use std::collections::BTreeMap;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

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
                let is_fixed = matches!(
                    name.as_str(),
                    "finish_reason" | "id" | "index" | "role" | "type"
                );
                if name == "name" && has_text(member) && has_text(value) {
                    return Err(
                        "names a tool in two pieces, of which clients take one or both".to_owned(),
                    );
                }
                match is_fixed && !value.is_null() {
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

fn has_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

/// Responses of OpenAI: the last event has the whole response, with which everything before it must agree.
#[derive(Default)]
pub(crate) struct OpenAiResponse {
    /// The pieces of each text, added up.
    pieces: BTreeMap<Place, String>,
    /// The texts that an event says whole.
    said: Vec<(Place, String)>,
    /// The items that an event says whole.
    items: Vec<(ItemName, Value)>,
    response: Option<Value>,
}

/// The place of a text: an item, and the index of a part in it, or `None` for the arguments of a call.
type Place = (ItemName, Option<u64>);

/// How an event names the item that it is about. Some servers leave the index out.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum ItemName {
    Index(u64),
    Id(String),
}

impl ItemName {
    fn read(event: &Value) -> Result<ItemName, String> {
        let id = event.get("item_id").or(event.pointer("/item/id"));
        match (event.get("output_index"), id) {
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
        let text_of = |name: &str| {
            event
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let of_part = || match event.get("content_index") {
            None => Ok(Some(0)),
            Some(_) => read_index(event, "content_index").map(Some),
        };
        match kind {
            "response.output_text.delta" | "response.refusal.delta" => {
                self.add_piece((ItemName::read(event)?, of_part()?), &text_of("delta"));
            }
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                self.add_piece((ItemName::read(event)?, None), &text_of("delta"));
            }
            "response.output_text.done" => {
                self.say((ItemName::read(event)?, of_part()?), text_of("text"))
            }
            "response.refusal.done" => {
                self.say((ItemName::read(event)?, of_part()?), text_of("refusal"))
            }
            "response.function_call_arguments.done" => {
                self.say((ItemName::read(event)?, None), text_of("arguments"));
            }
            "response.custom_tool_call_input.done" => {
                self.say((ItemName::read(event)?, None), text_of("input"));
            }
            "response.output_item.done" => {
                let item = event.get("item").cloned().unwrap_or_default();
                self.items.push((ItemName::read(event)?, item));
            }
            "response.completed" | "response.incomplete" => {
                let response = event.get("response").cloned().unwrap_or_default();
                if !self.agrees_with(&response) {
                    return Err("says another thing than the events before it".to_owned());
                }
                self.response = Some(response);
            }
            "response.failed" => return Err("reports an error of the provider".to_owned()),
            _ => {}
        }
        Ok(())
    }

    fn add_piece(&mut self, place: Place, piece: &str) {
        self.pieces.entry(place).or_default().push_str(piece);
    }

    fn say(&mut self, place: Place, text: String) {
        self.said.push((place, text));
    }

    /// Whether a whole response holds what the events before it said: a client may act on these.
    fn agrees_with(&self, response: &Value) -> bool {
        let said = self.said.iter().map(|(place, text)| (place, text));
        let mut texts = self.pieces.iter().chain(said);
        let mut items = self.items.iter();
        texts.all(|((item, part), text)| find_text(item.find_in(response), *part) == Some(text))
            && items.all(|(name, item)| essence_of(item) == essence_of(name.find_in(response)))
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.response.is_some()
    }

    pub(crate) fn finish(self) -> Result<Vec<u8>, String> {
        let response = self.response.unwrap_or_default();
        Ok(response.to_string().into_bytes())
    }
}

/// The text of a part of an item, or the arguments of the call that it is.
fn find_text(item: &Value, part: Option<u64>) -> Option<&str> {
    let text = match part {
        None => item.get("arguments").or(item.get("input")),
        Some(part) => {
            let part = item.get("content")?.get(usize::try_from(part).ok()?)?;
            part.get("text").or(part.get("refusal"))
        }
    };
    text?.as_str()
}

/// What a client acts on in an item: its kind, the call that it is, and its texts.
fn essence_of(item: &Value) -> Value {
    let parts = item.get("content").and_then(Value::as_array);
    let texts = parts
        .into_iter()
        .flatten()
        .map(|part| part.get("text").or(part.get("refusal")));
    let texts: Vec<Option<&Value>> = texts.collect();
    let member = |name: &str| item.get(name);
    json!([
        member("type"),
        member("name"),
        member("arguments"),
        member("input"),
        member("action"),
        texts
    ])
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
                let holds_content = event.pointer("/message/content/0").is_some();
                if holds_content || !self.rest.is_empty() {
                    return Err("begins a message that has content, or a second one".to_owned());
                }
                if let Some(Value::Object(message)) = event.get("message") {
                    self.rest = message.clone();
                }
            }
            "content_block_start" => {
                let index = read_index(event, "index")?;
                let Some(Value::Object(members)) = event.get("content_block") else {
                    return Err("begins a block that is no object".to_owned());
                };
                // Clients count the blocks as they come.
                if index != self.blocks.len() as u64 {
                    return Err(format!(
                        "begins block {index} after {} others",
                        self.blocks.len()
                    ));
                }
                let block = Block {
                    members: members.clone(),
                    input: String::new(),
                };
                self.blocks.insert(index, block);
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
