//! JSON that keeps the order of its members, so that a prompt shows results as they were given.
//!
//! All text is in Unicode normalisation form C (decision D7). Integers from −2^63 to 2^64−1 are exact, and
//! others are refused; a number with a point or an exponent is the nearest double.

use std::fmt;

use axilog_ledger::jcs;
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Number;
use unicode_normalization::UnicodeNormalization;

/// `text` in normalisation form C.
#[must_use]
pub fn nfc(text: &str) -> String {
    text.nfc().collect()
}

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// Text in form C.
    Text(String),
    /// Values in order.
    Array(Vec<Value>),
    /// Members in order.
    Object(Object),
}

/// A JSON object: names, each once, with their values, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object(Vec<(String, Value)>);

impl Object {
    /// Reads a JSON object of at most 127 levels.
    ///
    /// # Errors
    /// What is wrong with it, with line and column. A member name that occurs twice is wrong, and an integer
    /// that is not from −2^63 to 2^64−1.
    pub fn parse(bytes: &[u8]) -> Result<Object, String> {
        match serde_json::from_slice(bytes) {
            Ok(Value::Object(object)) => refuse_large_integers(bytes).map(|()| object),
            Ok(_) => Err("is not a JSON object".to_owned()),
            Err(error) => Err(format!("is not JSON: {error}")),
        }
    }

    /// The value of the member `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    /// Whether it has no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Its members, in order.
    pub fn members(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The members of these names that it has, in the order of `names`.
    #[must_use]
    pub fn select<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Object {
        let mut selected = Object::default();
        for name in names {
            if let Some(value) = self.get(name)
                && selected.get(name).is_none()
            {
                selected.0.push((name.to_owned(), value.clone()));
            }
        }
        selected
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Number(number) => number.serialize(serializer),
            Value::Text(text) => serializer.serialize_str(text),
            Value::Array(values) => {
                let mut array = serializer.serialize_seq(Some(values.len()))?;
                for value in values {
                    array.serialize_element(value)?;
                }
                array.end()
            }
            Value::Object(object) => object.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(Reading)
    }
}

/// Refuses a JSON text with an integer that is not from −2^63 to 2^64−1: `serde_json` would read the nearest
/// double, and a prompt would show other digits.
///
/// # Errors
/// Which integer.
pub(crate) fn refuse_large_integers(text: &[u8]) -> Result<(), String> {
    let mut large = None;
    jcs::find_inexact_integers(text, &mut |_, integer| {
        if integer.parse::<i64>().is_err() && integer.parse::<u64>().is_err() {
            large.get_or_insert_with(|| integer.to_owned());
        }
    });
    large.map_or(Ok(()), |integer| {
        Err(format!(
            "the integer {integer} is not from -2^63 to 2^64-1; scale it, or write it as text"
        ))
    })
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value);
        let number = number.ok_or_else(|| E::custom("a number beyond the doubles"))?;
        Ok(Value::Number(number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(nfc(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = array.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Vec::new();
        let mut seen = std::collections::HashSet::new();
        while let Some((name, value)) = map.next_entry::<String, Value>()? {
            let name = nfc(&name);
            if !seen.insert(name.clone()) {
                let reason = format!("the member name {name:?} occurs twice in one object");
                return Err(A::Error::custom(reason));
            }
            members.push((name, value));
        }
        Ok(Value::Object(Object(members)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_numbers_and_text_come_back() {
        let text = r#"{"z":1.5,"a":[null,true,-9223372036854775808,18446744073709551615],"m":{"b":"x","a":{}}}"#;
        let object = Object::parse(text.as_bytes()).unwrap();
        assert_eq!(serde_json::to_string(&object).unwrap(), text);
        let selected = object.select(["m", "none", "z", "m"]);
        assert_eq!(
            serde_json::to_string(&selected).unwrap(),
            r#"{"m":{"b":"x","a":{}},"z":1.5}"#
        );
        let decomposed = Object::parse(b"{\"e\\u0301\":\"e\\u0301\"}").unwrap();
        assert_eq!(serde_json::to_string(&decomposed).unwrap(), "{\"é\":\"é\"}");
    }

    #[test]
    fn what_is_no_object_says_why() {
        for (text, reason) in [
            ("[]", "not a JSON object"),
            ("", "EOF"),
            ("{\"a\":NaN}", "line 1 column 6"),
            ("{\"a\":1,\"a\":2}", "\"a\" occurs twice"),
            ("{\"\u{e9}\":1,\"e\u{301}\":2}", "occurs twice"),
            ("{\"a\":1e999}", "out of range"),
            (
                "{\"a\":[18446744073709551616]}",
                "the integer 18446744073709551616",
            ),
            (
                "{\"a\":-9223372036854775809}",
                "the integer -9223372036854775809",
            ),
            ("{\"a\":\"\\ud800\"}", "hex escape"),
            (&("{\"a\":".repeat(200)), "recursion limit"),
        ] {
            let error = Object::parse(text.as_bytes()).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
