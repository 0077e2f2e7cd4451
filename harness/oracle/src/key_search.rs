//! The search for a secret in a text, as it stands there and under escapes.
//!
//! What a server sends is unescaped several times before it is written: the body of the response is JSON, the
//! answer in it may hold a JSON object, and that one may hold JSON again in a string. A URL has escapes of its
//! own. The search therefore looks at the text, and at what each further unescaping makes of it.

/// The most times that a text is unescaped. Reading an answer takes four: the response, the object in the answer,
/// JSON in a string of that object, and a URL in it.
const MAX_LEVELS: usize = 8;

/// Whether a text is a key that is searched for: 8 or more printable ASCII characters without spaces. A shorter one could
/// occur in an answer by chance.
#[must_use]
pub fn is_searched_for(key: &str) -> bool {
    key.len() >= 8 && key.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Whether `text` holds `secret` as it stands there or after any number of unescapings.
#[must_use]
pub fn contains_secret(text: &[u8], secret: &str) -> bool {
    let mut secrets = vec![secret.as_bytes().to_vec()];
    // Both are unescaped alike, since a secret may look like an escape itself.
    let unescaped = unescape(secret.as_bytes());
    if unescaped.len() >= 8 && !secrets.contains(&unescaped) {
        secrets.push(unescaped);
    }
    let holds = |text: &[u8]| secrets.iter().any(|secret| find(text, secret));
    if holds(text) {
        return true;
    }
    let mut level = text.to_vec();
    for _ in 0..MAX_LEVELS {
        let next = unescape(&level);
        if next == level {
            return false;
        }
        if holds(&next) {
            return true;
        }
        level = next;
    }
    false
}

/// Whether `part` stands in `text`.
fn find(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Removes one level of the escapes of JSON strings and of URLs. What is no escape stays as it is.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, tail)) = rest.split_first() {
        let escape = match first {
            b'\\' => read_json_escape(tail),
            b'%' => read_hex(tail, 2).map(|code| (char::from_u32(code), 2)),
            _ => None,
        };
        match escape {
            Some((Some(c), length)) if *first == b'\\' => {
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                rest = tail.get(length..).unwrap_or_default();
            }
            // Escapes of URLs stand for bytes.
            Some((Some(c), length)) => {
                out.push(u8::try_from(u32::from(c)).unwrap_or(b'?'));
                rest = tail.get(length..).unwrap_or_default();
            }
            // Half of a surrogate pair, which is no part of a key.
            Some((None, length)) => {
                out.push(b'?');
                rest = tail.get(length..).unwrap_or_default();
            }
            None => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    out
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
        ] {
            let json = Value::from(key).to_string();
            for text in [
                key.to_owned(),
                json.clone(),
                Value::from(json).to_string(),
                escaped(key),
                percent(key),
            ] {
                assert!(contains_secret(text.as_bytes(), key), "{key} in {text}");
            }
        }
    }

    proptest! {
        #[test]
        fn whatever_json_or_a_url_holds_is_found(
            key in "[!-~]{8,20}",
            before in "\\PC{0,20}",
            levels in prop::collection::vec(any::<bool>(), 0..5),
        ) {
            let mut text = format!("{before} {key} after");
            for is_json in levels {
                text = if is_json { Value::from(text).to_string() } else { percent(&text) };
            }
            prop_assert!(contains_secret(text.as_bytes(), &key), "{}", text);
        }
    }
}
