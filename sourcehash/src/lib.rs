//! The source hash of a directory of Rust files: a hash of their tokens, so that it changes with the code alone.
//!
//! A package that holds frozen code gets the hash of a directory from its build script:
//!
//! ```no_run
//! // build.rs; the code of the package then has env!("KERNEL_SOURCE_HASH").
//! fn main() -> std::io::Result<()> {
//!     axilog_sourcehash::export_hash("KERNEL_SOURCE_HASH", "src/kernel")
//! }
//! ```
//!
//! `docs/x0l-reference.md` defines the hash. The program `axilog-sourcehash` prints it for directories of a checkout.

mod tokens;

use std::path::Path;
use std::{fs, io};

use sha2::{Digest, Sha256};

/// Gives the package that is being built the hash of `directory` as the environment variable `variable`, and has the
/// build script run again when the directory changes.
///
/// # Errors
/// As [`hash_directory`].
pub fn export_hash(variable: &str, directory: &str) -> io::Result<()> {
    println!("cargo::rerun-if-changed={directory}");
    let hash = hash_directory(Path::new(directory))?;
    println!("cargo::rustc-env={variable}={hash}");
    Ok(())
}

/// Computes the hash of the Rust files in `directory`, in hexadecimal.
///
/// # Errors
/// With the path, for a directory or file that cannot be read, a file that is not Rust, a directory without Rust
/// files, and a directory inside `directory`, whose files have a hash of their own.
pub fn hash_directory(directory: &Path) -> io::Result<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).map_err(|e| describe(directory, e))? {
        let path = entry.map_err(|e| describe(directory, e))?.path();
        if path.is_dir() {
            let reason = "a directory among the files that are hashed; hash it separately";
            return Err(describe(&path, reason));
        }
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| describe(&path, "a name that is not UTF-8"))?;
        if name.ends_with(".rs") {
            names.push(name.to_owned());
        }
    }
    if names.is_empty() {
        return Err(describe(directory, "a directory without Rust files"));
    }
    names.sort();
    let mut lines = String::new();
    for name in names {
        let path = directory.join(&name);
        let text = fs::read_to_string(&path).map_err(|e| describe(&path, e))?;
        let tokens = tokens::list_tokens(&text).map_err(|e| describe(&path, e))?;
        lines.push_str(&format!("{}  {name}\n", hash_text(&tokens)));
    }
    Ok(hash_text(&lines))
}

fn hash_text(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn describe(path: &Path, reason: impl ToString) -> io::Error {
    io::Error::other(format!("{}: {}", path.display(), reason.to_string()))
}
