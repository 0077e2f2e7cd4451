//! Logs whose heads are submitted, and a witness that runs.

use std::cell::RefCell;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use axilog::hash::{Hash, sha256};
use axilog_heads::{Checkpoint, LogKey, WitnessKey, WitnessPublicKey};
use axilog_witness::{KnownLogs, Witness, create_state};
use tempfile::TempDir;
use tlog_tiles::{Error, HashReader, prove_tree, stored_hashes, tree_hash};

pub const NAME: &str = "example.com/plant";

/// A log in memory. `history` goes into every record, so that logs of two histories are two forks.
pub struct Log {
    pub key: LogKey,
    history: String,
    hashes: RefCell<Vec<tlog_tiles::Hash>>,
    size: RefCell<u64>,
}

/// The hashes of a log.
struct Stored<'l>(&'l [tlog_tiles::Hash]);

impl HashReader for Stored<'_> {
    fn read_hashes(&self, places: &[u64]) -> Result<Vec<tlog_tiles::Hash>, Error> {
        Ok(places.iter().map(|at| self.0[*at as usize]).collect())
    }
}

impl Log {
    pub fn new(key: LogKey, history: &str) -> Log {
        Log {
            key,
            history: history.to_owned(),
            hashes: RefCell::default(),
            size: RefCell::default(),
        }
    }

    fn grow(&self, size: u64) {
        let mut hashes = self.hashes.borrow_mut();
        for n in self.size.replace_with(|old| size.max(*old))..size {
            let record = format!("{} {n}", self.history);
            let new = stored_hashes(n, record.as_bytes(), &Stored(&hashes)).unwrap();
            hashes.extend(new);
        }
    }

    pub fn root(&self, size: u64) -> Hash {
        self.grow(size);
        match size {
            0 => sha256(b""),
            _ => tree_hash(size, &Stored(&self.hashes.borrow())).unwrap().0,
        }
    }

    /// The signed head of the first `size` records.
    pub fn head(&self, size: u64) -> String {
        let head = Checkpoint::sign(size, self.root(size), &self.key).unwrap();
        String::from_utf8(head.to_bytes()).unwrap()
    }

    /// What is submitted to a witness that has signed `old` records.
    pub fn submission(&self, old: u64, size: u64) -> String {
        let head = self.head(size);
        let proof = match old {
            0 => Vec::new(),
            _ => prove_tree(size, old, &Stored(&self.hashes.borrow())).unwrap(),
        };
        let hashes: String = proof.iter().map(|hash| format!("{hash}\n")).collect();
        format!("old {old}\n{hashes}\n{head}")
    }
}

/// A directory with the key and the state of a witness that knows one log.
pub struct Bench {
    pub dir: TempDir,
}

/// An answer of a witness.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Bench {
    pub fn new() -> Bench {
        let bench = Bench {
            dir: tempfile::tempdir().unwrap(),
        };
        let witness = WitnessKey::create(&bench.path("witness.key"), "example.com/witness");
        create_state(&bench.path("state"), witness.unwrap().public_key()).unwrap();
        let log = LogKey::create(&bench.path("plant.key"), NAME).unwrap();
        fs::write(
            bench.path("logs"),
            format!("# ours\n\n{}\n", log.verifier_key()),
        )
        .unwrap();
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn log(&self, history: &str) -> Log {
        Log::new(LogKey::read(&self.path("plant.key")).unwrap(), history)
    }

    pub fn witness_key(&self) -> WitnessPublicKey {
        let key = WitnessKey::read(&self.path("witness.key")).unwrap();
        key.public_key().clone()
    }

    pub fn serve(&self) -> Running {
        let witness = open(self.dir.path());
        let address = witness.address();
        let stop = Arc::new(AtomicBool::new(false));
        let seen = stop.clone();
        let thread = thread::spawn(move || witness.serve(move || seen.load(Ordering::Relaxed)));
        Running {
            address,
            stop,
            thread: Some(thread),
        }
    }
}

/// Opens the witness of a directory.
pub fn open(directory: &Path) -> Witness {
    let key = WitnessKey::read(&directory.join("witness.key")).unwrap();
    let logs = KnownLogs::read(&directory.join("logs")).unwrap();
    let any = "127.0.0.1:0".parse().unwrap();
    Witness::open(&directory.join("state"), key, logs, any, 64).unwrap()
}

/// A witness that answers until it is dropped.
pub struct Running {
    pub address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl Running {
    pub fn submit(&self, body: impl AsRef<[u8]>) -> Answer {
        self.request("POST /add-checkpoint", body.as_ref())
    }

    pub fn get(&self, path: &str) -> Answer {
        self.request(&format!("GET {path}"), b"")
    }

    pub fn request(&self, line: &str, body: &[u8]) -> Answer {
        request(self.address, line, body).unwrap()
    }
}

/// Sends a request, and gives the answer; `None` where it breaks off.
pub fn request(address: SocketAddr, line: &str, body: &[u8]) -> Option<Answer> {
    let mut stream = TcpStream::connect(address).ok()?;
    let head = format!(
        "{line} HTTP/1.1\r\nhost: w\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    // A witness may answer before it has read all of what is too long.
    let _ = stream.write_all(&[head.as_bytes(), body].concat());
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    let text = String::from_utf8(text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let length = head.to_ascii_lowercase();
    let (_, length) = length.split_once("content-length: ")?;
    let length: usize = length.lines().next()?.parse().unwrap();
    (body.len() == length).then(|| Answer {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head: head.to_ascii_lowercase(),
        body: body.to_owned(),
    })
}

impl Answer {
    /// Asserts the status and a part of the body.
    #[track_caller]
    pub fn is(&self, status: u16, told: &str) {
        assert_eq!(self.status, status, "{}", self.body);
        assert!(self.body.contains(told), "{}", self.body);
    }

    /// Asserts that the last head that was signed had `size` records.
    #[track_caller]
    pub fn is_conflict(&self, size: u64) {
        assert_eq!(
            (self.status, self.body.as_str()),
            (409, &*format!("{size}\n"))
        );
        assert!(
            self.head.contains("content-type: text/x.tlog.size"),
            "{}",
            self.head
        );
    }
}
