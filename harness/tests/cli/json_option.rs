//! `--json`, which every command takes that has a result for programs, before its name or after it.

use crate::bench::Bench;

#[test]
fn it_stands_before_the_words_of_a_command_or_after_them() {
    let bench = Bench::ledger();
    bench.write("limits.json", "[]");
    for (words, rest, code) in [
        ("head", "ledger.jsonl", 0),
        ("show", "ledger.jsonl --seq 3", 0),
        ("verify", "ledger.jsonl ledger.jsonl", 0),
        ("replay", "nowhere.jsonl", 3),
        ("policy check", "limits.json", 0),
        ("seal", "nowhere.jsonl", 3),
        #[cfg(feature = "memory")]
        ("memory show", "nowhere.db", 3),
        #[cfg(feature = "x0l")]
        ("x0l replay", "nowhere", 3),
    ] {
        let after = bench.run(&format!("{words} {rest} --json")).exits(code);
        assert!(after.stdout.starts_with('{'), "{words}: {}", after.stdout);
        let (first, further) = words.split_once(' ').unwrap_or((words, ""));
        for line in [
            format!("--json {words} {rest}"),
            format!("{first} --json {further} {rest}"),
        ] {
            let before = bench.run(&line).exits(code);
            assert_eq!(before.stdout, after.stdout, "{line}");
        }
    }
}

#[test]
fn a_command_that_prints_no_object_refuses_it() {
    let bench = Bench::ledger();
    bench.write("limits.json", "[]");
    for (words, rest) in [
        ("completions", "bash"),
        ("mcp", "--ledger new.jsonl -- cat"),
        ("policy fmt", "limits.json"),
        ("policy compile", "limits.json"),
        #[cfg(feature = "bundle")]
        ("bundle schema", ""),
        #[cfg(feature = "x0l")]
        ("x0l canonicalize", ""),
    ] {
        for line in [
            format!("--json {words} {rest}"),
            format!("{words} --json {rest}"),
        ] {
            let run = bench.run(&line).exits(2);
            assert_eq!(run.stdout, "", "{line}");
            run.says(&format!("`axilog {words}` prints no JSON object"));
        }
        let help = bench.run(&format!("{words} --help")).exits(0).stdout;
        assert!(!help.contains("--json"), "{words}: {help}");
    }
    assert!(!bench.exists("new.jsonl"));
    let help = bench.run("verify --help").exits(0).stdout;
    assert!(help.contains("--json"), "{help}");
}

/// Arguments of a tool server are its own.
#[test]
#[cfg(unix)]
fn what_a_server_is_called_with_is_no_option_of_the_command() {
    let bench = Bench::new();
    let run = bench.run("mcp --ledger new.jsonl -- echo --json").exits(0);
    assert!(!run.stderr.contains("JSON object"), "{}", run.stderr);
}
