//! The hashes of the code that decides: the canonicalizer and the kernel, each with what it calls (Q4; A4).
//!
//! A source hash is SHA-256 over a line for each directory of source files, as `axilog-sourcehash` prints them: the
//! hash of the files' tokens, two spaces, and the directory's path.

use axilog::hash::{Hash, sha256};
use axilog::json;
use axilog_ledger::jcs;
use axilog_oracle::canonicalizer;

use crate::kernel;
use crate::log::CodeHashes;

/// The directories of the canonicalizer's code, with their hashes: its own files, the writer of canonical JSON, and
/// the core's JSON.
const CANONICALIZER: [(&str, &str); 3] = [
    (
        "harness/oracle/src/canonicalizer",
        canonicalizer::SOURCE_HASH,
    ),
    ("harness/ledger/src/jcs", jcs::SOURCE_HASH),
    ("src/json", json::SOURCE_HASH),
];

/// The directories of the kernel's code, with their hashes: its own files, the documents whose hashes it compares,
/// the writer of canonical JSON, and the core's JSON.
const KERNEL: [(&str, &str); 4] = [
    ("harness/x0l/src/kernel", kernel::SOURCE_HASH),
    ("harness/x0l/src/document", env!("DOCUMENT_SOURCE_HASH")),
    ("harness/ledger/src/jcs", jcs::SOURCE_HASH),
    ("src/json", json::SOURCE_HASH),
];

/// The hashes of the canonicalizer.
#[must_use]
pub fn canonicalizer_hashes() -> CodeHashes {
    CodeHashes {
        source_hash: hash_directories(&CANONICALIZER),
        self_test_hash: canonicalizer::self_test_hash(),
    }
}

/// The hashes of the kernel.
#[must_use]
pub fn kernel_hashes() -> CodeHashes {
    CodeHashes {
        source_hash: hash_directories(&KERNEL),
        self_test_hash: kernel::self_test_hash(),
    }
}

fn hash_directories(directories: &[(&str, &str)]) -> Hash {
    let lines = directories
        .iter()
        .map(|(path, hash)| format!("{hash}  {path}\n"));
    sha256(lines.collect::<String>().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axilog_sourcehash::hash_directory;
    use std::path::Path;

    /// Each hash that was compiled is that of all files which are in its directory now.
    #[test]
    fn the_source_hashes_are_of_all_files() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (path, hash) in CANONICALIZER.into_iter().chain(KERNEL) {
            assert_eq!(hash_directory(&root.join(path)).unwrap(), hash, "{path}");
        }
    }

    /// The page says with which commands the hashes are computed from a checkout.
    #[test]
    fn the_page_names_the_directories_in_their_order() {
        let page = include_str!("../../../docs/x0l-reference.md");
        for directories in [CANONICALIZER.as_slice(), &KERNEL] {
            let paths: Vec<&str> = directories.iter().map(|(path, _)| *path).collect();
            let command = format!(
                "cargo run -q -p axilog-sourcehash -- {} | sha256sum",
                paths.join(" ")
            );
            let words: Vec<&str> = page
                .split_whitespace()
                .filter(|word| *word != "\\")
                .collect();
            assert!(words.join(" ").contains(&command), "{command}");
        }
    }
}
