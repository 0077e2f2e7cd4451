//! Admitted text and its content against naive ways to say the same.

use axilog::fault::Error;
use axilog::text::{Text, check_piece, has_forbidden_control, is_nfc, is_utf8};
use proptest::prelude::*;
use proptest::sample::select;

use crate::cases::cases;

fn content(text: Text<'_>) -> Vec<u8> {
    text.runs().collect::<Vec<_>>().concat()
}

fn normalised(raw: &str) -> String {
    raw.replace("\r\n", "\n").replace('\r', "\n")
}

fn texts() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => select(vec!["\r\n", "\r", "\n", "\r\r\n", "\n\r"]).prop_map(String::from),
        4 => select(vec!["a", "\u{E9}", "\u{6F22}", "\u{1F600}", "e\u{316}"]).prop_map(String::from),
        2 => (select(vec!["x", "\u{E9}", "\r", "\r\n"]), 1..80usize).prop_map(|(c, n)| c.repeat(n)),
        1 => select(vec!["\u{7F}", "\t", "\0", "\u{1F}", "\u{80}", "e\u{301}", "\u{212B}"]).prop_map(String::from),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(part, 0..10).prop_map(|parts| parts.concat())
}

#[test]
fn each_byte_as_a_control() {
    for byte in 0..=0xFFu8 {
        for at in 0..70 {
            let mut bytes = [b'a'; 70];
            bytes[at] = byte;
            let low = byte < 0x20;
            assert_eq!(has_forbidden_control(&bytes, false), low && byte != b'\n');
            assert_eq!(
                has_forbidden_control(&bytes, true),
                low && byte != b'\n' || byte == 0x7F
            );
            assert_eq!(check_piece(&bytes), (0x20..0x80).contains(&byte));
            let line_end = byte == b'\n' || byte == b'\r';
            assert_eq!(
                Text::check(&bytes, false).is_ok(),
                byte < 0x80 && (!low || line_end)
            );
            assert_eq!(
                Text::check(&bytes, true).is_ok(),
                byte < 0x7F && (!low || line_end)
            );
        }
    }
}

#[test]
fn empty() {
    let text = Text::check(b"", true).unwrap();
    for text in [
        text,
        Text::EMPTY,
        text.prefix(0),
        Text::EMPTY.prefix(usize::MAX),
    ] {
        assert_eq!(
            (text.len(), text.is_empty(), text.raw()),
            (0, true, &b""[..])
        );
        assert_eq!(text.runs().count(), 0);
    }
    assert!(is_utf8(b"") && is_nfc(b"") && check_piece(b""));
    assert!(!has_forbidden_control(b"", true));
}

#[test]
fn runs_are_parts_of_the_raw_text() {
    let text = Text::check(b"one\r\ntwo\rthree\r\r\nfour\r", false).unwrap();
    let runs: Vec<&[u8]> = text.runs().collect();
    let expected = ["one", "\ntwo", "\n", "three", "\n", "\nfour", "\n"];
    assert_eq!(runs, expected.map(str::as_bytes));
    assert_eq!((text.len(), text.raw().len()), (20, 22));
    assert_eq!(Text::check(b"a\nb\n", false).unwrap().runs().count(), 1);
}

#[test]
fn many_line_ends() {
    for (end, count) in [("\r", 65_000), ("\r\n", 65_000), ("\n", 1)] {
        let raw = end.repeat(65_000);
        let text = Text::check(raw.as_bytes(), true).unwrap();
        assert_eq!(text.len(), 65_000);
        assert_eq!(text.runs().count(), count);
        assert!(content(text).iter().all(|&b| b == b'\n'));
    }
}

proptest! {
    #![proptest_config(cases(5_000))]

    #[test]
    fn checked_as_by_the_rules(raw in texts(), reject_del: bool) {
        let normal = normalised(&raw);
        let control = normal.chars().any(|c| c < ' ' && c != '\n' || c == '\u{7F}' && reject_del);
        prop_assert_eq!(has_forbidden_control(normal.as_bytes(), reject_del), control);
        let any_control = raw.chars().any(|c| c < ' ');
        prop_assert_eq!(check_piece(raw.as_bytes()), !any_control && is_nfc(raw.as_bytes()));
        match Text::check(raw.as_bytes(), reject_del) {
            Err(error) => {
                prop_assert_eq!(error, Error::Encoding);
                prop_assert!(control || !is_nfc(normal.as_bytes()));
            }
            Ok(text) => {
                prop_assert!(!control && is_nfc(normal.as_bytes()));
                prop_assert_eq!(text.raw(), raw.as_bytes());
                prop_assert_eq!(text.len(), normal.len());
                prop_assert_eq!(text.is_empty(), normal.is_empty());
                prop_assert_eq!(content(text), normal.as_bytes());
                prop_assert!(text.runs().all(|run| !run.is_empty() && !run.contains(&b'\r')));
                prop_assert!(raw.contains('\r') || text.runs().count() <= 1);
            }
        }
    }

    #[test]
    fn prefixes(raw in texts(), max in 0..300usize) {
        if let Ok(text) = Text::check(raw.as_bytes(), false) {
            let prefix = text.prefix(max);
            let cut = prefix.raw().len();
            prop_assert!(cut <= max && raw.is_char_boundary(cut));
            prop_assert_eq!(prefix.raw(), &raw.as_bytes()[..cut]);
            // No longer one would do.
            prop_assert!(cut == raw.len() || (cut + 1..=max).all(|i| !raw.is_char_boundary(i)));
            prop_assert_eq!(content(prefix), normalised(&raw[..cut]).into_bytes());
            prop_assert_eq!(prefix.len(), content(prefix).len());
            prop_assert!(content(text).starts_with(&content(prefix)));
            prop_assert!(Text::check(prefix.raw(), false).is_ok());
        }
    }

    #[test]
    fn utf8_of_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let valid = std::str::from_utf8(&bytes).is_ok();
        prop_assert_eq!(is_utf8(&bytes), valid);
        prop_assert!(valid || Text::check(&bytes, false).is_err() && !check_piece(&bytes));
    }
}
