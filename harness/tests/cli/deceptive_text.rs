//! What a ledger, an answer or a name holds that a reader would not see is shown as an escape, by every
//! command; and identities that are brought to a command are visible ASCII.

use std::ffi::OsStr;
use std::process::Output;

use axilog::admission::{Answer, InputKind};
use axilog::agent::Agent;
use axilog::agent::state::InputClass;
use axilog::evidence::observation::{Completion, Params};
use axilog::fault::Faults;
use axilog::hash::sha256;
use axilog_ledger::decision::StepRecorder;
use axilog_ledger::encoding::hex;
use axilog_ledger::rules::{RuleSet, load_builtin_policies};
use axilog_ledger::visible_text::is_deceptive;
use serde_json::Value;

use crate::bench::{Bench, lines, sealed};

/// A bidirectional control, one of zero width, a tag, both separators, a C1 control, DEL.
const HOSTILE: &str = "o\u{202e}\u{200b}\u{e0041}\u{2028}\u{85}\u{9b}31m\u{7f}";

/// A question that holds such characters, but for those that no question may have.
const QUESTION: &str = "q\u{202e}\u{200b}\u{e0041}\u{2028}";

/// A ledger `ledger.jsonl`, as another program may write one: each answer with its oracle and its model, and the question
/// beside it.
fn ledger_of(answers: &[(&str, &str, &str)]) -> Bench {
    let rules = RuleSet::new(load_builtin_policies().unwrap(), false, false);
    let (mut agent, mut faults) = (Agent::new(), Faults::NONE);
    let mut work = vec![0; 65_536];
    let mut sink = StepRecorder::with_genesis();
    let rules = rules.rules();
    let reset = InputClass::ResetRequest;
    agent
        .observe_control(reset, &rules, &mut work, &mut sink, &mut faults)
        .unwrap();
    agent
        .observe_time(1, &rules, &mut work, &mut sink, &mut faults)
        .unwrap();
    for (oracle_id, model_id, output) in answers {
        let answer = Answer {
            completion: Completion::Complete,
            failure: None,
            input: QUESTION.as_bytes(),
            input_kind: InputKind::Text,
            ledger_seq: 0,
            model_id: model_id.as_bytes(),
            oracle_id: oracle_id.as_bytes(),
            output: output.as_bytes(),
            params: Params::NULL,
        };
        agent
            .observe(&answer, &rules, &mut work, &mut sink, &mut faults)
            .unwrap();
    }
    let bench = Bench::new();
    bench.write("ledger.jsonl", sink.batch.lines());
    let hash = hex(&sha256(QUESTION.as_bytes()));
    let folder = bench.path(&format!("ledger.jsonl.blobs/{}", &hash[..2]));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(hash), QUESTION).unwrap();
    bench
}

/// Every deceptive character of Unicode that an answer may hold.
fn every_deceptive_character() -> String {
    let admissible = |c: &char| *c == '\n' || *c >= ' ';
    ('\0'..=char::MAX)
        .filter(|c| is_deceptive(*c))
        .filter(admissible)
        .collect()
}

#[track_caller]
fn assert_visible(shown: &[u8], what: &str) {
    let shown = std::str::from_utf8(shown).unwrap();
    let hidden = shown.chars().find(|c| *c != '\n' && is_deceptive(*c));
    assert_eq!(hidden.map(u32::from), None, "{what}");
}

fn run(bench: &Bench, words: &[impl AsRef<OsStr>]) -> Output {
    bench.command().args(words).output().unwrap()
}

