//! `axilog export`.

use axilog::json::canonical::is_canonical_json;
use serde_json::{Value, json};

use crate::bench::{Bench, lines};

fn rows(jsonl: &str) -> Vec<Value> {
    let rows = jsonl
        .lines()
        .inspect(|l| assert!(is_canonical_json(l.as_bytes()), "{l}"));
    rows.map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn table(csv: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(csv.as_bytes());
    let records = reader.records().map(Result::unwrap);
    records
        .map(|r| r.iter().map(str::to_owned).collect())
        .collect()
}

/// A ledger with answers that are hard to write down.
fn ledger() -> Bench {
    let bench = Bench::ledger();
    bench
        .observe("=1+1, \"ü\"\nnext \u{1f600}".as_bytes())
        .exits(1);
    bench.observe(b"\xff").exits(1);
    bench.run("time 1 --force --ledger ledger.jsonl").exits(1);
    bench.observe(b"-1").exits(1);
    bench
}

#[test]
fn every_observation_is_a_row_with_its_decision() {
    let bench = ledger();
    let jsonl = bench
        .run("export ledger.jsonl --format jsonl")
        .exits(0)
        .stdout;
    let rows = rows(&jsonl);
    let shown = bench.run("show ledger.jsonl --json").exits(0).stdout;
    let records: Vec<Value> = shown
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let of_tag = |tag: &'static str| records.iter().filter(move |r| r["tag"] == tag);
    assert_eq!(of_tag("AX:OBS:v1").count(), rows.len());
    assert_eq!(rows.len(), 7);
    for (row, record) in rows.iter().zip(of_tag("AX:OBS:v1")) {
        assert_eq!(row["sequence"], record["seq"]);
        assert_eq!(row["verified"], true);
        for field in [
            "oracle_id",
            "model_id",
            "completion_state",
            "failure_type",
            "input_hash",
            "obs_hash",
            "output",
            "output_size",
        ] {
            assert_eq!(row[field], record[field], "{field}");
        }
        let same = |r: &&Value| r["ledger_seq"] == record["ledger_seq"];
        let policies: Vec<Value> = of_tag("AX:POLICY:v1")
            .filter(same)
            .map(|p| json!({"actual": p["actual"], "policy_id": p["policy_id"], "result": p["result"], "threshold": p["threshold"]}))
            .collect();
        assert_eq!(row["policies"], Value::from(policies));
        let transition = of_tag("AX:TRANS:v1").find(same).unwrap_or(&Value::Null);
        for field in ["input_class", "prev_state", "next_state", "violation"] {
            assert_eq!(row[field], transition[field], "{field}");
        }
    }
    assert_eq!(rows[3]["output"], "=1+1, \"ü\"\nnext \u{1f600}");
    assert_eq!(rows[2]["policies"][0]["actual"], 65536);
    assert_eq!(rows[6]["next_state"], Value::Null);
    assert_eq!(
        rows[0]["params"],
        json!({"max_tokens": null, "seed": null, "temperature": null, "top_p": null})
    );

    // The same as CSV.
    let csv = bench
        .run("export ledger.jsonl --format csv")
        .exits(0)
        .stdout;
    let cells = table(&csv);
    assert_eq!(cells.len(), rows.len() + 1);
    assert_eq!(cells[0].len(), rows[0].as_object().unwrap().len());
    for (line, row) in cells[1..].iter().zip(&rows) {
        for (name, cell) in cells[0].iter().zip(line) {
            let expected = match &row[name] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(*cell, expected, "{name}");
        }
    }
}

#[test]
fn formulas_can_be_guarded_against() {
    let bench = ledger();
    let guarded = bench
        .run("export ledger.jsonl --format csv --guard-formulas")
        .exits(0);
    let outputs: Vec<String> = table(&guarded.stdout)
        .iter()
        .map(|row| row[7].clone())
        .collect();
    assert_eq!(outputs[3], "{\"value\":1}");
    assert!(outputs[4].starts_with("'=1+1"), "{outputs:?}");
    assert_eq!(outputs[7], "'-1");
}

#[test]
fn white_space_before_a_formula_hides_it_neither_from_the_guard_nor_from_a_reader() {
    for space in [' ', '\u{a0}', '\u{2003}', '\u{3000}'] {
        for sign in ["=", "+", "-", "@", "＝"] {
            let bench = Bench::ledger();
            let answer = format!("{space}{sign}1+1");
            bench.observe(answer.as_bytes()).exits(1);
            let guarded = bench
                .run("export ledger.jsonl --format csv --guard-formulas")
                .exits(0);
            let rows = table(&guarded.stdout);
            assert_eq!(rows.last().unwrap()[7], format!("'{answer}"));
            let shown = bench.run("show ledger.jsonl --tag obs").exits(0).stdout;
            if !space.is_ascii() {
                let escaped = format!("{}{sign}1+1", space.escape_unicode());
                assert!(shown.contains(&escaped), "{shown}");
            }
        }
    }
}

#[test]
fn a_damaged_ledger_is_refused_unless_asked_for() {
    let bench = ledger();
    let mut all = lines(&bench.read("ledger.jsonl"));
    let good = bench
        .run("export ledger.jsonl --format jsonl")
        .exits(0)
        .stdout;
    // The policy record of the answer in record 5.
    all[6][200] ^= 1;
    bench.write("ledger.jsonl", all.concat());
    for options in ["--format csv", "--format jsonl -o out"] {
        let run = bench
            .run(&format!("export ledger.jsonl {options}"))
            .exits(1);
        assert_eq!(run.stdout, "");
        run.says("ALTERED: record 6");
        assert!(!bench.exists("out"));
    }
    let error = bench
        .run("export ledger.jsonl --format csv --json")
        .exits(1)
        .json();
    assert_eq!(error["verdict"], "ALTERED");

    let run = bench
        .run("export ledger.jsonl --format jsonl --unverified")
        .exits(0);
    let found = rows(&run.stdout);
    let verified: Vec<bool> = found.iter().map(|r| r["verified"] == true).collect();
    assert_eq!(verified, [true, true, false, false, false, false, false]);
    for (row, before) in found.iter().zip(rows(&good)) {
        assert_eq!(row["obs_hash"], before["obs_hash"]);
    }
    run.says("ledger.jsonl: 5 of 7 rows are unverified");

    // A torn end of a row whose decision is complete leaves the row as it is.
    bench.write(
        "torn.jsonl",
        [
            lines(&bench.read("ledger.jsonl"))[..5].concat(),
            b"{\"ch".to_vec(),
        ]
        .concat(),
    );
    let run = bench
        .run("export torn.jsonl --format jsonl --unverified")
        .exits(0);
    let found = rows(&run.stdout);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|r| r["verified"] == true));
    run.says("0 of 2 rows are unverified, 1 lines could not be read");
}

