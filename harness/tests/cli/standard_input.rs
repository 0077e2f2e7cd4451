//! `-`, which is standard input wherever a file is read once.

use crate::bench::Bench;

const POLICIES: &str =
    "[{\"comparison\":\"GT\",\"enabled\":true,\"policy_id\":\"P\",\"threshold\":65536}]\n";

/// A ledger under policies that no configuration blob is needed for, and files that options name.
fn bench() -> Bench {
    let bench = Bench::ledger();
    bench.write("p.json", POLICIES);
    bench.write("answer.txt", "{\"value\":2}");
    bench.write("schema.json", "{}");
    bench
        .run("init own.jsonl --time 1 --policies p.json")
        .exits(0);
    bench
}

#[test]
fn a_hyphen_gives_what_the_named_file_gives() {
    for (line, file) in [
        ("verify FILE --json", "ledger.jsonl"),
        ("show FILE", "ledger.jsonl"),
        ("report FILE", "ledger.jsonl"),
        ("lint FILE", "p.json"),
        ("policy check FILE", "p.json"),
        ("policy fmt FILE", "p.json"),
        ("policy compile FILE", "p.json"),
        ("policy explain FILE --answer answer.txt", "p.json"),
        ("policy explain p.json --answer FILE", "answer.txt"),
        ("replay own.jsonl --policies FILE", "p.json"),
        ("audit own.jsonl --policies FILE", "p.json"),
        ("replay ledger.jsonl --what-if --policies FILE", "p.json"),
        ("stats own.jsonl --policies FILE", "p.json"),
        ("init new.jsonl --time 5 --json --policies FILE", "p.json"),
        (
            "init new.jsonl --time 5 --json --schema o=FILE",
            "schema.json",
        ),
        ("control fault --ledger own.jsonl --policies FILE", "p.json"),
        (
            "time 99 --ledger own.jsonl --force --policies FILE",
            "p.json",
        ),
        (
            "observe --ledger ledger.jsonl --oracle-id o --model-id m --failure timeout --input FILE",
            "answer.txt",
        ),
        ("bundle check FILE", "answer.txt"),
        ("bundle render --step 1 --results FILE", "answer.txt"),
        (
            "x0l calibrate --model m --ledger new.jsonl --json --oracle scripted:FILE",
            "answer.txt",
        ),
    ] {
        let run = |name: &str, stdin: &[u8]| {
            let bench = bench();
            let run = bench.run_with(&line.replace("FILE", name), stdin);
            (run.code, run.stdout, run.stderr)
        };
        let content = bench().read(file);
        let (code, stdout, stderr) = run(file, b"");
        let (code_of_stdin, stdout_of_stdin, stderr_of_stdin) = run("-", &content);
        let is_report = line.starts_with("report");
        // No blobs lie beside standard input, which an audit misses.
        let expected = if is_report { 1 } else { code };
        assert_eq!(
            code_of_stdin, expected,
            "{line}: {stderr_of_stdin} {stderr}"
        );
        let named = |text: &str| text.replace(file, "-");
        assert!(
            !stderr_of_stdin.contains("No such file"),
            "{line}: {stderr_of_stdin}"
        );
        if is_report {
            assert!(stderr_of_stdin.contains("-: blobs failed: 0 recomputed"));
        } else {
            assert_eq!(
                squeezed(&stdout_of_stdin),
                squeezed(&named(&stdout)),
                "{line}"
            );
        }
    }
}

/// Text without its white space: columns move with the length of a name.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn standard_input_is_read_once() {
    let bench = bench();
    let before = bench.read("ledger.jsonl");
    for (line, stdin) in [
        ("policy explain - --answer -", POLICIES),
        (
            "observe --ledger ledger.jsonl --oracle-id o --model-id m --input -",
            "which speed?",
        ),
        (
            "observe --ledger ledger.jsonl --oracle-id o --model-id m --policies -",
            POLICIES,
        ),
        ("init new.jsonl --schema a=- --input-schema a=-", "{}"),
    ] {
        let run = bench.run_with(line, stdin.as_bytes()).exits(2);
        run.says("standard input was read already")
            .says("expected once")
            .says("name a file");
    }
    assert_eq!(bench.read("ledger.jsonl"), before);
    assert!(!bench.exists("new.jsonl"));
}

#[test]
fn what_is_read_several_times_is_no_standard_input() {
    let bench = bench();
    let ledger = bench.read("ledger.jsonl");
    for line in [
        "replay -",
        "audit -",
        "head -",
        "stats -",
        "show - --graph",
        "export - --format csv",
    ] {
        bench
            .run_with(line, &ledger)
            .exits(3)
            .says("axilog: -: is not a regular file");
    }
}
