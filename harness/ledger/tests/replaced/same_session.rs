//! Random ledgers that are closed and opened again and again, from saved states and without: both sessions are the same,
//! and so is every byte that they record.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};

use axilog::agent::state::InputClass;
use axilog::evidence::observation::Failure;
use axilog_ledger::error::LedgerError;
use axilog_ledger::manifest::Manifest;
use axilog_ledger::rules::{RuleSet, load_builtin_policies};
use axilog_ledger::session::{Opening, OracleCall, OracleReply, Session};
use axilog_policyc::PolicySet;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::{START, ask};

/// What happens to a ledger.
#[derive(Clone, Debug)]
enum Event {
    /// An answer of an oracle to a question.
    Answer(u8, u8, String),
    Invalid(u8),
    Failure(u8),
    Time(u8),
    Control(InputClass),
    /// The state is saved, where there are states.
    Save,
    /// The session ends and another begins.
    Reopen,
    /// The last bytes are cut off between two sessions.
    CutOff(u16),
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let amount = prop_oneof![
        3 => (-99i32..9999).prop_map(|cents| format!("{{\"value\":{}e-2,\"amount\":{}e-2}}", cents, cents)),
        1 => Just("{\"value\":9e9,\"amount\":9e9}".to_owned()),
        1 => Just("{}".to_owned()),
        1 => Just("x".repeat(70_000)),
    ];
    let class = prop_oneof![
        Just(InputClass::PolicyTrigger),
        Just(InputClass::ResetRequest),
        Just(InputClass::FaultSignal),
    ];
    let event = prop_oneof![
        8 => (0u8..3, 0u8..3, amount).prop_map(|(oracle, question, answer)| Event::Answer(oracle, question, answer)),
        1 => (0u8..3).prop_map(Event::Invalid),
        1 => (0u8..3).prop_map(Event::Failure),
        3 => (1u8..9).prop_map(Event::Time),
        3 => class.prop_map(Event::Control),
        4 => Just(Event::Save),
        4 => Just(Event::Reopen),
        1 => (1u16..2000).prop_map(Event::CutOff),
    ];
    prop::collection::vec(event, 1..40)
}

/// A ledger and its session.
struct LedgerRun {
    path: PathBuf,
    session: Option<Session>,
    has_states: bool,
}

impl LedgerRun {
    fn begin(folder: &Path, name: &str, has_running_values: bool) -> LedgerRun {
        let path = folder.join(name);
        let (session, _) = match has_running_values {
            true => {
                let rules = RuleSet::new(PolicySet::parse(LIMITS.as_bytes()).unwrap(), true, false);
                Session::create_with_manifest(&path, &rules, &manifest(), START).unwrap()
            }
            false => {
                let rules = RuleSet::new(load_builtin_policies().unwrap(), false, false);
                Session::create(&path, rules, START).unwrap()
            }
        };
        LedgerRun {
            has_states: name == "with.jsonl",
            path,
            session: Some(session),
        }
    }

    fn session(&mut self) -> &mut Session {
        self.session.as_mut().unwrap()
    }

    /// What a step gave, in words.
    fn act(&mut self, event: &Event, count: u64) -> String {
        let has_states = self.has_states;
        match event {
            Event::Answer(oracle, question, answer) => {
                let call = call(*oracle, *question);
                self.observe(&call, OracleReply::Answer(answer.as_bytes()))
            }
            Event::Invalid(oracle) => {
                let answer = [b"{\"value\":\xff", count.to_string().as_bytes()].concat();
                self.observe(&call(*oracle, 0), OracleReply::Answer(&answer))
            }
            Event::Failure(oracle) => {
                self.observe(&call(*oracle, 1), OracleReply::Failure(Failure::Timeout))
            }
            Event::Time(ahead) => {
                let time = self.session().agent().last_timestamp + u64::from(*ahead);
                describe(self.session().observe_time(time, false))
            }
            Event::Control(class) => describe(self.session().observe_control(*class)),
            Event::Save => {
                if has_states {
                    self.session().save_state().unwrap();
                }
                String::new()
            }
            Event::Reopen => {
                self.session = None;
                self.open()
            }
            Event::CutOff(bytes) => {
                let end = self.session().durable_position();
                self.session = None;
                let whole = fs::read(&self.path).unwrap();
                // What was acknowledged is cut off here; the beginning stays.
                let beginning = whole.split_inclusive(|byte| *byte == b'\n').take(5);
                let beginning: usize = beginning.map(<[u8]>::len).sum();
                let length = whole.len().saturating_sub((*bytes).into()).max(beginning);
                let file = fs::OpenOptions::new().write(true).open(&self.path);
                file.unwrap().set_len(length as u64).unwrap();
                format!("{end} {}", self.open())
            }
        }
    }

