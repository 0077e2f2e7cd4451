//! A disk that fails where it is told to, and forgets what was not synced when the power goes.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use axilog_harness::ledger_file::storage::Storage;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing does; this counts operations only.
    None,
    /// The disk is full behind this many bytes written in all.
    Byte(u64),
    /// The operation with this number (a write, cut, sync, or keeping of a torn line) fails
    /// without effect, and the ones after it work.
    Once(u64),
    /// The same, and all after it fail too: nothing can be taken back.
    FromThenOn(u64),
}

/// What is left when the power goes.
#[derive(Clone, Copy, Debug)]
pub enum Crash {
    /// What was synced only.
    AllLost,
    /// Everything.
    AllKept,
    /// What was synced, all operations since but the last, and half of the last.
    Cut,
}

#[derive(Clone, Debug)]
enum Change {
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
struct State {
    durable: Vec<u8>,
    now: Vec<u8>,
    since: Vec<Change>,
    torn: Vec<Vec<u8>>,
    operations: u64,
    written: u64,
    injected: u64,
}

/// The disk; clones are the same one.
#[derive(Clone, Debug)]
pub struct Disk {
    state: Arc<Mutex<State>>,
    fault: Fault,
    /// The most bytes that one write takes.
    most: usize,
}

impl Disk {
    pub fn new(bytes: &[u8], fault: Fault, most: usize) -> Disk {
        let state = State {
            durable: bytes.to_vec(),
            now: bytes.to_vec(),
            ..State::default()
        };
        Disk {
            state: Arc::new(Mutex::new(state)),
            fault,
            most,
        }
    }

    pub fn operations(&self) -> u64 {
        self.state.lock().unwrap().operations
    }

    pub fn injected(&self) -> u64 {
        self.state.lock().unwrap().injected
    }

    /// The torn lines that were kept.
    pub fn torn(&self) -> Vec<Vec<u8>> {
        self.state.lock().unwrap().torn.clone()
    }

    /// The bytes as a process sees them.
    pub fn now(&self) -> Vec<u8> {
        self.state.lock().unwrap().now.clone()
    }

    /// The bytes after a power failure.
    pub fn after(&self, crash: Crash) -> Vec<u8> {
        let state = self.state.lock().unwrap();
        let mut bytes = state.durable.clone();
        match crash {
            Crash::AllLost => {}
            Crash::AllKept => bytes.clone_from(&state.now),
            Crash::Cut => {
                if let Some((last, before)) = state.since.split_last() {
                    before.iter().for_each(|change| change.apply(&mut bytes));
                    if let Change::Write(at, written) = last {
                        Change::Write(*at, written[..written.len() / 2].to_vec()).apply(&mut bytes);
                    }
                }
            }
        }
        bytes
    }

    fn operation(&self, state: &mut State) -> io::Result<()> {
        let number = state.operations;
        state.operations += 1;
        let fails = match self.fault {
            Fault::None | Fault::Byte(_) => false,
            Fault::Once(n) => number == n,
            Fault::FromThenOn(n) => number >= n,
        };
        if fails {
            state.injected += 1;
            return Err(io::Error::other("injected"));
        }
        Ok(())
    }
}

impl Storage for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state.lock().unwrap().now.len() as u64)
    }

    fn read_at(&self, at: u64, into: &mut [u8]) -> io::Result<usize> {
        let state = self.state.lock().unwrap();
        let rest = state.now.get(at as usize..).unwrap_or_default();
        let read = rest.len().min(into.len());
        into[..read].copy_from_slice(&rest[..read]);
        Ok(read)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.state.lock().unwrap();
        self.operation(&mut state)?;
        let mut len = bytes.len().min(self.most);
        if let Fault::Byte(n) = self.fault {
            let room = (n - state.written) as usize;
            if room == 0 {
                state.injected += 1;
                return Err(io::ErrorKind::StorageFull.into());
            }
            len = len.min(room);
        }
        state.written += len as u64;
        let change = Change::Write(at, bytes[..len].to_vec());
        change.apply(&mut state.now);
        state.since.push(change);
        Ok(len)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        let mut state = self.state.lock().unwrap();
        self.operation(&mut state)?;
        let change = Change::SetLen(len);
        change.apply(&mut state.now);
        state.since.push(change);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.state.lock().unwrap();
        self.operation(&mut state)?;
        state.durable = state.now.clone();
        state.since.clear();
        Ok(())
    }

    fn keep_torn(&mut self, bytes: &[u8]) -> io::Result<PathBuf> {
        let mut state = self.state.lock().unwrap();
        self.operation(&mut state)?;
        state.torn.push(bytes.to_vec());
        Ok(format!("torn-{}", state.torn.len()).into())
    }
}
