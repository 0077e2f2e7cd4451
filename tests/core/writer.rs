//! The canonical writer against a JSON library that writes RFC 8785, and against the rules of the
//! other profiles (formats.md §2, §3).

use axilog::json::writer::{self, Buffer, Counter, Sink};
use axilog::profile::Profile;
use axilog_testkit::core::ledger::written;
use proptest::prelude::*;

use crate::cases::cases;

fn string(text: &str, profile: Profile) -> Vec<u8> {
    written(|out| writer::string(text.as_bytes(), profile, out))
}

/// Text in which characters that need an escape are common.
fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        4 => any::<char>(),
        2 => (0u8..0x20).prop_map(char::from),
        1 => Just('"'),
        1 => Just('\\'),
        4 => prop::char::range(' ', '\u{7f}'),
    ];
    prop::collection::vec(character, 0..100).prop_map(String::from_iter)
}

/// The literal rule of SRS-004 §5.7: every control character in long form.
fn long_form(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' => String::from("\\\""),
        '\\' => String::from("\\\\"),
        '\0'..='\u{1f}' => format!("\\u{:04x}", u32::from(c)),
        c => String::from(c),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn strings_are_those_of_jcs(text in text()) {
        let bytes = string(&text, Profile::Rfc8785);
        prop_assert_eq!(&bytes, &serde_jcs::to_vec(&text).unwrap());
        for profile in [Profile::Oracle1_1, Profile::Oracle1_2] {
            prop_assert_eq!(string(&text, profile), long_form(&text).into_bytes());
        }
        let back: String = serde_json::from_slice(&bytes).unwrap();
        prop_assert_eq!(&back, &text);
        let bare = written(|out| writer::escape(text.as_bytes(), Profile::Rfc8785, out));
        prop_assert_eq!(&bytes[1..bytes.len() - 1], bare);
    }

    /// Written piece by piece it is the same, as a text with carriage returns is.
    #[test]
    fn pieces_of_a_string_make_the_string(text in text(), at: prop::sample::Index) {
        let mut at = at.index(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let escape = |text: &str| written(|out| writer::escape(text.as_bytes(), Profile::Rfc8785, out));
        let (before, after) = text.split_at(at);
        prop_assert_eq!([escape(before), escape(after)].concat(), escape(&text));
    }

    #[test]
    fn integers_are_decimal(signed: i64, unsigned: u64, small in -(1i64 << 53) + 1..1 << 53) {
        prop_assert_eq!(written(|out| writer::u64(unsigned, out)), unsigned.to_string().into_bytes());
        prop_assert_eq!(written(|out| writer::i64(signed, out)), signed.to_string().into_bytes());
        let some = written(|out| writer::i64_or_null(Some(small), out));
        prop_assert_eq!(some, serde_jcs::to_vec(&small).unwrap());
    }

    /// A buffer holds what fits it, whole or not at all, and never a byte beyond.
    #[test]
    fn buffers_hold_all_or_say_so(text in text(), room in 0..260usize) {
        let expected = string(&text, Profile::Rfc8785);
        let mut bytes = vec![0xAA; room + 4];
        let mut out = Buffer::new(&mut bytes[..room]);
        writer::string(text.as_bytes(), Profile::Rfc8785, &mut out);
        match out.finish() {
            Some(kept) => prop_assert_eq!(kept, expected.as_slice()),
            None => prop_assert!(expected.len() > room),
        }
        prop_assert_eq!(&bytes[room..], &[0xAA; 4]);
        let mut counter = Counter::default();
        writer::string(text.as_bytes(), Profile::Rfc8785, &mut counter);
        prop_assert_eq!(counter.len, expected.len());
    }
}

#[test]
fn every_character_at_every_distance() {
    let escapes: Vec<char> = ('\0'..' ')
        .chain(['"', '\\', '\u{7f}', 'é', '\u{ffff}'])
        .collect();
    for c in escapes {
        for before in 0..70 {
            let text = format!("{}{c}{}", "a".repeat(before), "b".repeat(40));
            let expected = serde_jcs::to_vec(&text).unwrap();
            assert_eq!(string(&text, Profile::Rfc8785), expected);
            let expected = long_form(&text).into_bytes();
            assert_eq!(string(&text, Profile::Oracle1_2), expected);
        }
    }
}

#[test]
fn the_rest() {
    for value in [0, 9, 10, 99, 100, u64::MAX / 10, u64::MAX - 1, u64::MAX] {
        let digits = written(|out| writer::u64(value, out));
        assert_eq!(digits, value.to_string().into_bytes());
    }
    for value in [0, -1, i64::MIN, i64::MAX, -10] {
        let digits = written(|out| writer::i64(value, out));
        assert_eq!(digits, value.to_string().into_bytes());
    }
    assert_eq!(written(|out| writer::i64_or_null(None, out)), b"null");
    assert_eq!(written(|out| writer::bool(true, out)), b"true");
    assert_eq!(written(|out| writer::bool(false, out)), b"false");
    let hash: [u8; 32] = std::array::from_fn(|n| (n * 11) as u8);
    let expected = format!("\"{}\"", axilog_testkit::vectors::hex(&hash));
    assert_eq!(
        written(|out| writer::hash(&hash, out)),
        expected.into_bytes()
    );

    // What did not fit stays lost: a buffer that was too short once is never finished.
    let mut room = [0; 3];
    let mut out = Buffer::new(&mut room);
    out.put(b"ab");
    out.put(b"cd");
    out.put(b"");
    assert!(out.finish().is_none());
}
