//! `axilog x0l show`, and what it says of damaged runs.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use serde_json::{Value, json};

use crate::bench::{Bench, Files, Run};
use crate::x0l_script::{GOOD, answer_line, calibration_line, propose_outside};

/// Three calibrating calls come first: every sixth call is cycle 3, every seventh cycle 4.
fn script() -> String {
    let deceptive = "I would\trather\u{202e} not.\n| \nCANDIDATE 1\ngates           passed all";
    [
        calibration_line(),
        answer_line(json!({ "every": 6 }), &propose_outside(), 700),
        answer_line(json!({ "every": 7 }), deceptive, 700),
        answer_line(json!({}), GOOD, 700),
    ]
    .concat()
}

/// A run of five cycles of L-A: the kernel refuses the third and the fourth.
pub fn run_session() -> Bench {
    static FILES: OnceLock<Files> = OnceLock::new();
    Bench::prepared(&FILES, |bench| {
        bench.write("script.jsonl", script());
        let line = "x0l run --model m --context-window 128000 --oracle scripted:script.jsonl --cycles 5 --conditions A --out run";
        bench.run(line).exits(0);
    })
}

fn read_log(bench: &Bench) -> String {
    String::from_utf8(bench.read("run/cycles.jsonl")).unwrap()
}

/// The line of a cycle as JSON.
fn read_line(bench: &Bench, cycle: usize) -> Value {
    serde_json::from_str(read_log(bench).lines().nth(cycle - 1).unwrap()).unwrap()
}

/// The file of the prompt of a cycle.
fn prompt_blob(bench: &Bench, cycle: usize) -> PathBuf {
    let hash = read_line(bench, cycle)["input_hash"].clone();
    let hash = hash.as_str().unwrap();
    bench.path(&format!("run/ledger.jsonl.blobs/{}/{hash}", &hash[..2]))
}

#[track_caller]
pub fn assert_shows(run: &Run, text: &str) {
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        joined(&run.stdout).contains(&joined(text)),
        "{text:?} in\n{}",
        run.stdout
    );
}

#[test]
fn a_cycle_is_shown_from_its_prompt_to_the_reason() {
    let bench = run_session();
    let shown = bench.run("x0l show run 3").exits(0);
    let logged = read_line(&bench, 3);
    for text in [
        "cycle 3 (L-A 3)",
        &format!("task {}, a valid prompt", logged["task"].as_str().unwrap()),
        "decision REFUSE",
        "reason NO_ADMISSIBLE_ACTION",
        "why no candidate passed the gates",
        "refusal Type III: the prompt was valid and the kernel refused a well-formed candidate",
        "canonicalizer OK: the answer has exactly one JSON object",
        "tokens 790: prompt 700, answer 90",
        "action ReadNote {\"path\":\"/etc/passwd\"}",
        "gate io_allowlist",
        "code READ_OUTSIDE_ALLOWLIST",
        "why the action reads from a path outside the constitution's allowlist",
        &format!("record {} has the call", logged["ledger_seq"]),
    ] {
        assert_shows(&shown, text);
    }
    let messages: Value =
        serde_json::from_slice(&fs::read(prompt_blob(&bench, 3)).unwrap()).unwrap();
    let mut quoted = Vec::new();
    for (message, role) in messages.as_array().unwrap().iter().zip(["SYSTEM", "USER"]) {
        assert!(shown.stdout.contains(&format!("\n{role} MESSAGE (")));
        let content = message["content"].as_str().unwrap();
        quoted.extend(content.split('\n').map(|line| format!("| {line}")));
    }
    let raw = logged["raw"].as_str().unwrap();
    quoted.extend(raw.split('\n').map(|line| format!("| {line}")));
    let found: Vec<&str> = shown
        .stdout
        .lines()
        .filter(|line| line.starts_with("| "))
        .collect();
    assert_eq!(found, quoted);

    let acted = bench.run("x0l show run 1").exits(0);
    assert_shows(&acted, "decision ACTION why candidate 1 passed every gate");
    assert_shows(&acted, "gates passed all");

    let json = bench.run("x0l show run 3 --json").exits(0).json();
    let cycle = &json["cycle"];
    assert_eq!(
        (&json["ok"], &json["number"], &json["live"]),
        (&json!(true), &json!(3), &json!(false))
    );
    let line = read_log(&bench);
    let line = line.split_inclusive('\n').nth(2).unwrap();
    assert_eq!(json["line_sha256"], hex(&sha256(line.as_bytes())));
    assert!(json["bound_by"].as_u64() > logged["ledger_seq"].as_u64());
    assert_eq!(cycle["messages"], messages);
    for field in [
        "raw",
        "canonicalized",
        "ledger_seq",
        "input_hash",
        "task",
        "refusal_type",
    ] {
        assert_eq!(cycle[field], logged[field], "{field}");
    }
    assert_eq!(
        cycle["usage"],
        json!({ "prompt_tokens": 700, "completion_tokens": 90 })
    );
    let candidate = &cycle["candidates"][0];
    assert_eq!(
        (
            &candidate["gate"],
            &candidate["code"],
            &candidate["admitted"]
        ),
        (
            &json!("io_allowlist"),
            &json!("READ_OUTSIDE_ALLOWLIST"),
            &json!(false)
        )
    );
    assert_eq!(candidate["candidate"], logged["candidates"][0]);
}

