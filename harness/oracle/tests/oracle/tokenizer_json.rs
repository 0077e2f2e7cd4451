//! The tokenizer that a `tokenizer.json` describes, without a command.

use axilog_oracle::tokens::{Tokenizer, TokenizerJson, open_tokenizer};

use crate::byte_level_tokenizer::describe_byte_level;

#[test]
fn a_text_is_read_as_text_and_counted_whole() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.json");
    std::fs::write(&path, describe_byte_level(&["<s>"])).unwrap();
    let tokenizer = TokenizerJson::read(&path).unwrap();
    assert_eq!(tokenizer.encode("ab X").unwrap(), [97, 98, 256]);
    // The file would cut at 8 tokens, and `<s>` is the text of a control token.
    let text = "é <s> 条約";
    let bytes: Vec<u32> = text.bytes().map(u32::from).collect();
    assert_eq!(tokenizer.encode(text).unwrap(), bytes);
}

#[test]
fn the_version_follows_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let read = |name: &str, control: &[&str]| {
        let path = dir.path().join(name);
        std::fs::write(&path, describe_byte_level(control)).unwrap();
        let tokenizer = TokenizerJson::read(&path).unwrap();
        assert_eq!(tokenizer.id(), path.to_string_lossy());
        tokenizer.version().to_owned()
    };
    let version = read("t.json", &["<s>"]);
    assert!(version.starts_with("tokenizers 0.22.2, sha256 "));
    assert_ne!(read("other.json", &[]), version);
}

#[test]
fn other_files_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bad.json");
    for text in ["", "{}", "{\"model\":1}"] {
        std::fs::write(&path, text).unwrap();
        let error = open_tokenizer(&path.to_string_lossy())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("bad.json: is not a tokenizer.json"),
            "{error}"
        );
    }
}

/// The version that runs record is the one that is built in.
#[test]
fn the_recorded_version_is_the_packages() {
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock");
    let lock = std::fs::read_to_string(lock).unwrap();
    assert!(lock.contains("name = \"tokenizers\"\nversion = \"0.22.2\""));
}
