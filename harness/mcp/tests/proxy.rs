//! What becomes of the lines of a client and a server, and what the ledger holds of them.

use std::path::PathBuf;

use axilog::hash::{HexHash, unhex};
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::jcs::canonicalize;
use axilog_ledger::session::Session;
use axilog_mcp::{Identities, LineDecision, Proxy};
use axilog_policyc::PolicySet;
use serde_json::{Value, json};
use tempfile::TempDir;

const POLICIES: &str = r#"{
    "result.pay#/structuredContent/fee":[{"policy_id":"FEE","comparison":"GT","threshold":655360,"enabled":true}],
    "tool.pay#/amount":[{"policy_id":"AMOUNT","comparison":"GT","threshold":16384000,"enabled":true}]
}"#;

struct Bench {
    folder: TempDir,
    proxy: Proxy,
}

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let policies = PolicySet::parse_lenient(POLICIES.as_bytes()).unwrap();
        let path = folder.path().join("day.jsonl");
        let (session, _) = Session::open_or_create(&path, Some(&policies), 1).unwrap();
        let identities = Identities {
            client: "planner-1".to_owned(),
            server: "bank-2".to_owned(),
        };
        Bench {
            folder,
            proxy: Proxy::new(session, identities),
        }
    }

    fn client(&self, message: &Value) -> LineDecision {
        self.proxy.take_client_line(message.to_string().as_bytes())
    }

    fn server(&self, message: &Value) -> LineDecision {
        self.proxy.take_server_line(message.to_string().as_bytes())
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("day.jsonl")
    }

    /// The records of oracles' observations in the ledger.
    fn records(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path()).unwrap();
        let lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let observations = lines.filter(|line| line["tag"] == "AX:OBS:v1");
        let records = observations.map(|line| line["record"].clone());
        records
            .filter(|record| !record["oracle_id"].as_str().unwrap().starts_with("ax."))
            .collect()
    }

    /// The oracle, the model and the answer of each record.
    fn observations(&self) -> Vec<(String, String, String)> {
        let records = self.records().into_iter();
        let member = |record: &Value, name: &str| record[name].as_str().unwrap().to_owned();
        records
            .map(|r| {
                (
                    member(&r, "oracle_id"),
                    member(&r, "model_id"),
                    member(&r, "output"),
                )
            })
            .collect()
    }

    /// The input of the record at `index`, which is a blob.
    fn read_question(&self, index: usize) -> Value {
        let record = &self.records()[index];
        let digits = HexHash::try_from(record["input_hash"].as_str().unwrap().as_bytes()).unwrap();
        let blobs = BlobStore::of_ledger(&self.path());
        let bytes = blobs.read(&unhex(&digits).unwrap(), 1 << 20).unwrap();
        serde_json::from_slice(&bytes.unwrap()).unwrap()
    }
}

fn call(id: i64, amount: f64) -> Value {
    let arguments = json!({ "to": "alice", "amount": amount });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "pay", "arguments": arguments } })
}

