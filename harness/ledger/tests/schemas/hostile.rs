//! Schemas and answers that are made to do harm: each is refused, or the work on it is bounded.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use axilog_ledger::schema::Schema;
use serde_json::{Map, Value, json};

/// Does work on a thread of its own and gives its result. Work without a bound would go on for years: the test fails
/// after ten minutes, where it would hang.
#[track_caller]
fn finish<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(work()));
    let result = receiver.recv_timeout(Duration::from_secs(600));
    result.expect("the work ends")
}

/// The reason for which a schema is refused.
#[track_caller]
fn refusal(text: &str) -> String {
    let text = text.to_owned();
    let refused = finish(move || Schema::parse(text.as_bytes()).unwrap_err().to_string());
    assert!(refused.len() < 1000, "{refused:.2000}");
    refused
}

/// Whether an answer conforms.
#[track_caller]
fn accepts(schema: &Value, answer: &str) -> bool {
    let (schema, answer) = (schema.to_string(), answer.to_owned());
    let checked = finish(move || {
        let schema = Schema::parse(schema.as_bytes()).unwrap();
        schema.check(answer.as_bytes())
    });
    if let Err(violation) = &checked {
        assert!(violation.to_string().len() < 4000);
    }
    checked.is_ok()
}

#[test]
fn references_lead_nowhere_outside() {
    let dialect = "https://json-schema.org/draft/2020-12/schema";
    for reference in [
        "http://example.com/schema",
        "https://example.com/schema#/a",
        "file:///etc/passwd",
        "other.json",
        "urn:uuid:0",
        dialect,
        "",
        ".",
        "?",
        "https://example.com/mine#/$defs/a",
    ] {
        let schema =
            json!({"$id": "https://example.com/mine", "$ref": reference, "$defs": {"a": true}});
        let told = refusal(&schema.to_string());
        assert!(told.contains("leads out of the document"), "{told}");
    }
}

/// The validator finds a way for each of these; what is after it would be counted nowhere.
#[test]
fn references_that_are_written_in_a_roundabout_way_are_counted_or_refused() {
    for fragment in [
        ".#/$defs/a1",
        "./#/$defs/a1",
        "..#/$defs/a1",
        "../d/.#/$defs/a1",
        "?#/$defs/a1",
        "%61#/$defs/a1",
        "#/allOf/01",
        "#/allOf/+1",
        "#/$defs/a%FF",
        "#%61nchored",
    ] {
        let schema = json!({
            "$ref": fragment,
            "allOf": [true, true],
            "$defs": {"a1": {"$anchor": "anchored"}},
        });
        let told = refusal(&schema.to_string());
        assert!(told.contains("leads"), "{fragment}: {told}");
    }
    let encoded = |next: usize| json!({"$ref": format!("#/%24defs/%61~1{next}")});
    let mut definitions = Map::new();
    for n in 0..40 {
        let next = encoded(n + 1);
        definitions.insert(format!("a/{n}"), json!({"allOf": [next, next]}));
    }
    definitions.insert("a/40".to_owned(), json!(true));
    let schema = json!({"$ref": "#/$defs/a~10", "$defs": definitions});
    assert!(refusal(&schema.to_string()).contains("more than 5000 subschemas"));
}

/// They would be the base of references within them.
#[test]
fn identifiers_of_parts_and_anchors_that_occur_twice_are_refused() {
    for part in [
        json!({"$defs": {"a": {"$id": "a"}}}),
        json!({"const": {"$id": "a"}}),
        json!({"x": [{"$id": "a"}]}),
    ] {
        let told = refusal(&part.to_string());
        assert!(told.contains("only the document itself"), "{told}");
    }
    for id in [
        "a#b",
        "https://json-schema.org/draft/2020-12/schema",
        "HTTPS://JSON-schema.org/./draft/2020-12/schema",
        "https://json-schema%2Eorg/draft/2020-12/schema",
    ] {
        let told = refusal(&json!({ "$id": id }).to_string());
        assert!(told.contains("expected a name of your own"), "{told}");
    }
    let twice = json!({"$anchor": "a", "const": {"$dynamicAnchor": "a"}});
    assert!(refusal(&twice.to_string()).contains("is at"));
    let schema = json!({
        "$id": "https://example.com/mine",
        "$ref": "#a",
        "$defs": {"a": {"$anchor": "a", "$dynamicRef": "#b"}, "b": {"$dynamicAnchor": "b", "type": "object"}},
    });
    assert!(accepts(&schema, "{}") && !accepts(&schema, "1"));
}