#[test]
fn every_command_shows_every_deceptive_character_of_a_ledger_as_an_escape() {
    let all = every_deceptive_character();
    assert!(all.chars().count() > 4000);
    let bench = ledger_of(&[
        (HOSTILE, HOSTILE, &all),
        (HOSTILE, HOSTILE, "{\"value\":1}"),
    ]);
    bench.write(
        "p.json",
        r#"[{"comparison":"GT","enabled":true,"policy_id":"P","threshold":1}]"#,
    );
    let ledger = bench.read("ledger.jsonl");
    bench.write("sealed.jsonl", sealed(&ledger));
    bench.write("begun.jsonl", lines(&ledger)[..5].concat());
    for line in [
        "verify ledger.jsonl",
        "verify ledger.jsonl --expect-model o=m",
        "replay ledger.jsonl",
        "replay ledger.jsonl --what-if --policies p.json",
        "head ledger.jsonl",
        "show ledger.jsonl",
        "show ledger.jsonl --seq 5",
        "show ledger.jsonl --question",
        "show ledger.jsonl --question --seq 5",
        "tail sealed.jsonl",
        "diff ledger.jsonl begun.jsonl",
        "stats ledger.jsonl",
        "lint ledger.jsonl",
        "export ledger.jsonl --format jsonl",
        "export ledger.jsonl --format csv",
        "export ledger.jsonl --format csv --guard-formulas",
        "report ledger.jsonl",
    ] {
        for json in ["", " --json"] {
            let words = format!("{line}{json}");
            let words: Vec<&str> = words.split_whitespace().collect();
            let output = run(&bench, &words);
            assert!(output.status.code().unwrap() <= 1, "{line}: {output:?}");
            assert_visible(&output.stdout, line);
            assert_visible(&output.stderr, line);
        }
    }

    // JSON says the same as the ledger, in JSON's own escapes.
    let shown = run(&bench, &["show", "ledger.jsonl", "--seq", "5", "--json"]);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown["oracle_id"], HOSTILE);
    assert_eq!(shown["output"], all);
    let record = shown["record"].as_str().unwrap();
    let ledger = String::from_utf8(bench.read("ledger.jsonl")).unwrap();
    assert!(ledger.contains(record) && record.contains('\u{202e}'));
    let rows = run(&bench, &["export", "ledger.jsonl", "--format", "jsonl"]).stdout;
    let rows = String::from_utf8(rows).unwrap();
    let row: Value = serde_json::from_str(rows.lines().nth(2).unwrap()).unwrap();
    assert_eq!(row["output"], all);
    // What people read has the escapes of the page.
    let shown = run(&bench, &["show", "ledger.jsonl", "--seq", "5"]).stdout;
    let shown = String::from_utf8(shown).unwrap();
    assert!(
        shown.contains("\\u{202e}") && shown.contains("\\u{9b}31m"),
        "{shown}"
    );
    let shown = run(
        &bench,
        &["show", "ledger.jsonl", "--seq", "5", "--question"],
    )
    .stdout;
    let shown = String::from_utf8(shown).unwrap();
    let question = shown.split_once("\nquestion:\n").unwrap().1;
    assert_eq!(question, "q\\u{202e}\\u{200b}\\u{e0041}\\u{2028}\n");
}

#[test]
fn names_and_arguments_are_shown_with_escapes_too() {
    let bench = Bench::ledger();
    let name = format!("{HOSTILE}.jsonl");
    std::fs::copy(bench.path("ledger.jsonl"), bench.path(&name)).unwrap();
    let missing = format!("x{name}");
    let cases: [&[&str]; 8] = [
        &["verify", &name],
        &["verify", &name, "--json"],
        &["stats", &name],
        &["replay", &missing],
        &["replay", &missing, "--json"],
        &["report", &name, "-o", "page.html"],
        &["verify", "ledger.jsonl", HOSTILE],
        &[HOSTILE],
    ];
    for words in cases {
        let output = run(&bench, words);
        assert!(!output.stdout.is_empty() || !output.stderr.is_empty());
        assert_visible(&output.stdout, &words.join(" "));
        assert_visible(&output.stderr, &words.join(" "));
    }
    assert_visible(&bench.read("page.html"), "the page");
    let json = run(&bench, &["verify", &name, "--json"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["ledger"], name);
}

#[test]
fn identities_brought_to_a_command_are_visible_ascii() {
    let bench = Bench::new();
    for (id, found) in [
        ("gpt\u{200b}", "character 4 is U+200B, which is not seen"),
        ("g\u{440}t", "character 2 is U+0440"),
        ("gpt 4", "character 4 is U+0020, a space"),
        ("\u{202e}4-tpg", "character 1 is U+202E, which is not seen"),
        ("x\u{e0041}", "character 2 is U+E0041, which is not seen"),
        ("x\u{9b}31m", "character 2 is U+009B, which is not seen"),
        ("", "it is empty"),
    ] {
        for ids in [[id, "m"], ["o", id]] {
            let mut words = vec!["observe", "--ledger", "l", "--failure", "timeout"];
            words.extend(["--oracle-id", ids[0], "--model-id", ids[1]]);
            let output = run(&bench, &words);
            let told = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{told}");
            assert!(
                told.contains(found) && told.contains("visible ASCII"),
                "{told}"
            );
            assert!(told.is_ascii() && !bench.exists("l"), "{told}");
        }
        let other = ["x0l", "calibrate", "--ledger", "l", "--model", id];
        let output = run(&bench, &other);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(found) && !bench.exists("l"), "{told}");
    }
    let good = "observe --ledger l --oracle-id !~ --model-id a/b:c@1 --failure timeout";
    bench.run(good).exits(1);
}

