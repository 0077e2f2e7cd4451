//! The bytes of one simulated file: as a process sees them, and as a power failure leaves them.

/// The effect of a power failure on the changes that were not synced.
#[derive(Clone, Copy, Debug)]
pub enum Crash {
    /// All of them are lost.
    AllLost,
    /// All of them are kept.
    AllKept,
    /// All but the last are kept, and half of the last.
    HalfWritten,
    /// Only the last is kept, which may leave a hole of bytes that were never written. Names are all kept.
    Hole,
}

pub const CRASHES: [Crash; 4] = [
    Crash::AllLost,
    Crash::AllKept,
    Crash::HalfWritten,
    Crash::Hole,
];

#[derive(Clone, Debug)]
pub enum Change {
    Write(u64, Vec<u8>),
    SetLen(u64),
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Change::Write(at, written) => {
                let at = *at as usize;
                bytes.resize(bytes.len().max(at + written.len()), 0);
                bytes[at..at + written.len()].copy_from_slice(written);
            }
            Change::SetLen(len) => bytes.resize(*len as usize, 0),
        }
    }
}

#[derive(Debug, Default)]
pub struct Content {
    durable: Vec<u8>,
    now: Vec<u8>,
    unsynced: Vec<Change>,
}

impl Content {
    /// Creates a file whose bytes are all durable.
    pub fn durable(bytes: &[u8]) -> Content {
        Content {
            durable: bytes.to_vec(),
            now: bytes.to_vec(),
            unsynced: Vec::new(),
        }
    }

    /// The bytes that a process sees.
    pub fn now(&self) -> &[u8] {
        &self.now
    }

    pub fn change(&mut self, change: Change) {
        change.apply(&mut self.now);
        self.unsynced.push(change);
    }

    pub fn sync(&mut self) {
        self.durable.clone_from(&self.now);
        self.unsynced.clear();
    }

    /// The bytes after a power failure.
    pub fn after(&self, crash: Crash) -> Vec<u8> {
        let mut bytes = self.durable.clone();
        match (crash, self.unsynced.split_last()) {
            (Crash::AllKept, _) => bytes.clone_from(&self.now),
            (Crash::AllLost, _) | (_, None) => {}
            (Crash::HalfWritten, Some((last, before))) => {
                before.iter().for_each(|change| change.apply(&mut bytes));
                if let Change::Write(at, written) = last {
                    Change::Write(*at, written[..written.len() / 2].to_vec()).apply(&mut bytes);
                }
            }
            (Crash::Hole, Some((last, _))) => last.apply(&mut bytes),
        }
        bytes
    }
}
