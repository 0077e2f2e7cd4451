//! The audit of folders and of many ledgers: one table, the worst first, and one exit code.

use serde_json::Value;

use crate::bench::Bench;

/// A folder `fleet` of five ledgers with the verdicts OK, OK in ALARM, FAILED, FAILED, INCOMPLETE.
fn fleet() -> Bench {
    let bench = Bench::new();
    std::fs::create_dir_all(bench.path("fleet/deep/er")).unwrap();
    for (name, answer, code) in [
        ("fleet/good.jsonl", "{\"value\":1}", 0),
        ("fleet/alarm.jsonl", "{\"value\":99}", 1),
        ("fleet/deep/altered.jsonl", "{\"value\":1}", 0),
        ("fleet/deep/er/unasked.jsonl", "{\"value\":1}", 0),
        ("fleet/torn.jsonl", "{\"value\":1}", 0),
    ] {
        bench.run(&format!("init {name} --time 1000")).exits(0);
        bench.write("question", "how fast?");
        let observe =
            format!("observe --ledger {name} --oracle-id o --model-id m --input question");
        bench.run_with(&observe, answer.as_bytes()).exits(code);
    }
    let altered = String::from_utf8(bench.read("fleet/deep/altered.jsonl")).unwrap();
    bench.write(
        "fleet/deep/altered.jsonl",
        altered.replace("\\\"value\\\":1}", "\\\"value\\\":2}"),
    );
    let torn = bench.read("fleet/torn.jsonl");
    bench.write("fleet/torn.jsonl", &torn[..torn.len() - 9]);
    std::fs::remove_dir_all(bench.path("fleet/deep/er/unasked.jsonl.blobs")).unwrap();
    bench
}

/// The first two words of each line.
fn first_words(text: &str) -> Vec<(&str, &str)> {
    text.lines()
        .map(|line| {
            let mut words = line.split_whitespace();
            (words.next().unwrap(), words.next().unwrap())
        })
        .collect()
}

fn objects(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_folder_is_one_table_with_the_worst_first() {
    let bench = fleet();
    let run = bench.run("audit fleet").exits(1);
    assert_eq!(run.stderr, "");
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80));
    assert_eq!(
        first_words(&run.stdout),
        [
            ("FAILED", "fleet/deep/altered.jsonl"),
            ("FAILED", "fleet/deep/er/unasked.jsonl"),
            ("INCOMPLETE", "fleet/torn.jsonl"),
            ("OK", "fleet/alarm.jsonl"),
            ("OK", "fleet/good.jsonl"),
            ("5", "ledgers,"),
        ],
        "{}",
        run.stdout
    );
    for part in [
        "ALTERED: record 5",
        "8 records, ALARM",
        "8 records, ENABLED",
    ] {
        assert!(run.stdout.contains(part), "{part} in {}", run.stdout);
    }
    let summary = "2 FAILED, 0 UNREADABLE, 1 INCOMPLETE, 2 OK\n";
    assert!(run.stdout.ends_with(summary), "{}", run.stdout);
    bench
        .run("audit fleet/good.jsonl fleet/alarm.jsonl")
        .exits(0);
}

#[test]
fn json_has_the_object_of_each_ledger_in_the_order_of_the_paths() {
    let bench = fleet();
    let found = objects(&bench.run("audit fleet --json").exits(1).stdout);
    let paths = [
        "fleet/alarm.jsonl",
        "fleet/deep/altered.jsonl",
        "fleet/deep/er/unasked.jsonl",
        "fleet/good.jsonl",
        "fleet/torn.jsonl",
    ];
    assert_eq!(found.len(), paths.len());
    for (object, path) in found.iter().zip(paths) {
        let alone = bench.run(&format!("audit {path} --json")).json();
        assert_eq!(*object, alone);
    }
    let run = bench.run("audit absent.jsonl fleet --json").exits(3);
    let found = objects(&run.stdout);
    assert_eq!(found.len(), 6);
    assert_eq!(found[0]["exit_code"], 3);
}

