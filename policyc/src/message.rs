//! The parts of a message that repeat a piece of a file: printable and short,
//! whatever the file holds. Determinism class D1.

/// The longest piece of a file that a message repeats, in characters.
pub(crate) const LONGEST: usize = 70;

/// The longest piece that a message about canonical form repeats.
const EXCERPT: usize = 16;

/// Names the end of the text and the characters that do not print, and puts
/// every other character between backticks.
pub(crate) fn describe_character(next: Option<char>) -> String {
    match next {
        None => "the end of the file".into(),
        Some('\0') => "a NUL character".into(),
        Some('\n') => "a line feed".into(),
        Some('\r') => "a carriage return".into(),
        Some('\t') => "a tab".into(),
        Some(' ') => "a space".into(),
        Some('\u{FEFF}') => "a byte order mark".into(),
        Some(other) if other.is_control() => format!("the control character {}", code_point(other)),
        Some(other) => format!("`{}`", other.escape_debug()),
    }
}

/// A character as `U+0001`.
fn code_point(character: char) -> String {
    format!("U+{:04X}", u32::from(character))
}

/// Quotes the beginning of `rest`: up to 16 characters between backticks, or as
/// [`describe_character`] where it begins with white space or a control.
pub(crate) fn quote_excerpt(rest: &str) -> String {
    match rest.chars().next() {
        Some(first) if first != ' ' && !first.is_control() => {
            let line = rest.split(char::is_control).next().unwrap_or_default();
            format!("`{}`", shorten(line, EXCERPT))
        }
        first => describe_character(first),
    }
}

/// Puts a string in double quotes, escaped where it does not print, shortened
/// where it is long.
pub(crate) fn quote(text: &str) -> String {
    format!("\"{}\"", shorten(text, LONGEST))
}

/// Escapes the characters of a text that do not print.
pub(crate) fn show(text: &str) -> String {
    let mut shown = String::new();
    text.chars()
        .for_each(|character| push_shown(&mut shown, character));
    shown
}

fn push_shown(shown: &mut String, character: char) {
    match character {
        // These print as they stand in the file.
        '"' | '\'' | '\\' => shown.push(character),
        _ => shown.extend(character.escape_debug()),
    }
}

/// The beginning of a text, up to `longest` characters, escaped where it does not print.
pub(crate) fn shorten(text: &str, longest: usize) -> String {
    let mut characters = text.chars();
    let mut short = String::new();
    for character in characters.by_ref().take(longest) {
        push_shown(&mut short, character);
    }
    if characters.next().is_some() {
        short.push('…');
    }
    short
}
