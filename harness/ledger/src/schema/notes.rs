//! What a schema says that asserts nothing: keywords that the dialect does not have, which may be misspelt, and `format`.
//!
//! Other keywords are annotations in JSON Schema, so that a schema which has them is valid; but `maximun` lets every number
//! pass, and whoever wrote it should hear of it before the first answer.

use serde_json::Value;
use strsim::damerau_levenshtein;

use super::subschemas::list_places;

/// The keywords of the dialect 2020-12, and the two older ones that the validator knows.
const KEYWORDS: [&str; 59] = [
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$ref",
    "$schema",
    "$vocabulary",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "else",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "readOnly",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
];

/// How many letters a misspelling may differ in.
const MAX_DIFFERENCE: usize = 3;

/// Lists what asserts nothing, each in words with its place, in the order of the places. Names that begin with `x-` are
/// somebody's own and are left out.
pub(super) fn list_notes(document: &Value) -> Vec<String> {
    let mut notes = Vec::new();
    for (place, members) in list_places(document) {
        let whole = match place.as_str() {
            "" => "the whole schema".to_owned(),
            place => format!("{place:?}"),
        };
        for name in members.keys() {
            if name == "format" {
                notes.push(format!(
                    "{whole} has \"format\", which asserts nothing here; use \"pattern\" or \"enum\""
                ));
            } else if !KEYWORDS.contains(&name.as_str()) && !name.starts_with("x-") {
                notes.push(format!(
                    "{whole} has {name:?}, which is no keyword of JSON Schema 2020-12 and asserts nothing{}",
                    suggest(name)
                ));
            }
        }
    }
    notes
}

/// The keyword that a name may be meant for.
fn suggest(name: &str) -> String {
    let nearest = KEYWORDS
        .iter()
        .map(|keyword| (damerau_levenshtein(name, keyword), keyword))
        .min_by_key(|(difference, _)| *difference)
        .filter(|(difference, keyword)| *difference <= MAX_DIFFERENCE.min(keyword.len() / 2));
    match (name, nearest) {
        ("additionalItems", _) => "; use \"items\" beside \"prefixItems\"".to_owned(),
        (_, Some((_, keyword))) => format!("; is {keyword:?} meant?"),
        (_, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::engine::Engine;
    use serde_json::json;

    fn notes(document: Value) -> Vec<String> {
        list_notes(&document)
    }

    #[test]
    fn misspelt_keywords_are_named_with_their_place() {
        for (name, meant) in [
            ("maximun", "maximum"),
            ("propertes", "properties"),
            ("requierd", "required"),
            ("typ", "type"),
            ("additionalproperties", "additionalProperties"),
            ("minimum ", "minimum"),
            ("exclusiveMax", ""),
            ("limit", ""),
        ] {
            let found = notes(json!({ "properties": { "amount": { name: 1 } } }));
            let told = format!("\"/properties/amount\" has {name:?}, which is no keyword");
            assert!(found.len() == 1 && found[0].starts_with(&told), "{found:?}");
            let meant = (!meant.is_empty()).then(|| format!("; is {meant:?} meant?"));
            assert!(
                found[0].ends_with(&meant.unwrap_or("nothing".to_owned())),
                "{found:?}"
            );
        }
    }

    #[test]
    fn every_subschema_is_looked_at_and_nothing_else() {
        let document = json!({
            "format": "date",
            "x-unit": "N",
            "properties": { "propertes": true, "a": { "items": { "additionalItems": false } } },
            "$defs": { "unused": { "allOf": [{ "not": { "formal": 1 } }] } },
            "const": { "maximun": 1 },
            "enum": [{ "maximun": 1 }],
            "default": { "maximun": 1 },
            "examples": [{ "maximun": 1 }],
            "dependentRequired": { "maximun": [] },
        });
        let found = notes(document);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].starts_with("the whole schema has \"format\""));
        assert!(
            found[1].starts_with("\"/$defs/unused/allOf/0/not\" has \"formal\""),
            "{found:?}"
        );
        assert!(found[2].starts_with("\"/properties/a/items\" has \"additionalItems\""));
        assert!(found[2].ends_with("use \"items\" beside \"prefixItems\""));
        assert!(notes(json!(true)).is_empty() && notes(json!({})).is_empty());
    }

    #[test]
    fn no_keyword_of_the_dialect_is_named() {
        let all: serde_json::Map<String, Value> = KEYWORDS
            .iter()
            .filter(|keyword| **keyword != "format")
            .map(|keyword| ((*keyword).to_owned(), json!(1)))
            .collect();
        assert!(notes(Value::Object(all)).is_empty());
    }

    /// Each keyword that constrains a value refuses one, so that none of those about which nothing is said asserts nothing.
    #[test]
    fn keywords_that_are_not_named_assert_something() {
        let never = json!(false);
        for (schema, refused) in [
            (json!({ "dependencies": { "a": ["b"] } }), json!({ "a": 1 })),
            (json!({ "dependencies": { "a": never } }), json!({ "a": 1 })),
            (
                json!({ "dependentRequired": { "a": ["b"] } }),
                json!({ "a": 1 }),
            ),
            (
                json!({ "dependentSchemas": { "a": never } }),
                json!({ "a": 1 }),
            ),
            (
                json!({ "$ref": "#/definitions/x", "definitions": { "x": never } }),
                json!(1),
            ),
            (
                json!({ "$dynamicRef": "#x", "$defs": { "y": { "$dynamicAnchor": "x", "not": {} } } }),
                json!(1),
            ),
            (json!({ "contains": never }), json!([1])),
            (json!({ "contains": true, "maxContains": 1 }), json!([1, 2])),
            (json!({ "contains": true, "minContains": 2 }), json!([1])),
            (json!({ "propertyNames": never }), json!({ "a": 1 })),
            (json!({ "unevaluatedItems": false }), json!([1])),
            (json!({ "unevaluatedProperties": false }), json!({ "a": 1 })),
            (json!({ "prefixItems": [never] }), json!([1])),
            (json!({ "if": true, "then": never }), json!(1)),
            (json!({ "if": never, "else": never }), json!(1)),
        ] {
            assert!(notes(schema.clone()).is_empty(), "{schema}");
            let engine = Engine::compile(schema.clone()).unwrap();
            assert!(
                engine.check(&refused, 16).is_err(),
                "{schema} accepts {refused}"
            );
        }
    }
}
