//! Blobs: files beside a ledger with the bytes that its records name by hash only. These are inputs,
//! configurations, and the raw bytes of answers that were not admitted.
//!
//! formats.md §6, Blobs: `<ledger>.blobs/<first two hex digits>/<sha256>`. A blob exists whole or not at
//! all: it is written under another name, synced, and renamed. The empty string needs no blob.
//!
//! A blob is a regular file: what else has its name is neither read nor waited for. Blobs are written into
//! directories only, and into none that a link leads to.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axilog::hash::{Hash, Hasher, HexHash, sha256, unhex};

use super::regular_file;
use super::storage::append_suffix;
use super::volume::{Volume, replace_file};
use crate::encoding::hex;
use crate::error::{FileError, LedgerError};
use crate::ledger_input::uncompressed_name;

/// The blobs of one ledger, for reading.
#[derive(Clone, Debug)]
pub struct BlobStore {
    dir: PathBuf,
}

impl BlobStore {
    /// Names the blobs of `ledger`. Neither the ledger nor a blob needs to exist. A compressed ledger's are called after its
    /// [`uncompressed_name`].
    #[must_use]
    pub fn of_ledger(ledger: &Path) -> BlobStore {
        BlobStore {
            dir: append_suffix(&uncompressed_name(ledger), ".blobs"),
        }
    }

    /// The path that the blob with this hash has or would have.
    #[must_use]
    pub fn path(&self, hash: &Hash) -> PathBuf {
        let name = hex(hash);
        self.dir.join(name.get(..2).unwrap_or_default()).join(&name)
    }

