//! Opening regular files by their own names: never through a symbolic link, and without waiting for the
//! other end of a pipe that somebody has put in a file's place.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Opens a regular file for reading.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] where the path names anything else, such as a symbolic link or a pipe; its
/// text says what was found. The system's error.
pub fn open_for_reading(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().read(true))
}

/// Opens a regular file for reading, and for writing after its last byte.
///
/// # Errors
/// As [`open_for_reading`].
pub fn open_for_appending(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().read(true).append(true))
}

/// Creates a file for reading, and for writing after its last byte. Its mode is what the process's umask
/// leaves of 0666.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] where anything has the name, a link that leads nowhere too. The system's
/// error.
pub fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .append(true)
        .create_new(true)
        .open(path)
}

/// Creates a file as [`create_new`] does, beside `target` and with a name that nobody can predict, which ends
/// in `.tmp`. Gives its path too.
///
/// # Errors
/// The system's error.
pub fn create_temporary(target: &Path) -> io::Result<(PathBuf, File)> {
    let dir = match target.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    let created = tempfile::Builder::new()
        .prefix(".")
        .suffix(".tmp")
        .rand_bytes(16)
        .make_in(dir, create_new)?;
    let (file, path) = created.into_parts();
    Ok((path.keep().map_err(|kept| kept.error)?, file))
}

fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    }
    // What the opening of a device does is the device's; so the kind is looked at before, and once more
    // after it.
    check_kind(path, &fs::symlink_metadata(path)?)?;
    let file = options.open(path)?;
    check_kind(path, &file.metadata()?)?;
    Ok(file)
}

fn check_kind(path: &Path, metadata: &fs::Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    if kind.is_file() {
        return Ok(());
    }
    let found = if kind.is_symlink() {
        match fs::read_link(path) {
            Ok(target) => format!("a symbolic link to {}", target.display()),
            Err(_) => "a symbolic link".to_owned(),
        }
    } else {
        name_irregular_kind(kind).to_owned()
    };
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("found {found}, expected a regular file; move it away, or name another file"),
    ))
}

/// Names what is neither a regular file nor a link.
#[cfg(unix)]
#[must_use]
pub fn name_irregular_kind(kind: fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_dir() {
        "a directory"
    } else if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

/// Names what is neither a regular file nor a link.
#[cfg(not(unix))]
#[must_use]
pub fn name_irregular_kind(kind: fs::FileType) -> &'static str {
    if kind.is_dir() {
        "a directory"
    } else {
        "a device"
    }
}
