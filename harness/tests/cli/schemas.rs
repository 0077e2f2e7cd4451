//! `axilog init --schema`: declared schemas, from the command line.

use serde_json::Value;

use super::bench::Bench;

/// A schema whose allow-list is an `enum`.
const SCHEMA: &str =
    r#"{ "properties": { "pump": { "enum": ["inlet", "outlet"] } }, "required": ["pump"] }"#;

/// A ledger whose oracle `o` answers under [`SCHEMA`].
fn ledger() -> Bench {
    let bench = Bench::new();
    bench.write("pump.json", SCHEMA);
    bench.write("policies.json", "[]");
    bench
        .run("init ledger.jsonl --time 1000 --policies policies.json --schema o=pump.json")
        .exits(0);
    bench
}

/// The check of an audit with this subject.
fn check<'r>(report: &'r Value, subject: &str) -> &'r Value {
    let mut checks = report["checks"].as_array().unwrap().iter();
    checks.find(|check| check["subject"] == subject).unwrap()
}

#[test]
fn an_answer_outside_the_allow_list_is_refused_and_the_reason_is_told() {
    let bench = ledger();
    bench.observe(br#"{"pump":"inlet"}"#).exits(0);
    let decision = bench.observe(br#"{"pump":"drain"}"#).exits(1).json();
    let violation =
        r#"the value at /pump violates /properties/pump/enum of the schema: ["inlet","outlet"]"#;
    assert_eq!(decision["schema_violation"], violation);
    assert_eq!(decision["failure_type"], "INVALID_OUTPUT");
    assert_eq!(decision["admitted"], "INVALID");
    assert_eq!(
        decision["why"][0],
        format!("the answer violates its schema: {violation}")
    );
    assert_eq!(decision["health"], "ALARM");
    bench.run("verify ledger.jsonl --blobs").exits(0);
    bench.run("replay ledger.jsonl").exits(0);
    let report = bench.run("audit ledger.jsonl --json").exits(0).json();
    assert_eq!(
        check(&report, "schemas")["finding"],
        "0 questions and 1 answers conform, 1 answers were refused"
    );
    assert_eq!(report["unjudged_oracles"], Value::Array(Vec::new()));
}

#[test]
fn an_input_that_violates_is_refused_before_anything_is_recorded() {
    let bench = Bench::new();
    bench.write("ask.json", r#"{"required":["level"]}"#);
    bench
        .run("init ledger.jsonl --time 1000 --input-schema o=ask.json")
        .exits(0);
    let before = bench.read("ledger.jsonl");
    bench.write("in.json", "{\"depth\":1}");
    bench
        .run_with(
            "observe --ledger ledger.jsonl --oracle-id o --model-id m --input in.json --input-kind json",
            b"{\"value\":1}",
        )
        .exits(2)
        .says("violates the input schema of the oracle \"o\": the whole value violates /required of the schema: [\"level\"]; nothing was recorded");
    assert_eq!(bench.read("ledger.jsonl"), before);
    bench.write("in.json", "{\"level\":1}");
    bench
        .run_with(
            "observe --ledger ledger.jsonl --oracle-id o --model-id m --input in.json --input-kind json",
            b"{\"value\":1}",
        )
        .exits(0);
    bench.run("audit ledger.jsonl").exits(0);
}

#[test]
fn what_is_no_schema_begins_no_ledger() {
    let bench = Bench::new();
    bench.write("good.json", "{}");
    let remote = r#"{"$ref":"https://example.com/a"}"#;
    for (document, reason) in [
        ("{", "bad.json: is refused as a schema: byte 1: not JSON"),
        (
            r#"{"type":"nothing"}"#,
            "bad.json: is refused as a schema: at \"/type\"",
        ),
        (r#"{"pattern":"(?=a)"}"#, "bad.json: is refused as a schema"),
        (remote, "leads out of the document"),
    ] {
        bench.write("bad.json", document);
        bench
            .run("init ledger.jsonl --schema o=bad.json")
            .exits(2)
            .says(reason);
    }
    bench.write("bad.json", vec![b' '; (256 << 10) + 1]);
    bench
        .run("init ledger.jsonl --schema o=bad.json")
        .exits(3)
        .says("longer than 262144 bytes");
    bench
        .run("init ledger.jsonl --schema o=absent.json")
        .exits(3)
        .says("absent.json");
    bench
        .run("init ledger.jsonl --schema good.json")
        .exits(2)
        .says("expected ORACLE=FILE");
    bench
        .run("init ledger.jsonl --schema o=good.json --schema o=good.json")
        .exits(2)
        .says("--schema is given twice for the oracle \"o\"");
    bench
        .run("init ledger.jsonl --schema ax.time=good.json")
        .exits(2)
        .says("is reserved");
    assert!(!bench.exists("ledger.jsonl"));
}

#[test]
fn a_ledger_whose_schema_was_exchanged_takes_no_answers() {
    let bench = ledger();
    let canonical = r#"{"properties":{"pump":{"enum":["inlet","outlet"]}},"required":["pump"]}"#;
    let hash = axilog_ledger::encoding::hex(&axilog::hash::sha256(canonical.as_bytes()));
    let blob = format!("ledger.jsonl.blobs/{}/{hash}", &hash[..2]);
    assert_eq!(bench.read(&blob), canonical.as_bytes());
    bench.write(&blob, "{}");
    bench
        .observe(br#"{"pump":"inlet"}"#)
        .exits(3)
        .says("takes no answers: the schema")
        .says("its bytes have another hash; nothing was recorded");
    let report = bench.run("audit ledger.jsonl --json").exits(1).json();
    assert_eq!(check(&report, "schemas")["result"], "failed");
    assert_eq!(report["verdict"], "FAILED");
}

const PAYMENT_SCHEMA: &str = r#"{
    "properties": { "amount": { "type": "number", "maximum": 250 }, "day": { "format": "date" } },
    "requierd": ["amount"]
}"#;
const PAYMENT_POLICY: &str = "[PAY]\noracle = \"pay\"\npath = \"/amount\"\nmax = \"250\"\n";

#[test]
fn init_names_what_a_schema_says_in_vain() {
    let bench = Bench::new();
    bench.write("pay.json", PAYMENT_SCHEMA);
    let run = bench
        .run("init ledger.jsonl --time 1000 --schema pay=pay.json")
        .exits(0);
    run.says("--schema pay=pay.json: the whole schema has \"requierd\", which is no keyword of JSON Schema 2020-12")
        .says("is \"required\" meant?")
        .says("\"/properties/day\" has \"format\", which asserts nothing here");
}

/// One question, whoever decides: policies alone, schemas beside them, or what a ledger is bound to.
#[test]
fn explain_tells_policies_and_schemas_apart() {
    let bench = Bench::new();
    bench.write("pay.json", PAYMENT_SCHEMA);
    bench.write("p.toml", PAYMENT_POLICY);
    bench.run("policy fmt p.toml --output p.json").exits(0);
    bench
        .run("init ledger.jsonl --time 1000 --policies p.json --schema pay=pay.json")
        .exits(0);
    let rules = ["p.toml --schema pay=pay.json", "ledger.jsonl --ledger"];
    let explain = |rules: &str, answer: &str, code: i32| {
        bench.write("a.json", answer);
        let command = format!("policy explain {rules} --answer a.json --oracle pay");
        let json = bench.run(&format!("{command} --json")).exits(code).json();
        (bench.run(&command).exits(code).stdout, json)
    };
    for rules in rules {
        let (text, json) = explain(rules, r#"{"amount":250}"#, 0);
        assert!(
            text.contains("the answer conforms") && !text.contains("Rounded"),
            "{text}"
        );
        assert_eq!(json["schema"]["conforms"], true);
        assert!(json["rounded"].as_array().unwrap().is_empty());

        // The policy compares a rounded value, and the schema the number as it is written.
        let (text, json) = explain(rules, r#"{"amount":250.000001}"#, 1);
        let violation = "the answer violates its schema: the value at /amount violates /properties/amount/maximum";
        let rounded =
            "\"amount\" is 250.000001, and PAY-MAX compares it as 250, which is permitted";
        let on_one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(on_one_line.contains(violation), "{text}");
        assert!(text.contains(&rounded.replace("PAY-MAX", "PAY")), "{text}");
        assert_eq!(
            (&json["permitted"], &json["schema"]["conforms"]),
            (&false.into(), &false.into())
        );
        assert_eq!(json["judgements"][0]["breach"], false);

        let (text, json) = explain(rules, r#"{"amount":300}"#, 1);
        assert!(text.contains("is above 250 (PAY)"), "{text}");
        assert_eq!(json["reasons"].as_array().unwrap().len(), 2, "{json}");
        let (_, json) = explain(rules, "not JSON", 1);
        assert!(
            json["schema"]["violation"]
                .as_str()
                .unwrap()
                .contains("not JSON"),
            "{json}"
        );
    }
    let (_, json) = explain("p.toml", r#"{"amount":250.000001}"#, 0);
    assert!(json["schema"].is_null());
    // The oracle of a schema is named too, where none is asked for.
    bench.write("free.toml", PAYMENT_POLICY.replace("\"pay\"", "\"other\""));
    bench.write("a.json", r#"{"amount":1}"#);
    let all = bench
        .run("policy explain free.toml --schema pay=pay.json --answer a.json --json")
        .exits(0)
        .says("is \"required\" meant?")
        .json();
    let oracles: Vec<_> = all["verdicts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v["oracle"].clone())
        .collect();
    assert_eq!(
        oracles,
        [
            serde_json::json!("other"),
            "pay".into(),
            serde_json::Value::Null
        ]
    );
    bench
        .run("policy explain ledger.jsonl --ledger --schema pay=pay.json --answer a.json")
        .exits(2);
    bench
        .run("policy explain absent.jsonl --ledger --answer a.json")
        .exits(3);
}