    /// Reads the blob with this hash; `None` where there is no such blob. The bytes are not checked against
    /// the hash. A blob longer than `limit` is cut off there, so that a check of its hash fails, and so it does for
    /// what has a blob's name and is no regular file: that is not opened, and has no bytes.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn read(&self, hash: &Hash, limit: u64) -> Result<Option<Vec<u8>>, LedgerError> {
        let path = self.path(hash);
        let mut bytes = Vec::new();
        match regular_file::open_for_reading(&path)
            .and_then(|file| file.take(limit).read_to_end(&mut bytes))
        {
            Ok(_) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(Some(Vec::new())),
            Err(error) if leads_nowhere(&error) => Ok(None),
            Err(error) => Err(FileError::from_io(&path, "read the blob")(error).into()),
        }
    }

    /// Reads the blob with this hash where it has the bytes that were kept; `None` where it is missing, damaged, or longer
    /// than `limit`. Nothing at all has no blob.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn read_intact(&self, hash: &Hash, limit: u64) -> Result<Option<Vec<u8>>, LedgerError> {
        if *hash == sha256(b"") {
            return Ok(Some(Vec::new()));
        }
        let read = self.read(hash, limit)?;
        Ok(read.filter(|bytes| sha256(bytes) == *hash))
    }

    /// Whether anything has the name of the blob with this hash, be it a blob or not.
    #[must_use]
    pub fn is_taken(&self, hash: &Hash) -> bool {
        fs::symlink_metadata(self.path(hash)).is_ok()
    }

    /// Whether a blob with this hash exists. Its content is not read.
    #[must_use]
    pub fn contains(&self, hash: &Hash) -> bool {
        *hash == sha256(b"")
            || fs::symlink_metadata(self.path(hash)).is_ok_and(|metadata| metadata.is_file())
    }

    /// Examines every file among the blobs: recomputes its hash and calls `report` with its path and what it is.
    /// What is no regular file is not opened. A blob that was being written when its process ended counts for
    /// nothing and is skipped.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn examine_files(
        &self,
        report: &mut dyn FnMut(PathBuf, BlobFile),
    ) -> Result<(), LedgerError> {
        for (path, hash) in self.list_files()? {
            let found = match hash {
                None if is_temporary(&path) => continue,
                None => BlobFile::NotABlob,
                Some(hash) => match self.examine(&hash, u64::MAX)? {
                    Some(BlobState::Whole) => BlobFile::Blob(hash),
                    Some(BlobState::Damaged | BlobState::TooLong) => BlobFile::Damaged,
                    None => continue,
                },
            };
            report(path, found);
        }
        Ok(())
    }

    /// Lists the files among the blobs, each with the hash that it should have; a file that is not named or not
    /// placed like a blob has none. What vanishes meanwhile is left out: a writer may move files aside.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn list_files(&self) -> Result<Vec<(PathBuf, Option<Hash>)>, LedgerError> {
        let mut files = Vec::new();
        for shard in list_directory(&self.dir)? {
            if fs::symlink_metadata(&shard).is_ok_and(|metadata| metadata.is_dir()) {
                let inside = list_directory(&shard)?.into_iter();
                files.extend(inside.map(|path| (path.clone(), self.hash_in_name(&path))));
            } else {
                files.push((shard, None));
            }
        }
        Ok(files)
    }

    /// Compares the blob with this hash with it; `None` where there is no such blob. What is no regular file is not
    /// opened, and has another hash; of a file with more than `limit` bytes none is read.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn examine(&self, hash: &Hash, limit: u64) -> Result<Option<BlobState>, LedgerError> {
        let path = self.path(hash);
        let examined = regular_file::open_for_reading(&path).and_then(|file| {
            if file.metadata()?.len() > limit {
                return Ok(BlobState::TooLong);
            }
            // It may grow meanwhile.
            let found = hash_reader(&mut file.take(limit))?;
            Ok(match found == *hash {
                true => BlobState::Whole,
                false => BlobState::Damaged,
            })
        });
        match examined {
            Ok(state) => Ok(Some(state)),
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                Ok(Some(BlobState::Damaged))
            }
            Err(error) if leads_nowhere(&error) => Ok(None),
            Err(error) => Err(FileError::from_io(&path, "read the blob")(error).into()),
        }
    }

    /// The hash that a path among the blobs names; `None` where no blob can have it.
    pub(super) fn hash_in_name(&self, path: &Path) -> Option<Hash> {
        let name = path.file_name()?.to_str()?;
        let hash = unhex(&HexHash::try_from(name.as_bytes()).ok()?)?;
        (self.path(&hash) == path).then_some(hash)
    }

    /// The directory of the blobs.
    pub(super) fn directory(&self) -> &Path {
        &self.dir
    }
}

/// What was found of a blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlobState {
    /// Its bytes have the hash in its name.
    Whole,
    /// Its bytes have another hash.
    Damaged,
    /// It has more bytes than were to be read.
    TooLong,
}

/// What a file among the blobs is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlobFile {
    /// A blob whose bytes have the hash in its name.
    Blob(Hash),
    /// A blob whose bytes have another hash.
    Damaged,
    /// A file that is not named or not placed like a blob.
    NotABlob,
}

/// Whether an error says that a path leads to no file: nothing is there, something else stands in the place of a
/// directory on the way, or a link leads in a circle.
fn leads_nowhere(error: &io::Error) -> bool {
    #[cfg(unix)]
    if error.raw_os_error() == Some(libc::ELOOP) {
        return true;
    }
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Whether a path is the temporary name of a blob that is being written.
fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') && name.ends_with(".tmp")
}

/// The paths in a directory, sorted; none where there is no such directory.
fn list_directory(dir: &Path) -> Result<Vec<PathBuf>, LedgerError> {
    let read = fs::read_dir(dir).and_then(|entries| entries.map(|e| e.map(|e| e.path())).collect());
    let mut paths: Vec<PathBuf> = match read {
        Err(error) if leads_nowhere(&error) => Vec::new(),
        read => read.map_err(FileError::from_io(dir, "list the blobs"))?,
    };
    paths.sort();
    Ok(paths)
}

/// The most blobs that a writer remembers to be durable.
const MAX_REMEMBERED: usize = 4096;

