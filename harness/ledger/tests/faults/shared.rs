//! Sessions that several threads share: what is acknowledged is durable, and a fault is told to each call that waited
//! for what it broke. That steps share syncs is tested beside the code, where the line can be seen.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

use axilog::admission::InputKind;
use axilog::evidence::observation::Params;
use axilog_ledger::error::LedgerError;
use axilog_ledger::file::LedgerFile;
use axilog_ledger::file::place::Displacement;
use axilog_ledger::file::storage::Storage;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::shared::{SharedSession, SharedSessionError};
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use axilog_ledger::verify::{LedgerExpectations, verify_ledger};

use crate::content::Crash;
use crate::disk::{Disk, DiskState, Fault};
use crate::print_faults;
use crate::run::START;

/// A ledger whose syncs take time, as those of a real disk do.
#[derive(Debug)]
struct SlowStorage {
    inner: Box<dyn Storage>,
}

impl Storage for SlowStorage {
    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    fn read_at(&self, at: u64, into: &mut [u8]) -> io::Result<usize> {
        self.inner.read_at(at, into)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner.append(bytes)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.inner.set_len(len)
    }

    fn sync(&mut self) -> io::Result<()> {
        thread::sleep(Duration::from_millis(2));
        self.inner.sync()
    }

    fn check_place(&self, len: u64) -> Result<(), Displacement> {
        self.inner.check_place(len)
    }
}

fn open(disk: &Disk) -> Result<Session, LedgerError> {
    let storage = SlowStorage {
        inner: disk.ledger(),
    };
    let path = Path::new("under-test.jsonl");
    let file = LedgerFile::with_storage(path, Box::new(storage), Arc::new(disk.clone()))?;
    Session::open_or_create_in(file, None, START).map(|(session, _)| session)
}

fn call(thread: usize, step: usize) -> OracleCall {
    let question = format!("thread {thread}, step {step}?");
    OracleCall {
        oracle_id: format!("oracle-{thread}"),
        model_id: "model-1".to_owned(),
        params: Params::NULL,
        input: CanonicalInput::new(question.as_bytes(), InputKind::Text).unwrap(),
    }
}

/// The observations of a ledger that verifies, without those of its beginning.
fn count_answers(ledger: &[u8]) -> usize {
    let mut answers = 0;
    let expected = LedgerExpectations::default();
    let report = verify_ledger(ledger, None, &expected, &mut |record| {
        let oracle = record.observation.map(|view| view.oracle_id.bytes());
        answers += usize::from(oracle.is_some_and(|id| id.starts_with(b"oracle-")));
    });
    assert_eq!(report.unwrap().fault, None);
    answers
}

fn count_lines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// What became of the calls of several threads.
#[derive(Default)]
struct Outcomes {
    /// The length of the ledger after each step that was acknowledged.
    acknowledged: Vec<u64>,
    refused: Vec<SharedSessionError>,
}

/// Records from several threads, and asserts of each step that is acknowledged that no power failure loses it.
fn record(shared: &SharedSession, disk: &Disk, threads: usize, steps: usize) -> Outcomes {
    let outcomes = Mutex::new(Outcomes::default());
    let begin = Barrier::new(threads);
    thread::scope(|scope| {
        for number in 0..threads {
            let (outcomes, begin) = (&outcomes, &begin);
            scope.spawn(move || {
                begin.wait();
                for step in 0..steps {
                    let answer = OracleReply::Answer(b"{\"value\": 1}");
                    let observed = shared.observe(&call(number, step), answer);
                    match observed {
                        Ok(decision) => {
                            let kept = count_lines(&disk.after(Crash::AllLost).ledger);
                            assert!(decision.entries <= kept, "{} of {kept}", decision.entries);
                            outcomes.lock().unwrap().acknowledged.push(decision.entries);
                        }
                        Err(error) => outcomes.lock().unwrap().refused.push(error),
                    }
                }
            });
        }
    });
    outcomes.into_inner().unwrap()
}

#[test]
fn each_step_of_several_threads_is_durable_when_it_is_acknowledged() {
    const THREADS: usize = 64;
    const STEPS: usize = 3;
    let disk = Disk::new(&DiskState::default(), Fault::None, usize::MAX);
    let shared = SharedSession::new(open(&disk).unwrap());
    let outcomes = record(&shared, &disk, THREADS, STEPS);
    assert!(outcomes.refused.is_empty());
    assert_eq!(outcomes.acknowledged.len(), THREADS * STEPS);
    shared.close().unwrap();
    let kept = disk.after(Crash::AllLost);
    assert_eq!(count_answers(&kept.ledger), THREADS * STEPS);
    // The questions are there too.
    assert!(kept.files.len() >= THREADS * STEPS);
}

