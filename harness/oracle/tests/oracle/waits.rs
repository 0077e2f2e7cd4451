//! The waits between requests: what a server asks for, and the pace.

use std::time::{Duration, Instant};

use axilog_oracle::{ApiKey, ClientLimits, Endpoint, OpenAiClient};

use crate::client::KEY;
use crate::server::{Act, Server};
use crate::test_ledger::TestLedger;

const SHORT: Duration = Duration::from_millis(1);

/// An endpoint whose waits are these.
fn endpoint(server: &Server, max_retry_after: Duration, pace: Duration) -> Endpoint {
    let limits = ClientLimits {
        backoff: vec![SHORT; 3],
        max_retry_after,
        pace,
        ..ClientLimits::default()
    };
    let key = ApiKey::new(KEY.to_owned()).unwrap();
    let client = OpenAiClient::new(&server.base_url, Some(key), limits).unwrap();
    Endpoint::OpenAi(Box::new(client))
}

/// The waits before each attempt, and the time of the whole call.
fn waits(acts: Vec<Act>, max_retry_after: Duration) -> (Vec<Duration>, Duration) {
    let server = Server::new(acts);
    let mut endpoint = endpoint(&server, max_retry_after, Duration::ZERO);
    let mut ledger = TestLedger::new();
    let start = Instant::now();
    let consultation = ledger.ask(&mut endpoint, "?").unwrap();
    let took = start.elapsed();
    assert_eq!(consultation.admitted_text(), Some("ok"));
    let attempts = consultation.exchange.attempts.iter();
    (attempts.map(|attempt| attempt.delay).collect(), took)
}

#[test]
fn a_server_is_given_the_time_that_it_asks_for() {
    let busy = |header| Act::RespondWith(429, header, String::new());
    let acts = vec![
        busy("Retry-After: 1\r\n"),
        busy("Retry-After: 0\r\n"),
        busy(
            "Retry-After: Sun, 06 Nov 1994 08:49:38 GMT\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
        ),
        Act::say("ok"),
    ];
    let (waits, took) = waits(acts, Duration::from_secs(60));
    let second = Duration::from_secs(1);
    assert_eq!(waits, [Duration::ZERO, second, SHORT, second]);
    assert!(took >= second * 2, "{took:?}");
}

#[test]
fn a_server_that_asks_for_an_hour_gets_the_longest_wait() {
    let longest = Duration::from_millis(300);
    let acts = vec![
        Act::RespondWith(503, "Retry-After: 3600\r\n", String::new()),
        Act::RespondWith(429, "Retry-After: 99999999999999999999\r\n", String::new()),
        Act::RespondWith(429, "Retry-After: tomorrow\r\n", String::new()),
        Act::say("ok"),
    ];
    let (waits, took) = waits(acts, longest);
    assert_eq!(waits, [Duration::ZERO, longest, longest, SHORT]);
    assert!(
        took >= longest * 2 && took < Duration::from_secs(30),
        "{took:?}"
    );
}

#[test]
fn requests_start_no_closer_than_the_pace() {
    let pace = Duration::from_millis(250);
    let busy = Act::Respond(503, String::new());
    let server = Server::new(vec![Act::say("a"), busy, Act::say("b"), Act::say("c")]);
    let mut endpoint = endpoint(&server, Duration::ZERO, pace);
    let mut ledger = TestLedger::new();
    let start = Instant::now();
    let first = ledger.ask(&mut endpoint, "1").unwrap();
    assert!(start.elapsed() < pace, "the first call waits for nothing");
    let second = ledger.ask(&mut endpoint, "2").unwrap();
    let third = ledger.ask(&mut endpoint, "3").unwrap();
    assert!(start.elapsed() >= pace * 3, "{:?}", start.elapsed());
    // What a call waits for its turn is no part of it; what it waits between its attempts is.
    for consultation in [&first, &second, &third] {
        assert_eq!(consultation.exchange.attempts[0].delay, Duration::ZERO);
    }
    let delay = second.exchange.attempts[1].delay;
    assert!(delay > SHORT && delay <= pace, "{delay:?}");
}
