//! The waits between requests: what a server asks for, and the pace.

use std::time::Duration;

use axilog_oracle::ClientLimits;
use axilog_testkit::harness::client::client_with_limits;
use axilog_testkit::harness::server::{Act, Server};
use axilog_testkit::harness::test_ledger::TestLedger;

const SHORT: Duration = Duration::from_millis(1);

fn limits(max_retry_after: Duration, pace: Duration) -> ClientLimits {
    ClientLimits {
        backoff: vec![SHORT; 3],
        max_retry_after,
        pace,
        ..ClientLimits::default()
    }
}

/// The recorded waits before each attempt, once the client has waited so long.
fn waits(acts: Vec<Act>, max_retry_after: Duration) -> Vec<Duration> {
    let server = Server::new(acts);
    let mut endpoint = client_with_limits(&server, limits(max_retry_after, Duration::ZERO));
    let consultation = TestLedger::new().ask(&mut endpoint, "?").unwrap();
    assert_eq!(consultation.admitted_text(), Some("ok"));
    let attempts = consultation.exchange.attempts.iter();
    let waits: Vec<Duration> = attempts.map(|attempt| attempt.delay).collect();
    assert_eq!(server.clock.elapsed(), waits.iter().sum());
    waits
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
    let second = Duration::from_secs(1);
    let waits = waits(acts, Duration::from_secs(60));
    assert_eq!(waits, [Duration::ZERO, second, SHORT, second]);
}

#[test]
fn a_server_that_asks_for_an_hour_gets_the_longest_wait() {
    let acts = vec![
        Act::RespondWith(503, "Retry-After: 3600\r\n", String::new()),
        Act::RespondWith(429, "Retry-After: 99999999999999999999\r\n", String::new()),
        Act::RespondWith(429, "Retry-After: tomorrow\r\n", String::new()),
        Act::say("ok"),
    ];
    let longest = Duration::from_secs(60);
    assert_eq!(
        waits(acts, longest),
        [Duration::ZERO, longest, longest, SHORT]
    );
}

#[test]
fn requests_start_no_closer_than_the_pace() {
    let millis = Duration::from_millis;
    let (pace, slow) = (millis(250), millis(100));
    let after = |act| Act::After(slow, Box::new(act));
    let server = Server::new(vec![
        after(Act::say("a")),
        after(Act::Respond(503, String::new())),
        Act::After(pace, Box::new(Act::say("b"))),
        Act::say("c"),
    ]);
    let mut endpoint = client_with_limits(&server, limits(Duration::ZERO, pace));
    let mut ledger = TestLedger::new();
    let mut ask = |input| ledger.ask(&mut endpoint, input).unwrap().exchange.attempts;
    // What a call waits for its turn is no part of it; what it waits between its attempts is.
    let first = ask("1");
    assert_eq!((first[0].delay, first[0].duration), (Duration::ZERO, slow));
    assert_eq!(server.clock.elapsed(), slow);
    let second = ask("2");
    assert_eq!(
        (second[0].delay, second[0].duration),
        (Duration::ZERO, slow)
    );
    assert_eq!((second[1].delay, second[1].duration), (pace - slow, pace));
    assert_eq!(server.clock.elapsed(), pace * 3);
    // The answer took the time of a pace, and the next request starts at once.
    assert_eq!(ask("3")[0].delay, Duration::ZERO);
    assert_eq!(server.clock.elapsed(), pace * 3);
}
