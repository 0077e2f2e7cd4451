//! Files among the blobs that no record names. A writer that was killed, or that failed, between a blob and its
//! record leaves one; nothing is wrong with the ledger.
//!
//! They are moved out of the blobs as a torn line is moved out of the ledger: into a directory beside it, so that
//! nothing is lost.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use axilog::hash::Hash;

use super::blobs::BlobStore;
use super::storage::append_suffix;
use super::volume::{DirectoryEntry, parent_dir};
use super::{LedgerFile, LeftBehind};
use crate::error::{FileError, LedgerError};

/// A file among the blobs that no record names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnnamedFile {
    pub(crate) path: PathBuf,
    /// The hash that its name says; `None` where it is not named or not placed like a blob.
    pub(crate) hash: Option<Hash>,
}

impl LedgerFile {
    /// Lists the files among the blobs that `is_named` does not know, and directories that stand in the place of blobs.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub(crate) fn list_unnamed_files(
        &self,
        is_named: &dyn Fn(&Hash) -> bool,
    ) -> Result<Vec<UnnamedFile>, LedgerError> {
        let store = BlobStore::of_ledger(&self.path);
        let mut unnamed = Vec::new();
        for DirectoryEntry { path, is_directory } in self.list_directory(store.directory())? {
            if !is_directory {
                // A link to a directory of blobs leads readers to them, so it stays.
                if !path.is_dir() {
                    unnamed.push(UnnamedFile { path, hash: None });
                }
                continue;
            }
            for entry in self.list_directory(&path)? {
                let hash = store.hash_in_name(&entry.path);
                let is_named = hash.is_some_and(|hash| is_named(&hash));
                // A file can take the place of anything but of a directory.
                if !is_named || entry.is_directory {
                    let path = entry.path;
                    unnamed.push(UnnamedFile { path, hash });
                }
            }
        }
        Ok(unnamed)
    }

    /// Moves files out of the blobs, durably. A name that is taken there gets a number after it.
    ///
    /// # Errors
    /// [`FileError::Io`]. The files that were not moved are where they were.
    pub(crate) fn move_left_behind_aside(
        &mut self,
        files: &[UnnamedFile],
    ) -> Result<(), LedgerError> {
        if files.is_empty() {
            return Ok(());
        }
        let directory = append_suffix(&self.path, ".left-behind");
        self.move_files(files, &directory)
            .map_err(FileError::from_io(&directory, "move what was left behind"))?;
        self.left_behind = Some(LeftBehind {
            directory,
            files: files.len() as u64,
        });
        Ok(())
    }

    fn move_files(&self, files: &[UnnamedFile], directory: &Path) -> io::Result<()> {
        let volume = &*self.volume;
        volume.create_dir(directory)?;
        let taken = volume.list(directory)?.into_iter().map(|entry| entry.path);
        let mut taken: HashSet<PathBuf> = taken.collect();
        for UnnamedFile { path, .. } in files {
            let target = choose_free_name(directory, path, &taken);
            volume.rename(path, &target)?;
            taken.insert(target);
        }
        // The new names are durable before the old ones are gone for good.
        volume.sync_dir(directory)?;
        volume.sync_dir(parent_dir(directory))?;
        let left: HashSet<&Path> = files.iter().map(|file| parent_dir(&file.path)).collect();
        left.into_iter().try_for_each(|dir| volume.sync_dir(dir))
    }

    /// Lists a directory; nothing where there is none, or a link to one.
    fn list_directory(&self, dir: &Path) -> Result<Vec<DirectoryEntry>, LedgerError> {
        match self.volume.list(dir) {
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                Ok(Vec::new())
            }
            listed => Ok(listed.map_err(FileError::from_io(dir, "list the blobs"))?),
        }
    }
}

fn choose_free_name(directory: &Path, file: &Path, taken: &HashSet<PathBuf>) -> PathBuf {
    let plain = directory.join(file.file_name().unwrap_or_default());
    let mut target = plain.clone();
    let mut number = 2u64;
    while taken.contains(&target) {
        target = append_suffix(&plain, &format!(".{number}"));
        number = number.saturating_add(1);
    }
    target
}
