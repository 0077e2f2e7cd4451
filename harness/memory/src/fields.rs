//! Reading the parts of a body: each is there, of its type, and none is there besides.

use serde_json::{Map, Value};

use super::canonical::Handle;
use super::error::{MemoryError, Result};

/// What a part may be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Type {
    /// 1 to 128 of `A–Z a–z 0–9 . _ : -`, the first a letter or digit.
    Name,
    /// Such a name or null.
    NameOrNull,
    /// Any text.
    Text,
    /// A handle.
    Handle,
    /// A handle or null.
    HandleOrNull,
    /// At least one handle, none twice.
    Handles,
    /// An integer from −2^31 to 2^31−1, or null.
    IntegerOrNull,
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these words, or null.
    WordOrNull(&'static [&'static str]),
    /// An object.
    Object,
    /// Names, none twice.
    Names,
}

/// An object that is being read.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    what: &'a str,
    whole: &'a Value,
    members: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    /// The members of `value`, which `what` names in errors.
    pub(super) fn of(what: &'a str, value: &'a Value) -> Result<Fields<'a>> {
        match value {
            Value::Object(members) => Ok(Fields {
                what,
                whole: value,
                members,
            }),
            other => Err(MemoryError::field(what, "$", shown(other), "an object")),
        }
    }

    /// Refuses any member that is not one of `known`.
    pub(super) fn only(&self, known: &[&str]) -> Result<()> {
        match self
            .members
            .keys()
            .find(|name| !known.contains(&name.as_str()))
        {
            Some(name) => Err(self.wrong(name, &format!("one of {}", known.join(", ")))),
            None => Ok(()),
        }
    }

    /// Refuses members that are missing, superfluous or of another type.
    pub(super) fn exactly(&self, fields: &[(&str, Type)]) -> Result<()> {
        let known: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
        self.only(&known)?;
        self.some(fields)
    }

    /// Refuses members of these that are missing or of another type.
    pub(super) fn some(&self, fields: &[(&str, Type)]) -> Result<()> {
        fields
            .iter()
            .try_for_each(|(name, kind)| self.check(name, *kind))
    }

    fn check(&self, name: &str, kind: Type) -> Result<()> {
        let value = self.members.get(name);
        let (fine, expected) = match kind {
            Type::Name => (
                value.and_then(Value::as_str).is_some_and(is_name),
                NAME.to_owned(),
            ),
            Type::NameOrNull => (
                value.is_some_and(|v| v.is_null() || v.as_str().is_some_and(is_name)),
                format!("null or {NAME}"),
            ),
            Type::Text => (value.is_some_and(Value::is_string), "a text".to_owned()),
            Type::Handle => (
                value.is_some_and(|v| handle(v).is_some()),
                HANDLE.to_owned(),
            ),
            Type::HandleOrNull => (
                value.is_some_and(|v| v.is_null() || handle(v).is_some()),
                format!("null or {HANDLE}"),
            ),
            Type::Handles => (
                value.and_then(Value::as_array).is_some_and(|items| {
                    !items.is_empty()
                        && distinct(items)
                        && items.iter().all(|v| handle(v).is_some())
                }),
                format!("an array of one or more, none twice, each {HANDLE}"),
            ),
            Type::IntegerOrNull => (
                value.is_some_and(|v| {
                    v.is_null() || v.as_i64().is_some_and(|n| i32::try_from(n).is_ok())
                }),
                "null or an integer from -2^31 to 2^31-1".to_owned(),
            ),
            Type::Word(words) => (
                value
                    .and_then(Value::as_str)
                    .is_some_and(|v| words.contains(&v)),
                format!("one of {}", words.join(", ")),
            ),
            Type::WordOrNull(words) => (
                value
                    .is_some_and(|v| v.is_null() || v.as_str().is_some_and(|v| words.contains(&v))),
                format!("null or one of {}", words.join(", ")),
            ),
            Type::Object => (value.is_some_and(Value::is_object), "an object".to_owned()),
            Type::Names => (
                value.and_then(Value::as_array).is_some_and(|items| {
                    distinct(items) && items.iter().all(|v| v.as_str().is_some_and(is_name))
                }),
                format!("an array, none twice, each {NAME}"),
            ),
        };
        if fine {
            Ok(())
        } else {
            Err(self.wrong(name, &expected))
        }
    }

    /// A member that is wrong.
    pub(super) fn wrong(&self, name: &str, expected: &str) -> MemoryError {
        let found = self.members.get(name).map_or("nothing".to_owned(), shown);
        MemoryError::field(self.what, name, found, expected)
    }

    /// The object.
    pub(super) fn whole(&self) -> &'a Value {
        self.whole
    }

    /// A member, if there is one.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name)
    }

    /// A text, or nothing where there is none.
    pub(super) fn text(&self, name: &str) -> &'a str {
        self.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A text that may be null or absent.
    pub(super) fn text_or_null(&self, name: &str) -> Option<&'a str> {
        self.get(name).and_then(Value::as_str)
    }

    /// A handle.
    pub(super) fn handle(&self, name: &str) -> Result<Handle> {
        self.get(name)
            .and_then(handle)
            .ok_or_else(|| self.wrong(name, HANDLE))
    }

    /// The handles of an array.
    pub(super) fn handles(&self, name: &str) -> Vec<Handle> {
        let items = self.get(name).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(handle).collect()
    }
}

const NAME: &str = "a name: 1 to 128 of A-Z a-z 0-9 . _ : -, the first a letter or digit";
const HANDLE: &str = "a handle of 64 lower-case hexadecimal digits";

fn handle(value: &Value) -> Option<Handle> {
    value.as_str().and_then(Handle::parse)
}

fn distinct(items: &[Value]) -> bool {
    let mut texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
    texts.sort_unstable();
    texts.windows(2).all(|pair| match pair {
        [a, b] => a != b,
        _ => true,
    })
}

/// Whether `text` may name a world, a scene, a player, a kind, a pin and the like.
pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    text.len() <= 128
        && bytes.next().is_some_and(|b| b.is_ascii_alphanumeric())
        && bytes.all(|b| b.is_ascii_alphanumeric() || b"._:-".contains(&b))
}

/// Checks a name that came from outside a body.
pub(super) fn name<'a>(what: &str, field: &str, text: &'a str) -> Result<&'a str> {
    if is_name(text) {
        Ok(text)
    } else {
        Err(MemoryError::field(what, field, format!("{text:?}"), NAME))
    }
}

/// A value, shortened.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
