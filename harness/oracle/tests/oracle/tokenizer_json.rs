//! The tokenizer that a `tokenizer.json` describes, without a command.

use axilog_oracle::tokens::{Tokenizer, TokenizerJson, open_tokenizer};
use serde_json::{Map, Value, json};

/// Describes a byte-level tokenizer: a token for each byte, written as GPT-2 writes bytes, a token for
/// " X", and the tokens `control`.
fn describe_byte_level(control: &[&str]) -> String {
    let mut vocabulary = Map::new();
    let mut next = 256;
    for byte in 0..=255_u32 {
        let letter = match byte {
            33..=126 | 161..=172 | 174..=255 => byte,
            _ => {
                next += 1;
                next - 1
            }
        };
        let letter = char::from_u32(letter).unwrap();
        vocabulary.insert(letter.to_string(), byte.into());
    }
    vocabulary.insert("ĠX".to_owned(), 256.into());
    let control = control.iter().enumerate().map(|(n, text)| {
        json!({
            "id": 1000 + n, "content": text, "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": false, "special": true,
        })
    });
    json!({
        "version": "1.0",
        "truncation": { "direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0 },
        "padding": null,
        "added_tokens": control.collect::<Vec<Value>>(),
        "normalizer": null,
        "pre_tokenizer": { "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true },
        "post_processor": null,
        "decoder": { "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true },
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false,
            "vocab": vocabulary, "merges": ["Ġ X"],
        },
    })
    .to_string()
}

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
