//! How much is read of a ledger for a head or a proof, and how long that takes.

use std::fs::{self, File};
use std::io::{self, BufWriter, Cursor, Read, Seek, SeekFrom, Write};
use std::time::Instant;

use axilog::admission::{Answer, InputKind};
use axilog::agent::Agent;
use axilog::agent::state::InputClass;
use axilog::evidence::observation::{Completion, Params};
use axilog::fault::Faults;
use axilog::json::writer::Sink;
use axilog::ledger::{Entry, LedgerSink, SinkFailed, genesis_entry};
use axilog::ledger_line;
use axilog::policy::{Rules, builtin::BUILTIN};
use axilog_heads::{LogKey, SigningRequest, prove_extension, prove_record, sign_ledger};
use axilog_ledger::verify::{LedgerExpectations, verify_ledger};

use crate::plant::{NAME, Plant};

/// A source that counts the bytes that are read of it.
struct CountingSource<S> {
    source: S,
    read: u64,
}

impl<S: Read> Read for CountingSource<S> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(out)?;
        self.read += read as u64;
        Ok(read)
    }
}

impl<S: Seek> Seek for CountingSource<S> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.source.seek(to)
    }
}

#[test]
fn a_proof_reads_the_ledger_once() {
    let shared = Plant::shared();
    let plant = &*shared;
    let ledger = plant.lines.concat();
    let (half, all) = (plant.lines.len() / 2, plant.lines.len());
    let mut source = CountingSource {
        source: Cursor::new(&ledger),
        read: 0,
    };
    prove_record(&mut source, &plant.ledger(), 7, plant.sign(all)).unwrap();
    assert_eq!(source.read, ledger.len() as u64);
    source.read = 0;
    let (old, new) = (plant.sign(half), plant.sign(all));
    prove_extension(&mut source, &plant.ledger(), &old, new).unwrap();
    assert_eq!(source.read, ledger.len() as u64);
}

/// A sink that writes the lines of records to a file.
struct LineWriter(BufWriter<File>);

impl Sink for LineWriter {
    fn put(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).unwrap();
    }
}

impl LedgerSink for LineWriter {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        ledger_line::write(entry, self);
        Ok(())
    }
}

/// Writes a ledger of 1,000,000 records or a few more.
fn write_million(sink: &mut LineWriter) {
    let rules = Rules {
        registry: &BUILTIN,
        permit_truncated: false,
        stop_on_invalid: false,
        manifest: None,
    };
    sink.append(&genesis_entry()).unwrap();
    let (mut agent, mut work, mut faults) = (Agent::new(), vec![0u8; 1 << 16], Faults::NONE);
    agent
        .observe_control(
            InputClass::ResetRequest,
            &rules,
            &mut work,
            sink,
            &mut faults,
        )
        .unwrap();
    agent
        .observe_time(1, &rules, &mut work, sink, &mut faults)
        .unwrap();
    while agent.ledger.sequence < 1_000_000 {
        let output = format!("{{\"value\":{}}}", agent.ledger.sequence % 70);
        let answer = Answer {
            completion: Completion::Complete,
            failure: None,
            input: b"How fast?",
            input_kind: InputKind::Text,
            ledger_seq: 0,
            model_id: b"model-1",
            oracle_id: b"llm",
            output: output.as_bytes(),
            params: Params::NULL,
        };
        agent
            .observe(&answer, &rules, &mut work, sink, &mut faults)
            .unwrap();
    }
    sink.0.flush().unwrap();
}

#[test]
#[ignore = "prints times, which mean something in an optimised build: cargo test --release"]
fn times_of_a_million_records() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger.jsonl");
    write_million(&mut LineWriter(BufWriter::new(
        File::create(&path).unwrap(),
    )));
    let length = fs::metadata(&path).unwrap().len();
    println!("a ledger of {length} bytes");
    let print = |what: &str, since: Instant| {
        println!("{what:20} {:.2} s", since.elapsed().as_secs_f64());
    };
    let open = || File::open(&path).unwrap();
    let since = Instant::now();
    let expected = LedgerExpectations::default();
    let verified = verify_ledger(open(), None, &expected, &mut |_| {}).unwrap();
    assert!(verified.fault.is_none());
    print("verify", since);
    let key = LogKey::create(&dir.path().join("plant.key"), NAME).unwrap();
    let request = SigningRequest {
        ledger: &path,
        key: &key,
        origin: Some(NAME),
        earlier: None,
    };
    let since = Instant::now();
    let head = sign_ledger(&mut open(), &request).unwrap().checkpoint;
    print("checkpoint", since);
    let since = Instant::now();
    let proof = prove_record(&mut open(), &path, 500_000, head)
        .unwrap()
        .proof;
    print("prove --seq", since);
    let since = Instant::now();
    let line = proof.record_line().unwrap();
    proof.check(line, key.verifier_key()).unwrap();
    print("check", since);
    let bytes = fs::read(&path).unwrap();
    let half = bytes.len() / 2;
    let end = half
        + bytes[half..]
            .iter()
            .position(|&byte| byte == b'\n')
            .unwrap()
        + 1;
    let old = sign_ledger(&mut Cursor::new(&bytes[..end]), &request).unwrap();
    let new = sign_ledger(&mut open(), &request).unwrap();
    let since = Instant::now();
    prove_extension(&mut open(), &path, &old.checkpoint, new.checkpoint).unwrap();
    print("prove --from", since);
}
