//! The bytes of one file: as a process sees them, and as the power leaves them.

/// What is left when the power goes.
#[derive(Clone, Copy, Debug)]
pub enum Crash {
    /// What was synced only.
    AllLost,
    /// Everything.
    AllKept,
    /// What was synced, all changes since but the last, and half of the last.
    Cut,
    /// What was synced and the last change since, which may stand behind bytes that were never
    /// written; of names, all.
    Hole,
}

pub const CRASHES: [Crash; 4] = [Crash::AllLost, Crash::AllKept, Crash::Cut, Crash::Hole];

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
    since: Vec<Change>,
}

impl Content {
    /// A file that is durable as it is.
    pub fn durable(bytes: &[u8]) -> Content {
        Content {
            durable: bytes.to_vec(),
            now: bytes.to_vec(),
            since: Vec::new(),
        }
    }

    pub fn now(&self) -> &[u8] {
        &self.now
    }

    pub fn change(&mut self, change: Change) {
        change.apply(&mut self.now);
        self.since.push(change);
    }

    pub fn sync(&mut self) {
        self.durable.clone_from(&self.now);
        self.since.clear();
    }

    pub fn after(&self, crash: Crash) -> Vec<u8> {
        let mut bytes = self.durable.clone();
        match (crash, self.since.split_last()) {
            (Crash::AllKept, _) => bytes.clone_from(&self.now),
            (Crash::AllLost, _) | (_, None) => {}
            (Crash::Cut, Some((last, before))) => {
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
