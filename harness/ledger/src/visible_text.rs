//! Text from elsewhere, made fit to be shown: what a reader would not see is written as an escape.
//!
//! A *deceptive* character is not seen itself, and changes what is seen or where it stands: it steers a
//! terminal, reorders or joins the text around it, ends a line, or makes two texts look alike. Records keep
//! such characters as the oracle sent them; whatever shows a record escapes them. Determinism: D1.

use std::borrow::Cow;
use std::fmt::Write;

/// The first and the last code point of each run of deceptive characters, ascending: the one table of what is not
/// seen, for everything that shows, compares or searches text.
///
/// Source: the Unicode Character Database, version 17.0: every character whose General_Category is Cc, Cf, Zl or
/// Zp (`extracted/DerivedGeneralCategory.txt`), or that has the property Default_Ignorable_Code_Point
/// (`DerivedCoreProperties.txt`), neighbours joined. No property tells which letters, marks and symbols are drawn
/// as nothing; these are, by the code charts: U+2800 (Braille), U+13441 and U+13442 (Egyptian hieroglyphs),
/// U+16FE4 (Khitan small script) and U+1D159 (music).
const DECEPTIVE: [(u32, u32); 31] = [
    (0x00, 0x1F),
    (0x7F, 0x9F),
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x600, 0x605),
    (0x61C, 0x61C),
    (0x6DD, 0x6DD),
    (0x70F, 0x70F),
    (0x890, 0x891),
    (0x8E2, 0x8E2),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
    (0x13441, 0x13442),
    (0x16FE4, 0x16FE4),
    (0x1BCA0, 0x1BCA3),
    (0x1D159, 0x1D159),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
];

/// Tells whether `c` is deceptive: a control character (line feeds and tabs included), a format character such
/// as a bidirectional control or a tag, a line or paragraph separator, one that has no glyph, as of zero width,
/// or a blank such as U+2800. Spaces are not.
#[must_use]
pub fn is_deceptive(c: char) -> bool {
    // Almost all text ends here.
    if matches!(c, ' '..='~') {
        return false;
    }
    let code = u32::from(c);
    let behind = DECEPTIVE.partition_point(|(first, _)| *first <= code);
    let run = behind.checked_sub(1).and_then(|index| DECEPTIVE.get(index));
    run.is_some_and(|(_, last)| code <= *last)
}

/// Writes every deceptive character of `text` but line feeds as an escape: `\t` and `\r`, any other as
/// `\u{202e}`.
#[must_use]
pub fn escape_deceptive_text(text: &str) -> Cow<'_, str> {
    escape(text, |c| c != '\n' && is_deceptive(c), &mut |c, shown| {
        shown.extend(c.escape_default());
    })
}

/// Writes every deceptive character of `text` as an escape, line feeds as `\n`: the result is one line.
#[must_use]
pub fn escape_deceptive_line(text: &str) -> Cow<'_, str> {
    escape(text, is_deceptive, &mut |c, shown| {
        shown.extend(c.escape_default());
    })
}

/// Writes an identity so that two that differ are seen to differ: every character but visible ASCII as an escape
/// such as `\u{440}`, a backslash as `\\`.
#[must_use]
pub fn escape_identity(id: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_graphic() && c != '\\';
    escape(id, |c| !is_plain(c), &mut |c, shown| match c {
        '\\' => shown.push_str("\\\\"),
        c => shown.extend(c.escape_unicode()),
    })
}

/// Writes text that is not a page's own for a table cell or a list in Markdown, so that Markdown and HTML show
/// it as it is. The result is one line.
#[must_use]
pub fn escape_markdown(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '!' | '~' | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            c if is_deceptive(c) => escaped.extend(c.escape_default()),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Writes the deceptive characters of JSON text as JSON's own escapes, such as `\u202e`. `json` has no white
/// space between its tokens, so that the characters stand in strings only; its value stays the same.
#[must_use]
pub fn escape_deceptive_json(json: &str) -> Cow<'_, str> {
    // Most texts are ASCII, which is seen many bytes at a time. Of its control characters JSON leaves DEL as it is.
    if json.is_ascii() && memchr::memchr(0x7f, json.as_bytes()).is_none() {
        return Cow::Borrowed(json);
    }
    escape(json, is_deceptive, &mut |c, shown| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            // A string takes whatever is written.
            let _ = write!(shown, "\\u{unit:04x}");
        }
    })
}

