//! A signed head and both kinds of proofs, beside `verify` of the same ledger, which each of them does on the way but the
//! head that follows another one: it reads the records after that.
//!
//!     TMPDIR=/dev/shm cargo bench -p axilog-harness-benches --bench heads
//!
//! The ledger has 1,000,000 records: answers of 14 bytes to one question, under the built-in policy. The head that follows
//! is that of 1000 records more. With `--test` the ledger has 3000.

mod long_ledger;

use std::fs::{self, File};
use std::io::Cursor;
use std::time::Instant;

use axilog_heads::{LogKey, SigningRequest, prove_extension, prove_record, sign_ledger};
use axilog_ledger::verify::{LedgerExpectations, verify_ledger};

const ROUNDS: usize = 7;

/// The records between a head and the one that follows.
const BETWEEN: u64 = 1000;

/// The name of the ledger and its key.
const NAME: &str = "example.com/plant";

fn seconds(work: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    work();
    begun.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let is_test = std::env::args().any(|arg| arg == "--test");
    let (records, rounds) = if is_test {
        (3000, 1)
    } else {
        (1_000_000, ROUNDS)
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.jsonl");
    long_ledger::write_ledger(
        &path,
        b"how fast?",
        |number| format!("{{\"value\":{}.5}}", 10 + number % 50),
        |written, _| written >= records,
    );
    let bytes = fs::read(&path).unwrap();
    println!(
        "a ledger of {records} records, {} MB",
        bytes.len() / 1_000_000
    );

    let key = LogKey::create(&folder.path().join("plant.key"), NAME).unwrap();
    let request = SigningRequest {
        ledger: &path,
        key: &key,
        origin: Some(NAME),
        earlier: None,
    };
    let open = || File::open(&path).unwrap();
    let sign_first = |records: u64| {
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let length: usize = lines.take(records as usize).map(<[u8]>::len).sum();
        sign_ledger(&mut Cursor::new(&bytes[..length]), &request).unwrap()
    };
    let sign_half = || sign_first(records / 2).checkpoint;
    let before = sign_first(records - BETWEEN);
    before.save_tree(&path).unwrap();
    let following = SigningRequest {
        earlier: Some(&before.checkpoint),
        ..request
    };
    let sign = || sign_ledger(&mut open(), &request).unwrap().checkpoint;

    let names = [
        "checkpoint",
        "checkpoint that follows",
        "prove --seq",
        "prove --from",
    ];
    let mut ratios = names.map(|_| Vec::new());
    let mut checks = Vec::new();
    for _ in 0..rounds {
        let (old, new, head) = (sign_half(), sign(), sign());
        let expected = LedgerExpectations::default();
        let verify = seconds(|| {
            let verified = verify_ledger(open(), None, &expected, &mut |_| {}).unwrap();
            assert!(verified.fault.is_none());
        });
        let mut proof = None;
        let taken = [
            seconds(|| drop(sign())),
            seconds(|| drop(sign_ledger(&mut open(), &following).unwrap())),
            seconds(|| {
                let proven = prove_record(&mut open(), &path, records / 2, head).unwrap();
                proof = Some(proven.proof);
            }),
            seconds(|| drop(prove_extension(&mut open(), &path, &old, new).unwrap())),
        ];
        for (ratios, taken) in ratios.iter_mut().zip(taken) {
            ratios.push(taken / verify);
        }
        let proof = proof.unwrap();
        checks.push(seconds(|| {
            let line = proof.record_line().unwrap();
            proof.check(line, key.verifier_key()).unwrap();
        }));
    }
    for (name, ratios) in names.iter().zip(ratios) {
        println!("ratio {name} / verify {:.4}", median(ratios));
    }
    println!("check of a record {:.0} µs", median(checks) * 1e6);
}
