//! A forger: changes the records of a ledger and writes a new chain over them, so that every hash is right.

use std::path::Path;

use axilog::evidence::view::ObservationView;
use axilog::fault::Faults;
use axilog::hash::{Hash, Tag, hex, sha256};
use axilog::ledger::{Entry, Ledger, LedgerSink, SinkFailed};
use axilog::ledger_line;
use axilog_ledger::encoding::ByteBuffer;
use axilog_ledger::file::genesis_line;

/// The records of a ledger after its genesis.
#[derive(Clone)]
pub struct Records(pub Vec<(Tag, String)>);

struct Lines(ByteBuffer);

impl LedgerSink for Lines {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        ledger_line::write(entry, &mut self.0);
        Ok(())
    }
}

impl Records {
    /// Reads the records of a good ledger.
    pub fn read(path: &Path) -> Records {
        let bytes = std::fs::read(path).unwrap();
        let records = bytes.split_inclusive(|&b| b == b'\n').skip(1).map(|line| {
            let entry = ledger_line::parse(line).unwrap();
            let text = String::from_utf8(entry.payload.to_vec()).unwrap();
            (entry.tag, text)
        });
        Records(records.collect())
    }

    /// The ledger with these records and a right chain.
    pub fn chained(&self) -> Vec<u8> {
        let mut lines = Lines(ByteBuffer(genesis_line()));
        let (mut ledger, mut faults) = (Ledger::genesis(), Faults::NONE);
        for (tag, record) in &self.0 {
            let record = record.as_bytes();
            ledger
                .record(*tag, record, &mut lines, &mut faults)
                .unwrap();
        }
        lines.0.0
    }

    /// The place of the first record of kind `tag` that contains each of `texts`.
    #[track_caller]
    pub fn find(&self, tag: Tag, texts: &[&str]) -> usize {
        let is_wanted = |(kind, record): &(Tag, String)| {
            *kind == tag && texts.iter().all(|text| record.contains(text))
        };
        let place = self.0.iter().position(is_wanted);
        place.unwrap_or_else(|| panic!("no record has {texts:?}"))
    }

    /// Replaces `from` by `to` in record `place`, which must have it once.
    #[track_caller]
    pub fn replace(&mut self, place: usize, from: &str, to: &str) {
        let record = &mut self.0[place].1;
        assert_eq!(record.matches(from).count(), 1, "{from} in {record}");
        *record = record.replace(from, to);
    }

    /// Gives every record the sequence of its place, as its writer would have done, and every observation
    /// the hash of its new text.
    pub fn renumber(&mut self) {
        let mut observed = 0;
        for (index, (tag, record)) in self.0.iter_mut().enumerate() {
            if *tag == Tag::Obs {
                observed = index + 1;
            }
            if record.contains("\"kind\":\"SEAL\"") {
                continue;
            }
            for member in ["\"ledger_seq\":", "\"obs_ledger_seq\":"] {
                if let Some(at) = record.find(member) {
                    let begin = at + member.len();
                    let end = begin + record[begin..].find(|c: char| !c.is_ascii_digit()).unwrap();
                    record.replace_range(begin..end, &observed.to_string());
                }
            }
            if *tag == Tag::Obs {
                rehash(record);
            }
        }
    }

    /// Gives every observation the hash of its text.
    pub fn rehash(&mut self) {
        let observations = self.0.iter_mut().filter(|(tag, _)| *tag == Tag::Obs);
        observations.for_each(|(_, record)| rehash(record));
    }
}

fn rehash(record: &mut String) {
    let at = record.find("\"obs_hash\":\"").unwrap() + 12;
    let empty = [&record[..at], &record[at + 64..]].concat();
    let hash = hex(&sha256(empty.as_bytes()));
    let hash = std::str::from_utf8(&hash).unwrap();
    record.replace_range(at..at + 64, hash);
    assert!(ObservationView::parse(record.as_bytes()).is_ok());
}

/// A hash as records write it.
pub fn hex_text(hash: &Hash) -> String {
    String::from_utf8(hex(hash).to_vec()).unwrap()
}
