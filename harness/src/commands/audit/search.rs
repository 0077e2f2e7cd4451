//! The ledgers that an audit of folders is about.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use axilog_ledger::error::FileError;

use crate::Failure;
use crate::error::CommandError;

/// What the names of ledgers end in. A compressed one keeps its name before the ending.
const ENDINGS: [&str; 3] = [".jsonl", ".jsonl.gz", ".jsonl.zst"];

/// Folders beside ledgers, with what belongs to them.
const BESIDE_LEDGERS: [&str; 2] = [".blobs", ".left-behind"];

/// A ledger to audit, or why there is none at a place.
pub(super) enum LedgerPlace {
    /// The path of a ledger.
    Ledger(PathBuf),
    /// What stands at a path in place of ledgers.
    Failure(PathBuf, Failure),
}

impl LedgerPlace {
    /// The place.
    pub(super) fn path(&self) -> &Path {
        match self {
            LedgerPlace::Ledger(path) | LedgerPlace::Failure(path, _) => path,
        }
    }
}

/// Whether `named` is one ledger, and no folder.
pub(super) fn is_one_ledger(named: &[PathBuf]) -> bool {
    matches!(named, [path] if !path.is_dir())
}

/// The ledgers that are named or lie below a named folder, each once, in the order in which they are named and in a folder
/// by their paths. A link to a ledger is one of its own, since it has blobs of its own, unless the ledger itself is among
/// them. Links to folders are followed where they are named.
pub(super) fn find_ledgers(named: &[PathBuf]) -> Vec<LedgerPlace> {
    let mut search = Search::default();
    for path in named {
        if !path.is_dir() {
            search.add(path.clone());
            continue;
        }
        let before = search.count;
        search.walk(path);
        if search.count == before {
            let failure = CommandError::NoLedgerBelow(path.clone()).into();
            search
                .found
                .push(LedgerPlace::Failure(path.clone(), failure));
        }
    }
    search.found
}

#[derive(Default)]
struct Search {
    found: Vec<LedgerPlace>,
    /// Where each file stands in `found`, by its path without links.
    places: HashMap<PathBuf, usize>,
    /// How many ledgers and failures were met, those that were met before among them.
    count: usize,
}

impl Search {
    fn walk(&mut self, folder: &Path) {
        let entries = fs::read_dir(folder).and_then(|entries| {
            entries
                .map(|e| e.map(|e| e.path()))
                .collect::<Result<Vec<_>, _>>()
        });
        let mut paths = match entries {
            Ok(paths) => paths,
            Err(error) => {
                let error = FileError::from_io(folder, "list")(error);
                let failure = CommandError::from(error).into();
                self.found
                    .push(LedgerPlace::Failure(folder.to_owned(), failure));
                self.count = self.count.saturating_add(1);
                return;
            }
        };
        paths.sort();
        for path in paths {
            let name = path.to_string_lossy();
            // Of a link itself: what it leads to may be anywhere.
            if path
                .symlink_metadata()
                .is_ok_and(|metadata| metadata.is_dir())
            {
                if !BESIDE_LEDGERS.iter().any(|ending| name.ends_with(ending)) {
                    self.walk(&path);
                }
            } else if ENDINGS.iter().any(|ending| name.ends_with(ending)) && !path.is_dir() {
                self.add(path);
            }
        }
    }

    fn add(&mut self, path: PathBuf) {
        self.count = self.count.saturating_add(1);
        let Ok(file) = path.canonicalize() else {
            // What cannot be found says so when it is opened.
            self.found.push(LedgerPlace::Ledger(path));
            return;
        };
        match self
            .places
            .get(&file)
            .and_then(|&at| self.found.get_mut(at))
        {
            Some(LedgerPlace::Ledger(known)) if known.is_symlink() => *known = path,
            Some(_) => {}
            None => {
                self.places.insert(file, self.found.len());
                self.found.push(LedgerPlace::Ledger(path));
            }
        }
    }
}
