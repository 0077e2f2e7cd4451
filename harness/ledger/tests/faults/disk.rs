//! A simulated disk that fails where a test says, and forgets unsynced changes in a power failure.
//!
//! The disk holds the ledger and, by name, its blobs and torn lines. Every operation on any of them is counted
//! and can fail.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use axilog_ledger::file::place::Displacement;
use axilog_ledger::file::stamp::{ChangeTime, FileStamp};
use axilog_ledger::file::storage::Storage;
use axilog_ledger::file::volume::{DirectoryEntry, Volume};

use crate::content::{Change, Content, Crash};

/// The ledger's path.
pub const PATH: &str = "under-test.jsonl";

/// The fault of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No fault.
    None,
    /// The disk is full after this number of written bytes in all.
    Byte(u64),
    /// The operation with this number fails without effect; later ones work.
    Once(u64),
    /// The operation with this number and all later ones fail without effect.
    FromThenOn(u64),
}

/// The names of directories, and of files with the index of their content.
#[derive(Clone, Debug, Default)]
struct Names {
    dirs: BTreeSet<PathBuf>,
    files: BTreeMap<PathBuf, usize>,
}

#[derive(Debug, Default)]
struct State {
    /// The contents of the files; the ledger's is the first.
    contents: Vec<Content>,
    now: Names,
    durable: Names,
    operations: u64,
    written: u64,
    injected: u64,
}

/// The files of a disk and their bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DiskState {
    pub ledger: Vec<u8>,
    pub files: BTreeMap<PathBuf, Vec<u8>>,
}

/// A simulated disk. Clones share its files.
#[derive(Clone, Debug)]
pub struct Disk {
    state: Arc<Mutex<State>>,
    fault: Fault,
    /// The most bytes that one write takes.
    max_write: usize,
}

impl Disk {
    pub fn new(files: &DiskState, fault: Fault, max_write: usize) -> Disk {
        let mut state = State {
            contents: vec![Content::durable(&files.ledger)],
            ..State::default()
        };
        for (path, bytes) in &files.files {
            let place = state.contents.len();
            state.now.files.insert(path.clone(), place);
            let above = path.ancestors().skip(1).map(Path::to_owned);
            state.now.dirs.extend(above);
            state.contents.push(Content::durable(bytes));
        }
        state.durable = state.now.clone();
        Disk {
            state: Arc::new(Mutex::new(state)),
            fault,
            max_write,
        }
    }

    /// The same disk without a fault.
    pub fn without_faults(&self) -> Disk {
        Disk {
            fault: Fault::None,
            ..self.clone()
        }
    }

    /// Opens the ledger.
    pub fn ledger(&self) -> Box<dyn Storage> {
        self.handle(0)
    }

    pub fn operations(&self) -> u64 {
        self.lock().operations
    }

    pub fn injected(&self) -> u64 {
        self.lock().injected
    }

    /// The torn lines that were moved aside.
    pub fn torn(&self) -> Vec<Vec<u8>> {
        let files = self.now().files.into_iter();
        let torn = files.filter(|(path, _)| path.to_string_lossy().contains(".torn-"));
        torn.map(|(_, bytes)| bytes).collect()
    }

    /// The files as a process sees them.
    pub fn now(&self) -> DiskState {
        self.after(Crash::AllKept)
    }