/// A writer of blobs, on any volume. Clones share what they remember, and may be used by several threads.
#[derive(Clone, Debug)]
pub struct BlobWriter {
    blobs: BlobStore,
    volume: Arc<dyn Volume>,
    durable: Arc<Mutex<HashSet<Hash>>>,
    /// The blobs that were stored and that no record names yet, as far as the writer knows.
    unnamed: Arc<Mutex<HashSet<Hash>>>,
}

impl BlobWriter {
    /// Creates a writer of the blobs of `ledger`. Neither the ledger nor a blob needs to exist.
    #[must_use]
    pub fn for_ledger(ledger: &Path, volume: Arc<dyn Volume>) -> BlobWriter {
        BlobWriter {
            blobs: BlobStore::of_ledger(ledger),
            volume,
            durable: Arc::default(),
            unnamed: Arc::default(),
        }
    }

    /// Stores `bytes` as a blob, durably, and gives their hash. A damaged blob of that name is replaced.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn store(&self, bytes: &[u8]) -> Result<Hash, LedgerError> {
        let hash = sha256(bytes);
        if bytes.is_empty() || self.remembered().contains(&hash) {
            return Ok(hash);
        }
        // Before there is a file of it: whoever finds none of these finds no such file either.
        self.lock_unnamed().insert(hash);
        let path = self.blobs.path(&hash);
        self.make_durable(&path, bytes, &hash)
            .map_err(FileError::from_io(&path, "write the blob"))?;
        let mut durable = self.remembered();
        if durable.len() >= MAX_REMEMBERED {
            durable.clear();
        }
        durable.insert(hash);
        Ok(hash)
    }

    /// Whether the writer remembers that a blob with these bytes is durable.
    #[must_use]
    pub fn remembers(&self, bytes: &[u8]) -> bool {
        bytes.is_empty() || self.remembered().contains(&sha256(bytes))
    }

    /// Notes that records name these blobs.
    pub(crate) fn mark_named<'h>(&self, hashes: impl IntoIterator<Item = &'h Hash>) {
        let mut unnamed = self.lock_unnamed();
        for hash in hashes {
            unnamed.remove(hash);
        }
    }

    /// Notes that records, or what they name, name all blobs that were stored.
    pub(crate) fn mark_all_named(&self) {
        self.lock_unnamed().clear();
    }

    /// Whether a blob was stored that no record may name yet.
    pub(crate) fn has_unnamed(&self) -> bool {
        !self.lock_unnamed().is_empty()
    }

    fn lock_unnamed(&self) -> MutexGuard<'_, HashSet<Hash>> {
        self.unnamed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remembered(&self) -> MutexGuard<'_, HashSet<Hash>> {
        self.durable.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn make_durable(&self, path: &Path, bytes: &[u8], hash: &Hash) -> io::Result<()> {
        self.volume.create_dir(&self.blobs.dir)?;
        self.volume
            .create_dir(path.parent().unwrap_or(&self.blobs.dir))?;
        let existing = self
            .volume
            .read(path)
            .and_then(|file| hash_reader(&mut file.take(bytes.len() as u64 + 1)));
        if !existing.is_ok_and(|existing| existing == *hash) {
            replace_file(&*self.volume, path, bytes)?;
        }
        // The names are made durable too: the blob's, its directory's, and that of all blobs. The process
        // that wrote an existing blob may have ended before it had done so.
        for dir in path.ancestors().skip(1).take(3) {
            self.volume.sync_dir(dir)?;
        }
        Ok(())
    }
}

/// Computes the SHA-256 of a file in constant memory.
pub fn hash_reader(file: &mut dyn Read) -> io::Result<Hash> {
    let mut hasher = HashingWriter(Hasher::new());
    io::copy(file, &mut hasher)?;
    Ok(hasher.0.finish())
}

struct HashingWriter(Hasher);

impl Write for HashingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
