//! How much is read of a ledger for a proof, and for a head.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use axilog::hash::Hash;
use axilog_heads::{Checkpoint, SigningRequest, prove_extension, prove_record, sign_ledger};

use crate::plant::Plant;
use crate::reference;

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

/// The most bytes that a head takes beside the records that follow the one before: a block at the beginning, in which the
/// ledger's name is found, and the longest line.
const MOST_BESIDE: u64 = (256 + 129) << 10;

#[test]
fn a_head_reads_the_records_that_follow_the_one_before_however_long_the_ledger_is() {
    let plant = Plant::with_answers(1..3);
    let mut session = plant.continue_unsynced();
    let mut earlier: Option<Checkpoint> = None;
    let mut length = 0;
    for round in 1..=8 {
        let answer = format!(
            "{{\"value\": {round}, \"why\": \"{}\"}}",
            "because ".repeat(1000)
        );
        for _ in 0..60 {
            Plant::observe(&mut session, answer.as_bytes());
        }
        session.sync().unwrap();
        let bytes = std::fs::read(plant.ledger()).unwrap();
        let mut source = CountingSource {
            source: Cursor::new(&bytes),
            read: 0,
        };
        let request = SigningRequest {
            ledger: &plant.ledger(),
            key: &plant.key,
            origin: None,
            earlier: earlier.as_ref(),
        };
        let signed = sign_ledger(&mut source, &request).unwrap();
        signed.save_tree(&plant.ledger()).unwrap();
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let commits: Vec<Hash> = lines
            .map(|line| axilog::ledger_line::parse(line).unwrap().commit)
            .collect();
        assert_eq!(signed.checkpoint.root(), reference::root(&commits));
        let follows = bytes.len() as u64 - length;
        assert!(source.read >= follows);
        if earlier.is_some() {
            assert!(source.read <= follows + MOST_BESIDE, "{}", source.read);
        }
        length = bytes.len() as u64;
        earlier = Some(signed.checkpoint);
    }
    assert!(length > 9 * MOST_BESIDE, "{length}");
}
