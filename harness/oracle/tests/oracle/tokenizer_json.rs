//! The tokenizer that a `tokenizer.json` describes, without a command.

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_oracle::tokens::{
    TokenError, Tokenizer, TokenizerJson, digest_in_version, open_recorded_tokenizer,
    open_tokenizer,
};
use axilog_testkit::harness::byte_level_tokenizer::describe_byte_level;

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

/// A run keeps the bytes, and opens its copy again where the file was moved, changed or is gone.
#[test]
fn a_recorded_tokenizer_is_opened_from_its_copy() {
    let dir = tempfile::tempdir().unwrap();
    let (path, copy) = (dir.path().join("t.json"), dir.path().join("copy"));
    let file = describe_byte_level(&["<s>"]);
    std::fs::write(&path, &file).unwrap();
    let original = open_tokenizer(&path.to_string_lossy()).unwrap();
    let (id, version) = (original.id().to_owned(), original.version().to_owned());
    assert_eq!(original.file_bytes(), Some(file.as_bytes()));
    let digest = hex(&sha256(file.as_bytes()));
    assert_eq!(digest_in_version(&version), Some(digest.as_str()));
    // Without a copy the file itself is opened.
    open_recorded_tokenizer(&id, &version, None).unwrap();
    std::fs::rename(&path, &copy).unwrap();
    let opened = open_recorded_tokenizer(&id, &version, Some(&copy)).unwrap();
    assert_eq!(
        (opened.id(), opened.version()),
        (id.as_str(), version.as_str())
    );
    assert_eq!(opened.file_bytes(), original.file_bytes());
    let text = "ab X é";
    assert_eq!(opened.encode(text), original.encode(text));
    let gone = open_recorded_tokenizer(&id, &version, None).unwrap_err();
    assert!(gone.to_string().contains("t.json: cannot read"), "{gone}");
}

/// A file of another content is no copy, however alike it counts, and the error has both digests.
#[test]
fn another_file_is_no_copy() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.json");
    let file = describe_byte_level(&[]);
    std::fs::write(&path, &file).unwrap();
    let version = TokenizerJson::read(&path).unwrap().version().to_owned();
    let changed = file.clone() + "\n";
    std::fs::write(&path, &changed).unwrap();
    for copy in [None, Some(path.as_path())] {
        let id = path.to_string_lossy();
        let error = open_recorded_tokenizer(&id, &version, copy).unwrap_err();
        let expected = TokenError::OtherFile {
            path: path.clone(),
            found: hex(&sha256(changed.as_bytes())),
            expected: hex(&sha256(file.as_bytes())),
        };
        assert_eq!(error, expected);
        let text = error.to_string();
        assert!(text.contains("t.json: its SHA-256 is "), "{text}");
        assert!(text.contains("put the file back"), "{text}");
    }
}

/// A vocabulary that is built in has no file, and is opened by its name.
#[test]
fn a_built_in_vocabulary_has_no_file() {
    let original = open_tokenizer("o200k_base").unwrap();
    assert_eq!(original.file_bytes(), None);
    assert_eq!(digest_in_version(original.version()), None);
    let (id, version) = (original.id(), original.version());
    let opened = open_recorded_tokenizer(id, version, None).unwrap();
    assert_eq!(opened.encode("a b"), original.encode("a b"));
    // A name that is no vocabulary is not looked for in a file.
    assert!(open_recorded_tokenizer("o300k", version, None).is_err());
}

#[test]
fn other_files_are_refused_with_what_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bad.json");
    let random = describe_byte_level(&[]).replace("\"dropout\":null", "\"dropout\":0.1");
    for (text, expected) in [
        ("", "is not a tokenizer.json: not JSON: EOF"),
        (
            "vocabulary",
            "is not a tokenizer.json: not JSON: expected value",
        ),
        ("[1]", "is not a tokenizer.json: invalid type: sequence"),
        (
            "{}",
            "found an object with the members [], expected `model`",
        ),
        // As Mistral's tekken.json is.
        (
            "{\"config\":{},\"vocab\":[]}",
            "found an object with the members [\"config\", \"vocab\"], expected `model`",
        ),
        ("{\"model\":1}", "is a tokenizer.json that cannot be used: "),
        (&random, "a part of 0.1 of its merges at random"),
    ] {
        std::fs::write(&path, text).unwrap();
        let error = open_tokenizer(&path.to_string_lossy()).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("bad.json: "), "{error}");
        assert!(error.contains(expected), "{text}: {error}");
    }
}

/// The version that runs record is the one that is built in.
#[test]
fn the_recorded_version_is_the_packages() {
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock");
    let lock = std::fs::read_to_string(lock).unwrap();
    assert!(lock.contains("name = \"tokenizers\"\nversion = \"0.22.2\""));
}