fn escape<'t>(
    text: &'t str,
    is_escaped: impl Fn(char) -> bool,
    write_escape: &mut dyn FnMut(char, &mut String),
) -> Cow<'t, str> {
    let Some(first) = text.find(&is_escaped) else {
        return Cow::Borrowed(text);
    };
    let (plain, rest) = text.split_at(first);
    let mut shown = plain.to_owned();
    for c in rest.chars() {
        if is_escaped(c) {
            write_escape(c, &mut shown);
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory};
    use icu_properties::{CodePointMapData, CodePointSetData};

    /// The database of another project, over all of Unicode.
    #[test]
    fn the_table_is_what_the_unicode_character_database_says() {
        let categories = CodePointMapData::<GeneralCategory>::new();
        let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
        let blanks = [
            '\u{2800}',
            '\u{13441}',
            '\u{13442}',
            '\u{16fe4}',
            '\u{1d159}',
        ];
        let mut found = 0;
        for c in '\0'..=char::MAX {
            let expected = matches!(
                categories.get(c),
                GeneralCategory::Control
                    | GeneralCategory::Format
                    | GeneralCategory::LineSeparator
                    | GeneralCategory::ParagraphSeparator
            ) || ignorable.contains(c)
                || blanks.contains(&c);
            assert_eq!(is_deceptive(c), expected, "U+{:04X}", u32::from(c));
            found += u32::from(expected);
        }
        assert!(found > 4000, "{found}");
        let neighbours = DECEPTIVE.windows(2);
        assert!(neighbours.into_iter().all(|w| w[0].1 + 1 < w[1].0));
    }

    #[test]
    fn every_deceptive_character_of_unicode_is_escaped_everywhere() {
        for c in '\0'..=char::MAX {
            let text = format!("a{c}\u{e9}");
            for shown in [escape_deceptive_text(&text), escape_deceptive_line(&text)] {
                let kept = shown == text;
                let is_line_feed = c == '\n' && shown.contains('\n');
                assert_eq!(kept, !is_deceptive(c) || is_line_feed, "{shown}");
                let hidden = shown.chars().any(|c| c != '\n' && is_deceptive(c));
                assert!(!hidden, "U+{:04X}", u32::from(c));
            }
            let json = serde_json::json!([text]);
            let shown = escape_deceptive_json(&json.to_string()).into_owned();
            assert!(!shown.chars().any(is_deceptive), "{shown}");
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&shown).unwrap(),
                json
            );
        }
    }

    #[test]
    fn markdown_shows_text_as_it_is_and_on_one_line() {
        assert_eq!(
            escape_markdown("a|b *c* <i>\n\u{202e}\u{85}&\u{e9}"),
            "a\\|b \\*c\\* &lt;i&gt;\\n\\u{202e}\\u{85}&amp;\u{e9}"
        );
    }

    #[test]
    fn identities_that_differ_are_shown_differently() {
        for (id, shown) in [
            ("gpt-4", "gpt-4"),
            ("g\u{440}t", "g\\u{440}t"),
            ("g\\u{440}t", "g\\\\u{440}t"),
            (" a\u{200b}", "\\u{20}a\\u{200b}"),
        ] {
            assert_eq!(escape_identity(id), shown);
        }
    }

    #[test]
    fn escapes_are_the_ones_that_people_and_json_readers_know() {
        let text = "a\n\t\u{9b}31m\u{202e}\u{e0041}\u{2028}\u{85}z";
        assert_eq!(
            escape_deceptive_text(text),
            "a\n\\t\\u{9b}31m\\u{202e}\\u{e0041}\\u{2028}\\u{85}z"
        );
        assert!(escape_deceptive_line(text).starts_with("a\\n\\t"));
        assert_eq!(
            escape_deceptive_json("\"\u{7f}\u{9b}\u{e0041}\""),
            "\"\\u007f\\u009b\\udb40\\udc41\""
        );
    }
}
