//! What changes the hash of a directory, what does not, and what has none.

use std::fs;
use std::path::Path;

use axilog_sourcehash::hash_directory;

const CODE: &str = r##"//! A module.
use std::fmt;

/// Doubles.
#[must_use]
pub(crate) fn double<'a>(x: &'a Vec<Vec<u8>>) -> Option<u8> {
    // The first one.
    let first = x.first()?.first()?; /* or nothing */
    let text = "a // b
c";
    (first & &2 == 0 && text != r#"x"# && 1..=3 != 2..=4).then_some(first << 1)
}
"##;

/// The hash of a directory with these files.
fn hash(files: &[(&str, &str)]) -> String {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(directory.path().join(name), text).unwrap();
    }
    hash_directory(directory.path()).unwrap()
}

/// [`CODE`] with `old` replaced once.
fn edit(old: &str, new: &str) -> String {
    assert!(CODE.contains(old), "{old}");
    CODE.replacen(old, new, 1)
}

#[test]
fn comments_documentation_and_layout_change_nothing() {
    let expected = hash(&[("mod.rs", CODE)]);
    for text in [
        edit("// The first one.", "// Another comment."),
        edit("/* or nothing */", ""),
        edit("//! A module.\n", ""),
        edit("//! A module.", "//! Other words.\n#![doc = \"More.\"]"),
        edit("/// Doubles.", "/** Twice. */\n#[doc = \"More.\"]"),
        edit("use std::fmt;\n", "\n\n/// Text.\nuse std::fmt ;\n"),
        edit(
            "x.first()?.first()?",
            "x\n        .first()?\n        .first()?",
        ),
        edit("(x: &'a Vec", "(\n    x: & 'a\tVec"),
        CODE.replace('\n', "\r\n"),
    ] {
        assert_eq!(hash(&[("mod.rs", &text)]), expected, "{text}");
    }
    let files = [("mod.rs", CODE), ("table.txt", "1"), ("mod.rs.orig", "fn")];
    assert_eq!(hash(&files), expected, "files that are not Rust count");
}

#[test]
fn items_that_only_tests_compile_change_nothing() {
    let expected = hash(&[("mod.rs", CODE)]);
    for item in [
        "#[cfg(test)]\nmod tests { fn f() { g(1); } }",
        "#[cfg(test)] mod tests;",
        "/// Tests.\n#[allow(dead_code)]\n#[cfg(test)]\n#[rustfmt::skip]\npub(super) fn f() -> [u8; 2] { [1, 2] }",
        "#[cfg(test)] use a::{b, c};",
        "#[cfg(test)] pub struct A(u8);",
        "#[cfg(test)] static A: A = A { b: 1 };",
    ] {
        let behind = format!("{CODE}\n{item}\n");
        assert_eq!(hash(&[("mod.rs", &behind)]), expected, "{item}");
        let before = edit("use std", &format!("{item}\nuse std"));
        assert_eq!(hash(&[("mod.rs", &before)]), expected, "{item}");
    }
}

#[test]
fn each_other_token_counts() {
    let mut hashes = vec![hash(&[("mod.rs", CODE)])];
    for text in [
        edit("then_some(first", "then_some(x"),
        edit("<< 1", "<< 2"),
        edit("<< 1", "<< 0x1"),
        edit("<< 1", "< 1"),
        edit("a // b", "a // c"),
        edit("// b\nc", "// b c"),
        edit("r#\"x\"#", "\"x\""),
        edit("& &2", "&& 2"),
        edit("1..=3", "1..3"),
        edit("&'a Vec", "&'b Vec"),
        edit("!= 2", "!= (2)"),
        edit("!= 2", "!= {2}"),
        edit("first & ", "r#first & "),
        edit("#[must_use]", ""),
        edit("#[must_use]", "#[doc(hidden)]"),
        edit("#[must_use]", "#[cfg(not(test))]"),
        edit("#[must_use]", "#[cfg(any(test))]"),
        edit("use std::fmt;", ""),
        // What these attributes stand before is no item that can be left out safely.
        edit("let first", "#[cfg(test)] let first"),
        edit("<'a>", "<'a, #[cfg(test)] const N: u8>"),
    ] {
        hashes.push(hash(&[("mod.rs", &text)]));
    }
    let count = hashes.len();
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), count);
}

#[test]
fn the_files_and_their_names_count() {
    let hashes = [
        hash(&[("a.rs", "fn a() {}"), ("b.rs", "fn b() {}")]),
        hash(&[("a.rs", "fn a() {}")]),
        hash(&[("a.rs", "fn a() {}"), ("b.rs", "fn b() {}"), ("c.rs", "")]),
        hash(&[("a.rs", "fn a() {}"), ("c.rs", "fn b() {}")]),
        hash(&[("a.rs", "fn b() {}"), ("b.rs", "fn a() {}")]),
        hash(&[("a.rs", "fn a() {} fn b() {}"), ("b.rs", "")]),
    ];
    for (at, one) in hashes.iter().enumerate() {
        assert!(!hashes[..at].contains(one), "{at}");
    }
}

/// The digests are those of `sha256sum` over the lines that docs/x0l-reference.md describes.
#[test]
fn the_hash_is_that_of_the_definition() {
    // h=$(printf '%s\n' 'ident fn' 'ident f' 'open (' 'close )' 'open {' 'literal 1' 'punct ..=' 'ident r#x' 'close }' |
    //     sha256sum | cut -c-64); echo "$h  mod.rs" | sha256sum
    let hash = hash(&[("mod.rs", "//! F.\nfn f() { 1..=r#x }")]);
    assert_eq!(
        hash,
        "5e824c90699a860d9422f312e8aff22166a7af99aaf1374ef417d3c345bbffd3"
    );
}

#[test]
fn what_has_no_hash_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let refuse = |reason: &str| {
        let error = hash_directory(directory.path()).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    };
    refuse("a directory without Rust files");
    fs::write(directory.path().join("open.rs"), "fn f() {").unwrap();
    refuse("open.rs: ");
    fs::write(directory.path().join("open.rs"), "fn f() {}").unwrap();
    fs::create_dir(directory.path().join("below")).unwrap();
    refuse("below: a directory among the files that are hashed");
    let missing = hash_directory(Path::new("missing")).unwrap_err();
    assert!(missing.to_string().starts_with("missing: "), "{missing}");
}
