//! Admissible text: NFC compared with two other implementations, and the whole rule compared with the
//! reference of the tests.

#![no_main]

use axilog::text::{Text, check_piece, is_nfc, is_utf8};
use axilog_testkit::core::text::content;
use icu_normalizer::ComposingNormalizerBorrowed;
use libfuzzer_sys::fuzz_target;

const ICU: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfc();

fuzz_target!(|bytes: &[u8]| {
    let text = std::str::from_utf8(bytes).ok();
    assert_eq!(is_utf8(bytes), text.is_some());
    for reject_del in [false, true] {
        let expected = content(bytes, reject_del);
        let checked = Text::check(bytes, reject_del).ok();
        let normalised = checked.map(|text| text.runs().collect::<Vec<_>>().concat());
        assert_eq!(normalised, expected.map(String::into_bytes));
        if let Some(text) = checked {
            assert_eq!(text.len(), length_of_runs(text));
            for end in 0..=bytes.len().min(40) {
                let prefix = text.prefix(end);
                assert!(bytes.starts_with(prefix.raw()) && prefix.raw().len() <= end);
                assert_eq!(prefix.len(), length_of_runs(prefix));
                assert!(Text::check(prefix.raw(), reject_del).is_ok());
            }
        }
    }
    let Some(text) = text else {
        assert!(!is_nfc(bytes) && !check_piece(bytes));
        return;
    };
    // NFC says nothing about control characters. For text without them, the rule consists of NFC and the
    // limit on marks.
    let printable: String = text.chars().filter(|c| *c >= ' ').collect();
    let admissible = content(printable.as_bytes(), false).is_some();
    assert_eq!(is_nfc(printable.as_bytes()), admissible);
    assert_eq!(check_piece(printable.as_bytes()), admissible);
    assert!(!admissible || ICU.is_normalized(&printable));
    assert_eq!(
        check_piece(bytes),
        printable.len() == text.len() && admissible
    );
});

fn length_of_runs(text: Text<'_>) -> usize {
    text.runs().map(<[u8]>::len).sum()
}
