//! Writing, listing and removing installed files.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::locations::Locations;
use crate::process::TaskResult;

/// The contents of an installed path.
enum Contents {
    CopyOf(PathBuf),
    Text(String),
    LinkTo(String),
}

/// A file to install.
pub struct InstalledFile {
    /// The path at which the installation is used, without the staging directory.
    pub path: PathBuf,
    contents: Contents,
    executable: bool,
}

impl InstalledFile {
    /// A copy of another file.
    pub fn copy(path: PathBuf, from: PathBuf) -> InstalledFile {
        InstalledFile::new(path, Contents::CopyOf(from))
    }

    /// A copy of a program or of a shared library, which may be executed.
    pub fn program(path: PathBuf, from: PathBuf) -> InstalledFile {
        InstalledFile {
            executable: true,
            ..InstalledFile::copy(path, from)
        }
    }

    /// A file with this text.
    pub fn text(path: PathBuf, text: String) -> InstalledFile {
        InstalledFile::new(path, Contents::Text(text))
    }

    /// A symbolic link to another file in its directory.
    pub fn link(path: PathBuf, to: String) -> InstalledFile {
        InstalledFile::new(path, Contents::LinkTo(to))
    }

    fn new(path: PathBuf, contents: Contents) -> InstalledFile {
        InstalledFile {
            path,
            contents,
            executable: false,
        }
    }
}

/// Lists a copy of every file of a directory, without those of its subdirectories.
pub fn copy_directory(from: &Path, to: &Path) -> TaskResult<Vec<InstalledFile>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(from).map_err(|error| describe_error(from, &error))? {
        let path = entry?.path();
        if let (true, Some(name)) = (path.is_file(), path.file_name()) {
            files.push(InstalledFile::copy(to.join(name), path.clone()));
        }
    }
    Ok(files)
}

/// Writes a file in one step: a program that has the previous one open keeps that one whole.
pub fn write(locations: &Locations, file: &InstalledFile) -> TaskResult {
    let path = locations.staged(&file.path);
    let replace = || -> io::Result<()> {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        let mut new = path.clone().into_os_string();
        new.push(".new");
        let _ = fs::remove_file(&new);
        match &file.contents {
            Contents::CopyOf(from) => fs::copy(from, &new).map(drop)?,
            Contents::Text(text) => fs::write(&new, text)?,
            Contents::LinkTo(to) => symlink(to, &new)?,
        }
        if !matches!(file.contents, Contents::LinkTo(_)) {
            let mode = if file.executable { 0o755 } else { 0o644 };
            fs::set_permissions(&new, Permissions::from_mode(mode))?;
        }
        fs::rename(&new, &path).inspect_err(|_| drop(fs::remove_file(&new)))
    };
    replace().map_err(|error| describe_error(&path, &error).into())
}

/// Reads the paths that the manifest lists; none where there is no manifest.
pub fn read_manifest(locations: &Locations) -> TaskResult<BTreeSet<PathBuf>> {
    let manifest = locations.staged(&locations.manifest());
    match fs::read_to_string(&manifest) {
        Ok(text) => Ok(text.lines().map(PathBuf::from).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(describe_error(&manifest, &error).into()),
    }
}

/// Removes a file, and the directories above it that become empty.
pub fn remove(locations: &Locations, path: &Path) -> TaskResult {
    let staged = locations.staged(path);
    match fs::remove_file(&staged) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(describe_error(&staged, &error).into());
        }
        _ => {}
    }
    let prefix = locations.staged(&locations.below_prefix(""));
    let above = staged.ancestors().skip(1);
    for directory in above.take_while(|directory| *directory != prefix) {
        if !directory.starts_with(&prefix) || fs::remove_dir(directory).is_err() {
            break;
        }
    }
    Ok(())
}

fn describe_error(path: &Path, error: &io::Error) -> String {
    let hint = match error.kind() {
        io::ErrorKind::PermissionDenied => "; choose another --prefix, or stage with --destdir",
        _ => "",
    };
    format!("{}: {error}{hint}", path.display())
}
