//! The search for a secret in a text, as it stands there and under escapes.
//!
//! What a server sends is unescaped several times before it is written: the body of the response is JSON, the
//! answer in it may hold a JSON object, and that one may hold JSON again in a string. A URL has escapes of its
//! own. The search therefore looks at the text, and at what each further unescaping makes of it. JSON's escapes and
//! URLs' are removed one kind at a time, in every order: a key may itself hold what looks like an escape of the
//! other kind.

/// The most times that a text is unescaped. Reading an answer takes four: the response, the object in the answer,
/// JSON in a string of that object, and a URL in it. Each further time doubles the work for a text that is written
/// to cost as much as it can.
const MAX_LEVELS: usize = 6;

/// Whether a text is a key that is searched for: 8 or more printable ASCII characters without spaces. A shorter one could
/// occur in an answer by chance.
#[must_use]
pub fn is_searched_for(key: &str) -> bool {
    key.len() >= 8 && key.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Whether `text` holds `secret` as it stands there or after at most six unescapings, each of JSON or of a URL.
#[must_use]
pub fn contains_secret(text: &[u8], secret: &str) -> bool {
    is_found(text, secret.as_bytes(), MAX_LEVELS)
}

/// Whether `secret` stands in `text` or in what at most `levels` unescapings make of it.
fn is_found(text: &[u8], secret: &[u8], levels: usize) -> bool {
    if find(text, secret) {
        return true;
    }
    let Some(levels) = levels.checked_sub(1) else {
        return false;
    };
    [unescape_json, unescape_url]
        .iter()
        .filter_map(|unescape| unescape(text))
        .any(|unescaped| is_found(&unescaped, secret, levels))
}

/// Whether `part` stands in `text`.
fn find(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Removes one level of the escapes of JSON strings. Half of a surrogate pair, which is no part of a key, becomes `?`.
fn unescape_json(text: &[u8]) -> Option<Vec<u8>> {
    unescape(text, b'\\', |tail, out| {
        let (c, length) = read_json_escape(tail)?;
        let c = c.unwrap_or('?');
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        Some(length)
    })
}

/// Removes one level of the escapes of URLs, which stand for bytes.
fn unescape_url(text: &[u8]) -> Option<Vec<u8>> {
    unescape(text, b'%', |tail, out| {
        out.push(u8::try_from(read_hex(tail, 2)?).ok()?);
        Some(2)
    })
}

/// The text without its escapes, or `None` if it has none. `write_escaped` gets what follows an `escape` byte,
/// writes what the escape stands for, and gives the length of what it read; what is no escape stays as it is.
fn unescape(
    text: &[u8],
    escape: u8,
    write_escaped: impl Fn(&[u8], &mut Vec<u8>) -> Option<usize>,
) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, tail)) = rest.split_first() {
        let length = (*first == escape).then(|| write_escaped(tail, &mut out));
        let length = length.flatten();
        if length.is_none() {
            out.push(*first);
        }
        rest = tail.get(length.unwrap_or(0)..).unwrap_or_default();
    }
    // Each escape is longer than what it stands for.
    (out.len() < text.len()).then_some(out)
}

/// The character that a JSON escape stands for (`None` for half of a pair), and the escape's length without its
/// backslash.
fn read_json_escape(tail: &[u8]) -> Option<(Option<char>, usize)> {
    let c = match tail.first()? {
        c @ (b'"' | b'\\' | b'/') => char::from(*c),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let code = read_hex(tail.get(1..)?, 4)?;
            return Some((char::from_u32(code), 5));
        }
        _ => return None,
    };
    Some((Some(c), 1))
}

/// The number of `digits` hexadecimal digits at the beginning of `text`.
fn read_hex(text: &[u8], digits: usize) -> Option<u32> {
    let mut code = 0;
    for byte in text.get(..digits)? {
        code = code * 16 + char::from(*byte).to_digit(16)?;
    }
    Some(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    const KEY: &str = "sk-test-0123456789abcdef";

    /// Writes every byte as an escape of a URL.
    fn percent(text: &str) -> String {
        text.bytes().map(|byte| format!("%{byte:02x}")).collect()
    }

    /// Writes every letter and digit as an escape of JSON.
    fn escaped(text: &str) -> String {
        let escape = |c: char| match c {
            '\\' | '"' => format!("\\{c}"),
            c => format!("\\u{:04X}", u32::from(c)),
        };
        text.chars().map(escape).collect()
    }

    #[test]
    fn a_key_is_found_behind_every_level_of_escapes() {
        let nested = |text: &str| Value::from(text).to_string();
        let object = |text: &str| format!("Here it is: {{\"key\":\"{text}\"}}");
        for text in [
            KEY.to_owned(),
            escaped(KEY),
            percent(KEY),
            object(&escaped(KEY)),
            // An object in the answer, inside of the response.
            nested(&object(&escaped(KEY))),
            // JSON in a string of that object.
            nested(&nested(&object(&escaped(KEY)))),
            nested(&object(&percent(KEY))),
            percent(&percent(KEY)),
            percent(&escaped(KEY)),
            nested(&format!("http://h/?key={}", percent(KEY))),
            KEY.replacen("sk", "\\u0073%6B", 1),
        ] {
            assert!(contains_secret(text.as_bytes(), KEY), "{text}");
        }
        for text in [
            "",
            "sk-test",
            "sk-test-0123456789abcde",
            "\\u0073k-test",
            "%",
        ] {
            assert!(!contains_secret(text.as_bytes(), KEY), "{text}");
        }
    }

    #[test]
    fn a_key_that_looks_like_an_escape_is_found() {
        for key in [
            r#"a/b\c"defg"#,
            r"ab\ndefgh",
            r"ab%41defgh",
            r"\u0041bcdefghi",
            // Unescaped, it is shorter than a key.
            r"a\AA%0A!",
            r"\\a%2541bcdef",
        ] {
            let json = Value::from(key).to_string();
            for text in [
                key.to_owned(),
                json.clone(),
                Value::from(json).to_string(),
                escaped(key),
                percent(key),
                percent(&Value::from(key).to_string()),
                Value::from(percent(key)).to_string(),
            ] {
                assert!(contains_secret(text.as_bytes(), key), "{key} in {text}");
            }
        }
    }

    #[test]
    fn a_key_after_half_an_escape_is_found() {
        for (before, key) in [("%", "41\"bcdefg"), ("\\u00", "41%bcdefg")] {
            let text = Value::from(format!("{before}{key}")).to_string();
            assert!(contains_secret(text.as_bytes(), key), "{key} in {text}");
            let text = percent(&text);
            assert!(contains_secret(text.as_bytes(), key), "{key} in {text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_json_or_a_url_holds_is_found(
            key in "[!-~]{8,20}",
            before in "\\PC{0,20}",
            levels in prop::collection::vec(any::<bool>(), 0..5),
        ) {
            let mut text = format!("{before}{key}after");
            for is_json in levels {
                text = if is_json { Value::from(text).to_string() } else { percent(&text) };
            }
            prop_assert!(contains_secret(text.as_bytes(), &key), "{}", text);
        }
    }
}