/// What looks for unevaluated parts evaluates again what is beside it: nested n deep, 2 to the n times.
#[test]
fn unevaluated_parts_within_each_other_are_counted() {
    for (keyword, empty) in [("unevaluatedProperties", "{}"), ("unevaluatedItems", "[]")] {
        for application in [
            "allOf",
            "anyOf",
            "oneOf",
            "if",
            "not",
            "dependentSchemas",
            "$ref",
        ] {
            let make = |next: Value| match application {
                "if" | "not" => json!({application: next, keyword: {"type": "number"}}),
                "dependentSchemas" => {
                    json!({application: {"a": next}, keyword: {"type": "number"}})
                }
                "$ref" => json!({"$ref": next["$ref"], keyword: {"type": "number"}}),
                _ => json!({application: [next], keyword: {"type": "number"}}),
            };
            let told = refusal(&definitions(20, make, json!(true)).to_string());
            assert!(
                told.contains("more than 5000 subschemas"),
                "{application}: {told}"
            );
            accepts(&definitions(4, make, json!(true)), empty);
        }
        let node = json!({"allOf": [{"properties": {"a": {"$ref": "#"}}, "items": {"$ref": "#"}}], keyword: false});
        let told = refusal(&node.to_string());
        assert!(told.contains("refers to itself"), "{told}");
        // With nothing beside it, it evaluates nothing again.
        let node = json!({"properties": {"a": {"$ref": "#"}}, "prefixItems": [{"$ref": "#"}], keyword: false});
        let deep = match keyword {
            "unevaluatedItems" => format!("{}{}", "[".repeat(120), "]".repeat(120)),
            _ => format!("{}{{}}{}", "{\"a\":".repeat(120), "}".repeat(120)),
        };
        assert!(accepts(&node, &deep));
        assert!(!accepts(&node, r#"{"b": 1}"#) || keyword == "unevaluatedItems");
    }
}

#[test]
fn other_dialects_are_refused() {
    for dialect in [
        "http://json-schema.org/draft-07/schema#",
        "https://example.com/mine",
    ] {
        let told = refusal(&json!({ "$schema": dialect }).to_string());
        assert!(
            told.contains("expected \"https://json-schema.org/draft/2020-12/schema\""),
            "{told}"
        );
        let embedded = json!({"$defs": {"a": {"$schema": dialect}}});
        assert!(refusal(&embedded.to_string()).contains("/$defs/a"));
    }
}

#[test]
fn regular_expressions_are_matched_in_linear_time() {
    for pattern in [
        "^(a+)+$",
        "^(a|a)*$",
        "^(a|aa)+$",
        "(x+x+)+y",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
    ] {
        let answer = json!("a".repeat(60_000) + "!").to_string();
        assert!(!accepts(&json!({ "pattern": pattern }), &answer));
        let answer = json!({ "a".repeat(60_000) + "!": 1 }).to_string();
        let schema = json!({"patternProperties": {pattern: true}, "additionalProperties": false});
        assert!(!accepts(&schema, &answer));
    }
}

#[test]
fn regular_expressions_that_need_backtracking_or_much_memory_are_refused() {
    for pattern in [
        "(?=a)a",
        "(?<!a)b",
        r"(a)\1",
        "(a{1000}){1000}",
        r"[\w]{5000}",
        "(",
    ] {
        let told = refusal(&json!({ "pattern": pattern }).to_string());
        assert!(told.contains("regex") || told.contains("pattern"), "{told}");
    }
    let many: Vec<Value> = (0..101)
        .map(|n| json!({"pattern": format!("a{n}")}))
        .collect();
    let told = refusal(&json!({ "anyOf": many }).to_string());
    assert!(told.contains("more than 100 regular expressions"), "{told}");
    let many: Map<String, Value> = (0..101).map(|n| (format!("a{n}"), json!(true))).collect();
    let told = refusal(&json!({ "patternProperties": many }).to_string());
    assert!(told.contains("more than 100 regular expressions"), "{told}");
}

#[test]
fn a_schema_that_is_too_long_or_too_deep_is_refused() {
    let ten_megabytes = json!({ "enum": ["x".repeat(10 << 20)] }).to_string();
    assert!(refusal(&ten_megabytes).contains("a schema may have 262144"));
    let deep = format!("{}true{}", "{\"not\":".repeat(10_000), "}".repeat(10_000));
    assert!(refusal(&deep).contains("nested deeper than 128"));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(refusal(&deep).contains("nested deeper than 128"));
    assert!(refusal(r#"{"type":"object","type":"array"}"#).starts_with("byte 17"));
    assert!(refusal(r#"{"minimum":1e999}"#).starts_with("byte"));
    // The longest text may be short in canonical form, and the other way round.
    assert!(refusal(&format!("{{}}{}", " ".repeat(300_000))).contains("300002 bytes"));
}

/// Definitions `a0` … `a{count}`, of which each but the last is made from the name of the next.
fn definitions(count: usize, make: impl Fn(Value) -> Value, last: Value) -> Value {
    let mut all = Map::new();
    for n in 0..count {
        let next = json!({"$ref": format!("#/$defs/a{}", n + 1)});
        all.insert(format!("a{n}"), make(next));
    }
    all.insert(format!("a{count}"), last);
    json!({"$ref": "#/$defs/a0", "$defs": all})
}

#[test]
fn references_that_multiply_are_refused() {
    for keyword in ["allOf", "anyOf", "oneOf", "prefixItems"] {
        let schema = definitions(40, |next| json!({ keyword: [next, next] }), json!(true));
        let told = refusal(&schema.to_string());
        assert!(
            told.contains("more than 5000 subschemas"),
            "{keyword}: {told}"
        );
    }
    let both = |next: Value| json!({"properties": {"a": next}, "additionalProperties": next});
    let told = refusal(&definitions(40, both, json!(true)).to_string());
    assert!(told.contains("more than 5000 subschemas"), "{told}");
    let embedded = |next: Value| json!({"if": next, "then": next, "else": next, "not": next});
    let told = refusal(&definitions(20, embedded, json!(true)).to_string());
    assert!(told.contains("more than 5000 subschemas"), "{told}");
    let told = refusal(&definitions(1000, |next| next, json!(true)).to_string());
    assert!(
        told.contains("more than 128 subschemas within each other"),
        "{told}"
    );
    // Ten are few enough.
    let few = definitions(
        10,
        |next| json!({"allOf": [next, next]}),
        json!({"type": "object"}),
    );
    assert!(accepts(&few, "{}") && !accepts(&few, "[]"));
}

#[test]
fn references_into_what_is_no_subschema_are_refused() {
    // Nothing counts the subschemas that only such references reach.
    let looped =
        json!({"x": {"a": {"anyOf": [{"$ref": "#/x/a"}, {"$ref": "#/x/a"}]}}, "$ref": "#/x/a"});
    assert!(refusal(&looped.to_string()).contains("no subschema"));
    let escaped = json!({"const": {"a": true}, "$ref": "#/c%6Fnst/a"});
    assert!(refusal(&escaped.to_string()).contains("no subschema"));
}

#[test]
fn a_schema_within_itself_costs_no_more_than_the_value() {
    let descend = json!({"properties": {"a": {"$ref": "#/$defs/n"}}});
    let or_fail = json!({"properties": {"a": {"$ref": "#/$defs/n"}}, "required": ["x"]});
    let nodes = [
        json!({"anyOf": [or_fail, or_fail]}),
        json!({"oneOf": [descend, or_fail]}),
        json!({"if": descend, "then": descend, "else": or_fail}),
        json!({"not": {"anyOf": [or_fail, or_fail]}}),
        json!({"dependentSchemas": {"a": {"anyOf": [or_fail, or_fail]}}}),
        json!({"patternProperties": {"^a": {"$ref": "#/$defs/n"}}, "properties": {"a": {"$ref": "#/$defs/n"}}, "minProperties": 2}),
    ];
    let deep = format!("{}{{}}{}", "{\"a\":".repeat(120), "}".repeat(120));
    for node in nodes {
        let schema = json!({"$ref": "#/$defs/n", "$defs": {"n": node}});
        accepts(&schema, &deep);
    }
    let items = json!({"contains": {"$ref": "#"}, "minContains": 0, "unevaluatedItems": {"$ref": "#"}, "prefixItems": [{"$ref": "#"}]});
    let deep = format!("{}{}", "[".repeat(120), "]".repeat(120));
    assert!(accepts(&items, &deep));
    let dynamic = json!({"$dynamicAnchor": "n", "anyOf": [
        {"items": {"$dynamicRef": "#n"}, "minItems": 2}, {"items": {"$dynamicRef": "#n"}, "minItems": 3}]});
    assert!(!accepts(&dynamic, &deep));
    for circle in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}], "anyOf": [{"$ref": "#"}]}),
    ] {
        accepts(&circle, "1");
    }
    // The deepest schema and the deepest value at once have room on the stack.
    let last = json!({"properties": {"a": {"$ref": "#/$defs/a0"}}});
    let schema = definitions(60, |next| json!({"allOf": [next]}), last);
    assert!(accepts(
        &schema,
        &format!("{}1{}", "{\"a\":".repeat(127), "}".repeat(127))
    ));
}

#[test]
fn answers_are_bounded() {
    let any = json!({});
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(!accepts(&any, &deep));
    assert!(!accepts(&any, r#"{"a":1,"\u0061":2}"#));
    assert!(!accepts(&any, r#""\ud800""#));
    assert!(!accepts(&any, "1e999"));
    assert!(!accepts(&any, "{} {}"));
    assert!(!accepts(&any, &json!("x".repeat(2 << 20)).to_string()));
    assert!(accepts(&any, &json!("x".repeat(1 << 19)).to_string()));
    let numbers: Vec<u32> = (0..100_000).collect();
    let numbers = json!(numbers).to_string();
    assert!(accepts(&json!({"uniqueItems": true}), &numbers));
    let objects: Vec<Value> = (0..20_000).map(|n| json!({"a": [n]})).collect();
    assert!(accepts(
        &json!({"uniqueItems": true}),
        &json!(objects).to_string()
    ));
    // Each answer is compared with each word.
    let words: Vec<Value> = (0..4_000).map(|n| json!([n])).collect();
    let last = |count: usize| json!(vec![words.last(); count]).to_string();
    let listed = json!({"items": {"enum": words}});
    assert!(accepts(&listed, &last(4_000)));
    assert!(!accepts(&listed, &last(8_000)));
    accepts(&json!({"multipleOf": 1e-308}), "1e308");
    assert!(accepts(
        &json!({"minLength": 1}),
        &json!("\u{1f600}".repeat(100_000)).to_string()
    ));
}

#[test]
fn the_work_of_many_subschemas_on_many_values_is_bounded() {
    let all: Vec<Value> = (0..2400)
        .map(|n| json!({"not": {"const": format!("w{n}")}}))
        .collect();
    let schema = json!({"items": {"allOf": all}});
    let words = |count: usize| json!(vec!["x"; count]).to_string();
    assert!(accepts(&schema, &words(7_000)));
    let schema = Schema::parse(schema.to_string().as_bytes()).unwrap();
    let refused = schema.check(words(15_000).as_bytes()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "its validation could take 162052202 comparisons, and at most 100000000 are made"
    );
    // So is that of one expression on one long text, many times.
    let pattern = definitions(
        10,
        |next| json!({"allOf": [next, next]}),
        json!({"pattern": "^a*$"}),
    );
    assert!(accepts(&pattern, r#""aaa""#));
    assert!(!accepts(&pattern, &json!("a".repeat(1 << 19)).to_string()));
    // And that of names that are not subschemas.
    let needed: Map<String, Value> = (0..20_000).map(|n| (format!("n{n}"), json!([]))).collect();
    let schema = json!({"items": {"dependentRequired": needed}});
    assert!(!accepts(
        &schema,
        &json!(vec![json!({}); 100_000]).to_string()
    ));
}
