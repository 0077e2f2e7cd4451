//! Where environments come from: those that ship, files that a caller names, and the copies beside calibrations and runs.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use axilog_ledger::error::FileError;
use axilog_ledger::input_file::read_input;

use super::declared_environment::DeclaredEnvironment;
use super::environment::Environment;
use super::error::AblationError;

/// The harbour, which is the environment of whatever names no other.
pub const HARBOUR: &str = include_str!("../environments/harbour.toml");

/// The files of the environments that ship, by their names. Their bytes never change: a changed one has another id.
pub const SHIPPED: [(&str, &str); 3] = [
    ("harbour", HARBOUR),
    ("newsroom", include_str!("../environments/newsroom.toml")),
    (
        "night-ward",
        include_str!("../environments/night-ward.toml"),
    ),
];

/// The longest file that is read.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The name of the copy of the environment's file beside a run's ledger.
pub const ENVIRONMENT_FILE: &str = "environment.toml";

/// Opens the harbour, which documents name by its id alone.
///
/// # Errors
/// [`AblationError::Environment`] in a build whose own file of the harbour is faulty.
pub fn open_harbour() -> Result<DeclaredEnvironment, AblationError> {
    let opened = parse(Path::new("harbour.toml"), HARBOUR.as_bytes());
    opened.map(DeclaredEnvironment::known_by_id)
}

/// Opens the environment in the file at `path`. The file of the harbour, byte for byte, is the harbour.
///
/// # Errors
/// [`FileError::Io`], [`FileError::TooLong`]; [`AblationError::Environment`] for a file that is no environment, and for
/// one that has the id of an environment that ships and is another one.
pub fn open_environment(path: &Path) -> Result<DeclaredEnvironment, AblationError> {
    let bytes = read_input(path, "read the environment", MAX_FILE_BYTES)?;
    if bytes == HARBOUR.as_bytes() {
        return open_harbour();
    }
    let opened = parse(path, &bytes)?;
    for (name, text) in SHIPPED {
        let shipped = parse(Path::new(name), text.as_bytes())?;
        if shipped.id() == opened.id() && text.as_bytes() != bytes {
            return Err(AblationError::Environment {
                path: path.to_owned(),
                reason: format!(
                    "id: is {:?}, which is that of the environment {name} that ships, and the file is another one; expected an id of its own, as \"{name}-of-mine/1\"",
                    opened.id()
                ),
            });
        }
    }
    Ok(opened)
}

/// Opens the environment of a calibration or a run, whose document at `named_in` has its `id` and the hash of its file; the
/// copy of the file is at `copy`. Without a hash it is the harbour.
///
/// # Errors
/// [`AblationError::Document`] for another id than the harbour's without a hash, and for a copy that is missing or another
/// file; [`FileError::Io`].
pub fn open_recorded_environment(
    named_in: &Path,
    (id, hash): (&str, Option<&str>),
    copy: &Path,
) -> Result<DeclaredEnvironment, AblationError> {
    let refuse = |path: &Path, reason: String| AblationError::Document {
        path: path.to_owned(),
        reason,
    };
    let Some(hash) = hash else {
        let harbour = open_harbour()?;
        return match harbour.id() == id {
            true => Ok(harbour),
            false => Err(refuse(
                named_in,
                format!(
                    "names the environment {id:?}; no environment of that id ships; take the file that the run was made with"
                ),
            )),
        };
    };
    let expected = format!(
        "{} names the environment {id:?}, whose file has SHA-256 {hash}; put the file back with which it was made",
        named_in.display()
    );
    let bytes = match read_input(copy, "read the environment", MAX_FILE_BYTES) {
        Err(FileError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
            return Err(refuse(copy, format!("is not there, and {expected}")));
        }
        read => read?,
    };
    let opened = parse(copy, &bytes)
        .map_err(|error| refuse(copy, format!("is no environment, and {expected} ({error})")))?;
    match (opened.id() == id, opened.file_hash() == Some(hash)) {
        (true, true) => Ok(opened),
        _ => Err(refuse(
            copy,
            format!(
                "is the environment {:?} with SHA-256 {}, and {expected}",
                opened.id(),
                opened.file_hash().unwrap_or_default()
            ),
        )),
    }
}

/// The path of the copy of the environment's file that belongs to the calibration file `path`.
#[must_use]
pub fn environment_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".environment.toml");
    PathBuf::from(name)
}

fn parse(path: &Path, bytes: &[u8]) -> Result<DeclaredEnvironment, AblationError> {
    DeclaredEnvironment::parse(bytes).map_err(|reason| AblationError::Environment {
        path: path.to_owned(),
        reason,
    })
}
