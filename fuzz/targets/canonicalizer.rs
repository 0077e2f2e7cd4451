//! The canonicalizer: it accepts a text with one object, or rejects the text for a reason that holds. An object without
//! one of its braces is rejected.
//! Neither prose around the object nor the object's layout changes the canonical form.

#![no_main]

use axilog::json::canonical::is_canonical_json;
use axilog_oracle::canonicalizer::{Status, canonicalize};
use axilog_x0l::kernel::parse_candidates;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let result = canonicalize(text);
    assert_eq!(canonicalize(text), result);
    assert_eq!(canonicalize(&result.text).text, result.text);
    let object_hash = |text: &str| canonicalize(text).block.map(|block| block.hash);
    match &result.block {
        Ok(block) => {
            assert!(result.text.contains(&block.text));
            assert!(is_canonical_json(block.canonical.as_bytes()));
            assert_eq!(object_hash(&block.canonical), Ok(block.hash));
            assert_eq!(
                object_hash(&format!("So:\r\n{}\r\n.", block.text)),
                Ok(block.hash)
            );
            let end = block.text.len() - 1;
            for damaged in [&block.text[1..], &block.text[..end]] {
                assert_eq!(object_hash(damaged), Err(Status::ParseError));
            }
            let twice = format!("{0} {0}", block.text);
            assert_eq!(object_hash(&twice), Err(Status::AmbiguousMultiBlock));
            let parsed = parse_candidates(&block.value);
            assert!(parsed.candidates.len() as u64 <= parsed.reported);
        }
        Err(Status::Ok) => panic!("accepted without an object"),
        Err(Status::NoJson) => {
            assert!(text.matches('{').count() == text.matches('}').count() || text.contains('['))
        }
        Err(Status::AmbiguousMultiBlock) => assert!(text.matches('{').count() > 1),
        Err(Status::ParseError) => assert!(text.contains(['{', '[', '}', ']'])),
    }
});
