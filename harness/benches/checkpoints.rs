//! What a signed head after each 1000 records adds to a session that writes a ledger.
//!
//!     TMPDIR=/dev/shm cargo bench -p axilog-harness-benches --bench checkpoints
//!
//! A session records answers of 14 bytes to one question, each durable before the next, under the built-in policy; then one
//! does the same while the heads of its ledger are signed. They take turns, and the ratio is that of the second to the first:
//! of the time that passes until the last answer is recorded, and of the processor time of all threads until the last head is
//! signed. A disk whose syncs take long hides the difference, so the files lie in memory. With `--test` a session has 20
//! answers.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axilog::admission::InputKind;
use axilog::evidence::observation::Params;
use axilog_checkpoints::{CheckpointInterval, CheckpointSettings, CheckpointSigner, Patience};
use axilog_heads::LogKey;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::{OracleCall, OracleReply, Session};

/// Pairs of sessions; the median is given.
const ROUNDS: usize = 15;

/// The answers of a session, each of three records.
const ANSWERS: u32 = 20_000;

/// The name of the ledger and its key.
const NAME: &str = "example.com/plant";

/// How long a session took.
#[derive(Clone, Copy)]
struct SessionTimes {
    /// Until the last answer was recorded.
    recorded: Duration,
    /// The processor time until the last head was signed.
    processor: Duration,
}

/// The processor time of all threads of this process.
fn processor_time() -> Duration {
    // SAFETY: `getrusage` writes into the structure that it gets, of which each bit pattern is one.
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        assert_eq!(libc::getrusage(libc::RUSAGE_SELF, &raw mut usage), 0);
        usage
    };
    let times = [usage.ru_utime, usage.ru_stime];
    let micros = times.map(|time| time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64);
    Duration::from_micros(micros.iter().sum())
}

fn record(answers: u32, key: Option<&Arc<LogKey>>) -> SessionTimes {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.jsonl");
    let (mut session, _) = Session::open_or_create(&path, None, 1).unwrap();
    let signer = key.map(|key| start(&path, key, &mut session));
    let call = OracleCall {
        oracle_id: "llm".to_owned(),
        model_id: "model-1".to_owned(),
        params: Params::NULL,
        input: CanonicalInput::new(b"how fast?", InputKind::Text).unwrap(),
    };
    let (begun, used) = (Instant::now(), processor_time());
    let mut records = 0;
    for number in 0..answers {
        let answer = format!("{{\"value\":{}.5}}", 10 + number % 50);
        let reply = OracleReply::Answer(answer.as_bytes());
        records = session.observe(&call, reply).unwrap().entries;
    }
    let recorded = begun.elapsed();
    drop(session);
    if let Some(signer) = signer {
        assert_eq!(signer.finish().signed, records);
    }
    SessionTimes {
        recorded,
        processor: processor_time() - used,
    }
}

fn start(path: &Path, key: &Arc<LogKey>, session: &mut Session) -> CheckpointSigner {
    let settings = CheckpointSettings {
        key: key.clone(),
        origin: Some(NAME.to_owned()),
        interval: "1000".parse::<CheckpointInterval>().unwrap(),
        witnesses: None,
        patience: Patience::default(),
    };
    let report = Arc::new(|line: &str| panic!("{line}"));
    let signer = CheckpointSigner::start(path, settings, report).unwrap();
    session.report_durable_to(signer.watch());
    signer
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let is_test = std::env::args().any(|argument| argument == "--test");
    let (rounds, answers) = if is_test { (1, 20) } else { (ROUNDS, ANSWERS) };
    let folder = tempfile::tempdir().unwrap();
    let key = LogKey::create(&folder.path().join("plant.key"), NAME).unwrap();
    let key = Arc::new(key);
    let pairs: Vec<[SessionTimes; 2]> = (0..rounds)
        .map(|_| [None, Some(&key)].map(|key| record(answers, key)))
        .collect();
    println!(
        "a session of {answers} answers takes {:.1?}",
        pairs.iter().map(|[plain, _]| plain.recorded).min().unwrap()
    );
    let ratio_of = |time: fn(&SessionTimes) -> Duration| {
        let ratios = pairs
            .iter()
            .map(|[plain, signed]| time(signed).as_secs_f64() / time(plain).as_secs_f64());
        median(ratios.collect())
    };
    println!(
        "ratio until the last answer, with heads / without {:.4}",
        ratio_of(|times| times.recorded)
    );
    println!(
        "ratio of processor time, with heads / without {:.4}",
        ratio_of(|times| times.processor)
    );
}
