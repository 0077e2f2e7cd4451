//! `axilog export --format parquet`, read back.

use std::fs::File;

use axilog::admission::InputKind;
use axilog::evidence::observation::{Failure, Params};
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::bench::Bench;

fn object(row: &Row) -> Value {
    let columns = row.get_column_iter();
    let members = columns.map(|(name, field)| (name.clone(), value(field)));
    Value::Object(members.collect::<Map<_, _>>())
}

/// A value as JSON; a type that no column should have fails.
fn value(field: &Field) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Bool(value) => (*value).into(),
        Field::Int(value) => (*value).into(),
        Field::Long(value) => (*value).into(),
        Field::ULong(value) => (*value).into(),
        Field::Str(text) => text.as_str().into(),
        Field::Group(row) => object(row),
        Field::ListInternal(list) => list.elements().iter().map(value).collect(),
        other => panic!("{other:?}"),
    }
}

/// Exports `ledger.jsonl` to Parquet and to JSON lines, and compares them row by row; how many rows
/// and row groups there are.
fn same_as_jsonl(bench: &Bench, options: &str) -> (usize, usize) {
    let export = format!("export ledger.jsonl {options} --format");
    bench
        .run(&format!("{export} parquet -o out.parquet"))
        .exits(0);
    let jsonl = bench.run(&format!("{export} jsonl")).exits(0).stdout;
    let file = File::open(bench.path("out.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    let rows: Vec<Value> = rows.map(|row| object(&row.unwrap())).collect();
    let lines = jsonl.lines().map(|l| serde_json::from_str(l).unwrap());
    let lines: Vec<Value> = lines.collect();
    assert_eq!(rows, lines);
    if let Some(Value::Object(first)) = rows.first() {
        assert_eq!(first.len(), 16);
    }
    (rows.len(), reader.num_row_groups())
}

#[derive(Clone, Debug)]
enum Step {
    Answer(String, Vec<u8>, Params),
    Silence(String),
    Time(u64, bool),
}

fn step() -> impl Strategy<Value = Step> {
    let oracle = "[a-z]{1,3}";
    let params = (
        proptest::option::of(0..=i32::MAX),
        proptest::option::of(0..=i64::MAX),
        proptest::option::of(0..=i32::MAX),
        proptest::option::of(0..=65_536),
    );
    let params = params.prop_map(|(max_tokens, seed, temperature, top_p)| Params {
        max_tokens,
        seed,
        temperature,
        top_p,
    });
    let answer = prop_oneof![
        (-100i32..100).prop_map(|n| format!("{{\"value\":{n}}}").into_bytes()),
        ".{0,40}".prop_map(String::into_bytes),
        proptest::collection::vec(any::<u8>(), 0..20),
    ];
    prop_oneof![
        8 => (oracle, answer, params).prop_map(|(o, a, p)| Step::Answer(o, a, p)),
        1 => oracle.prop_map(Step::Silence),
        2 => (1..9u64, any::<bool>()).prop_map(|(by, force)| Step::Time(by, force)),
    ]
}

fn give(session: &mut Session, step: &Step) {
    let call = |oracle: &String, params| OracleCall {
        oracle_id: oracle.clone(),
        model_id: format!("m-{oracle}"),
        params,
        input: CanonicalInput::new(b"", InputKind::Text).unwrap(),
    };
    match step {
        Step::Answer(oracle, answer, params) => {
            let call = call(oracle, *params);
            session.observe(&call, OracleReply::Answer(answer)).unwrap();
        }
        Step::Silence(oracle) => {
            let call = call(oracle, Params::NULL);
            let reply = OracleReply::Failure(Failure::TransportError);
            session.observe(&call, reply).unwrap();
        }
        Step::Time(by, force) => {
            let time = session.agent().last_timestamp + by * u64::from(!force);
            session.observe_time(time, *force).unwrap();
        }
    }
}

const NO_POLICIES: &str = "[]";
const TWO: &str = r#"{"speed":[{"comparison":"GT","enabled":true,"policy_id":"S","threshold":65536}],"value":[{"comparison":"LT","enabled":true,"policy_id":"V","threshold":-65536}]}"#;

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_ledger_reads_back_as_its_jsonl(
        policies in prop_oneof![Just(NO_POLICIES), Just(TWO)],
        steps in proptest::collection::vec(step(), 0..30),
        damaged in proptest::option::of(0.0..1.0f64),
    ) {
        let bench = Bench::new();
        bench.write("p.json", policies);
        bench.run("init ledger.jsonl --policies p.json --time 7").exits(0);
        let mut session = Session::open(&bench.path("ledger.jsonl"), None).unwrap();
        for step in &steps {
            give(&mut session, step);
        }
        drop(session);
        let rows = same_as_jsonl(&bench, "").0;
        prop_assert_eq!(rows, steps.len() + 2);
        if let Some(at) = damaged {
            let mut bytes = bench.read("ledger.jsonl");
            let at = (bytes.len() as f64 * at) as usize;
            bytes[at] ^= 4;
            bench.write("ledger.jsonl", bytes);
            same_as_jsonl(&bench, "--unverified");
        }
    }
}

#[test]
fn files_are_the_same_each_time_and_written_whole() {
    let bench = Bench::ledger();
    let export = "export ledger.jsonl --format parquet";
    let report = bench.run(&format!("{export} -o a --json")).exits(0).json();
    assert_eq!(report["rows"], 3);
    std::thread::sleep(std::time::Duration::from_millis(5));
    bench.run(&format!("{export} -o b")).exits(0);
    assert_eq!(bench.read("a"), bench.read("b"));
    // Standard output has the same bytes.
    let output = bench.command().args(export.split(' ')).output().unwrap();
    assert_eq!(output.stdout, bench.read("a"));
    // What does not verify is not written at all.
    let mut bytes = bench.read("ledger.jsonl");
    bytes[2000] ^= 1;
    bench.write("ledger.jsonl", bytes);
    bench.run(&format!("{export} -o c")).exits(1);
    assert!(!bench.exists("c"));
    assert_eq!(bench.temporaries(), Vec::<String>::new());
}

#[test]
fn a_ledger_without_a_row_is_a_file_without_one() {
    let bench = Bench::new();
    bench.write("ledger.jsonl", axilog_ledger::file::genesis_line());
    assert_eq!(same_as_jsonl(&bench, ""), (0, 0));
}

#[test]
fn row_groups_are_bounded() {
    let bench = Bench::ledger();
    let mut session = Session::open(&bench.path("ledger.jsonl"), None).unwrap();
    // Syncing each step is not what is tested.
    let rarely = axilog_ledger::durability::Durability::Interval {
        records: std::num::NonZeroU64::MAX,
        within: std::time::Duration::MAX,
    };
    session.set_durability(rarely).unwrap();
    let answer = vec![b'a'; 60_000];
    for _ in 0..300 {
        let step = Step::Answer("big".to_owned(), answer.clone(), Params::NULL);
        give(&mut session, &step);
    }
    drop(session);
    assert_eq!(same_as_jsonl(&bench, ""), (303, 2));
}
