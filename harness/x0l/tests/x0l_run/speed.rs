//! Servers that are too slow, and prompts that are over B1 by the server's own tokenizer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axilog_oracle::{OracleKind, ServerOptions, TransportSettings};
use axilog_testkit::harness::client::client;
use axilog_testkit::harness::server::{Act, Server, costly};
use axilog_x0l::condition::Condition;
use axilog_x0l::kernel::DecisionReason;
use axilog_x0l::live::{ServerSpeed, SessionPlan, SessionSettings, examples, measure_speed};
use axilog_x0l::log::{PromptCount, SessionStatus};

use crate::session_directory::{SessionDirectory, settings};

fn settings_for(server: &Server, conditions: &[Condition]) -> SessionSettings {
    let mut settings = settings(conditions, 2);
    settings.oracle = OracleKind::OpenAi;
    settings.base_url.clone_from(&server.base_url);
    settings.transport = TransportSettings::new(&settings.oracle, &ServerOptions::default());
    settings
}

/// Measures a server whose answers take `time`, and gives the number of requests, too.
fn measure(answer_tokens: u64, time: Duration) -> (ServerSpeed, u64) {
    let asked = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&asked);
    let server = Server::answering(move |request| {
        counter.fetch_add(1, Ordering::Relaxed);
        let messages = request.body["messages"].as_array()?;
        let texts = messages.iter().filter_map(|it| it["content"].as_str());
        let bytes: usize = texts.map(str::len).sum();
        let tokens = match request.body["max_tokens"].as_u64()? {
            8 => 8,
            _ => answer_tokens,
        };
        let answer = costly("one two", bytes as u64 * 10 / 35, tokens);
        Some(Act::After(time, Box::new(Act::Respond(200, answer))))
    });
    let plan = SessionPlan::read(settings_for(&server, &[Condition::A, Condition::D])).unwrap();
    let speed = measure_speed(&plan, &mut client(&server)).unwrap().unwrap();
    (speed.unwrap(), asked.load(Ordering::Relaxed))
}

/// Two questions, or four where answers are short, tell which conditions cannot be answered in time.
#[test]
fn a_slow_server_is_found_before_anything_is_spent() {
    let (speed, asked) = measure(128, Duration::from_millis(100));
    assert_eq!((asked, speed.questions), (2, 2));
    assert!(speed.is_enough() && speed.check().is_ok(), "{speed:?}");

    // 64 tokens in 1.5 s are about 23 ms each: 1536 of them take longer than a call may.
    let (speed, asked) = measure(64, Duration::from_millis(1500));
    assert_eq!(asked, 2);
    let in_time = speed.conditions.iter().map(|it| speed.is_in_time(it));
    assert_eq!(in_time.collect::<Vec<_>>(), [true, false], "{speed:?}");
    let error = speed.check().unwrap_err();
    let expected = "a call may take 30 s, and these conditions need more: L-D ";
    assert!(error.contains(expected), "{error}");

    let (speed, asked) = measure(2, Duration::from_millis(100));
    assert_eq!((asked, speed.questions), (4, 4));
}

/// Under a B1 of 1000 the prompts of L-A may have fewer tokens, as far as their words say. By a tokenizer of three tokens
/// a word they have more, and are not sent; replay accepts the count where the run says that the server counted.
#[test]
fn a_prompt_over_b1_by_the_servers_tokenizer_is_not_sent() {
    for (tokens_per_word, is_sent) in [(1, true), (3, false)] {
        let server = Server::with_tokenizer(tokens_per_word, move |request| {
            let user = request.body["messages"][1]["content"].as_str()?;
            let is_cycle = user.contains("obs-1");
            let tokens = if is_cycle { 900 } else { 40 };
            Some(Act::Respond(200, costly("{\"candidates\":[]}", tokens, 5)))
        });
        let directory = SessionDirectory::new();
        let mut settings = settings_for(&server, &[Condition::A]);
        let constitution = examples::CONSTITUTION.replace("6000", "1000");
        settings.constitution = Some(directory.write("c.toml", &constitution));
        let outcome = directory.run(settings, &mut client(&server), u64::MAX);
        let outcome = outcome.unwrap();
        assert_eq!(
            outcome.status,
            SessionStatus::Complete,
            "{:?}",
            outcome.reason
        );
        let frozen = directory.metadata().frozen;
        assert_eq!(
            (frozen.prompt_count, frozen.b1),
            (Some(PromptCount::Server), 1000)
        );
        for cycle in directory.cycles() {
            assert_eq!(cycle.ledger_seq.is_some(), is_sent);
            if !is_sent {
                let reason = cycle.decision.reason;
                assert_eq!(reason, Some(DecisionReason::BudgetExhausted));
                assert!(cycle.prompt_tokens > 1000);
            }
        }
        assert_eq!(outcome.tokens_spent, if is_sent { 2 * 905 } else { 0 });
    }
}