    fn observe(&mut self, call: &OracleCall, reply: OracleReply<'_>) -> String {
        describe(self.session().observe(call, reply))
    }

    fn open(&mut self) -> String {
        let session = Session::open(&self.path, None).unwrap();
        let left = session.left_behind().map(|left| left.files);
        let torn = session.torn_line().map(|torn| torn.bytes);
        let told = format!(
            "{:?} {left:?} {torn:?} {} {}",
            session.agent(),
            session.completed_records(),
            session.durable_position()
        );
        self.session = Some(session);
        told
    }
}

fn describe(decision: Result<axilog_ledger::decision::StepDecision, LedgerError>) -> String {
    match decision {
        Ok(decision) => format!("{decision:?}"),
        // The paths differ.
        Err(error) => format!("{error:?}").replace("without.jsonl", "with.jsonl"),
    }
}

fn call(oracle: u8, question: u8) -> OracleCall {
    OracleCall {
        oracle_id: ["pay", "o", "other"][usize::from(oracle)].to_owned(),
        ..ask(["", "which speed?", "how much?"][usize::from(question)])
    }
}

const LIMITS: &str = r##"{"ax.change.step#value":[{"comparison":"GT","enabled":true,"policy_id":"CHANGE","threshold":3932160}],"ax.count.calls#value":[{"comparison":"GT","enabled":true,"policy_id":"COUNT","threshold":327680}],"ax.sum.spend#value":[{"comparison":"GT","enabled":true,"policy_id":"SUM","threshold":19660800}]}"##;

fn manifest() -> Manifest {
    let values = r#"{
        "ax.change.step": {"oracle": "pay", "path": "amount"},
        "ax.count.calls": {"oracle": "pay", "window": 10},
        "ax.sum.spend": {"oracle": "pay", "path": "/amount", "window": 10}
    }"#;
    Manifest::default()
        .with_running_values(serde_json::from_str(values).unwrap())
        .unwrap()
}

/// The numbers of openings from a state, and of those with records after it.
#[derive(Default)]
struct Openings {
    resumed: Cell<u64>,
    with_records_after: Cell<u64>,
}

impl Openings {
    fn count(&self, session: &Session) {
        if let Opening::Resumed { replayed_bytes } = session.opening() {
            self.resumed.update(|count| count + 1);
            let is_after = u64::from(*replayed_bytes > 0);
            self.with_records_after.update(|count| count + is_after);
        }
    }
}

#[test]
fn a_session_from_a_saved_state_is_the_same_as_one_that_replays_everything() {
    let cases = match std::env::var_os("AXILOG_WIDE") {
        Some(_) => 2000,
        None => 120,
    };
    let openings = Openings::default();
    let mut runner = TestRunner::new(Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    });
    runner
        .run(&(events(), any::<bool>()), |(events, has_values)| {
            let folder = tempfile::tempdir().unwrap();
            let mut with = LedgerRun::begin(folder.path(), "with.jsonl", has_values);
            let mut without = LedgerRun::begin(folder.path(), "without.jsonl", has_values);
            for (event, count) in events.iter().zip(0..) {
                let told = (with.act(event, count), without.act(event, count));
                prop_assert_eq!(told.0, told.1, "{:?}", event);
                if matches!(event, Event::Reopen | Event::CutOff(_)) {
                    openings.count(with.session());
                    let opening = without.session().opening();
                    let is_replayed = matches!(opening, Opening::Replayed { .. });
                    prop_assert!(is_replayed);
                }
            }
            drop((with.session.take(), without.session.take()));
            let files = (fs::read(&with.path), fs::read(&without.path));
            prop_assert!(files.0.unwrap() == files.1.unwrap());
            Ok(())
        })
        .unwrap();
    let (resumed, after) = (openings.resumed.get(), openings.with_records_after.get());
    println!("{resumed} openings from a state, {after} with records after it");
    assert!(resumed > u64::from(cases) && after > u64::from(cases) / 4);
}
