//! The file `LEDGER.state`, from which the next opening goes on: read, written whole or not at all, and removed. What it
//! says is the session's.
//!
//! Nothing in it is synced: what a power failure leaves of it has another hash, and is made anew.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use axilog::hash::{Hash, Hasher, sha256};

use super::LedgerFile;
use super::blobs::BlobStore;
use super::stamp::FileStamp;
use super::state_frame::{
    MAX_STATE_BYTES, NAME, begins_as_state, frame_line, is_as_safe, read_frame,
};
use super::storage::{append_all, append_suffix};
use super::volume::Volume;
use crate::error::FileError;

impl LedgerFile {
    /// Reads what the ledger's state says.
    ///
    /// # Errors
    /// Why it cannot be used, in words.
    pub(crate) fn read_state(&self) -> Result<Vec<u8>, String> {
        let path = state_path(&self.path);
        let text = |error: io::Error| format!("{}: {error}", path.display());
        let stamp = match self.volume.stamp(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(format!("there is no file {}", path.display()));
            }
            stamp => stamp.map_err(text)?,
        };
        let ledger = self.stamp().map_err(text)?;
        if !is_as_safe(&stamp, &ledger) {
            return Err(format!(
                "{} may have been written by somebody who may not write the ledger",
                path.display()
            ));
        }
        let mut bytes = Vec::new();
        self.volume
            .read(&path)
            .and_then(|file| {
                file.take(MAX_STATE_BYTES as u64 + 1)
                    .read_to_end(&mut bytes)
            })
            .map_err(text)?;
        let document = read_frame(&bytes).map_err(|fault| format!("{}: {fault}", path.display()));
        document.map(<[u8]>::to_vec)
    }

    /// Writes what the ledger's state says, with the rights of the ledger. Another file of that name is left alone.
    ///
    /// # Errors
    /// [`FileError::Io`], also for a state that is too long. The state is as it was before.
    pub(crate) fn write_state(&self, document: &[u8]) -> Result<(), FileError> {
        let path = state_path(&self.path);
        let mut bytes = frame_line(document).into_bytes();
        bytes.extend_from_slice(document);
        let written = match bytes.len() {
            0..=MAX_STATE_BYTES => self.replace_state(&path, &bytes),
            len => Err(io::Error::other(format!(
                "found {len} bytes, expected at most {MAX_STATE_BYTES}; the next opening replays the whole ledger"
            ))),
        };
        written.map_err(FileError::from_io(&path, "write the state"))
    }

    /// Removes the ledger's state, where there is one that can be removed.
    pub(crate) fn remove_state(&self) {
        let path = state_path(&self.path);
        if self.volume.stamp(&path).is_ok() && check_replaceable(&*self.volume, &path).is_ok() {
            // A state that stays is of no use, since nobody goes on from the ledger.
            let _ = self.volume.remove(&path);
        }
    }

    /// The stamp of what has the ledger's name.
    pub(crate) fn stamp(&self) -> io::Result<FileStamp> {
        self.volume.stamp(&self.path)
    }

    /// A digest of the stamps of the folders of blobs. It is another once a file was added to any of them, removed or
    /// renamed. There are at most 257 folders.
    pub(crate) fn digest_blob_folders(&self) -> io::Result<Hash> {
        let store = BlobStore::of_ledger(&self.path);
        let listed = match self.volume.list(store.directory()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(sha256(b"")),
            listed => listed?,
        };
        let mut hasher = Hasher::new();
        let folders = listed.into_iter().filter(|entry| entry.is_directory);
        let folders = folders.map(|entry| entry.path);
        for folder in folders.chain([store.directory().to_owned()]) {
            let FileStamp { inode, changed, .. } = self.volume.stamp(&folder)?;
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            hasher.update(format!("{name} {inode} {changed}\n").as_bytes());
        }
        Ok(hasher.finish())
    }

    /// Writes the state under another name and renames it. The process that writes has the ledger's lock, so that nobody
    /// else writes under that name.
    fn replace_state(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let volume = &*self.volume;
        check_replaceable(volume, path)?;
        let new = append_suffix(path, ".new");
        let created = match volume.create(&new) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // A process that was killed left it.
                check_replaceable(volume, &new)?;
                volume.remove(&new)?;
                volume.create(&new)
            }
            created => created,
        };
        let mut file = created?;
        let written = volume
            .copy_rights(&self.path, &new)
            .and_then(|()| append_all(&mut *file, bytes))
            .and_then(|()| volume.rename(&new, path));
        if written.is_err() {
            let _ = volume.remove(&new);
        }
        written
    }
}

fn state_path(ledger: &Path) -> PathBuf {
    append_suffix(ledger, ".state")
}

/// Checks that nothing is lost where the file at `path` is replaced: there is none, or it begins as a state does.
fn check_replaceable(volume: &dyn Volume, path: &Path) -> io::Result<()> {
    let mut beginning = Vec::new();
    match volume.read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file?.take(NAME.len() as u64).read_to_end(&mut beginning)?,
    };
    match begins_as_state(&beginning) {
        true => Ok(()),
        false => Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "found a file that is no state of a ledger; move it away",
        )),
    }
}