/// An answer cannot look like what stands around it.
#[test]
fn what_an_answer_says_stays_behind_its_bar() {
    let bench = run_session();
    let shown = bench.run("x0l show run 4").exits(0);
    assert_shows(
        &shown,
        "rejected NO_JSON why there was no candidate to judge: the answer has no JSON object",
    );
    assert!(
        shown.stdout.ends_with(
            "bytes)\n| I would\\trather\\u{202e} not.\n| | \n| CANDIDATE 1\n| gates           passed all\n"
        ),
        "{}",
        shown.stdout
    );
    let json = bench.run("x0l show run 4 --json").exits(0);
    assert!(json.stdout.contains("\\u202e") && !json.stdout.contains('\u{202e}'));
    assert_eq!(json.json()["cycle"]["raw"], read_line(&bench, 4)["raw"]);
}

#[test]
fn a_cycle_that_there_is_not_is_refused_with_those_that_there_are() {
    let bench = run_session();
    for cycle in ["0", "6", "18446744073709551615"] {
        let run = bench.run(&format!("x0l show run {cycle}")).exits(2);
        assert_eq!(run.stdout, "");
        run.says(&format!(
            "run: found no cycle {cycle}, expected one from 1 to 5;"
        ));
    }
    for line in ["x0l show run", "x0l show run -1", "x0l show run L-A"] {
        bench.run(line).exits(2);
    }
    bench
        .run("x0l show none 1")
        .exits(3)
        .says("none: cannot open the run");
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    let bench = run_session();
    for options in ["", "--json"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = bench
            .command()
            .args(["x0l", "show", "run", "3"])
            .args(options.split_whitespace())
            .stdout(writer)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(output.stderr, b"");
    }
}

/// The differences of a cycle, in the text and as JSON.
#[track_caller]
fn find_differences(bench: &Bench, cycle: u64) -> (Value, Value) {
    let text = bench.run(&format!("x0l show run {cycle}")).exits(1);
    assert!(text.stdout.contains("\nDIFFERENCES\n- "), "{}", text.stdout);
    let json = bench.run(&format!("x0l show run {cycle} --json")).exits(1);
    let mut json = json.json();
    assert_eq!(json["ok"], false);
    assert_ne!(json["differences"], json!([]));
    (json["differences"].take(), json["cycle"].take())
}

