//! A ledger file that is attacked when it is about to be synced.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use axilog_ledger::file::LedgerFile;
use axilog_ledger::file::place::Displacement;
use axilog_ledger::file::storage::{FileStorage, Storage};
use axilog_ledger::file::volume::FileSystem;

use crate::attack::Attack;

/// An attack that waits for a sync.
#[derive(Debug)]
struct PlannedAttack {
    attack: Attack,
    ledger: PathBuf,
    carried_out: Sender<()>,
}

/// Plans attacks on a file, and learns when their sync is done with.
pub struct AttackPlan {
    ledger: PathBuf,
    planned: Arc<Mutex<Option<PlannedAttack>>>,
}

impl AttackPlan {
    /// Carries the attack out in the next sync, before it syncs. A message tells when the sync has looked at
    /// the file's place.
    pub fn attack_next_sync(&self, attack: Attack) -> Receiver<()> {
        let (carried_out, done) = channel();
        *self.planned.lock().unwrap() = Some(PlannedAttack {
            attack,
            ledger: self.ledger.clone(),
            carried_out,
        });
        done
    }
}

/// A real file under a plan.
#[derive(Debug)]
struct AttackedStorage {
    file: FileStorage,
    planned: Arc<Mutex<Option<PlannedAttack>>>,
    looked: Mutex<Option<Sender<()>>>,
}

/// Creates a ledger file under a plan.
pub fn create_ledger(path: &Path) -> (LedgerFile, AttackPlan) {
    let mut options = File::options();
    let file = options.read(true).append(true).create_new(true);
    let planned = Arc::default();
    let storage = AttackedStorage {
        file: FileStorage::new(path, file.open(path).unwrap()).unwrap(),
        planned: Arc::clone(&planned),
        looked: Mutex::default(),
    };
    let file = LedgerFile::with_storage(path, Box::new(storage), Arc::new(FileSystem)).unwrap();
    let ledger = path.to_owned();
    (file, AttackPlan { ledger, planned })
}

impl Storage for AttackedStorage {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read_at(&self, at: u64, into: &mut [u8]) -> io::Result<usize> {
        self.file.read_at(at, into)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.append(bytes)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync(&mut self) -> io::Result<()> {
        if let Some(planned) = self.planned.lock().unwrap().take() {
            planned.attack.carry_out(&planned.ledger);
            *self.looked.lock().unwrap() = Some(planned.carried_out);
        }
        self.file.sync()
    }

    fn check_place(&self, len: u64) -> Result<(), Displacement> {
        let found = self.file.check_place(len);
        if let Some(looked) = self.looked.lock().unwrap().take() {
            looked.send(()).unwrap();
        }
        found
    }
}
