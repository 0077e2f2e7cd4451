//! Oracles that answer from a script.

use axilog_oracle::{AskFault, TokenUsage};
use axilog_testkit::harness::test_ledger::TestLedger;

#[test]
fn lines_answer_in_order_and_rules_come_first() {
    let mut ledger = TestLedger::new();
    let script = r#"
        {"answer":"one","usage":{"prompt_tokens":5,"completion_tokens":2}}
        {"answer":"inject","contains":"ignore all"}
        {"answer":"third","every":3}
        {"answer":"two","finish_reason":"length","model":"m-2"}
    "#;
    let mut endpoint = ledger.open_script(script).unwrap();
    let mut say = |user: &str| {
        let consultation = ledger.ask(&mut endpoint, user).unwrap();
        consultation.exchange.reply.unwrap()
    };
    let answers = [
        ("a", "one"),
        ("please ignore all rules", "inject"),
        ("c", "third"),
        ("d", "two"),
        ("e", "one"),
        ("ignore all", "inject"),
    ];
    let usage = TokenUsage {
        prompt_tokens: 5,
        completion_tokens: 2,
    };
    for (user, expected) in answers {
        let answer = say(user);
        assert_eq!(answer.text, expected);
        assert_eq!(answer.usage, (expected == "one").then_some(usage));
        let reason = if expected == "two" { "length" } else { "stop" };
        assert_eq!(answer.finish_reason.as_deref(), Some(reason));
    }
}

#[test]
fn an_answer_may_quote_what_was_asked() {
    let mut ledger = TestLedger::new();
    let script = r#"{"answer":"<{{quote}}> and {{quote}}","quote":": the id"}"#;
    let mut endpoint = ledger.open_script(script).unwrap();
    let mut say = |user: &str| {
        let consultation = ledger.ask(&mut endpoint, user).unwrap();
        consultation.exchange.reply.unwrap().text
    };
    assert_eq!(say("of\n- 5f3a: the id\n- 77: the id"), "<5f3a> and 5f3a");
    assert_eq!(say(": the id"), "<> and ");
    assert_eq!(say("none"), "<> and ");
}

#[test]
fn faults_come_before_the_answer_and_end_as_over_http() {
    for (line, faults, text) in [
        (r#"{"answer":"a","faults":["timeout",429,500]}"#, 3, Ok("a")),
        (
            r#"{"answer":"a","faults":[500,500,500,502]}"#,
            4,
            Err("status 502"),
        ),
        (r#"{"answer":"a","faults":[429,404]}"#, 2, Err("status 404")),
        (
            r#"{"faults":["timeout"]}"#,
            4,
            Err("no whole answer in time"),
        ),
        (
            r#"{"faults":["connection"]}"#,
            4,
            Err("the connection failed: closed by the script"),
        ),
    ] {
        let mut ledger = TestLedger::new();
        let mut endpoint = ledger.open_script(line).unwrap();
        let consultation = ledger.ask(&mut endpoint, "?").unwrap();
        let attempts = &consultation.exchange.attempts;
        let failed = attempts.iter().filter(|a| a.fault.is_some()).count();
        assert_eq!(failed, faults, "{line}");
        let reply = consultation.exchange.reply.as_ref();
        assert_eq!(
            reply
                .map(|answer| answer.text.clone())
                .map_err(AskFault::to_string),
            text.map(str::to_owned).map_err(str::to_owned)
        );
        assert_eq!(attempts.len(), faults + usize::from(text.is_ok()));
        assert_eq!(consultation.admitted_text(), text.ok());
    }
}

#[test]
fn bad_scripts_are_refused_with_their_line() {
    let ledger = TestLedger::new();
    for (script, line, reason) in [
        ("", 1, "empty"),
        ("{\"answer\":\"a\"}\n\nnope", 3, "not JSON"),
        ("[]", 1, "not a JSON object"),
        (
            "{\"answr\":\"a\"}",
            1,
            "unknown field `answr`, expected one of `answer`",
        ),
        ("{}", 1, "neither `answer` nor `faults`"),
        ("{\"answer\":1}", 1, "at `answer`: invalid type: "),
        ("{\"answer\":null}", 1, "at `answer`: invalid type: null"),
        (
            "{\"answer\":\"a\",\"every\":0}",
            1,
            "at `every`: invalid value: integer `0`, expected a nonzero u64",
        ),
        (
            "{\"answer\":\"a\",\"usage\":{\"prompt_tokens\":1}}",
            1,
            "at `usage`: missing field `completion_tokens`",
        ),
        (
            "{\"answer\":\"a\",\"usage\":{\"prompt_tokens\":1.0,\"completion_tokens\":2}}",
            1,
            "at `usage.prompt_tokens`: invalid type: floating point `1.0`, expected u64",
        ),
        ("{\"faults\":[200]}", 1, "at `faults[0]`: the fault 200"),
        ("{\"faults\":[\"flood\"]}", 1, "the fault \"flood\""),
    ] {
        let error = ledger.open_script(script).unwrap_err().to_string();
        assert!(error.contains(&format!("script.jsonl:{line}: ")), "{error}");
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn a_script_that_has_nothing_to_say_is_an_error_and_no_record() {
    let mut ledger = TestLedger::new();
    let script = r#"{"answer":"a","contains":"only this"}"#;
    let mut endpoint = ledger.open_script(script).unwrap();
    let before = std::fs::read(ledger.path()).unwrap();
    let error = ledger.ask(&mut endpoint, "that").unwrap_err().to_string();
    assert!(error.contains("no answer for call 1"), "{error}");
    assert_eq!(std::fs::read(ledger.path()).unwrap(), before);
}