#[test]
fn no_fault_loses_a_step_that_was_acknowledged_to_a_thread() {
    const THREADS: usize = 8;
    const STEPS: usize = 2;
    let begun = Disk::new(&DiskState::default(), Fault::None, usize::MAX);
    drop(open(&begun).unwrap());
    let beginning = begun.now();
    let whole = Disk::new(&beginning, Fault::None, usize::MAX);
    let session = open(&whole).unwrap();
    let first = whole.operations();
    record(&SharedSession::new(session), &whole, THREADS, STEPS);
    let (mut injected, mut not_durable) = (0, 0);
    for n in (first..whole.operations()).step_by(3) {
        for fault in [Fault::Once(n), Fault::FromThenOn(n)] {
            let disk = Disk::new(&beginning, fault, usize::MAX);
            let shared = SharedSession::new(open(&disk).unwrap());
            let outcomes = record(&shared, &disk, THREADS, STEPS);
            injected += disk.injected();
            let all = outcomes.acknowledged.len() + outcomes.refused.len();
            assert_eq!(all, THREADS * STEPS, "{fault:?}");
            let unsynced = |error: &&SharedSessionError| {
                matches!(
                    error,
                    SharedSessionError::Ledger(LedgerError::NotDurable { .. })
                )
            };
            not_durable += outcomes.refused.iter().filter(unsynced).count();
            drop(shared);
            for crash in [Crash::AllLost, Crash::AllKept] {
                let kept = disk.after(crash);
                let continued = Disk::new(&kept, Fault::None, usize::MAX);
                drop(open(&continued).unwrap());
                let answers = count_answers(&continued.now().ledger);
                assert!(
                    answers >= outcomes.acknowledged.len(),
                    "{fault:?} {crash:?}"
                );
            }
        }
    }
    print_faults(injected, "a session of several threads");
    assert!(injected > 30 && not_durable > 0, "{injected} {not_durable}");
}

#[test]
fn a_call_that_is_refused_keeps_nobody_waiting() {
    let disk = Disk::new(&DiskState::default(), Fault::None, usize::MAX);
    let shared = SharedSession::new(open(&disk).unwrap());
    thread::scope(|scope| {
        for number in 0..16 {
            let shared = &shared;
            scope.spawn(move || {
                for step in 0..4 {
                    let mut asked = call(number, step);
                    if number % 2 == 1 {
                        asked.oracle_id = "ax.time".to_owned();
                    }
                    let observed = shared.observe(&asked, OracleReply::Answer(b"{\"value\": 1}"));
                    assert_eq!(observed.is_ok(), number % 2 == 0);
                    let entries = shared.ask(|session| Ok(session.agent().ledger.sequence));
                    assert!(entries.unwrap() > 0);
                }
            });
        }
    });
    drop(shared);
    let kept = disk.after(Crash::AllLost);
    assert_eq!(count_answers(&kept.ledger), 32);
    // A question that was refused leaves no blob: those of the others, and the configuration.
    assert_eq!(kept.files.len(), 33);
}

#[test]
fn closing_waits_for_the_steps_before_and_refuses_those_behind() {
    let disk = Disk::new(&DiskState::default(), Fault::None, usize::MAX);
    let shared = SharedSession::new(open(&disk).unwrap());
    let acknowledged = AtomicU64::new(0);
    thread::scope(|scope| {
        for number in 0..16 {
            let (shared, acknowledged) = (&shared, &acknowledged);
            scope.spawn(move || {
                for step in 0.. {
                    let answer = OracleReply::Answer(b"{\"value\": 1}");
                    match shared.observe(&call(number, step), answer) {
                        Ok(_) => acknowledged.fetch_add(1, Ordering::Relaxed),
                        Err(SharedSessionError::Closed) => break,
                        Err(error) => panic!("{error}"),
                    };
                }
            });
        }
        thread::sleep(Duration::from_millis(20));
        shared.close().unwrap();
    });
    assert!(matches!(shared.close(), Err(SharedSessionError::Closed)));
    let answers = count_answers(&disk.after(Crash::AllLost).ledger);
    assert_eq!(answers as u64, acknowledged.load(Ordering::Relaxed));
    assert!(answers > 0);
}

#[test]
fn a_panic_in_a_step_keeps_nobody_waiting() {
    let disk = Disk::new(&DiskState::default(), Fault::None, usize::MAX);
    let shared = SharedSession::new(open(&disk).unwrap());
    thread::scope(|scope| {
        for number in 0..8 {
            let shared = &shared;
            scope.spawn(move || {
                for step in 0..8 {
                    let answer = OracleReply::Answer(b"{\"value\": 1}");
                    let _ = shared.observe(&call(number, step), answer);
                }
            });
        }
        let panicking = scope.spawn(|| {
            thread::sleep(Duration::from_millis(5));
            let _ = shared.step::<()>(|_| panic!("in the middle of a step"));
        });
        assert!(panicking.join().is_err());
    });
    let asked = shared.ask(|_| Ok(()));
    assert!(matches!(asked, Err(SharedSessionError::Panicked)));
    shared.close().unwrap();
    let ledger = disk.after(Crash::AllLost).ledger;
    assert!(ledger.ends_with(b"\n") && count_answers(&ledger) > 0);
}