#[test]
fn files_are_written_whole_and_never_over_the_ledger() {
    let bench = ledger();
    let before = bench.read("ledger.jsonl");
    let report = bench
        .run("export ledger.jsonl --format csv -o out.csv --json")
        .exits(0)
        .json();
    assert_eq!(report["rows"], 7);
    let printed = bench
        .run("export ledger.jsonl --format csv")
        .exits(0)
        .stdout;
    assert_eq!(bench.read("out.csv"), printed.as_bytes());
    assert_eq!(bench.temporaries(), Vec::<String>::new());
    for target in ["ledger.jsonl", "./ledger.jsonl"] {
        bench
            .run(&format!("export ledger.jsonl --format csv -o {target}"))
            .exits(2)
            .says("is a ledger");
    }
    bench.write("x.tmp", &before);
    bench.run("export x.tmp --format csv -o x").exits(0);
    assert_eq!(bench.read("x.tmp"), before);
    assert_eq!(bench.read("x"), printed.as_bytes());
    assert_eq!(bench.read("ledger.jsonl"), before);
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_format_that_was_not_built_says_how_to_get_it() {
    let bench = Bench::ledger();
    bench
        .run("export ledger.jsonl --format parquet -o out")
        .exits(3)
        .says("--features parquet");
    assert!(!bench.exists("out"));
    assert_eq!(bench.temporaries(), Vec::<String>::new());
}