/// Usage is in the log alone: only the line's hash in the ledger tells.
#[test]
fn a_changed_line_is_named_and_others_are_shown_as_they_are() {
    let bench = run_session();
    let log = read_log(&bench);
    bench.write(
        "run/cycles.jsonl",
        log.replacen("\"latency_ms\":", "\"latency_ms\":1", 1),
    );
    let (differences, cycle) = find_differences(&bench, 1);
    let bound = differences
        .as_array()
        .unwrap()
        .iter()
        .find(|found| found["field"] == "its SHA-256");
    let bound = bound.unwrap();
    assert_eq!(
        (&bound["file"], &bound["line"]),
        (&json!("cycles.jsonl"), &json!(1))
    );
    assert!(cycle["latency_ms"].as_u64() >= Some(10));
    bench
        .run("x0l show run 2")
        .exits(0)
        .says("differences in the rest of the run: ");

    // A line that is no cycle is named, and nothing is made up for it.
    bench.write(
        "run/cycles.jsonl",
        log.replacen("{\"answered_by\"", "{\"unanswered\"", 1),
    );
    let (differences, cycle) = find_differences(&bench, 1);
    assert_eq!(cycle, Value::Null);
    assert!(
        differences.to_string().contains("\"line\":1"),
        "{differences}"
    );

    // The last line is cut off: the ledger knows that it was there.
    let kept: Vec<&str> = log.split_inclusive('\n').take(4).collect();
    bench.write("run/cycles.jsonl", kept.concat());
    let (differences, cycle) = find_differences(&bench, 5);
    assert_eq!(cycle, Value::Null);
    assert!(
        differences.to_string().contains("no such line"),
        "{differences}"
    );
    bench.run("x0l show run 6").exits(2).says("from 1 to 5");
}

#[test]
fn a_prompt_that_was_replaced_or_removed_is_not_shown() {
    let bench = run_session();
    let (blob, other) = (prompt_blob(&bench, 2), prompt_blob(&bench, 1));
    for (expected, damage) in [
        (
            "other bytes",
            &(|| fs::copy(&other, &blob).map(|_| ())) as &dyn Fn() -> _,
        ),
        ("no such file", &|| fs::remove_file(&blob)),
    ] {
        damage().unwrap();
        let (differences, cycle) = find_differences(&bench, 2);
        assert_eq!(cycle["messages"], Value::Null);
        let name = differences[0]["file"].as_str().unwrap();
        assert!(
            name.ends_with(blob.file_name().unwrap().to_str().unwrap()),
            "{name}"
        );
        assert_eq!(differences[0]["found"], expected);
        assert_eq!(differences.as_array().unwrap().len(), 1, "{differences}");
        let text = bench.run("x0l show run 2").exits(1);
        assert_shows(&text, "PROMPT not shown: see the differences");
        // Another cycle is what it is, and the rest of the run is mentioned.
        bench
            .run("x0l show run 1")
            .exits(0)
            .says("differences in the rest of the run: 1; see axilog x0l replay run");
    }
}

/// The metadata and the ledger vouch for every cycle.
#[test]
fn a_damaged_ledger_vouches_for_no_cycle() {
    let bench = run_session();
    let ledger = bench.read("run/ledger.jsonl");
    let mut damaged = ledger.clone();
    *damaged.iter_mut().rev().nth(700).unwrap() ^= 1;
    bench.write("run/ledger.jsonl", damaged);
    let (differences, _) = find_differences(&bench, 1);
    assert!(
        differences.to_string().contains("ledger.jsonl"),
        "{differences}"
    );
    bench.write("run/ledger.jsonl", ledger);
    bench.run("x0l show run 1").exits(0);
    fs::remove_file(bench.path("run/session_metadata.json")).unwrap();
    let (differences, _) = find_differences(&bench, 1);
    assert!(
        differences.to_string().contains("session_metadata.json"),
        "{differences}"
    );
}

#[test]
fn the_cycles_that_wait_for_a_person_are_listed_with_gate_and_code() {
    let bench = run_session();
    let report = bench.run("x0l report run").exits(1);
    assert_shows(
        &report,
        "3 L-A 3 Type III io_allowlist READ_OUTSIDE_ALLOWLIST - look at each with axilog x0l show run CYCLE",
    );
    let wide = report.stdout.lines().find(|line| line.chars().count() > 80);
    assert_eq!(wide, None);
    let page = String::from_utf8(bench.read("run/report.md")).unwrap();
    assert!(
        page.contains("| Type III | in | gate | code | counts as | judged | by | because |\n")
            && page
                .contains("| 3 | L-A 3 | io_allowlist | READ_OUTSIDE_ALLOWLIST | open | | | |\n"),
        "{page}"
    );
    bench
        .run("x0l report run --dismiss 3 --by E. --because Looked")
        .exits(1);
    let report = bench.run("x0l report run").exits(1);
    assert!(
        !report.stdout.contains("READ_OUTSIDE_ALLOWLIST"),
        "{}",
        report.stdout
    );
}
