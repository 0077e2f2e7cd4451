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
