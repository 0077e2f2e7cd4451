//! Admissible text, said once more.

use unicode_normalization::{UnicodeNormalization, char::canonical_combining_class};

/// The content of `raw`, or nothing: the rules of formats.md once more, on heap and with another
/// implementation of NFC.
pub fn content(raw: &[u8], reject_del: bool) -> Option<String> {
    let text = std::str::from_utf8(raw).ok()?;
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut marks = 0;
    for c in text.chars() {
        marks = if canonical_combining_class(c) == 0 {
            0
        } else {
            marks + 1
        };
        if marks > 30 || (c < ' ' && c != '\n') || (reject_del && c == '\u{7f}') {
            return None;
        }
    }
    text.nfc().eq(text.chars()).then_some(text)
}
