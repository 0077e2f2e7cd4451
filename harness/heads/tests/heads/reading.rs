//! How much is read of a ledger for a proof.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use axilog_heads::{prove_extension, prove_record};

use crate::plant::Plant;

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
