//! The clients and a real server: llama.cpp's, with a tiny model of random weights.
//!
//! `harness/oracle/tests/llama/run` makes what they need and runs them; without it they say that they were
//! skipped.

mod restart_clock;

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use axilog::evidence::observation::Params;
use axilog_oracle::{
    AnswerConstraint, AnswerSchema, AnthropicClient, ApiKey, AskFault, ClientLimits,
    GrammarDialect, ModelAnswer, OpenAiClient, Oracle, Question, TokenLimitMember, consult_oracle,
};
use axilog_testkit::harness::llama_server::{
    LlamaServer, MODEL, candidates_grammar, find_python, make_model,
};
use axilog_testkit::harness::proxy::start_proxy;
use axilog_testkit::harness::test_ledger::TestLedger;
use serde_json::Value;

use restart_clock::RestartClock;

const PARAMS: Params = Params {
    max_tokens: Some(64),
    seed: None,
    temperature: Some(0),
    top_p: None,
};

/// As much time for an answer as a busy machine may take.
fn limits() -> ClientLimits {
    ClientLimits {
        timeout: Duration::from_secs(600),
        ..ClientLimits::default()
    }
}

fn openai(base_url: &str) -> Oracle {
    let client = OpenAiClient::new(base_url, None, limits()).unwrap();
    Oracle::OpenAi(Box::new(client))
}

fn question(user: &str) -> Question {
    Question::new(MODEL, "Answer in JSON.", user, PARAMS)
}

/// Asks a question, and gives the answer as it came; the ledger admits no babble.
fn ask(ledger: &mut TestLedger, endpoint: &mut Oracle, question: &Question) -> ModelAnswer {
    let consultation = consult_oracle(&mut ledger.session, endpoint, "llm", question).unwrap();
    consultation.exchange.reply.unwrap()
}

#[test]
fn both_interfaces_answer_and_count() {
    let Some(python) = find_python("both_interfaces_answer_and_count") else {
        return;
    };
    let mut ledger = TestLedger::new();
    let model = make_model(&python, ledger.dir.path(), 7);
    let server = LlamaServer::start(&python, &model, &[]);
    let client = AnthropicClient::new(&server.base_url(), None, limits()).unwrap();
    let mut anthropic = Oracle::Anthropic(Box::new(client));
    let mut openai = openai(&server.base_url());
    let question = question("How fast? Say it in one word, and say it again.");
    for (endpoint, stopped) in [(&mut openai, "length"), (&mut anthropic, "max_tokens")] {
        let first = ask(&mut ledger, endpoint, &question);
        let again = ask(&mut ledger, endpoint, &question);
        assert_eq!(first.text, again.text, "temperature 0 and one slot");
        assert!(!first.text.is_empty());
        assert_eq!(first.model.as_deref(), Some(MODEL));
        assert_eq!(first.finish_reason.as_deref(), Some(stopped));
        let usage = first.usage.unwrap();
        assert_eq!(usage.completion_tokens, 64);
        assert!(usage.prompt_tokens > 60, "{usage:?}");
        // The second time the prompt comes from a cache, which changes nothing of its length.
        assert_eq!(again.usage, Some(usage));
    }
}

#[test]
fn the_limit_of_tokens_is_kept_under_both_names() {
    let Some(python) = find_python("the_limit_of_tokens_is_kept_under_both_names") else {
        return;
    };
    let mut ledger = TestLedger::new();
    let model = make_model(&python, ledger.dir.path(), 7);
    let server = LlamaServer::start(&python, &model, &[]);
    for member in [
        TokenLimitMember::MaxTokens,
        TokenLimitMember::MaxCompletionTokens,
    ] {
        let client = OpenAiClient::new(&server.base_url(), None, limits()).unwrap();
        let mut endpoint = Oracle::OpenAi(Box::new(client.with_token_limit(member)));
        let answer = ask(&mut ledger, &mut endpoint, &question("Go on."));
        assert_eq!(answer.usage.unwrap().completion_tokens, 64, "{member:?}");
        assert_eq!(answer.finish_reason.as_deref(), Some("length"));
    }
}

