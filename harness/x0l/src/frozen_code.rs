//! The hashes of the code that decides: the canonicalizer and the kernel, each with what it calls (Q4; A4).
//!
//! A source hash is SHA-256 over lines as `sha256sum` prints them, one for each directory of source files: the
//! hash of what `sha256sum *.rs` prints in the directory, two spaces, and the directory's path.

use axilog::hash::{Hash, sha256};
use axilog::json::sources as json;
use axilog_ledger::encoding::hex;
use axilog_ledger::jcs;
use axilog_oracle::canonicalizer;

use crate::kernel;
use crate::log::CodeHashes;

/// The files of the documents, whose canonical forms the kernel hashes.
const DOCUMENT: [(&str, &str); 4] = [
    ("error.rs", include_str!("document/error.rs")),
    ("hash.rs", include_str!("document/hash.rs")),
    ("mod.rs", include_str!("document/mod.rs")),
    ("named.rs", include_str!("document/named.rs")),
];

/// The hashes of the canonicalizer: its own files, the writer of canonical JSON, and the core's JSON.
#[must_use]
pub fn canonicalizer_hashes() -> CodeHashes {
    CodeHashes {
        source_hash: hash_directories(&[
            (
                "harness/oracle/src/canonicalizer",
                canonicalizer::source_hash(),
            ),
            ("harness/ledger/src/jcs", hash_jcs()),
            ("src/json", hash_json()),
        ]),
        self_test_hash: canonicalizer::self_test_hash(),
    }
}

/// The hashes of the kernel: its own files, the documents whose hashes it compares, the writer of canonical JSON,
/// and the core's JSON.
#[must_use]
pub fn kernel_hashes() -> CodeHashes {
    CodeHashes {
        source_hash: hash_directories(&[
            ("harness/x0l/src/kernel", kernel::source_hash()),
            ("harness/x0l/src/document", kernel::hash_sources(&DOCUMENT)),
            ("harness/ledger/src/jcs", hash_jcs()),
            ("src/json", hash_json()),
        ]),
        self_test_hash: kernel::self_test_hash(),
    }
}

fn hash_jcs() -> Hash {
    kernel::hash_sources(&jcs::SOURCES)
}

fn hash_json() -> Hash {
    kernel::hash_sources(&json::SOURCES)
}

fn hash_directories(directories: &[(&str, Hash)]) -> Hash {
    let lines = directories
        .iter()
        .map(|(path, hash)| format!("{}  {path}\n", hex(hash)));
    sha256(lines.collect::<String>().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// Every file of the directories counts: none may be missing from the lists of sources.
    #[test]
    fn the_source_hashes_are_of_all_files() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let hash_directory = |path: &str| {
            let names = fs::read_dir(root.join(path)).unwrap();
            let mut names: Vec<String> = names
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .filter(|name| name.ends_with(".rs"))
                .collect();
            names.sort();
            let texts = names.into_iter().map(|name| {
                let text = fs::read_to_string(root.join(path).join(&name)).unwrap();
                (name, text)
            });
            let texts: Vec<(String, String)> = texts.collect();
            let sources: Vec<(&str, &str)> = texts
                .iter()
                .map(|(name, text)| (name.as_str(), text.as_str()))
                .collect();
            kernel::hash_sources(&sources)
        };
        let hash = |paths: &[&'static str]| {
            let directories: Vec<(&str, Hash)> = paths
                .iter()
                .map(|path| (*path, hash_directory(path)))
                .collect();
            hash_directories(&directories)
        };
        assert_eq!(
            canonicalizer_hashes().source_hash,
            hash(&[
                "harness/oracle/src/canonicalizer",
                "harness/ledger/src/jcs",
                "src/json"
            ])
        );
        assert_eq!(
            kernel_hashes().source_hash,
            hash(&[
                "harness/x0l/src/kernel",
                "harness/x0l/src/document",
                "harness/ledger/src/jcs",
                "src/json"
            ])
        );
    }
}