    /// The files after a power failure.
    pub fn after(&self, crash: Crash) -> DiskState {
        let state = self.lock();
        let names = match crash {
            Crash::AllKept | Crash::Hole => &state.now,
            Crash::AllLost | Crash::HalfWritten => &state.durable,
        };
        let reachable = |path: &Path| {
            let mut above = path.ancestors().skip(1);
            above.all(|dir| dir == root_of(path) || names.dirs.contains(dir))
        };
        let files = names.files.iter().filter(|(path, _)| reachable(path));
        DiskState {
            ledger: state.contents[0].after(crash),
            files: files
                .map(|(path, place)| (path.clone(), state.contents[*place].after(crash)))
                .collect(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn handle(&self, place: usize) -> Box<dyn Storage> {
        let disk = self.clone();
        Box::new(Handle { disk, place })
    }

    /// Counts an operation and makes it fail where the disk's fault says.
    fn operation(&self) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.lock();
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
        Ok(state)
    }
}

/// The directory that always exists: the empty path or `/`.
fn root_of(path: &Path) -> &Path {
    path.ancestors().last().unwrap()
}

/// An open file of the disk.
#[derive(Debug)]
struct Handle {
    disk: Disk,
    place: usize,
}

impl Storage for Handle {
    fn len(&self) -> io::Result<u64> {
        Ok(self.disk.lock().contents[self.place].now().len() as u64)
    }

    fn read_at(&self, at: u64, into: &mut [u8]) -> io::Result<usize> {
        let state = self.disk.lock();
        let bytes = state.contents[self.place].now();
        let rest = bytes.get(at as usize..).unwrap_or_default();
        let read = rest.len().min(into.len());
        into[..read].copy_from_slice(&rest[..read]);
        Ok(read)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.disk.operation()?;
        let mut len = bytes.len().min(self.disk.max_write);
        if let Fault::Byte(n) = self.disk.fault {
            let room = (n - state.written) as usize;
            if room == 0 {
                state.injected += 1;
                return Err(io::ErrorKind::StorageFull.into());
            }
            len = len.min(room);
        }
        state.written += len as u64;
        let at = state.contents[self.place].now().len() as u64;
        let change = Change::Write(at, bytes[..len].to_vec());
        state.contents[self.place].change(change);
        Ok(len)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        let mut state = self.disk.operation()?;
        state.contents[self.place].change(Change::SetLen(len));
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.disk.operation()?.contents[self.place].sync();
        Ok(())
    }

    /// On this disk no name ever leads to another file.
    fn check_place(&self, len: u64) -> Result<(), Displacement> {
        let found = self.len().unwrap();
        if found == len {
            return Ok(());
        }
        Err(Displacement::Resized {
            found,
            expected: len,
        })
    }
}

impl Volume for Disk {
    fn read(&self, path: &Path) -> io::Result<Box<dyn Read>> {
        let state = self.lock();
        let place = state.now.files.get(path).ok_or(io::ErrorKind::NotFound)?;
        let bytes = state.contents[*place].now().to_vec();
        Ok(Box::new(Cursor::new(bytes)))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<DirectoryEntry>> {
        let state = self.lock();
        if dir != root_of(dir) && !state.now.dirs.contains(dir) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let files = state.now.files.keys().map(|path| (path, false));
        let all = files.chain(state.now.dirs.iter().map(|path| (path, true)));
        let inside = all.filter(|(path, _)| path.parent() == Some(dir));
        let mut entries: Vec<_> = inside
            .map(|(path, is_directory)| DirectoryEntry {
                path: path.clone(),
                is_directory,
            })
            .collect();
        entries.sort();
        Ok(entries)
    }

    /// Where nothing of a file or of the names in a directory is another, the stamp is the same.
    fn stamp(&self, path: &Path) -> io::Result<FileStamp> {
        let state = self.lock();
        let place = state.now.files.get(path).copied();
        let (inode, content) = match place.or((path == Path::new(PATH)).then_some(0)) {
            Some(place) => (place + 1, state.contents[place].now().to_vec()),
            None if state.now.dirs.contains(path) => {
                let names = state.now.files.keys().chain(&state.now.dirs);
                let inside = names.filter(|name| name.parent() == Some(path));
                (0, format!("{:?}", inside.collect::<Vec<_>>()).into_bytes())
            }
            None => return Err(io::ErrorKind::NotFound.into()),
        };
        let sum = |sum: i64, byte: &u8| sum.wrapping_mul(31).wrapping_add((*byte).into());
        Ok(FileStamp {
            inode: inode as u64,
            changed: ChangeTime {
                seconds: content.len() as i64,
                nanoseconds: content.iter().fold(0, sum) & 0xffff_ffff,
            },
            ..FileStamp::default()
        })
    }

    fn copy_rights(&self, _: &Path, _: &Path) -> io::Result<()> {
        self.operation().map(drop)
    }

    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        self.operation()?.now.dirs.insert(dir.to_owned());
        Ok(())
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Storage>> {
        let mut state = self.operation()?;
        if state.now.files.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let place = state.contents.len();
        state.contents.push(Content::default());
        state.now.files.insert(path.to_owned(), place);
        Ok(self.handle(place))
    }

    fn create_temporary(&self, target: &Path) -> io::Result<(PathBuf, Box<dyn Storage>)> {
        let path = target.with_extension(format!("{}.tmp", self.lock().contents.len()));
        let storage = self.create(&path)?;
        Ok((path, storage))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.operation()?;
        let place = state
            .now
            .files
            .remove(from)
            .ok_or(io::ErrorKind::NotFound)?;
        state.now.files.insert(to.to_owned(), place);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.operation()?;
        state
            .now
            .files
            .remove(path)
            .ok_or(io::ErrorKind::NotFound)?;
        Ok(())
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.operation()?;
        let State { now, durable, .. } = &mut *state;
        let outside = |path: &Path| path.parent() != Some(dir);
        durable.files.retain(|path, _| outside(path));
        durable.dirs.retain(|path| outside(path));
        let files = now.files.iter().filter(|(path, _)| !outside(path));
        durable
            .files
            .extend(files.map(|(path, n)| (path.clone(), *n)));
        let dirs = now.dirs.iter().filter(|path| !outside(path));
        durable.dirs.extend(dirs.cloned());
        Ok(())
    }
}