#[test]
fn answers_are_held_to_the_form_that_is_asked_for() {
    let Some(python) = find_python("answers_are_held_to_the_form_that_is_asked_for") else {
        return;
    };
    let mut ledger = TestLedger::new();
    let model = make_model(&python, ledger.dir.path(), 7);
    let server = LlamaServer::start(&python, &model, &[]);
    let mut endpoint = openai(&server.base_url());
    let schema = r#"{"type":"object","properties":{"speed":{"type":"string","enum":["slow","fast"]}},
        "required":["speed"],"additionalProperties":false}"#;
    let grammar = r#"root ::= "{\"speed\": " ("\"slow\"" | "\"fast\"") "}""#;
    for constraint in [
        AnswerConstraint::JsonSchema(AnswerSchema::parse(schema).unwrap()),
        AnswerConstraint::Grammar(GrammarDialect::LlamaCpp, grammar.to_owned()),
    ] {
        let mut question = question("How fast?");
        question.constraint = Some(constraint.clone());
        let answer = ask(&mut ledger, &mut endpoint, &question);
        let value: Value = serde_json::from_str(&answer.text)
            .unwrap_or_else(|error| panic!("{constraint:?}: {error} in {:?}", answer.text));
        assert!(["slow", "fast"].map(Value::from).contains(&value["speed"]));
    }
    // This server fails with 500 where a longer babble in JSON's strings is no UTF-8.
    let mut free = question("How fast?");
    free.params.max_tokens = Some(2);
    let babble = ask(&mut ledger, &mut endpoint, &free).text;
    free.constraint = Some(AnswerConstraint::JsonObject);
    let held = ask(&mut ledger, &mut endpoint, &free).text;
    assert_ne!(babble, held);
    assert!(["", "{"].contains(&held.trim()), "{held:?}");
}

#[test]
fn a_refusal_shows_the_servers_own_words_and_no_key() {
    let Some(python) = find_python("a_refusal_shows_the_servers_own_words_and_no_key") else {
        return;
    };
    let mut ledger = TestLedger::new();
    let model = make_model(&python, ledger.dir.path(), 7);
    let server = LlamaServer::start(&python, &model, &["--key", "sk-right-0123456789"]);
    let mut reply = |key: &str, question: &Question| {
        let key = Some(ApiKey::new(key.to_owned()).unwrap());
        let client = OpenAiClient::new(&server.base_url(), key, limits()).unwrap();
        let mut endpoint = Oracle::OpenAi(Box::new(client));
        let asked = consult_oracle(&mut ledger.session, &mut endpoint, "llm", question).unwrap();
        asked.exchange.reply.map_err(|fault| fault.to_string())
    };
    let refused = reply("sk-wrong-0123456789", &question("?")).unwrap_err();
    assert_eq!(refused, "status 401: Invalid API Key");
    assert!(reply("sk-right-0123456789", &question("?")).is_ok());
    let mut broken = question("?");
    let grammar = "root ::= nothing".to_owned();
    broken.constraint = Some(AnswerConstraint::Grammar(GrammarDialect::LlamaCpp, grammar));
    let refused = reply("sk-right-0123456789", &broken).unwrap_err();
    assert!(
        refused.starts_with("status 400: ") && refused.contains("grammar"),
        "{refused}"
    );
}