#[test]
fn one_ledger_prints_what_it_always_did() {
    let bench = fleet();
    for name in ["good", "torn"] {
        let run = bench.run(&format!("audit fleet/{name}.jsonl"));
        assert!(run.stdout.contains(&format!(" fleet/{name}.jsonl\n")));
        assert!(run.stdout.contains("not compared    "));
    }
    bench
        .run("audit absent.jsonl")
        .exits(3)
        .says("absent.jsonl: cannot open the ledger");
}

#[test]
fn what_cannot_be_read_is_a_row_and_an_error() {
    let bench = fleet();
    let run = bench
        .run("audit fleet absent.jsonl")
        .exits(3)
        .says("absent.jsonl: cannot open the ledger: No such file");
    assert_eq!(
        first_words(&run.stdout)[2],
        ("UNREADABLE", "absent.jsonl"),
        "{}",
        run.stdout
    );
    std::fs::create_dir(bench.path("empty")).unwrap();
    bench.write("empty/notes.txt", "no ledger");
    let run = bench
        .run("audit empty")
        .exits(3)
        .says("empty: found no ledger in the folder; expected files below it");
    assert_eq!(first_words(&run.stdout)[0], ("UNREADABLE", "empty"));
    bench.write("empty/ledger.jsonl", "");
    let run = bench.run("audit empty").exits(1);
    assert!(run.stdout.contains("the file is empty") || run.stdout.contains("TRUNCATED"));
}

#[test]
fn a_ledger_is_audited_once_however_it_is_named() {
    let bench = fleet();
    let run = bench.run("audit fleet/good.jsonl fleet ./fleet/good.jsonl --json");
    let found = objects(&run.stdout);
    assert_eq!(found.len(), 5);
    assert_eq!(found[0]["ledger"], "fleet/good.jsonl");
}

#[test]
fn compressed_ledgers_are_found_and_blobs_are_none() {
    let bench = fleet();
    let gzip = std::process::Command::new("gzip")
        .arg(bench.path("fleet/good.jsonl"))
        .status();
    assert!(gzip.unwrap().success());
    bench.write("fleet/good.jsonl.blobs/planted.jsonl", "no ledger");
    let run = bench.run("audit fleet").exits(1);
    assert!(run.stdout.contains("5 ledgers"), "{}", run.stdout);
    assert!(run.stdout.contains("fleet/good.jsonl.gz "));
}

#[cfg(unix)]
#[test]
fn links_to_ledgers_are_followed_and_links_to_folders_are_not() {
    use std::os::unix::fs::symlink;
    let bench = fleet();
    symlink("..", bench.path("fleet/deep/round")).unwrap();
    symlink("good.jsonl", bench.path("fleet/a-link.jsonl")).unwrap();
    symlink("gone.jsonl", bench.path("fleet/dangling.jsonl")).unwrap();
    std::fs::create_dir(bench.path("other")).unwrap();
    symlink("../fleet/good.jsonl", bench.path("other/linked.jsonl")).unwrap();
    symlink("fleet", bench.path("named")).unwrap();
    let run = bench.run("audit fleet --json").exits(3);
    // The link to a ledger that is here is that ledger.
    assert_eq!(objects(&run.stdout).len(), 6, "{}", run.stdout);
    assert!(!run.stdout.contains("a-link"), "{}", run.stdout);
    // Another one has no blobs beside it, which is for the audit to say.
    let run = bench.run("audit other --json").exits(1);
    assert_eq!(objects(&run.stdout)[0]["ledger"], "other/linked.jsonl");
    assert_eq!(objects(&bench.run("audit named --json").stdout).len(), 6);
}

#[test]
fn what_one_ledger_alone_has_is_not_expected_of_a_folder() {
    let bench = fleet();
    bench
        .run("audit fleet --expect-entries 8")
        .exits(2)
        .says("give it with one FILE");
    bench
        .run("audit fleet/good.jsonl fleet/alarm.jsonl --expect-model o=other")
        .exits(1);
    bench
        .run("audit fleet --policies absent.json")
        .exits(3)
        .says("absent.json");
}
