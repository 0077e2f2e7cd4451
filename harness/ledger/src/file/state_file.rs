//! The file `LEDGER.state`, from which the next opening goes on. What it says is the session's.

use std::io;

use axilog::hash::{Hash, Hasher, sha256};

use super::LedgerFile;
use super::blobs::BlobStore;
use super::saved_file::{SavedKind, read_saved, remove_saved, write_saved};
use super::stamp::FileStamp;
use crate::error::FileError;

/// The kind of the file.
pub(crate) const STATE: SavedKind = SavedKind::new("state", 1, 1 << 20);

/// Tells whether `bytes`, the first of a file or all of them, are how the state of a ledger begins, as far as they go. A
/// power failure may leave nothing of a state, or bytes that are 0 at its end.
#[must_use]
pub fn begins_as_state(bytes: &[u8]) -> bool {
    STATE.begins(bytes)
}

impl LedgerFile {
    /// Reads what the ledger's state says.
    ///
    /// # Errors
    /// Why it cannot be used, in words.
    pub(crate) fn read_state(&self) -> Result<Vec<u8>, String> {
        read_saved(&*self.volume, &self.path, &STATE)
    }

    /// Writes what the ledger's state says, with the rights of the ledger. Another file of that name is left alone.
    ///
    /// # Errors
    /// [`FileError::Io`], also for a state that is too long. The state is as it was before.
    pub(crate) fn write_state(&self, document: &[u8]) -> Result<(), FileError> {
        write_saved(&*self.volume, &self.path, &STATE, document).map_err(FileError::from_io(
            &STATE.path_of(&self.path),
            "write the state",
        ))
    }

    /// Removes the ledger's state, where there is one that can be removed.
    pub(crate) fn remove_state(&self) {
        remove_saved(&*self.volume, &self.path, &STATE);
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
}