#[test]
fn a_server_that_streams_unasked_is_a_transport_failure() {
    let Some(python) = find_python("a_server_that_streams_unasked_is_a_transport_failure") else {
        return;
    };
    let mut ledger = TestLedger::new();
    let model = make_model(&python, ledger.dir.path(), 7);
    let server = LlamaServer::start(&python, &model, &[]);
    let base_url = start_proxy(vec![server.port], |body| {
        body.replace("\"stream\":false", "\"stream\":true")
    });
    let limits = ClientLimits {
        backoff: vec![Duration::from_millis(1); 3],
        ..limits()
    };
    let openai = OpenAiClient::new(&base_url, None, limits.clone()).unwrap();
    let anthropic = AnthropicClient::new(&base_url, None, limits).unwrap();
    for mut endpoint in [
        Oracle::OpenAi(Box::new(openai)),
        Oracle::Anthropic(Box::new(anthropic)),
    ] {
        let asked = question("?");
        let asked = consult_oracle(&mut ledger.session, &mut endpoint, "llm", &asked).unwrap();
        assert_eq!(asked.exchange.attempts.len(), 4);
        let fault = asked.exchange.reply.unwrap_err().to_string();
        assert!(
            fault.contains("a stream of events, though the request says \"stream\": false"),
            "{fault}"
        );
    }
}

#[test]
fn a_server_that_is_killed_in_mid_answer_is_asked_again() {
    let Some(python) = find_python("a_server_that_is_killed_in_mid_answer_is_asked_again") else {
        return;
    };
    let mut ledger = TestLedger::new();
    let model = make_model(&python, ledger.dir.path(), 7);
    let mut server = LlamaServer::start(&python, &model, &[]);
    // The grammar has no end, so that the server writes all tokens.
    let mut long = question("Go on and on.");
    long.params.max_tokens = Some(4_000);
    let grammar = "root ::= [a-z] root".to_owned();
    long.constraint = Some(AnswerConstraint::Grammar(GrammarDialect::LlamaCpp, grammar));
    let mut short = question("Be brief.");
    short.constraint = Some(AnswerConstraint::Grammar(
        GrammarDialect::LlamaCpp,
        "root ::= \"yes\"".to_owned(),
    ));
    let (restarted, restart) = mpsc::channel();
    let client = OpenAiClient::new(&server.base_url(), None, limits()).unwrap();
    let client = client.with_clock(Arc::new(RestartClock::new(restart)));
    let mut endpoint = Oracle::OpenAi(Box::new(client));
    assert_eq!(ask(&mut ledger, &mut endpoint, &short).text, "yes");

    let port = server.port;
    let restarting = thread::spawn(move || {
        server.wait_until_it_writes();
        server.kill();
        let server = LlamaServer::start_at(port, &python, &model, &[]);
        restarted.send(()).unwrap();
        server
    });
    let asked = consult_oracle(&mut ledger.session, &mut endpoint, "llm", &long).unwrap();
    let server = restarting.join().unwrap();
    let attempts = asked.exchange.attempts.iter();
    let faults: Vec<_> = attempts.map(|attempt| attempt.fault.as_ref()).collect();
    assert!(
        matches!(faults[..], [Some(AskFault::Connection(_)), None]),
        "{faults:?}"
    );
    let answer = asked.exchange.reply.unwrap();
    assert!(answer.usage.unwrap().completion_tokens > 100);
    drop(server);
}

#[test]
fn other_weights_under_the_same_name_answer_differently() {
    let Some(python) = find_python("other_weights_under_the_same_name_answer_differently") else {
        return;
    };
    let mut ledger = TestLedger::new();
    let grammar = candidates_grammar();
    let options = ["--grammar", grammar.to_str().unwrap()];
    let mut asked = question("Answer with this object: {\"candidates\":[]}");
    asked.params.max_tokens = Some(2048);
    let mut answers = Vec::new();
    for seed in [1, 2] {
        let model = make_model(&python, ledger.dir.path(), seed);
        let server = LlamaServer::start(&python, &model, &options);
        answers.push(ask(&mut ledger, &mut openai(&server.base_url()), &asked));
    }
    assert_eq!(answers[0].model, answers[1].model);
    assert_ne!(answers[0].text, answers[1].text);
}
