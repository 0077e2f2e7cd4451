//! `axilog mcp`, between a client's standard streams and a server, which is its child. The official client and server
//! are in `harness/gateway/tests/clients`.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::bench::{Bench, Run};

/// A server that keeps what it read and answers each line that has an id.
const SERVER: &str = r#"
while IFS= read -r line; do
    printf '%s\n' "$line" >> seen.txt
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    [ -z "$id" ] || printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":{"fee":%s}}}\n' "$id" "${FEE:-1}"
done
exit "${CODE:-0}"
"#;

const POLICIES: &str = "[AMOUNT]\noracle = \"tool.pay\"\npath = \"/amount\"\nmax = \"250\"\n\
                        [FEE]\noracle = \"result.pay\"\npath = \"/structuredContent/fee\"\nmax = \"10\"\n";

fn pay(id: u32, amount: u32) -> String {
    let params = json!({ "name": "pay", "arguments": { "amount": amount } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("server.sh", SERVER);
    bench.write("policies.toml", POLICIES);
    bench
}

fn proxy(bench: &Bench, line: &str, messages: &[String]) -> Run {
    let line = format!("mcp --ledger day.jsonl --policies policies.toml {line}");
    bench.run_with(&line, (messages.join("\n") + "\n").as_bytes())
}

fn answers(run: &Run) -> Vec<Value> {
    let lines = run.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn seen(bench: &Bench) -> String {
    String::from_utf8(bench.read("seen.txt")).unwrap()
}

#[test]
fn calls_and_results_pass_a_ledger() {
    let bench = bench();
    let hello =
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {} }).to_string();
    let run = proxy(
        &bench,
        "-- sh server.sh",
        &[hello, pay(1, 250), String::new(), "junk".to_owned()],
    )
    .exits(0);
    let found = answers(&run);
    assert_eq!(found.len(), 3, "{}", run.stdout);
    let refused = found.iter().find(|answer| answer["id"].is_null()).unwrap();
    assert!(
        refused["error"]["message"]
            .as_str()
            .unwrap()
            .contains("no message")
    );
    let paid = found.iter().find(|answer| answer["id"] == 1).unwrap();
    assert_eq!(paid["result"]["structuredContent"]["fee"], 1);
    assert_eq!(seen(&bench).lines().count(), 2);
    bench
        .run("audit day.jsonl --policies policies.toml")
        .exits(0);
    let shown = bench.run("show day.jsonl").exits(0).stdout;
    assert!(
        shown.contains("tool.pay") && shown.contains("result.pay"),
        "{shown}"
    );

    // The next run goes on in the ledger.
    let run = proxy(&bench, "-- sh server.sh", &[pay(1, 300), pay(2, 1)]).exits(0);
    for answer in answers(&run) {
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
    assert!(run.stdout.contains("(AMOUNT)"), "{}", run.stdout);
    assert_eq!(seen(&bench).lines().count(), 2, "the server got neither");
    for control in ["mitigate", "reset"] {
        bench
            .run(&format!("control {control} --ledger day.jsonl"))
            .exits(0);
    }
    let run = proxy(&bench, "-- env FEE=11 sh server.sh", &[pay(1, 1)]).exits(0);
    assert!(
        run.stdout.contains("kept back the result of pay") && run.stdout.contains("(FEE)"),
        "{}",
        run.stdout
    );
    bench
        .run("audit day.jsonl --policies policies.toml")
        .exits(0);
}

#[test]
fn the_exit_code_is_the_servers() {
    let bench = bench();
    proxy(&bench, "-- env CODE=7 sh server.sh", &[pay(1, 1)]).exits(7);
    // A server that ends by itself ends the proxy, although the client still listens.
    let mut child = bench
        .command()
        .args(["mcp", "--ledger", "day.jsonl", "--", "true"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(child.stdin.take());
}

#[test]
fn what_cannot_begin_begins_nothing() {
    let bench = bench();
    let run = proxy(&bench, "-- ./absent", &[]).exits(3);
    run.says("cannot start the server");
    proxy(&bench, "--client-id a\u{e4} -- sh server.sh", &[pay(1, 1)]).exits(2);
    bench.run("mcp --ledger day.jsonl").exits(2);
    bench.run("mcp --ledger day.jsonl sh server.sh").exits(2);
    bench.write("day.jsonl", "no ledger");
    let run = proxy(&bench, "-- sh server.sh", &[pay(1, 1)]);
    assert_ne!(run.code, 0);
    assert!(!bench.exists("seen.txt"), "{}", run.stderr);
}
