//! The two hashes by which a session pins the canonicalizer (A4).

use std::fs;
use std::path::Path;

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_oracle::canonicalizer::{SELF_TEST_HASH, self_test_hash, source_hash};

/// Every file of the module is in it: the hash is that of `sha256sum *.rs | sha256sum`.
#[test]
fn the_source_hash_is_of_the_modules_files() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/canonicalizer");
    let mut names: Vec<_> = fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".rs"))
        .collect();
    names.sort();
    let mut lines = String::new();
    for name in names {
        let hash = hex(&sha256(&fs::read(dir.join(&name)).unwrap()));
        lines.push_str(&format!("{hash}  {name}\n"));
    }
    assert_eq!(hex(&source_hash()), hex(&sha256(lines.as_bytes())));
}

#[test]
fn the_self_test_gives_the_frozen_hash() {
    assert_eq!(hex(&self_test_hash()), SELF_TEST_HASH);
}
