//! The API key appears in no file and no message.

use std::process::Command;

use axilog_oracle::{ApiKey, AskFault, OPENAI_KEY_VARIABLE};
use axilog_testkit::harness::client::{KEY, client, nowhere};
use axilog_testkit::harness::server::{Act, Server, completion};
use axilog_testkit::harness::test_ledger::TestLedger;
use serde_json::json;

#[test]
fn a_server_that_quotes_the_key_does_not_get_it_into_the_records() {
    let quoting =
        json!({ "error": { "message": format!("Incorrect API key: {KEY}") } }).to_string();
    let hidden = KEY.replace("sk", "\\u0073k");
    let escaped = completion("KEY").replace("KEY", &hidden);
    let acts = vec![
        Act::Respond(401, quoting.clone()),
        Act::Respond(400, quoting.clone()),
        Act::Respond(400, quoting.replace(KEY, &hidden)),
        Act::say(&format!("Your key is {KEY}.")),
        Act::Respond(200, escaped),
        Act::say("{\"value\":1}"),
    ];
    let calls = acts.len();
    let server = Server::new(acts);
    let mut ledger = TestLedger::new();
    let mut endpoint = client(&server);
    let mut shown = format!("{endpoint:?}");
    let mut held = 0;
    for _ in 0..calls {
        let consultation = ledger.ask(&mut endpoint, "Which key?").unwrap();
        shown += &format!("{consultation:?}");
        if let Err(fault) = &consultation.exchange.reply {
            shown += &fault.to_string();
            held += usize::from(*fault == AskFault::ContainsApiKey);
        }
    }
    assert_eq!(held, 2);
    assert_eq!(server.requests().len(), calls);
    // This part of the key stays readable in any quoting.
    let secret = &KEY[8..];
    assert!(!shown.contains(secret), "{shown}");
    assert!(nowhere(secret, ledger.dir.path()) > 2);
}

/// A test cannot change its own environment safely, so it starts a process with another one.
#[test]
fn the_key_comes_from_the_environment() {
    const CHILD: &str = "AXILOG_TEST_EXPECTED_KEY";
    if let Ok(expected) = std::env::var(CHILD) {
        let found = match ApiKey::from_env(OPENAI_KEY_VARIABLE) {
            Ok(Some(_)) => "key",
            Ok(None) => "none",
            Err(_) => "bad",
        };
        assert_eq!(found, expected);
        return;
    }
    for (value, expected) in [
        (Some(KEY), "key"),
        (Some(""), "none"),
        (None, "none"),
        (Some("two words"), "bad"),
    ] {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "key::the_key_comes_from_the_environment"]);
        child.env(CHILD, expected).env_remove("OPENAI_API_KEY");
        if let Some(value) = value {
            child.env("OPENAI_API_KEY", value);
        }
        let output = child.output().unwrap();
        assert!(output.status.success(), "{value:?}");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(
            printed.contains("1 passed") && !printed.contains(KEY),
            "{printed}"
        );
    }
}
