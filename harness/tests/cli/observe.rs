//! The main job: an answer comes in, a decision comes out, the ledger holds both.

use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use crate::bench::{Bench, lines};

#[test]
fn the_first_answer_begins_a_ledger_and_the_next_ones_go_on() {
    let bench = Bench::new();
    bench.write("question", "How fast?\r\n");
    let first = bench.run_with(
        "observe --ledger ledger.jsonl --oracle-id llm --model-id m-1 --input question \
         --temperature 0.7 --top-p 0.95 --max-tokens 64 --seed 7 --json",
        b"{\"value\": 60.5}",
    );
    let decision = first.exits(0).json();
    assert_eq!(decision["begun"], true);
    assert_eq!(decision["ledger_seq"], 5);
    assert_eq!(decision["permitted"], true);
    assert_eq!(decision["health"], "ENABLED");
    assert_eq!(decision["admitted"], "AS_GIVEN");
    let policy = &decision["policies"][0];
    assert_eq!(policy["selector"], "value");
    assert_eq!(policy["actual"], 3_964_928);
    assert_eq!(policy["actual_decimal"], "60.5");
    assert_eq!(policy["threshold_decimal"], "70");
    assert_eq!(policy["comparison"], "GT");
    assert_eq!(policy["result"], "PERMITTED");

    let record = String::from_utf8(lines(&bench.read("ledger.jsonl"))[5].clone()).unwrap();
    assert!(record.contains(
        "\"params\":{\"max_tokens\":64,\"seed\":7,\"temperature\":45875,\"top_p\":62259}"
    ));

    let second = bench.run_with(
        "observe --ledger ledger.jsonl --oracle-id llm --model-id m-1 --json",
        b"{\"value\": 70.5}",
    );
    let decision = second.exits(1).json();
    assert_eq!(decision["begun"], false);
    assert_eq!(decision["permitted"], false);
    assert_eq!(decision["prev_state"], "ENABLED");
    assert_eq!(decision["next_state"], "ALARM");
    assert_eq!(decision["violation"], "POLICY_BREACH");

    // Permitted in ALARM, DEGRADED and INIT, and not to be acted on.
    let in_state = |state: &str| {
        let run = bench.observe(b"{\"value\":1}").exits(1);
        let decision = run.json();
        assert_eq!(decision["permitted"], true, "{state}");
        assert_eq!(decision["may_act"], false, "{state}");
        assert_eq!(decision["health"], state);
    };
    in_state("ALARM");
    for (control, state) in [("mitigate", "DEGRADED"), ("reset", "INIT")] {
        bench
            .run(&format!("control {control} --ledger ledger.jsonl"))
            .exits(0);
        in_state(state);
    }
    let time = bench.run("time --ledger ledger.jsonl --json");
    // The clock may stand at the second of the first time; then it may not be recorded twice.
    if time.code == 0 {
        assert_eq!(time.json()["health"], "ENABLED");
    } else {
        time.exits(1).says("is not after the last recorded one");
    }
    bench.run("verify ledger.jsonl --blobs").exits(0);
    let replayed = bench.run("replay ledger.jsonl --json").exits(0).json();
    assert_eq!(replayed["verdict"], "OK");
    assert_eq!(replayed["configuration_source"], "ledger");
    assert_eq!(replayed["interrupted"], false);
}

