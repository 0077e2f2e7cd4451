//! Exit codes, messages, JSON, pipes: what scripts rely on.

use std::process::Stdio;

use crate::bench::Bench;

#[test]
fn wrong_usage_exits_2() {
    let bench = Bench::ledger();
    for line in [
        "",
        "nonsense",
        "verify",
        "observe --ledger l",
        "verify ledger.jsonl --expect-head 12",
        "verify ledger.jsonl --expect-entries -1",
        "verify ledger.jsonl --expect-entries 0",
        "show ledger.jsonl --seq x",
        "export ledger.jsonl",
        "export ledger.jsonl --format xml",
        "export ledger.jsonl --format csv -o ledger.jsonl",
        "show ledger.jsonl --seq 3..2",
        "show ledger.jsonl --tag AX:OBS:v1",
        "control explode --ledger ledger.jsonl",
        "time soon --ledger ledger.jsonl",
        "init new.jsonl --time 0",
        "observe --ledger l --oracle-id o --model-id m --temperature hot",
        "observe --ledger l --oracle-id o --model-id m --temperature -0.5",
        "observe --ledger l --oracle-id o --model-id m --top-p 1.5",
        "observe --ledger l --oracle-id o --model-id m --max-tokens -1",
        "observe --ledger l --oracle-id o --model-id m --seed -1",
        "observe --ledger l --oracle-id o --model-id m --failure invalid",
    ] {
        let run = bench.run(line).exits(2);
        assert!(!run.stderr.is_empty(), "{line}");
        assert!(!bench.exists("l") && !bench.exists("new.jsonl"), "{line}");
    }
}

#[test]
fn reserved_and_inadmissible_identities_exit_2() {
    let bench = Bench::new();
    for (id, hint) in [("ax.time", "axilog time"), ("ax.control", "axilog control")] {
        bench
            .run_with(
                &format!("observe --ledger l --oracle-id {id} --model-id m"),
                b"x",
            )
            .exits(2)
            .says(hint);
    }
    let long = "i".repeat(257);
    for ids in [[&long, "m"], ["o", &long], ["e\u{301}", "m"]] {
        let run = bench.run_with(
            &format!(
                "observe --ledger l --oracle-id {} --model-id {}",
                ids[0], ids[1]
            ),
            b"x",
        );
        run.exits(2).says("is not admissible");
    }
    assert!(!bench.exists("l"));
}

#[test]
fn what_cannot_run_exits_3() {
    let bench = Bench::ledger();
    std::fs::create_dir(bench.path("directory")).unwrap();
    for line in [
        "verify nowhere.jsonl",
        "replay nowhere.jsonl",
        "head nowhere.jsonl",
        "show nowhere.jsonl",
        "stats nowhere.jsonl",
        "lint nowhere.json",
        "export nowhere.jsonl --format csv",
        "export directory --format csv",
        "export ledger.jsonl --format csv -o no/where.csv",
        "lint directory",
        "show directory",
        "time --ledger nowhere.jsonl",
        "control fault --ledger nowhere.jsonl",
        "observe --ledger no/where.jsonl --oracle-id o --model-id m",
        "observe --ledger ledger.jsonl --oracle-id o --model-id m --input nowhere",
        "observe --ledger directory --oracle-id o --model-id m",
        "verify directory",
        "replay directory",
        "init ledger.jsonl",
        "init directory",
        "init new.jsonl --policies nowhere.json",
        "demo --ledger ledger.jsonl",
        "policy check nowhere.json",
        "policy fmt directory",
    ] {
        let run = bench.run(line).exits(3);
        assert!(run.stderr.starts_with("axilog: "), "{line}: {}", run.stderr);
        assert!(run.stdout.is_empty(), "{line}");
    }
    assert!(!bench.exists("new.jsonl") && !bench.exists("nowhere.jsonl"));
}

#[test]
fn errors_are_objects_too() {
    let bench = Bench::new();
    let run = bench.run("verify nowhere.jsonl --json").exits(3);
    assert_eq!(run.json()["exit_code"], 3);
    let told = run.json()["error"].as_str().unwrap().to_owned();
    assert!(told.contains("nowhere.jsonl: cannot open the ledger"));
    assert_eq!(run.stderr, format!("axilog: {told}\n"));
}

#[test]
fn every_command_gives_one_object() {
    let bench = Bench::new();
    bench.write(
        "p.json",
        r#"[{"comparison":"GT","enabled":true,"policy_id":"P","threshold":65536}]"#,
    );
    for line in [
        "init ledger.jsonl --policies p.json --time 5 --json",
        "time 6 --ledger ledger.jsonl --json",
        "control fault --ledger ledger.jsonl --json",
        "observe --ledger ledger.jsonl --oracle-id o --model-id m --failure timeout --json",
        "verify ledger.jsonl --blobs --json",
        "replay ledger.jsonl --json",
        "head ledger.jsonl --json",
        "show ledger.jsonl --seq 1 --json",
        "stats ledger.jsonl --json",
        "lint ledger.jsonl --json",
        "export ledger.jsonl --format csv -o ledger.csv --json",
        "policy check p.json --json",
        "demo --json",
    ] {
        let object = bench.run(line).json();
        assert!(object.is_object(), "{line}");
    }
}

#[test]
fn a_reader_that_leaves_does_not_matter() {
    let bench = Bench::ledger();
    for line in [
        vec!["verify", "ledger.jsonl"],
        vec!["show", "ledger.jsonl"],
        vec!["export", "ledger.jsonl", "--format", "csv"],
        vec!["--help"],
        vec!["demo"],
        vec!["policy", "--help"],
    ] {
        let mut child = bench
            .command()
            .args(&line)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!stderr.contains("panicked"), "{stderr}");
        assert_eq!(output.status.code(), Some(0), "{line:?} {stderr}");
    }
}

#[test]
fn names_cannot_steer_a_terminal() {
    let bench = Bench::ledger();
    let run = {
        let mut command = bench.command();
        command
            .args(["observe", "--ledger", "ledger.jsonl", "--model-id", "m"])
            .args(["--failure", "timeout", "--oracle-id", "o\u{9b}31m"]);
        command.output().unwrap()
    };
    let told = String::from_utf8(run.stderr).unwrap();
    assert!(!told.contains('\u{9b}'), "{told}");
    assert!(told.contains("\\u{9b}31m"), "{told}");
}
