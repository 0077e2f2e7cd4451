//! The source text of this module.

/// The files of this module with their text, sorted by name. A program that pins the code it decides with hashes
/// them. Where nothing names this constant, none of the text is in the program.
pub const SOURCES: [(&str, &str); 17] = [
    ("bignum.rs", include_str!("bignum.rs")),
    ("canonical.rs", include_str!("canonical.rs")),
    ("duplicate.rs", include_str!("duplicate.rs")),
    ("escaped.rs", include_str!("escaped.rs")),
    ("extract.rs", include_str!("extract.rs")),
    ("layout.rs", include_str!("layout.rs")),
    ("mod.rs", include_str!("mod.rs")),
    ("name.rs", include_str!("name.rs")),
    ("number.rs", include_str!("number.rs")),
    ("path.rs", include_str!("path.rs")),
    ("reader.rs", include_str!("reader.rs")),
    ("shortest.rs", include_str!("shortest.rs")),
    ("siphash.rs", include_str!("siphash.rs")),
    ("source.rs", include_str!("source.rs")),
    ("sources.rs", include_str!("sources.rs")),
    ("values.rs", include_str!("values.rs")),
    ("writer.rs", include_str!("writer.rs")),
];
