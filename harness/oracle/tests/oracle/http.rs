//! The HTTP client and a server that misbehaves.

use std::time::Duration;

use axilog::evidence::observation::{Completion, Failure};
use axilog_oracle::{AskFault, ClientLimits, Consultation, TokenUsage};
use axilog_testkit::harness::client::{KEY, client, client_with_limits};
use axilog_testkit::harness::server::{Act, Server, completion};
use axilog_testkit::harness::test_ledger::TestLedger;
use serde_json::json;

/// Asks a server that performs `acts` one question. Gives the number of requests too.
fn ask_server(acts: Vec<Act>) -> (Consultation, usize) {
    let server = Server::new(acts);
    let mut ledger = TestLedger::new();
    let mut endpoint = client(&server);
    let consultation = ledger.ask(&mut endpoint, "How fast?").unwrap();
    (consultation, server.requests().len())
}

#[test]
fn a_question_goes_out_as_it_is_recorded_and_the_answer_comes_back() {
    let server = Server::new(vec![Act::say("{\"value\":1}")]);
    let mut ledger = TestLedger::new();
    let mut endpoint = client(&server);
    let consultation = ledger.ask(&mut endpoint, "How fast?").unwrap();
    let request = server.requests().remove(0);
    assert!(
        request
            .head
            .starts_with("POST /v1/chat/completions HTTP/1.1\r\n")
    );
    let authorization = format!("authorization: bearer {KEY}");
    assert!(request.head.to_ascii_lowercase().contains(&authorization));
    assert_eq!(
        request.body,
        json!({
            "model": "model-1",
            "messages": [
                { "role": "system", "content": "Answer in JSON." },
                { "role": "user", "content": "How fast?" },
            ],
            "max_tokens": 2048,
            "temperature": 0.0,
            "stream": false,
        })
    );
    assert_eq!(consultation.admitted_text(), Some("{\"value\":1}"));
    assert!(consultation.decision.is_permitted);
    let answer = consultation.exchange.reply.unwrap();
    assert_eq!(answer.model.as_deref(), Some("model-1"));
    assert_eq!(answer.finish_reason.as_deref(), Some("stop"));
    let usage = TokenUsage {
        prompt_tokens: 11,
        completion_tokens: 3,
    };
    assert_eq!(answer.usage, Some(usage));
    assert_eq!(consultation.exchange.attempts.len(), 1);
}

#[test]
fn what_may_pass_is_tried_again_and_every_attempt_is_kept() {
    let busy = |status| Act::Respond(status, json!({"error": {"message": "busy"}}).to_string());
    let (consultation, requests) =
        ask_server(vec![busy(429), busy(500), Act::Drop, Act::say("ok")]);
    assert_eq!(requests, 4);
    assert_eq!(consultation.admitted_text(), Some("ok"));
    let attempts = &consultation.exchange.attempts;
    let faults: Vec<String> = attempts
        .iter()
        .map(|attempt| {
            attempt
                .fault
                .as_ref()
                .map_or("none".into(), AskFault::to_string)
        })
        .collect();
    assert_eq!(faults[..2], ["status 429: busy", "status 500: busy"]);
    assert!(
        faults[2].starts_with("the connection failed: "),
        "{faults:?}"
    );
    assert!(!faults[2].contains("127.0.0.1"), "{faults:?}");
    assert_eq!(faults[3], "none");
    assert_eq!(attempts[0].delay, Duration::ZERO);
    assert_eq!(attempts[3].delay, Duration::from_secs(4));
}

#[test]
fn four_attempts_are_all_and_the_last_fault_is_recorded() {
    for (act, failure) in [
        (Act::Respond(429, String::new()), Failure::TransportError),
        (
            Act::Respond(503, "<html>".to_owned()),
            Failure::TransportError,
        ),
        // The body is too long to be read, but the status counts.
        (
            Act::Respond(503, "a".repeat(1 << 17)),
            Failure::TransportError,
        ),
        (Act::Drop, Failure::TransportError),
        (Act::Noise, Failure::TransportError),
        (Act::DropInside(completion("a")), Failure::TransportError),
    ] {
        let (consultation, requests) = ask_server(vec![act; 5]);
        assert_eq!(requests, 4);
        assert_eq!(consultation.exchange.attempts.len(), 4);
        assert_eq!(consultation.admitted_text(), None);
        let recorded = &consultation.decision.observation;
        assert_eq!(recorded.completion, Completion::Error);
        assert_eq!(recorded.failure, Some(failure));
        assert!(!consultation.decision.is_permitted);
    }
}

