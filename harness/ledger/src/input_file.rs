//! Files that a caller names to be read: regular files, and pipes that somebody has opened for this process.
//!
//! A named pipe without a writer would hold its reader up for ever, and a device may never end. So neither is
//! opened. Whatever is read whole has a bound. The name `-` is standard input, whatever that is.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::FileError;
use crate::standard_input::{is_standard_input, open_standard_input};

/// The most bytes that are read of a file that is wanted whole, unless its kind has a lower bound.
pub const MAX_INPUT_BYTES: u64 = 64 << 20;

/// Opens a file for reading. Besides regular files, pipes are read that this process has open already, as the
/// shell's `<(command)` and `/dev/stdin` are, and `-`, which is standard input. `action` is the operation, as in "cannot {action}".
///
/// # Errors
/// [`FileError::Io`], also for directories, named pipes, devices and sockets; [`FileError::StandardInputTwice`].
pub fn open_input(path: &Path, action: &'static str) -> Result<File, FileError> {
    if is_standard_input(path) {
        return open_standard_input(action);
    }
    open_if(path, action, |metadata| {
        metadata.is_file() || (is_pipe(metadata) && is_descriptor(path))
    })
}

/// Opens a regular file for reading, or a link to one: nothing else can be read twice.
///
/// # Errors
/// [`FileError::Io`], also for what is no regular file.
pub fn open_regular_file(path: &Path, action: &'static str) -> Result<File, FileError> {
    open_if(path, action, std::fs::Metadata::is_file)
}

fn open_if(
    path: &Path,
    action: &'static str,
    is_admitted: impl Fn(&std::fs::Metadata) -> bool,
) -> Result<File, FileError> {
    let metadata = std::fs::metadata(path).map_err(FileError::from_io(path, action))?;
    if !is_admitted(&metadata) {
        let found = match (metadata.is_dir(), is_pipe(&metadata)) {
            (true, _) => "a directory",
            (_, true) => "a named pipe, which may never end",
            _ => "a device or socket, which may never end",
        };
        let reason = format!("it is {found}; name a regular file");
        let refused = io::Error::new(io::ErrorKind::InvalidInput, reason);
        return Err(FileError::from_io(path, action)(refused));
    }
    File::open(path).map_err(FileError::from_io(path, action))
}

/// Reads a file of at most `limit` bytes whole.
///
/// # Errors
/// As [`open_input`]; [`FileError::TooLong`] for more than `limit` bytes.
pub fn read_input(path: &Path, action: &'static str, limit: u64) -> Result<Vec<u8>, FileError> {
    read_whole(open_input(path, action)?, path, action, limit)
}

/// Reads an open file of at most `limit` bytes whole. `path` is its name in messages.
///
/// # Errors
/// [`FileError::Io`]; [`FileError::TooLong`] for more than `limit` bytes.
pub fn read_whole(
    file: File,
    path: &Path,
    action: &'static str,
    limit: u64,
) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(FileError::from_io(path, action))?;
    if bytes.len() as u64 > limit {
        return Err(FileError::TooLong {
            what: path.display().to_string(),
            limit,
            hint: "",
        });
    }
    Ok(bytes)
}

/// Tells whether a file is a pipe, with a name or without.
#[cfg(unix)]
#[must_use]
pub fn is_pipe(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_fifo()
}

/// Tells whether a file is a pipe, with a name or without.
#[cfg(not(unix))]
#[must_use]
pub fn is_pipe(_: &std::fs::Metadata) -> bool {
    false
}

/// Whether `path` names a file that this process has open.
fn is_descriptor(path: &Path) -> bool {
    path == Path::new("/dev/stdin")
        || path.starts_with("/dev/fd")
        || path.starts_with("/proc/self/fd")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn only_files_that_end_are_read_and_only_to_their_bound() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("input");
        std::fs::write(&path, b"12345").unwrap();
        assert_eq!(read_input(&path, "read", 5).unwrap(), b"12345");
        let told = read_input(&path, "read", 4).unwrap_err().to_string();
        assert!(told.contains("input is longer than 4 bytes"), "{told}");

        let pipe = dir.path().join("pipe");
        assert!(
            Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        for refused in [
            &pipe,
            dir.path(),
            Path::new("/dev/zero"),
            Path::new("/dev/null"),
        ] {
            let told = read_input(refused, "read", 4).unwrap_err().to_string();
            assert!(told.contains("cannot read: it is a "), "{told}");
            assert!(told.contains("name a regular file"), "{told}");
        }
        let missing = dir.path().join("none");
        let told = open_input(&missing, "open the ledger")
            .unwrap_err()
            .to_string();
        assert!(told.contains("none: cannot open the ledger"), "{told}");
    }

    #[test]
    fn a_pipe_that_is_open_already_is_read() {
        use std::os::fd::AsRawFd;
        let mut child = Command::new("printf")
            .arg("through a pipe")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let pipe = child.stdout.take().unwrap();
        for folder in ["/dev/fd", "/proc/self/fd"] {
            let path = Path::new(folder).join(pipe.as_raw_fd().to_string());
            assert!(is_descriptor(&path));
            assert!(open_input(&path, "read").is_ok(), "{path:?}");
        }
        let path = Path::new("/dev/fd").join(pipe.as_raw_fd().to_string());
        // The other end is closed once the child has ended; what it wrote is in the pipe.
        child.wait().unwrap();
        drop(child);
        assert_eq!(read_input(&path, "read", 100).unwrap(), b"through a pipe");
    }
}
