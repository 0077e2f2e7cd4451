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

/// A server that answers one line with a text of 70,000 letters.
const LONG_SERVER: &str = r#"
IFS= read -r line
text=$(head -c 70000 /dev/zero | tr '\0' a)
printf '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"%s"}]}}\n' "$text"
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
    // One that a signal ends has no code.
    bench.write("killed.sh", "kill -9 $$");
    bench.run("mcp --ledger day.jsonl -- sh killed.sh").exits(3);
}

#[test]
fn a_call_that_no_policy_judges_can_be_refused() {
    let bench = bench();
    let named = |name: &str| pay(1, 1).replace("pay", name);
    let run = proxy(&bench, "--require-policy -- sh server.sh", &[named("look")]).exits(0);
    let answer = &answers(&run)[0];
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(
        run.stdout.contains("refused the call of look"),
        "{}",
        run.stdout
    );
    assert!(!bench.exists("seen.txt"), "the server got it");
    proxy(&bench, "--require-policy -- sh server.sh", &[pay(1, 1)]).exits(0);
    proxy(&bench, "-- sh server.sh", &[named("look")]).exits(0);
    assert_eq!(seen(&bench).lines().count(), 2, "both were passed on");
}

#[test]
fn a_result_beyond_a_record_is_passed_on_where_the_ledger_permits_it() {
    let bench = bench();
    let look = pay(1, 1).replace("pay", "look");
    bench.write("long.sh", LONG_SERVER);
    let run = proxy(&bench, "-- sh long.sh", std::slice::from_ref(&look)).exits(0);
    assert!(
        run.stdout.contains("kept back the result of look"),
        "{}",
        run.stdout
    );
    bench
        .run("init long.jsonl --policies policies.toml --permit-truncated")
        .exits(0);
    let line = "mcp --ledger long.jsonl --policies policies.toml -- sh long.sh";
    let run = bench.run_with(line, look.as_bytes()).exits(0);
    let text = answers(&run)[0]["result"]["content"][0]["text"].to_string();
    assert_eq!(text.len(), 70_002, "the whole result is passed on");
}

#[test]
fn what_cannot_begin_begins_nothing() {
    let bench = bench();
    let run = proxy(&bench, "-- ./absent", &[]).exits(3);
    run.says("cannot start the server \"./absent\": ");
    proxy(&bench, "--client-id a\u{e4} -- sh server.sh", &[pay(1, 1)]).exits(2);
    bench.run("mcp --ledger day.jsonl").exits(2);
    bench.run("mcp --ledger day.jsonl sh server.sh").exits(2);
    bench.write("day.jsonl", "no ledger");
    let run = proxy(&bench, "-- sh server.sh", &[pay(1, 1)]).exits(1);
    assert!(!bench.exists("seen.txt"), "{}", run.stderr);
}
