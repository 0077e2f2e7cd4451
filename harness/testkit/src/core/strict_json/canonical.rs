//! The canonical form of a value, as `serde_jcs` writes it.

use serde::ser::{Serialize, Serializer};

use super::Json;

/// A value for `serde_jcs`, numbers as doubles.
struct Jcs<'j>(&'j Json);

impl Serialize for Jcs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            Json::Number(text) => serializer.serialize_f64(text.parse().unwrap()),
            Json::String(text) => serializer.serialize_str(text),
            Json::Array(items) => serializer.collect_seq(items.iter().map(Jcs)),
            Json::Object(members) => {
                serializer.collect_map(members.iter().map(|(name, value)| (name, Jcs(value))))
            }
        }
    }
}

/// The canonical text. `serde_jcs` compares names in their escaped form, so it is asked for
/// whole objects only where that makes no difference.
pub fn canonical(json: &Json) -> String {
    match json {
        Json::Array(items) => {
            let items: Vec<_> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        Json::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by_key(|(name, _)| name.encode_utf16().collect::<Vec<_>>());
            let member = |(name, value): &&(String, Json)| {
                format!(
                    "{}:{}",
                    serde_jcs::to_string(name).unwrap(),
                    canonical(value)
                )
            };
            let object = format!(
                "{{{}}}",
                sorted.iter().map(member).collect::<Vec<_>>().join(",")
            );
            if plain_names(json) {
                assert_eq!(object, serde_jcs::to_string(&Jcs(json)).unwrap());
            }
            object
        }
        scalar => serde_jcs::to_string(&Jcs(scalar)).unwrap(),
    }
}

fn plain_names(json: &Json) -> bool {
    match json {
        Json::Array(items) => items.iter().all(plain_names),
        Json::Object(members) => members.iter().all(|(name, value)| {
            name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && plain_names(value)
        }),
        _ => true,
    }
}

/// Whether every number is finite, and a double exactly where it is written as an integer: the
/// domain shared with `serde_jcs`.
pub fn shared(json: &Json) -> bool {
    match json {
        Json::Number(text) => {
            let exact = text.contains(['.', 'e', 'E'])
                || text
                    .parse::<i64>()
                    .is_ok_and(|n| n.unsigned_abs() < 1 << 53)
                || text.parse::<f64>().unwrap().abs() > 1e20;
            exact && text.parse::<f64>().unwrap().is_finite()
        }
        Json::Array(items) => items.iter().all(shared),
        Json::Object(members) => members.iter().all(|(_, value)| shared(value)),
        _ => true,
    }
}