#[test]
fn text_output_says_what_happened_and_why_in_80_columns() {
    let bench = Bench::ledger();
    bench.write(
        "long.json",
        r#"[{"comparison":"GT","enabled":true,"policy_id":"POL-A-VERY-LONG-POLICY-IDENTITY-THAT-GOES-ON-AND-ON-AND-ON-00001","threshold":4587521}]"#,
    );
    bench.run("init other.jsonl --policies long.json").exits(0);
    let mut outputs = vec![
        bench.run_with(
            "observe --ledger ledger.jsonl --oracle-id o --model-id m",
            b"{\"value\":71.25}",
        ),
        bench.run_with(
            "observe --ledger other.jsonl --oracle-id o --model-id m",
            b"{\"value\":32767.99999}",
        ),
        bench.run("verify ledger.jsonl --blobs"),
        bench.run("replay ledger.jsonl"),
        bench.run("policy check long.json"),
    ];
    for run in &outputs {
        assert!(!run.stdout.is_empty());
        let widest = run.stdout.lines().map(|l| l.chars().count()).max();
        assert!(widest <= Some(80), "{}", run.stdout);
        assert!(!run.stdout.contains('\x1b'));
    }
    let told = outputs.remove(0).exits(1).stdout;
    for part in [
        "BREACH",
        "observation 8 of o (m)",
        "value = 71.25",
        "is above 70",
        "ENABLED -> ALARM, POLICY_BREACH",
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
}

#[test]
fn whatever_the_oracle_does_is_recorded() {
    let long = [
        b"{\"value\":1,\"why\":\"",
        "a".repeat(80_000).as_bytes(),
        b"\"}",
    ]
    .concat();
    let cases: [(&[u8], &str, &str); 5] = [
        (b"I would go at 50.", "COMPLETE", "AS_GIVEN"),
        (b"{\"value\":\xff}", "ERROR", "INVALID"),
        (b"{\"value\":1,\"value\":2}", "COMPLETE", "AS_GIVEN"),
        (b"", "COMPLETE", "AS_GIVEN"),
        (&long, "TRUNCATED", "CUT"),
    ];
    for (answer, completion, admitted) in cases {
        let bench = Bench::ledger();
        let decision = bench.observe(answer).exits(1).json();
        assert_eq!(decision["completion_state"], completion);
        assert_eq!(decision["admitted"], admitted);
        assert_eq!(decision["health"], "ALARM");
        bench.run("replay ledger.jsonl").exits(0);
    }
}

#[test]
fn failures_do_not_read_standard_input() {
    for (name, recorded) in [("timeout", "TIMEOUT"), ("transport", "TRANSPORT_ERROR")] {
        let bench = Bench::ledger();
        let mut command = bench.command();
        command
            .args(["observe", "--ledger", "ledger.jsonl", "--oracle-id", "o"])
            .args(["--model-id", "m", "--json", "--failure", name])
            .stdout(std::process::Stdio::piped());
        // A pipe that stays open: reading it would wait for ever.
        command.stdin(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        let open = child.stdin.take();
        let output = child.wait_with_output().unwrap();
        drop(open);
        assert_eq!(output.status.code(), Some(1));
        let decision: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(decision["failure_type"], recorded);
        assert_eq!(decision["completion_state"], "ERROR");
    }
}

#[test]
fn switches_are_the_ledgers() {
    let long = [b"{\"value\":1}", " ".repeat(80_000).as_bytes()].concat();
    let bench = Bench::new();
    bench
        .run("init ledger.jsonl --time 1 --permit-truncated --stop-on-invalid")
        .exits(0);
    let decision = bench.observe(&long).exits(0).json();
    assert_eq!(decision["completion_state"], "TRUNCATED");
    assert_eq!(decision["permitted"], true);
    let decision = bench.observe(b"\xff").exits(1).json();
    assert_eq!(decision["health"], "STOPPED");
    // In STOPPED the answer is recorded and nothing follows.
    let decision = bench.observe(b"{\"value\":1}").exits(1).json();
    assert_eq!(decision["next_state"], serde_json::Value::Null);
    assert_eq!(decision["policies"].as_array().unwrap().len(), 0);
    bench.run("replay ledger.jsonl").exits(0);
}

#[test]
fn time_and_its_rollback() {
    let bench = Bench::ledger();
    let before = bench.read("ledger.jsonl");
    let refused = bench.run("time 1000 --ledger ledger.jsonl").exits(1);
    let refused = refused.says("1000 is not after the last recorded one, 1000");
    assert!(refused.stdout.is_empty());
    assert_eq!(bench.read("ledger.jsonl"), before);
    let later = bench.run("time 1001 --ledger ledger.jsonl --json").exits(0);
    assert_eq!(later.json()["prev_state"], "ENABLED");
    let forced = bench
        .run("time 1001 --force --ledger ledger.jsonl --json")
        .exits(1)
        .json();
    assert_eq!(forced["violation"], "TIME_ROLLBACK");
    assert_eq!(forced["health"], "STOPPED");
    bench.run("replay ledger.jsonl").exits(0);
}

#[test]
fn inputs_are_checked_before_anything_is_recorded() {
    let bench = Bench::new();
    let observe = "observe --ledger ledger.jsonl --oracle-id o --model-id m --input question";
    for (input, kind, reason) in [
        (b"a\xff".as_slice(), "text", "not UTF-8 at byte 1"),
        (b"a\tb", "text", "U+0009 at byte 1"),
        ("e\u{301}".as_bytes(), "text", "normalisation form C"),
        (b"{ \"a\":1}", "json", "canonical JSON"),
    ] {
        bench.write("question", input);
        bench
            .run_with(&format!("{observe} --input-kind {kind}"), b"{\"value\":1}")
            .exits(2)
            .says("question: the input is not admissible")
            .says(reason);
        assert!(!bench.exists("ledger.jsonl"));
    }
    bench.write("question", "{\"a\":1}");
    bench
        .run_with(&format!("{observe} --input-kind json"), b"{\"value\":1}")
        .exits(0);
}

#[test]
fn an_answer_is_recorded_once_it_has_ended() {
    let bench = Bench::ledger();
    let before = bench.read("ledger.jsonl");
    let mut observe = bench.command();
    observe.args("observe --ledger ledger.jsonl --oracle-id o --model-id m --json".split(' '));
    let mut observe = observe
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut answer = observe.stdin.take().unwrap();
    // More than a pipe holds: when it is written the command has read the most of it.
    answer.write_all(b"{\"value\":1,\"why\":\"").unwrap();
    answer.write_all(&[b'a'; 1 << 20]).unwrap();
    assert_eq!(bench.read("ledger.jsonl"), before);
    answer.write_all(b"\"}").unwrap();
    drop(answer);
    let output = observe.wait_with_output().unwrap();
    let decision: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(decision["output_size"], (1 << 20) + 20);
    assert_eq!(decision["admitted"], "CUT");
    let added = lines(&bench.read("ledger.jsonl")).len() - lines(&before).len();
    // Its observation, the binding of the whole answer, a policy and a transition.
    assert_eq!(added, 4);
}

#[test]
fn reading_the_answer_has_a_bound() {
    let bench = Bench::ledger();
    let before = bench.read("ledger.jsonl");
    let answer = vec![b'a'; (64 << 20) + 1];
    bench
        .observe(&answer)
        .exits(3)
        .says("the answer is longer than 67108864 bytes")
        .says("--failure transport");
    assert_eq!(bench.read("ledger.jsonl"), before);
}
