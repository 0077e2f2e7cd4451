//! Standard input under the name `-`, wherever a file is named to be read.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::FileError;

/// Whether standard input was opened.
static IS_OPENED: AtomicBool = AtomicBool::new(false);

/// Tells whether a path is `-`, which stands for standard input. A file of that name is `./-`.
#[must_use]
pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens standard input, whatever it is. A process reads it once: a second reader would find it empty.
///
/// # Errors
/// [`FileError::StandardInputTwice`] for the second time; [`FileError::Io`].
pub fn open_standard_input(action: &'static str) -> Result<File, FileError> {
    if IS_OPENED.swap(true, Ordering::Relaxed) {
        return Err(FileError::StandardInputTwice);
    }
    #[cfg(unix)]
    let opened = {
        use std::os::fd::AsFd;
        io::stdin().as_fd().try_clone_to_owned()
    };
    #[cfg(windows)]
    let opened = {
        use std::os::windows::io::AsHandle;
        io::stdin().as_handle().try_clone_to_owned()
    };
    opened
        .map(File::from)
        .map_err(FileError::from_io(Path::new("-"), action))
}