fn paid(id: i64, fee: f64) -> Value {
    let result = json!({ "content": [{ "type": "text", "text": "paid" }], "structuredContent": { "fee": fee } });
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn canonical(message: &Value) -> LineDecision {
    LineDecision::Pass(canonicalize(message.to_string().as_bytes()).unwrap())
}

/// The text of a reply that says that a tool failed.
#[track_caller]
fn tool_error(outcome: LineDecision, id: i64) -> String {
    let LineDecision::Reply(line) = outcome else {
        panic!("{outcome:?}");
    };
    let reply: Value = serde_json::from_slice(&line).unwrap();
    assert_eq!(
        (&reply["id"], &reply["result"]["isError"]),
        (&id.into(), &true.into()),
        "{reply}"
    );
    reply["result"]["content"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// The message of an error of JSON-RPC.
#[track_caller]
fn refusal(outcome: LineDecision) -> String {
    let LineDecision::Reply(line) = outcome else {
        panic!("{outcome:?}");
    };
    let reply: Value = serde_json::from_slice(&line).unwrap();
    assert_eq!(reply["error"]["code"], -32600, "{reply}");
    reply["error"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn a_call_and_its_result_are_recorded_before_they_are_passed_on() {
    let bench = Bench::new();
    assert_eq!(bench.client(&call(1, 250.0)), canonical(&call(1, 250.0)));
    let to_pay = (
        "tool.pay".to_owned(),
        "planner-1".to_owned(),
        r#"{"amount":250,"to":"alice"}"#.to_owned(),
    );
    assert_eq!(bench.observations(), std::slice::from_ref(&to_pay));
    assert_eq!(bench.server(&paid(1, 0.5)), canonical(&paid(1, 0.5)));
    let observations = bench.observations();
    assert_eq!((observations.len(), &observations[0]), (2, &to_pay));
    let (oracle, model, output) = &observations[1];
    assert_eq!((oracle.as_str(), model.as_str()), ("result.pay", "bank-2"));
    assert_eq!(
        serde_json::from_str::<Value>(output).unwrap(),
        paid(1, 0.5)["result"]
    );
    // The result's input is the request, and names the call's record.
    let question = bench.read_question(1);
    assert_eq!(question["params"]["name"], "pay");
    assert_eq!(
        question["derived_from"],
        json!([bench.records()[0]["obs_hash"]])
    );
}

#[test]
fn a_call_that_is_refused_does_not_reach_the_server_and_neither_do_later_ones() {
    let bench = Bench::new();
    let told = tool_error(bench.client(&call(1, 300.0)), 1);
    assert!(
        told.contains("refused the call of pay")
            && told.contains("/amount 300 is above 250 (AMOUNT)"),
        "{told}"
    );
    // The agent is in ALARM until an operator resets it.
    let told = tool_error(bench.client(&call(2, 1.0)), 2);
    assert!(
        told.contains("the agent is in ALARM; an operator"),
        "{told}"
    );
    assert_eq!(bench.observations().len(), 2);
    // What is no call goes on.
    let list = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/list" });
    assert_eq!(bench.client(&list), canonical(&list));
}

#[test]
fn a_result_that_is_refused_does_not_reach_the_client() {
    let bench = Bench::new();
    bench.client(&call(1, 1.0));
    let told = tool_error(bench.server(&paid(1, 11.0)), 1);
    assert!(
        told.contains("kept back the result of pay") && told.contains("(FEE)"),
        "{told}"
    );
    // It stands in the ledger, and is not to be had by asking twice.
    assert_eq!(bench.observations().len(), 2);
    assert!(matches!(
        bench.server(&paid(1, 11.0)),
        LineDecision::Drop(_)
    ));
    assert!(matches!(bench.server(&paid(1, 1.0)), LineDecision::Drop(_)));
}

#[test]
fn a_server_answers_what_was_asked_under_the_id_that_was_asked() {
    let bench = Bench::new();
    bench.client(&call(1, 1.0));
    for id in [json!("1"), json!(2), json!(1.5), json!(null)] {
        let mut answer = paid(1, 1.0);
        answer["id"] = id;
        assert!(
            matches!(bench.server(&answer), LineDecision::Drop(_)),
            "{answer}"
        );
    }
    assert_eq!(bench.observations().len(), 1);
    assert!(refusal(bench.client(&call(1, 1.0))).contains("waits for the server already"));
    let failed = json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32602, "message": "no such account" } });
    // An error is a result too; this one lacks the number that a policy wants.
    let told = tool_error(bench.server(&failed), 1);
    assert!(told.contains("kept back the result of pay"), "{told}");
    assert!(bench.observations()[1].2.contains("no such account"));
}

#[test]
fn what_the_server_asks_and_tells_is_passed_on() {
    let bench = Bench::new();
    for message in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": {} }),
        json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": { "progress": 1 } }),
    ] {
        assert_eq!(bench.server(&message), canonical(&message));
    }
    let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": { "role": "assistant" } });
    assert_eq!(bench.client(&answer), canonical(&answer));
    assert!(bench.observations().is_empty());
}

/// Whatever a server takes for a message or for the end of one, it reads no call that was not judged.
#[test]
fn no_call_is_hidden_in_a_line() {
    let bench = Bench::new();
    let hidden = call(9, 300.0).to_string();
    for line in [
        format!("[{hidden}]"),
        format!("{hidden}{hidden}"),
        format!("{hidden}\r{hidden}"),
        hidden.replace("\"method\"", "\"method\":\"ping\",\"method\""),
        hidden.replace("\"amount\"", "\"amount\":1,\"amount\""),
        hidden.replace("\"id\":9", "\"id\":[9]"),
        hidden.replace("\"id\":9", "\"id\":9,\"result\":{}"),
        hidden
            .replace("alice", "\u{fffd}")
            .replace('\u{fffd}', "\\ud800"),
        "not JSON".to_owned(),
    ] {
        let message = refusal(bench.proxy.take_client_line(line.as_bytes()));
        assert!(message.contains("no message"), "{line}: {message}");
    }
    let bytes = [hidden.as_bytes(), b"\xff"].concat();
    refusal(bench.proxy.take_client_line(&bytes));
    // An inner object that stands on a line of its own is written in one with the rest.
    let spread =
        format!("{{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{{\"a\":\r{hidden}\r}}}}");
    let LineDecision::Pass(line) = bench.proxy.take_client_line(spread.as_bytes()) else {
        panic!("{spread}");
    };
    assert!(line.iter().all(|byte| *byte >= b' '));
    // A call that asks for no answer is one all the same.
    for id in ["", "\"id\":null,"] {
        let message = hidden.replace("\"id\":9,", id);
        assert!(
            refusal(bench.proxy.take_client_line(message.as_bytes())).contains("has no id"),
            "{message}"
        );
    }
    // The method is the same in any spelling.
    let escaped = hidden
        .replace("tools/call", "tools\\u002fcall")
        .replace("/", "\\/");
    tool_error(bench.proxy.take_client_line(escaped.as_bytes()), 9);
    let task = json!({ "name": "pay", "arguments": {}, "task": { "ttl": 1 } });
    let task = json!({ "jsonrpc": "2.0", "id": 10, "method": "tools/call", "params": task });
    assert!(refusal(bench.client(&task)).contains("tasks are not taken"));
}

#[test]
fn a_tool_that_has_no_name_to_record_is_not_called() {
    let bench = Bench::new();
    for (id, name) in [(1, "paÿ"), (2, "a b"), (3, "")] {
        let params = json!({ "name": name });
        let message =
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        let outcome = bench.client(&message);
        match name {
            // tool. is an oracle's id; nothing forbids it.
            "" => assert!(matches!(outcome, LineDecision::Pass(_)), "{outcome:?}"),
            _ => assert!(
                tool_error(outcome, id).contains("refused the call of"),
                "{name}"
            ),
        }
    }
    for params in [
        json!(null),
        json!([]),
        json!({}),
        json!({ "name": 7 }),
        json!("pay"),
    ] {
        let message =
            json!({ "jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": params });
        assert!(
            refusal(bench.client(&message)).contains("other parameters"),
            "{message}"
        );
    }
}

#[test]
fn requests_wait_for_a_server_up_to_a_bound() {
    let bench = Bench::new();
    let ping = |id: i64| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    for id in 0..4096 {
        assert_eq!(bench.client(&ping(id)), canonical(&ping(id)));
    }
    for message in [ping(4096), call(4096, 1.0)] {
        let LineDecision::Reply(line) = bench.client(&message) else {
            panic!("a request beyond the bound is passed on");
        };
        let reply: Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(reply["id"], 4096);
        let told = reply["error"]["message"].as_str().unwrap();
        assert!(told.contains("4096 requests wait"), "{told}");
    }
    assert!(
        bench.records().is_empty(),
        "a call that is refused so is not recorded"
    );
    // An answer makes room for one more.
    let answer = json!({ "jsonrpc": "2.0", "id": 7, "result": {} });
    assert_eq!(bench.server(&answer), canonical(&answer));
    assert_eq!(bench.client(&call(4096, 1.0)), canonical(&call(4096, 1.0)));
}

#[test]
fn nothing_is_recorded_once_the_ledger_is_closed() {
    let bench = Bench::new();
    assert_eq!(bench.client(&call(1, 1.0)), canonical(&call(1, 1.0)));
    bench.proxy.close().unwrap();
    bench.proxy.close().unwrap();
    let told = tool_error(bench.server(&paid(1, 1.0)), 1);
    assert!(told.contains("the ledger is closed"), "{told}");
    let told = tool_error(bench.client(&call(2, 1.0)), 2);
    assert!(told.contains("the ledger is closed"), "{told}");
    assert_eq!(bench.observations().len(), 1);
}
