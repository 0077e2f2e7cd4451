//! A witness that is killed at any instant remembers every head whose signature it gave away.

use std::collections::BTreeMap;
use std::env;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use axilog::hash::{Hash, sha256};
use axilog_heads::Checkpoint;
use axilog_ledger::encoding::hex;

use crate::bench::{Bench, NAME, open, request};

/// Names the directory of the witness to the process that is killed.
const DIRECTORY: &str = "AXILOG_WITNESS_DIRECTORY";
/// How often the witness is killed at least.
const KILLS: u64 = 15;
/// More heads than this are signed.
const ENOUGH: usize = 100;

#[test]
#[ignore = "is the process that the test after it kills"]
fn serve_until_killed() {
    let directory = env::var_os(DIRECTORY).unwrap();
    let witness = open(Path::new(&directory));
    println!("\nlistening at {}", witness.address());
    witness.serve(|| false);
}

/// Begins a witness in a process of its own.
fn begin(bench: &Bench) -> (Child, SocketAddr) {
    begin_with(bench, Command::new(env::current_exe().unwrap()))
}

fn begin_with(bench: &Bench, mut command: Command) -> (Child, SocketAddr) {
    let mut process = command
        .args([
            "--exact",
            "kills::serve_until_killed",
            "--ignored",
            "--nocapture",
        ])
        .env(DIRECTORY, bench.dir.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let address = lines.find_map(|line| {
        let line = line.unwrap();
        Some(line.strip_prefix("listening at ")?.parse().unwrap())
    });
    (process, address.unwrap())
}

/// Has one head after the other signed, in steps of `step` records, until the witness is gone. Keeps what was signed.
fn submit_heads(
    bench: &Bench,
    address: SocketAddr,
    history: &str,
    step: u64,
    signed: &Mutex<Vec<(u64, Hash)>>,
) {
    let log = bench.log(history);
    let (mut old, mut size) = (0, step);
    while let Some(answer) = request(
        address,
        "POST /add-checkpoint",
        log.submission(old, size).as_bytes(),
    ) {
        match answer.status {
            200 => {
                signed.lock().unwrap().push((size, log.root(size)));
                old = size;
                size += step;
            }
            409 => {
                old = answer.body.trim_end().parse().unwrap();
                // Once more the head that may have been kept without its signature being read.
                size = size.max(old);
            }
            // The other history was signed.
            422 => size = old + step,
            status => panic!("{status}: {}", answer.body),
        }
    }
}

#[test]
fn no_two_heads_of_one_size_are_signed_whenever_the_witness_is_killed() {
    let bench = Bench::new();
    let signed = Mutex::new(Vec::new());
    let enough = || signed.lock().unwrap().len() > ENOUGH;
    for round in (0..).take_while(|round| *round < KILLS || !enough()) {
        let (mut process, address) = begin(&bench);
        thread::scope(|scope| {
            for (history, step) in [("a", 1), ("b", 1), ("a", 3), ("b", 2)] {
                let (bench, signed) = (&bench, &signed);
                scope.spawn(move || submit_heads(bench, address, history, step, signed));
            }
            thread::sleep(Duration::from_millis(10 + 37 * round % 200));
            process.kill().unwrap();
        });
        process.wait().unwrap();
    }
    let signed = signed.into_inner().unwrap();
    let mut roots = BTreeMap::new();
    for (size, root) in &signed {
        assert_eq!(
            roots.entry(*size).or_insert(*root),
            root,
            "two heads of {size} records"
        );
    }
    // What is remembered is of the history that was signed, and nothing that was signed is forgotten.
    let path = format!("/{}/checkpoint", hex(&sha256(NAME.as_bytes())));
    let shown = bench.serve().get(&path);
    let kept = Checkpoint::parse(shown.body.as_bytes()).unwrap();
    kept.find_cosigned_time(&bench.witness_key()).unwrap();
    let (largest, _) = roots.last_key_value().unwrap();
    assert!(kept.size() >= *largest, "{} after {largest}", kept.size());
    let histories = ["a", "b"].map(|history| bench.log(history));
    let of_kept = |log: &&crate::bench::Log| log.root(kept.size()) == kept.root();
    let history = histories.iter().find(of_kept).unwrap();
    for (size, root) in roots {
        assert_eq!(history.root(size), root, "{size} is of the other history");
    }
}

/// A limit on the length of files stands for a disk that is full at some commit.
#[test]
fn a_head_that_cannot_be_kept_is_not_signed() {
    let bench = Bench::new();
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "trap '' XFSZ; ulimit -f 128; exec \"$0\" \"$@\""])
        .arg(env::current_exe().unwrap());
    let (mut process, address) = begin_with(&bench, limited);
    let log = bench.log("a");
    let mut signed = 0;
    let refused = loop {
        let body = log.submission(signed, signed + 1);
        let answer = request(address, "POST /add-checkpoint", body.as_bytes()).unwrap();
        match answer.status {
            200 => signed += 1,
            status => break status,
        }
    };
    assert_eq!(refused, 503);
    assert!(signed > 0);
    process.kill().unwrap();
    process.wait().unwrap();
    // With room again it goes on after the last head that it signed.
    let witness = bench.serve();
    let path = format!("/{}/checkpoint", hex(&sha256(NAME.as_bytes())));
    let kept = Checkpoint::parse(witness.get(&path).body.as_bytes()).unwrap();
    assert_eq!(kept.size(), signed);
    let next = log.submission(signed, signed + 1);
    assert_eq!(witness.submit(&next).status, 200);
}
