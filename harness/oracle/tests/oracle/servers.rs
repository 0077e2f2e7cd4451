//! The interfaces of servers: the names of the token limit, answers that are held to a form, and Anthropic's API.

use std::time::Duration;

use axilog_oracle::{
    AnswerConstraint, AnthropicClient, ApiKey, ClientLimits, LocalOracle, OpenAiClient, Oracle,
    OracleError, Question, TokenLimitMember, TokenUsage, consult_oracle,
};
use axilog_testkit::harness::client::{KEY, client, nowhere};
use axilog_testkit::harness::server::{Act, Server, message};
use axilog_testkit::harness::test_ledger::{TestLedger, question};
use serde_json::json;

fn key() -> Option<ApiKey> {
    Some(ApiKey::new(KEY.to_owned()).unwrap())
}

fn limits() -> ClientLimits {
    ClientLimits {
        // No server here hangs.
        timeout: Duration::from_secs(600),
        backoff: vec![Duration::from_millis(1); 3],
        ..ClientLimits::default()
    }
}

#[test]
fn a_refusal_that_names_the_other_token_limit_tells_the_option() {
    let refusal = json!({ "error": {
        "message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "type": "invalid_request_error", "param": "max_tokens", "code": "unsupported_parameter",
    } });
    let server = Server::new(vec![
        Act::Respond(400, refusal.to_string()),
        Act::say("ok"),
        Act::Respond(
            422,
            r#"{"detail":"unknown member max_completion_tokens"}"#.to_owned(),
        ),
        Act::Respond(400, r#"{"error":"bad temperature"}"#.to_owned()),
    ]);
    let mut ledger = TestLedger::new();
    let mut ask = |member| {
        let client = OpenAiClient::new(&server.base_url, key(), limits()).unwrap();
        let mut endpoint = Oracle::OpenAi(Box::new(client.with_token_limit(member)));
        ledger.ask(&mut endpoint, "?").unwrap().exchange.reply
    };
    let refused = ask(TokenLimitMember::MaxTokens).unwrap_err().to_string();
    assert!(
        refused.ends_with("(add --token-limit-as max_completion_tokens)"),
        "{refused}"
    );
    assert!(ask(TokenLimitMember::MaxCompletionTokens).is_ok());
    let refused = ask(TokenLimitMember::MaxCompletionTokens)
        .unwrap_err()
        .to_string();
    assert!(
        refused.ends_with("(leave --token-limit-as max_completion_tokens out)"),
        "{refused}"
    );
    let other = ask(TokenLimitMember::MaxTokens).unwrap_err().to_string();
    assert_eq!(other, "status 400: bad temperature");
    let requests = server.requests();
    assert_eq!(requests[0].body["max_tokens"], 2048);
    assert_eq!(requests[1].body["max_completion_tokens"], 2048);
    assert_eq!(requests[1].body.get("max_tokens"), None);
}

#[test]
fn a_form_of_the_answer_is_sent_and_is_no_part_of_the_input() {
    let server = Server::new(vec![Act::say("{}"), Act::say("{}")]);
    let mut endpoint = client(&server);
    let mut ledger = TestLedger::new();
    let free = ledger.ask(&mut endpoint, "?").unwrap();
    let mut constrained = question("?");
    constrained.constraint = Some(AnswerConstraint::JsonObject);
    let held = consult_oracle(&mut ledger.session, &mut endpoint, "llm", &constrained).unwrap();
    let hash =
        |consultation: &axilog_oracle::Consultation| consultation.decision.observation.input_hash;
    assert_eq!(hash(&free), hash(&held));
    let requests = server.requests();
    assert_eq!(requests[0].body.get("response_format"), None);
    assert_eq!(
        requests[1].body["response_format"],
        json!({ "type": "json_object" })
    );
}

#[test]
fn anthropics_interface_is_asked_in_its_own_form() {
    let overloaded =
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let server = Server::new(vec![
        Act::Respond(529, overloaded.to_owned()),
        Act::Respond(200, message("{\"value\":1}")),
        Act::say("chat completion is not this interface"),
        Act::Respond(200, message("fine")),
        Act::Respond(200, message(&format!("{KEY}!"))),
    ]);
    let client = AnthropicClient::new(&server.base_url, key(), limits()).unwrap();
    let mut endpoint = Oracle::Anthropic(Box::new(client));
    let mut ledger = TestLedger::new();
    let consultation = ledger.ask(&mut endpoint, "How fast?").unwrap();
    assert_eq!(consultation.admitted_text(), Some("{\"value\":1}"));
    let attempts = &consultation.exchange.attempts;
    let fault = attempts[0].fault.as_ref().unwrap().to_string();
    assert_eq!(fault, "status 529: Overloaded");
    let answer = consultation.exchange.reply.unwrap();
    let usage = TokenUsage {
        prompt_tokens: 11,
        completion_tokens: 3,
    };
    assert_eq!(answer.usage, Some(usage));
    assert_eq!(answer.finish_reason.as_deref(), Some("end_turn"));
    let request = server.requests().remove(0);
    let head = request.head.to_ascii_lowercase();
    assert!(head.starts_with("post /v1/messages http/1.1\r\n"), "{head}");
    for header in [
        &format!("x-api-key: {KEY}\r\n"),
        "anthropic-version: 2023-06-01\r\n",
    ] {
        assert!(head.contains(header), "{head}");
    }
    assert!(!head.contains("authorization"), "{head}");
    assert_eq!(request.body["system"], "Answer in JSON.");
    assert_eq!(request.body["max_tokens"], 2048);

    let second = ledger.ask(&mut endpoint, "And now?").unwrap();
    assert_eq!(second.exchange.attempts.len(), 2);
    assert_eq!(second.admitted_text(), Some("fine"));
    let leaking = ledger.ask(&mut endpoint, "Which key?").unwrap();
    let fault = leaking.exchange.reply.unwrap_err().to_string();
    assert_eq!(fault, "an answer that holds the API key");
    assert!(nowhere(KEY, ledger.dir.path()) > 3);
}

#[test]
fn a_question_that_holds_the_key_is_neither_recorded_nor_sent() {
    let server = Server::new(vec![Act::say("ok")]);
    let mut endpoint = client(&server);
    let mut ledger = TestLedger::new();
    let escaped = KEY.replacen('s', "\\u0073", 1);
    let encoded = KEY.replacen('-', "%2D", 1);
    let mut of_model = question("?");
    of_model.model = KEY.to_owned();
    for question in [
        question(&format!("my key is {KEY}")),
        question(&format!("{{\"key\":\"{escaped}\"}}")),
        question(&format!("see http://h/?key={encoded}")),
        of_model,
    ] {
        let refused = consult_oracle(&mut ledger.session, &mut endpoint, "llm", &question);
        assert!(
            matches!(refused, Err(OracleError::QuestionHoldsApiKey { .. })),
            "{refused:?}"
        );
    }
    assert_eq!(server.requests().len(), 0);
    assert!(nowhere(&KEY[8..], ledger.dir.path()) > 0);
}

/// What an oracle without a key is asked is its caller's affair.
#[test]
fn other_oracles_search_for_no_key() {
    #[derive(Debug)]
    struct Silent;
    impl LocalOracle for Silent {
        fn answer(&mut self, _: &Question) -> String {
            "ok".to_owned()
        }
    }
    let mut ledger = TestLedger::new();
    let asked = ledger
        .ask(&mut Oracle::Code(Box::new(Silent)), KEY)
        .unwrap();
    assert_eq!(asked.admitted_text(), Some("ok"));
}
