//! How many heads a witness signs in a second, each of them durable in its state before the answer.
//!
//!     taskset -c 0 cargo bench -p axilog-harness-benches --bench witness
//!
//! The witness and its clients share the one processor, so what the clients need counts as well. There are 50 ledgers, each
//! with a key of its own, and eight clients over HTTP, each with a connection that stays open. A ledger's heads come in order,
//! 1000 records after one another, each with the proof from the one before. The state lies below TMPDIR. With `--test` there
//! are 2 ledgers with 2 heads each.

mod long_ledger;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use axilog::ledger_line;
use axilog_heads::{GrowingLog, LogKey, WitnessKey};
use axilog_ledger::durability::LedgerPosition;
use axilog_witness::{KnownLogs, Witness, create_state};

/// Measurements; the median is given.
const ROUNDS: usize = 5;

/// The clients, each with a connection.
const CLIENTS: usize = 8;

/// The records between a head and the one that follows.
const BETWEEN: u64 = 1000;

/// The places of a ledger whose heads are submitted.
fn read_positions(ledger: &Path) -> Vec<LedgerPosition> {
    let bytes = fs::read(ledger).unwrap();
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let lines = lines.skip(BETWEEN as usize - 1).step_by(BETWEEN as usize);
    let entries = lines.map(|line| ledger_line::parse(line).unwrap());
    let positions = entries.map(|entry| LedgerPosition {
        entries: entry.sequence + 1,
        head: entry.chain,
    });
    positions.collect()
}

/// The submissions of one log, in order.
fn write_submissions(ledger: &Path, key: LogKey, positions: &[LedgerPosition]) -> Vec<Vec<u8>> {
    let origin = key.verifier_key().name().to_owned();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("checkpoint");
    let mut log = GrowingLog::open(ledger, Arc::new(key), Some(&origin), &file).unwrap();
    let mut old_size = 0;
    let bodies = positions.iter().map(|position| {
        log.sign(position, &BTreeSet::from([old_size])).unwrap();
        let tree = log.latest().unwrap();
        let body = log.write_submission(old_size, &tree).unwrap().unwrap();
        old_size = position.entries;
        body
    });
    bodies.collect()
}

/// Submits one head after the other over a connection, one of each log in turn.
fn submit(address: SocketAddr, logs: &[Vec<Vec<u8>>]) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    let mut answers = BufReader::new(stream.try_clone().unwrap());
    let heads = logs.iter().map(Vec::len).max().unwrap_or(0);
    for body in (0..heads).flat_map(|head| logs.iter().filter_map(move |log| log.get(head))) {
        let request = format!(
            "POST /add-checkpoint HTTP/1.1\r\nhost: w\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream
            .write_all(&[request.as_bytes(), body].concat())
            .unwrap();
        read_answer(&mut answers);
    }
}

/// Reads an answer, which has a signature.
fn read_answer(answers: &mut impl BufRead) {
    let (mut length, mut line) = (0, String::new());
    answers.read_line(&mut line).unwrap();
    assert!(line.starts_with("HTTP/1.1 200 "), "{line}");
    while line != "\r\n" {
        line.clear();
        assert_ne!(answers.read_line(&mut line).unwrap(), 0);
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    answers.read_exact(&mut body).unwrap();
    assert!(body.starts_with("\u{2014} ".as_bytes()));
}

/// The heads that a new witness signs in a second.
fn measure(known: &str, logs: &[Vec<Vec<u8>>]) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let key = WitnessKey::create(&path("witness.key"), "example.com/witness").unwrap();
    create_state(&path("state"), key.public_key()).unwrap();
    fs::write(path("logs"), known).unwrap();
    let known = KnownLogs::read(&path("logs")).unwrap();
    let any = "127.0.0.1:0".parse().unwrap();
    let witness = Witness::open(&path("state"), key, known, any, CLIENTS).unwrap();
    let address = witness.address();
    let stop = Arc::new(AtomicBool::new(false));
    let seen = stop.clone();
    let serving = thread::spawn(move || witness.serve(move || seen.load(Ordering::Relaxed)));
    let begun = Instant::now();
    thread::scope(|scope| {
        for logs in logs.chunks(logs.len().div_ceil(CLIENTS)) {
            scope.spawn(move || submit(address, logs));
        }
    });
    let taken = begun.elapsed().as_secs_f64();
    stop.store(true, Ordering::Relaxed);
    serving.join().unwrap();
    let heads: usize = logs.iter().map(Vec::len).sum();
    heads as f64 / taken
}

fn main() {
    let is_test = std::env::args().any(|argument| argument == "--test");
    let (rounds, ledgers, heads) = if is_test {
        (1, 2, 2)
    } else {
        (ROUNDS, 50, 100)
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.jsonl");
    let answer = |number| format!("{{\"value\":{}.5}}", 10 + number % 50);
    long_ledger::write_ledger(&path, b"how fast?", answer, |records, _| {
        records >= heads * BETWEEN
    });
    let positions = read_positions(&path);
    let mut known = String::new();
    let logs: Vec<Vec<Vec<u8>>> = (0..ledgers)
        .map(|number| {
            let file = folder.path().join(format!("{number}.key"));
            let key = LogKey::create(&file, &format!("example.com/plant-{number}")).unwrap();
            known.push_str(&format!("{}\n", key.verifier_key()));
            write_submissions(&path, key, &positions)
        })
        .collect();
    let mut rates: Vec<f64> = (0..rounds).map(|_| measure(&known, &logs)).collect();
    rates.sort_by(f64::total_cmp);
    println!(
        "{ledgers} ledgers, {heads} heads each: {:.0} heads/s",
        rates[rates.len() / 2]
    );
}
