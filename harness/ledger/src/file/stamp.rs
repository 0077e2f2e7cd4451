//! The stamp of a file: what tells, without reading it, whether it was changed or exchanged since.

use std::fmt;
use std::fs::Metadata;

/// The stamp of a file or directory. Where the system has no inodes, owners and modes, they are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileStamp {
    /// The number by which the file system tells the file from its others.
    pub inode: u64,
    /// When the file, its rights or its name, or what is in the directory was changed last.
    pub changed: ChangeTime,
    /// The user who owns it.
    pub owner: u32,
    /// Its rights, as the file system has them.
    pub mode: u32,
}

/// The time of a change, as the file system keeps it: no program sets it at will, and two changes within a tick of the
/// system's clock (4 ms as a rule) have one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeTime {
    /// Seconds since 1970.
    pub seconds: i64,
    /// And nanoseconds.
    pub nanoseconds: i64,
}

impl FileStamp {
    /// The stamp of the file that `metadata` describes.
    #[cfg(unix)]
    #[must_use]
    pub fn of(metadata: &Metadata) -> FileStamp {
        use std::os::unix::fs::MetadataExt;
        FileStamp {
            inode: metadata.ino(),
            changed: ChangeTime {
                seconds: metadata.ctime(),
                nanoseconds: metadata.ctime_nsec(),
            },
            owner: metadata.uid(),
            mode: metadata.mode(),
        }
    }

    /// The stamp of the file that `metadata` describes.
    #[cfg(not(unix))]
    #[must_use]
    pub fn of(metadata: &Metadata) -> FileStamp {
        let since_1970 = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
            .unwrap_or_default();
        FileStamp {
            changed: ChangeTime {
                seconds: i64::try_from(since_1970.as_secs()).unwrap_or(i64::MAX),
                nanoseconds: since_1970.subsec_nanos().into(),
            },
            ..FileStamp::default()
        }
    }
}

impl fmt::Display for ChangeTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09}", self.seconds, self.nanoseconds)
    }
}
