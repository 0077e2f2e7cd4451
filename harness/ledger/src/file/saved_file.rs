//! A file beside a ledger that keeps what was learned from it: read, written whole or not at all, and removed. What it says
//! is for others to know, and whether it holds.
//!
//! Nothing in it is synced: what a power failure leaves of it has another hash, and is made anew.

use std::io::{self, Read};
use std::path::Path;

use super::saved_frame::is_as_safe;
use super::storage::{append_all, append_suffix};
use super::volume::Volume;

pub use super::saved_frame::SavedKind;

/// Reads what the file of this kind beside the ledger says.
///
/// # Errors
/// Why it cannot be used, in words.
pub fn read_saved(volume: &dyn Volume, ledger: &Path, kind: &SavedKind) -> Result<Vec<u8>, String> {
    let path = kind.path_of(ledger);
    let text = |error: io::Error| format!("{}: {error}", path.display());
    let stamp = match volume.stamp(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(format!("there is no file {}", path.display()));
        }
        stamp => stamp.map_err(text)?,
    };
    if !is_as_safe(&stamp, &volume.stamp(ledger).map_err(text)?) {
        return Err(format!(
            "{} may have been written by somebody who may not write the ledger",
            path.display()
        ));
    }
    let mut bytes = Vec::new();
    volume
        .read(&path)
        .and_then(|file| {
            file.take(kind.max_bytes() as u64 + 1)
                .read_to_end(&mut bytes)
        })
        .map_err(text)?;
    let document = kind.read_frame(&bytes);
    let document = document.map_err(|fault| format!("{}: {fault}", path.display()));
    document.map(<[u8]>::to_vec)
}

/// Writes what the file of this kind beside the ledger says, with the rights of the ledger. It is written under another name
/// and renamed. Another file of that name is left alone.
///
/// # Errors
/// The system's error, and one for a file that is too long. The file is as it was before.
pub fn write_saved(
    volume: &dyn Volume,
    ledger: &Path,
    kind: &SavedKind,
    document: &[u8],
) -> io::Result<()> {
    let path = kind.path_of(ledger);
    let mut bytes = kind.frame_line(document).into_bytes();
    bytes.extend_from_slice(document);
    if bytes.len() > kind.max_bytes() {
        return Err(io::Error::other(format!(
            "found {} bytes, expected at most {}; what it would say is read from the whole ledger each time",
            bytes.len(),
            kind.max_bytes()
        )));
    }
    check_replaceable(volume, &path, kind)?;
    let new = append_suffix(&path, ".new");
    let created = match volume.create(&new) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // A process that was killed left it. Where another process writes it, one of the two writes nothing.
            check_replaceable(volume, &new, kind)?;
            volume.remove(&new)?;
            volume.create(&new)
        }
        created => created,
    };
    let mut file = created?;
    let written = volume
        .copy_rights(ledger, &new)
        .and_then(|()| append_all(&mut *file, &bytes))
        .and_then(|()| volume.rename(&new, &path));
    if written.is_err() {
        let _ = volume.remove(&new);
    }
    written
}

/// Removes the file of this kind beside the ledger, where there is one that can be removed.
pub(super) fn remove_saved(volume: &dyn Volume, ledger: &Path, kind: &SavedKind) {
    let path = kind.path_of(ledger);
    if volume.stamp(&path).is_ok() && check_replaceable(volume, &path, kind).is_ok() {
        // A file that stays is of no use, since nobody goes on from the ledger.
        let _ = volume.remove(&path);
    }
}

/// Checks that nothing is lost where the file at `path` is replaced: there is none, or it begins as one of its kind does.
fn check_replaceable(volume: &dyn Volume, path: &Path, kind: &SavedKind) -> io::Result<()> {
    let mut beginning = Vec::new();
    let length = kind.beginning().len() as u64;
    match volume.read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file?.take(length).read_to_end(&mut beginning)?,
    };
    match kind.begins(&beginning) {
        true => Ok(()),
        false => Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            format!(
                "found a file that is no {} of a ledger; move it away",
                kind.name()
            ),
        )),
    }
}