#[test]
fn a_server_that_hangs_is_a_timeout() {
    // Half of it is more than the system takes for a client that reads nothing: the client hangs inside the body.
    let long = "a".repeat(64 << 20);
    for act in [Act::Hang, Act::HangInside(200, long)] {
        let server = Server::new(vec![act; 4]);
        let limits = ClientLimits {
            max_response_bytes: 1 << 30,
            ..ClientLimits::default()
        };
        let mut endpoint = client_with_limits(&server, limits);
        let consultation = TestLedger::new().ask(&mut endpoint, "?").unwrap();
        assert_eq!(consultation.exchange.reply, Err(AskFault::Timeout));
        assert_eq!(consultation.exchange.attempts.len(), 4);
        for attempt in &consultation.exchange.attempts {
            assert_eq!(attempt.duration, Duration::from_secs(30));
        }
        let recorded = &consultation.decision.observation;
        assert_eq!(recorded.failure, Some(Failure::Timeout));
    }
}

#[test]
fn the_status_of_a_failure_whose_body_hangs_counts() {
    let long = "a".repeat(64 << 20);
    let server = Server::new(vec![Act::HangInside(400, long), Act::say("ok")]);
    let limits = ClientLimits {
        max_response_bytes: 1 << 30,
        ..ClientLimits::default()
    };
    let mut endpoint = client_with_limits(&server, limits);
    let consultation = TestLedger::new().ask(&mut endpoint, "?").unwrap();
    let fault = consultation.exchange.reply.unwrap_err();
    assert_eq!(fault.to_string(), "status 400");
    assert_eq!(server.clock.elapsed(), Duration::from_secs(30));
}

#[test]
fn nobody_there_is_a_connection_error() {
    let server = Server::new(vec![]);
    // The server stops listening at once.
    let (mut ledger, mut endpoint) = (TestLedger::new(), client(&server));
    let consultation = ledger.ask(&mut endpoint, "?").unwrap();
    assert!(matches!(
        consultation.exchange.reply,
        Err(AskFault::Connection(_))
    ));
    assert_eq!(consultation.exchange.attempts.len(), 4);
}

#[test]
fn what_does_not_pass_fails_at_once() {
    let elsewhere = "Location: http://127.0.0.1:1/v1/chat/completions\r\n";
    for (act, fault) in [
        (Act::Respond(400, String::new()), "status 400"),
        (
            Act::Respond(404, "{\"error\":\"no such model\"}".into()),
            "status 404: no such model",
        ),
        (
            Act::Respond(
                401,
                r#"{"error":{"message":"Wrong key: sk-te***cdef"}}"#.into(),
            ),
            "status 401: Wrong key: [key removed]",
        ),
        (
            Act::RespondWith(307, elsewhere, String::new()),
            "status 307",
        ),
    ] {
        let (consultation, requests) = ask_server(vec![act; 2]);
        assert_eq!(requests, 1, "{fault}");
        let found = consultation.exchange.reply.unwrap_err();
        assert_eq!(found.to_string(), fault);
        let recorded = &consultation.decision.observation;
        assert_eq!(recorded.failure, Some(Failure::TransportError), "{fault}");
    }
}

/// Q8: only what was received as an answer is one.
#[test]
fn a_success_that_is_no_completion_is_a_transport_failure() {
    let event = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
    for (act, fault) in [
        (
            Act::Respond(200, "<html>".into()),
            "no completion: not JSON",
        ),
        (Act::Respond(200, String::new()), "not JSON"),
        (Act::Respond(200, "{}".into()), "no choices[0]"),
        (
            Act::Respond(200, r#"{"error":{"message":"\u001b[1mover quota"}}"#.into()),
            "no choices[0]; the server's message: [1mover quota",
        ),
        (Act::Respond(200, event.into()), "a stream of events"),
        (
            Act::Stream(event.into()),
            "a stream of events, though the request says \"stream\": false",
        ),
        (Act::Endless, "more than 65536 bytes"),
        (
            Act::Respond(200, completion(&"a".repeat(1 << 16))),
            "more than 65536 bytes",
        ),
    ] {
        let (consultation, requests) = ask_server(vec![act.clone(); 5]);
        assert_eq!(requests, 4, "{fault}");
        let found = consultation.exchange.reply.unwrap_err();
        assert!(found.to_string().contains(fault), "{found}");
        let recorded = &consultation.decision.observation;
        assert_eq!(recorded.failure, Some(Failure::TransportError), "{fault}");

        let (consultation, requests) = ask_server(vec![act, Act::say("ok")]);
        assert_eq!(requests, 2, "{fault}");
        assert_eq!(consultation.admitted_text(), Some("ok"));
    }
}

#[test]
fn every_status_that_may_pass_is_tried_again() {
    for status in [408, 409, 425, 429, 500, 502, 503, 504, 529, 599] {
        let acts = vec![Act::Respond(status, String::new()), Act::say("ok")];
        let (consultation, requests) = ask_server(acts);
        assert_eq!(requests, 2, "{status}");
        assert_eq!(consultation.admitted_text(), Some("ok"), "{status}");
    }
    for status in [400, 402, 403, 404, 410, 413, 422, 451] {
        let acts = vec![Act::Respond(status, String::new()), Act::say("ok")];
        let (consultation, requests) = ask_server(acts);
        assert_eq!(requests, 1, "{status}");
        assert!(consultation.exchange.reply.is_err(), "{status}");
    }
}