#[test]
fn what_a_ledger_holds_can_be_named_whatever_it_is() {
    let bench = ledger_of(&[(HOSTILE, "m", "{\"value\":1}")]);
    let pinned = format!("{HOSTILE}=m");
    let words = ["verify", "ledger.jsonl", "--expect-model", &pinned];
    assert_eq!(run(&bench, &words).status.code(), Some(0));
    let words = [
        "show",
        "ledger.jsonl",
        "--tag",
        "obs",
        "--json",
        "--oracle",
        HOSTILE,
    ];
    let shown = run(&bench, &words).stdout;
    assert_eq!(shown.iter().filter(|byte| **byte == b'\n').count(), 1);
}

#[test]
fn stats_tells_lookalikes_apart() {
    let good = "{\"value\":1}";
    let bench = ledger_of(&[
        ("gpt", "m", good),
        ("g\u{440}t", "m", good),
        ("gpt\u{200b}", "m", good),
        ("other", "M", good),
    ]);
    let stats = bench.run("stats ledger.jsonl").exits(0);
    let remark = r#"has the oracle_ids "gpt" and "gpt\u{200b}" and "g\u{440}t", which differ though they look alike"#;
    let shown = stats.stdout.clone();
    let stats = stats.says(remark);
    assert_eq!(stats.stderr.lines().count(), 1, "{}", stats.stderr);
    for row in ["gpt / m", "gpt\\u{200b} / m", "g\\u{440}t / m"] {
        assert!(shown.contains(&format!("{row} ")), "{row} in {shown}");
    }
    let stats = bench.run("stats ledger.jsonl --json").exits(0).json();
    let expected = serde_json::json!([
        { "kind": "oracle_id", "ids": ["gpt", "gpt\u{200b}", "g\u{440}t"] }
    ]);
    assert_eq!(stats["lookalikes"], expected);
    let stats = Bench::ledger().run("stats ledger.jsonl --json").exits(0);
    assert_eq!(stats.json()["lookalikes"], serde_json::json!([]));
}

#[test]
fn formula_guards_know_every_beginning_of_a_formula() {
    let beginnings = ["=", "+", "-", "@", "＝", "＋", "－", "＠", "\n"];
    let answers: Vec<String> = beginnings.iter().map(|sign| format!("{sign}1+1")).collect();
    let answers: Vec<(&str, &str, &str)> = answers.iter().map(|a| ("o", "m", a.as_str())).collect();
    let bench = ledger_of(&answers);
    let csv = |more: &str| {
        let line = format!("export ledger.jsonl --format csv{more}");
        let mut reader = csv::ReaderBuilder::new()
            .from_reader(bench.run(&line).exits(0).stdout.into_bytes().leak() as &[u8]);
        let rows: Vec<String> = reader
            .records()
            .map(|row| row.unwrap()[7].to_owned())
            .collect();
        rows
    };
    let (plain, guarded) = (csv(""), csv(" --guard-formulas"));
    assert_eq!(plain.len(), 2 + beginnings.len());
    for ((plain, guarded), sign) in plain.iter().zip(&guarded).skip(2).zip(beginnings) {
        assert_eq!(*plain, format!("{sign}1+1"));
        assert_eq!(*guarded, format!("'{plain}"));
    }
}

#[cfg(unix)]
#[test]
fn the_name_of_a_file_stays_on_the_line_of_its_error() {
    let bench = Bench::ledger();
    bench.write("p.json", "[]");
    let name = "a\naxilog: b\r\t\u{1b}[31m\u{202e}";
    for line in [
        "verify FILE",
        "replay FILE",
        "audit FILE",
        "head FILE",
        "show FILE",
        "stats FILE",
        "lint FILE",
        "export FILE --format csv",
        "export ledger.jsonl --format csv -o FILE/out",
        "report FILE",
        "report ledger.jsonl -o FILE/out",
        "policy check FILE",
        "policy fmt p.json -o FILE/out",
        "policy explain p.json --answer FILE",
        "init new.jsonl --policies FILE",
        "observe --ledger FILE/ledger --oracle-id o --model-id m",
        "control fault --ledger FILE",
        "time --ledger FILE",
        "seal FILE",
        "bundle check FILE",
        "x0l replay FILE",
        "memory show FILE",
        "ablation replay FILE",
    ] {
        let words = line.split(' ').map(|word| word.replace("FILE", name));
        let output = bench.command().args(words).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_ne!(output.status.code(), Some(0), "{line}");
        assert!(
            told.contains(r"a\naxilog: b\r\t\u{1b}[31m\u{202e}"),
            "{line}: {told:?}"
        );
        assert!(
            told.lines().all(|line| line.starts_with("axilog: a")),
            "{line}: {told:?}"
        );
        let unseen = |c: char| c != '\n' && is_deceptive(c);
        assert!(!told.contains(unseen), "{line}: {told:?}");
    }
}
