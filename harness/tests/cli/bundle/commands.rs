//! `axilog bundle build`, `render`, `check` and `schema`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use axilog_bundle::SCHEMA;
use serde_json::{Value, json};

use crate::bench::{Bench, program};

const OWN: &str = "contracts = []\n[[step]]\nid = 1\nname = \"a\"\nmission = \"m\"\nschema_excerpt = \"s\"\n\
    grammar = \"own.gbnf\"\nfallback_grammar = \"json_generic.gbnf\"\nguardrails = []\nkey_metrics = []\n";

#[test]
fn build_prints_the_bundle() {
    let bench = Bench::new();
    bench.write(
        "results.json",
        r#"{"recall":1,"precision":0.5,"success":true}"#,
    );
    bench.write("a", "x");
    let line = "bundle build --step 1 --results results.json --manifest none --state a a \
        --run-id r-1 --run-number 4 --context 5000 --tier0 1 --tier1 2 --history-cap 3 \
        --telemetry-cap 4 --generation-reserve 5";
    let run = bench.run(line).exits(0);
    // The results' own order gives way to the catalogue's, and stands in the text.
    let (precision, recall) = (
        run.stdout.find("precision").unwrap(),
        run.stdout.find("recall").unwrap(),
    );
    assert!(precision < recall && run.stderr == "axilog: none: not found, and recorded so\n");
    let value: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(value["run_id"], "r-1");
    assert_eq!(value["run_number"], 4);
    let budgets = json!({
        "ctx_max_tokens": 5000, "tier0_reserved": 1, "tier1_cap": 2, "history_cap": 3,
        "telemetry_cap": 4, "generation_reserve": 5,
    });
    assert_eq!(value["budgets"], budgets);
    let paths: Vec<&str> = value["provenance"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| record["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["results.json", "none", "a", "a"]);
    let mut line_form = bench.run(&format!("{line} --json")).exits(0).json();
    line_form["generated_at"] = value["generated_at"].clone();
    assert_eq!(line_form, value);
}

#[test]
fn render_prints_the_prompt() {
    let bench = Bench::new();
    bench.write(
        "results.json",
        format!(r#"{{"interpretation":"{}"}}"#, "word ".repeat(4000)),
    );
    let line = "bundle render --step 2 --results results.json";
    let text = bench.run(line).exits(0).stdout;
    let object = bench.run(&format!("{line} --json")).exits(0).json();
    assert_eq!(text, format!("{}\n", object["prompt"].as_str().unwrap()));
    assert!(text.ends_with("\n[... truncated to fit token budget ...]\n"));
    assert_eq!(object["grammar_name"], "sieve_analysis.gbnf");
    assert_eq!(object["token_limit"], 30768);
    assert_eq!(object["tokenizer"], "words");
    assert_eq!(object["truncated"], json!(["tier1"]));
    let fallback = bench
        .run(&format!("{line} --json --fallback"))
        .exits(0)
        .json();
    assert_eq!(fallback["grammar_name"], "json_generic.gbnf");
    let counted = bench
        .run(&format!("{line} --json --tokenizer o200k_base"))
        .exits(0)
        .json();
    assert_eq!(counted["tokenizer"], "o200k_base");
    assert_ne!(counted["tokens"], object["tokens"]);
    bench
        .run(&format!("{line} --tokenizer x"))
        .exits(2)
        .says("--tokenizer takes one of");
}

#[test]
fn what_cannot_be_built_is_said() {
    let bench = Bench::new();
    std::fs::File::create(bench.path("endless"))
        .unwrap()
        .set_len((64 << 20) + 1)
        .unwrap();
    bench.write("broken.json", "{\"a\":\n nan}");
    bench.write("list.json", "[]");
    bench.write("c.toml", "contracts = []\nstep = 1\n");
    fs::create_dir(bench.path("models")).unwrap();
    for (line, code, said) in [
        ("build", 2, "--step"),
        (
            "build --step 7",
            2,
            "there is no step 7; the catalogue has 1 (window_optimizer)",
        ),
        (
            "build --step 1 --results none.json",
            3,
            "none.json: cannot read the results",
        ),
        (
            "build --step 1 --results broken.json",
            2,
            "broken.json: the results: expected one JSON object, but the file is not JSON: expected",
        ),
        (
            "build --step 1 --results list.json",
            2,
            "is not a JSON object",
        ),
        (
            "build --step 1 --manifest .",
            3,
            ".: cannot hash the manifest: it is a directory; name a regular file",
        ),
        (
            "build --step 1 --state c.toml models",
            3,
            "models: cannot hash the state file: it is a directory; name a regular file",
        ),
        (
            "build --step 1 --results .",
            3,
            ".: cannot read the results",
        ),
        (
            "build --step 1 --results endless",
            3,
            "endless is longer than 67108864 bytes",
        ),
        (
            "build --step 1 --catalogue none",
            3,
            "none: cannot read the catalogue",
        ),
        (
            "build --step 1 --catalogue c.toml",
            2,
            "c.toml: not a catalogue",
        ),
        ("build --step 1 --run-number 0", 2, "--run-number"),
        ("build --step 1 --window 0 --history .", 2, "--window"),
        ("build --step 1 --window 3", 2, "--history"),
        ("build --step 13 --fallback", 2, "no fallback grammar"),
        ("render --step 1 --context 2010", 2, "never cut"),
    ] {
        let run = bench.run(&format!("bundle {line}")).exits(code).says(said);
        assert!(run.stdout.is_empty(), "{line}");
    }
    let error = bench.run("bundle render --step 9 --json").exits(2).json();
    assert!(error["error"].as_str().unwrap().contains("no step 9"));
}

#[test]
fn skipped_records_are_remarks() {
    let bench = Bench::new();
    bench.write("run_history.jsonl", "x\n".repeat(30));
    let run = bench.run("bundle build --step 1 --history .").exits(0);
    assert!(
        run.stderr
            .starts_with("axilog: ./run_history.jsonl:1: not a valid record")
    );
    assert!(
        run.stderr.ends_with("axilog: 10 more records skipped\n"),
        "{}",
        run.stderr
    );
}

/// A file's name and content are not the user's own and steer no terminal.
#[test]
fn remarks_steer_no_terminal() {
    let bench = Bench::new();
    std::fs::create_dir_all(bench.path("chapter13/summaries")).unwrap();
    bench.write("chapter13/summaries/\u{1b}[2J.json", "x");
    let run = bench.run("bundle build --step 1 --history .").exits(0);
    assert!(
        run.stderr.contains("\\u{1b}[2J.json: not JSON"),
        "{}",
        run.stderr
    );
    bench.write("own.gbnf", "root ::= \"\\\u{1b}\"");
    bench.write("c.toml", OWN);
    let run = bench.run("bundle check c.toml").exits(1);
    assert!(run.stderr.contains("no escape \\\\u{1b}"), "{}", run.stderr);
}

#[test]
fn check_judges_a_catalogue_and_its_grammars() {
    let bench = Bench::new();
    let run = bench.run("bundle check").exits(0);
    assert!(
        run.stdout.lines().all(|line| line.chars().count() <= 80),
        "{}",
        run.stdout
    );
    assert_eq!(run.stdout.lines().count(), 2 + 7);
    bench.write("c.toml", OWN);
    bench
        .run("bundle check c.toml")
        .exits(1)
        .says("there is no grammar \"own.gbnf\": no file own.gbnf");
    bench.write("own.gbnf", "root ::= a\na ::= a \"x\" | \"y\"\n");
    let run = bench
        .run("bundle check c.toml")
        .exits(1)
        .says("own.gbnf:2:1: the rule \"a\" may begin with itself");
    assert!(run.stdout.contains("own.gbnf (bad)"));
    let object = bench.run("bundle check c.toml --json").exits(1).json();
    assert_eq!(object["ok"], false);
    assert_eq!(object["steps"][0]["problems"].as_array().unwrap().len(), 1);
    // Each grammar is complained of once, however many steps have it.
    let both = OWN.replace("json_generic.gbnf", "none.gbnf");
    let steps = both
        .replace("id = 1", "id = 2")
        .replace("contracts = []\n", "");
    bench.write("d.toml", both + &steps);
    let run = bench.run("bundle check d.toml").exits(1);
    assert_eq!(run.stderr.lines().count(), 2, "{}", run.stderr);
    bench.write("own.gbnf", b"root ::= \"x\"\n# \xff");
    bench
        .run("bundle check c.toml")
        .exits(1)
        .says("own.gbnf:2:1: not UTF-8 at byte 15");
    bench.write("own.gbnf", "root ::= \"x\"");
    bench.run("bundle check c.toml").exits(0);
    bench.write("c.toml", OWN.replace("\"m\"", "m"));
    bench.run("bundle check c.toml").exits(1).says("line 5");
    bench.run("bundle check none.toml").exits(3);
}

#[test]
fn schema_prints_the_schema() {
    assert_eq!(Bench::new().run("bundle schema").exits(0).stdout, SCHEMA);
}

/// The whole command, in a folder of its own.
#[test]
fn the_commands_write_no_file() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("results.json"), "{\"success\":true}").unwrap();
    let before = tree(dir.path());
    for line in [
        "bundle build --step 1 --results results.json --manifest results.json --history .",
        "bundle render --step 13 --results results.json",
        "bundle check",
        "bundle schema",
    ] {
        let output = std::process::Command::new(program())
            .args(line.split(' '))
            .current_dir(dir.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
    }
    assert_eq!(tree(dir.path()), before);
}

/// Every file and folder below `dir`, with bytes and times of change.
fn tree(dir: &Path) -> Vec<(PathBuf, Option<Vec<u8>>, SystemTime)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let changed = fs::metadata(&path).unwrap().modified().unwrap();
        if path.is_dir() {
            all.push((path.clone(), None, changed));
            all.extend(tree(&path));
        } else {
            let bytes = fs::read(&path).unwrap();
            all.push((path, Some(bytes), changed));
        }
    }
    all.sort();
    all
}
