//! The place of an open file: the path that it was opened under, and whether that still leads to it.
//!
//! A file that was renamed or removed while it was open takes further writes, and nobody finds them there.

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// The device and the inode of a file, which tell it from every other file as long as it is open. On systems
/// without inodes all files are alike, and only their lengths are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileIdentity {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// The identity of the file that `metadata` describes.
    #[cfg(unix)]
    #[must_use]
    pub fn of(metadata: &Metadata) -> FileIdentity {
        use std::os::unix::fs::MetadataExt;
        FileIdentity {
            device: metadata.dev(),
            inode: metadata.ino(),
        }
    }

    /// The identity of the file that `metadata` describes.
    #[cfg(not(unix))]
    #[must_use]
    pub fn of(_: &Metadata) -> FileIdentity {
        FileIdentity {
            device: 0,
            inode: 0,
        }
    }
}

impl FileIdentity {
    /// Checks that `path` leads to this file, through links where there are any.
    ///
    /// # Errors
    /// [`Displacement`].
    pub fn check(&self, path: &Path) -> Result<(), Displacement> {
        self.compare(fs::metadata(path)).map(drop)
    }

    fn compare(&self, found: io::Result<Metadata>) -> Result<Metadata, Displacement> {
        let expected = *self;
        match found {
            Ok(metadata) => match FileIdentity::of(&metadata) {
                found if found == expected => Ok(metadata),
                found => Err(Displacement::Replaced { found, expected }),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(Displacement::Gone { expected })
            }
            Err(error) => Err(Displacement::Unknown {
                reason: error.to_string(),
            }),
        }
    }
}

impl fmt::Display for FileIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "device {}, inode {}", self.device, self.inode)
    }
}

/// The path of an open file and the file's identity, which holds as long as the file is open.
#[derive(Clone, Debug)]
pub struct FilePlace {
    /// Absolute, so that it means the same when the process changes its working directory.
    path: PathBuf,
    identity: FileIdentity,
}

impl FilePlace {
    /// The place of `file`, which was opened under `path`.
    ///
    /// # Errors
    /// The system's error.
    pub fn of(path: &Path, file: &File) -> io::Result<FilePlace> {
        Ok(FilePlace {
            path: std::path::absolute(path)?,
            identity: FileIdentity::of(&file.metadata()?),
        })
    }

    /// Checks that the path leads to the same file, by its own name and not through a link, and that the file
    /// has `len` bytes. One call of the system.
    ///
    /// # Errors
    /// [`Displacement`].
    pub fn check(&self, len: u64) -> Result<(), Displacement> {
        let metadata = self.identity.compare(fs::symlink_metadata(&self.path))?;
        if metadata.len() != len {
            return Err(Displacement::Resized {
                found: metadata.len(),
                expected: len,
            });
        }
        Ok(())
    }
}

/// The difference between the file that a path leads to and the one that was opened under it: what was
/// found, what was expected and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Displacement {
    /// Nothing has the name any more.
    #[error(
        "found no file, expected the one that is open ({expected}): it was renamed or removed; put it back under this name, if it can be found, and open it again"
    )]
    Gone {
        /// The file that is open.
        expected: FileIdentity,
    },
    /// Another file has the name.
    #[error(
        "found another file ({found}), expected the one that is open ({expected}): it was replaced; put it back under this name, if it can be found, and open it again"
    )]
    Replaced {
        /// The file that has the name.
        found: FileIdentity,
        /// The file that is open.
        expected: FileIdentity,
    },
    /// The file has another length than was written.
    #[error(
        "found {found} bytes, expected {expected}: another program has cut the file off or written to it; keep the file as it is, and compare it with a copy"
    )]
    Resized {
        /// The length that the file has, in bytes.
        found: u64,
        /// The length that it was given, in bytes.
        expected: u64,
    },
    /// The system does not say what has the name.
    #[error("expected the file that is open, and what is there cannot be looked up: {reason}")]
    Unknown {
        /// The system's error.
        reason: String,
    },
}
