//! The JSON Schema is the types' own: what they write fits it, and it allows nothing beside.

use axilog_bundle::SCHEMA;
use axilog_bundle::retrieve::History;
use serde_json::{Map, Value, json};

use crate::place::{build, catalogue, history, json, request, results};

/// A bundle with something in every place.
fn full() -> Value {
    let dir = history();
    let catalogue = catalogue();
    let mut request = request(&catalogue, 3);
    request.results =
        results(r#"{"success":true,"confidence":1,"interpretation":"x","mean_score":{"a":[1]}}"#);
    request.manifest_path = Some("none.json".into());
    request.history = Some(History::in_directory(dir.path()));
    json(&build(&request))
}

/// What is wrong with `value` by the part of JSON Schema that the schema uses; any other keyword
/// fails the test.
fn complaint(root: &Value, schema: &Value, value: &Value) -> Option<String> {
    let Value::Object(keywords) = schema else {
        return (schema != &Value::Bool(true)).then(|| "schema".to_owned());
    };
    let mut wrong = None;
    for (keyword, given) in keywords {
        let fine = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" => true,
            "$ref" => {
                let pointer = given.as_str().unwrap().strip_prefix('#').unwrap();
                wrong = wrong.or(complaint(root, root.pointer(pointer).unwrap(), value));
                true
            }
            "type" => match given.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_u64() || value.is_i64(),
                "number" => value.is_number(),
                other => panic!("type {other}"),
            },
            "const" => value == given,
            "enum" => given.as_array().unwrap().contains(value),
            "minimum" => value.as_f64().is_some_and(|n| n >= given.as_f64().unwrap()),
            "minLength" => value
                .as_str()
                .is_some_and(|s| s.len() as u64 >= given.as_u64().unwrap()),
            "minItems" => value
                .as_array()
                .is_some_and(|a| a.len() as u64 >= given.as_u64().unwrap()),
            "pattern" => fits(given.as_str().unwrap(), value.as_str().unwrap_or("\0")),
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    wrong = wrong.or(complaint(root, given, item));
                }
                true
            }
            "required" => {
                let names = given.as_array().unwrap().iter();
                names
                    .map(|name| name.as_str().unwrap())
                    .all(|name| value.get(name).is_some())
            }
            "properties" => {
                for (name, schema) in given.as_object().unwrap() {
                    if let Some(member) = value.get(name) {
                        wrong = wrong.or(complaint(root, schema, member));
                    }
                }
                true
            }
            "additionalProperties" => {
                assert_eq!(given, &Value::Bool(false));
                let known = keywords["properties"].as_object().unwrap();
                value
                    .as_object()
                    .into_iter()
                    .flatten()
                    .all(|(name, _)| known.contains_key(name))
            }
            other => panic!("keyword {other}"),
        };
        if !fine {
            wrong = wrong.or(Some(format!("{keyword} {given}: {value}")));
        }
    }
    wrong
}

/// The schema's four patterns.
fn fits(pattern: &str, text: &str) -> bool {
    let digits = |text: &str| {
        text.chars()
            .map(|c| if c.is_ascii_digit() { '0' } else { c })
            .collect::<String>()
    };
    match pattern {
        "^[a-z0-9_]+$" => {
            !text.is_empty()
                && text
                    .chars()
                    .all(|c| matches!(c, 'a'..='z' | '0'..='9' | '_'))
        }
        "^([0-9a-f]{64}|FILE_NOT_FOUND)$" => {
            text == "FILE_NOT_FOUND"
                || text.len() == 64 && text.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'))
        }
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$" => {
            digits(text) == "0000-00-00T00:00:00Z"
        }
        other => panic!("pattern {other}"),
    }
}

/// Every object in `value` whose members the types name, by its pointer.
fn objects(value: &Value, pointer: &str, found: &mut Vec<String>) {
    // Results are the user's own.
    if pointer.ends_with("_summary") && !pointer.ends_with("trend_summary") {
        return;
    }
    match value {
        Value::Object(members) => {
            found.push(pointer.to_owned());
            for (name, member) in members {
                objects(member, &format!("{pointer}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                objects(item, &format!("{pointer}/{index}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn the_schema_is_that_of_the_types() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let full = full();
    assert_eq!(complaint(&schema, &schema, &full), None);
    let mut places = Vec::new();
    objects(&full, "", &mut places);
    // Four files, one record of each other kind, and what holds them.
    assert_eq!(places.len(), 4 + 1 + 4, "{places:?}");
    let object = |value: &mut Value, place: &str| -> Map<String, Value> {
        std::mem::take(value.pointer_mut(place).unwrap().as_object_mut().unwrap())
    };
    for place in places {
        // Nothing more.
        let mut more = full.clone();
        let mut members = object(&mut more, &place);
        members.insert("extra".to_owned(), json!(1));
        *more.pointer_mut(&place).unwrap() = members.into();
        assert!(complaint(&schema, &schema, &more).is_some(), "{place}");
        let names: Vec<String> = full
            .pointer(&place)
            .unwrap()
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        for name in names {
            // Nothing less.
            let mut less = full.clone();
            let mut members = object(&mut less, &place);
            members.remove(&name);
            *less.pointer_mut(&place).unwrap() = members.into();
            assert!(
                complaint(&schema, &schema, &less).is_some(),
                "{place}/{name}"
            );
            // Nothing else.
            let mut other = full.clone();
            *other.pointer_mut(&format!("{place}/{name}")).unwrap() = Value::Null;
            assert!(
                complaint(&schema, &schema, &other).is_some(),
                "{place}/{name}"
            );
        }
    }
}
