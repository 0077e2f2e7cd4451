//! Ledgers that gzip and zstd have compressed: commands read them as they were before, and never write them.

use std::process::Command;

use crate::bench::Bench;

/// The commands that read a ledger, with LEDGER in its place.
const READERS: [&str; 11] = [
    "verify LEDGER --json",
    "replay LEDGER --json",
    "audit LEDGER --json",
    "head LEDGER --json",
    "stats LEDGER --json",
    "show LEDGER --json --question",
    "show LEDGER --json --graph",
    "export LEDGER --format jsonl",
    "report LEDGER --out page.html --json",
    "diff LEDGER LEDGER --json",
    "replay LEDGER --what-if --policies other.json --json",
];

/// The commands that write a ledger.
const WRITERS: [&str; 4] = [
    "observe --ledger LEDGER --oracle-id o --model-id m",
    "time 2 --ledger LEDGER",
    "control reset --ledger LEDGER",
    "seal LEDGER",
];

/// Has `program` compress `ledger.jsonl` and remove it; the name of what it made.
fn compress(bench: &Bench, program: &str, ending: &str) -> String {
    let run = Command::new(program)
        .args(["-q", "ledger.jsonl"])
        .current_dir(bench.path(""))
        .status();
    assert!(run.unwrap().success(), "{program} ledger.jsonl");
    // zstd keeps what it compressed.
    if bench.exists("ledger.jsonl") {
        std::fs::remove_file(bench.path("ledger.jsonl")).unwrap();
    }
    format!("ledger.jsonl.{ending}")
}

/// A ledger with a question among its blobs and a good answer, and other policies.
fn make_ledger() -> Bench {
    let bench = Bench::ledger();
    bench.write("question.txt", "How fast?");
    let ask = "observe --ledger ledger.jsonl --oracle-id o --model-id m --input question.txt";
    bench.run_with(ask, b"{\"value\":2}").exits(0);
    let other =
        r#"{"value":[{"comparison":"GT","enabled":true,"policy_id":"LOW","threshold":65536}]}"#;
    bench.write("other.json", other);
    bench
}

#[test]
fn each_command_says_of_a_compressed_ledger_what_it_says_of_the_ledger() {
    let plain = make_ledger();
    for (program, ending) in [("gzip", "gz"), ("zstd", "zst")] {
        let bench = plain.copy();
        let name = compress(&bench, program, ending);
        for command in READERS {
            let expected = plain.run(&command.replace("LEDGER", "ledger.jsonl"));
            let run = bench.run(&command.replace("LEDGER", &name));
            let found = run.stdout.replace(&name, "ledger.jsonl");
            assert_eq!(
                (found, run.code),
                (expected.stdout, expected.code),
                "{command}"
            );
        }
        bench.run(&format!("audit {name}")).exits(0);
    }
}

#[test]
fn a_fault_is_found_at_the_place_that_it_has_in_the_ledger() {
    let plain = make_ledger();
    let mut bytes = plain.read("ledger.jsonl");
    let place = bytes.len() - 30;
    bytes[place] ^= 1;
    plain.write("ledger.jsonl", &bytes);
    let expected = plain.run("verify ledger.jsonl --json").exits(1);
    let name = compress(&plain, "zstd", "zst");
    let found = plain.run(&format!("verify {name} --json")).exits(1);
    assert_eq!(found.stdout.replace(&name, "ledger.jsonl"), expected.stdout);
}

#[test]
fn a_compressed_ledger_is_never_written() {
    for (program, ending) in [("gzip", "gz"), ("zstd", "zst")] {
        let bench = make_ledger();
        let name = compress(&bench, program, ending);
        let before = bench.read(&name);
        for command in WRITERS {
            let run = bench.run_with(&command.replace("LEDGER", &name), b"{\"value\":3}");
            run.exits(3).says("is compressed").says("decompress it");
        }
        bench
            .run(&format!("init {name}"))
            .exits(3)
            .says("is compressed");
        assert_eq!(bench.read(&name), before);
    }
}

#[test]
fn a_compressed_ledger_that_is_cut_is_refused_with_the_reason() {
    for (program, ending) in [("gzip", "gz"), ("zstd", "zst")] {
        let bench = make_ledger();
        let name = compress(&bench, program, ending);
        let bytes = bench.read(&name);
        bench.write(&name, &bytes[..bytes.len() / 2]);
        for command in ["verify", "audit", "show", "head"] {
            let run = bench.run(&format!("{command} {name}")).exits(3);
            run.says(&format!("{name}: cannot decompress the ledger: "));
        }
    }
}

#[test]
fn nothing_follows_in_a_compressed_ledger() {
    let bench = make_ledger();
    let name = compress(&bench, "gzip", "gz");
    let run = bench.run(&format!("tail {name} --last 2 --json")).exits(0);
    assert_eq!(run.stdout.lines().count(), 2);
}
