//! The message in a server's error response, made fit to be shown: one line, no control characters, no keys.

use axilog_ledger::visible_text::is_deceptive;
use serde_json::Value;

use crate::key::ApiKey;

/// The most characters of a message that are shown.
const MAX_CHARS: usize = 300;

/// What stands in place of a word that holds a key or a part of one.
const REMOVED: &str = "[key removed]";

/// The beginnings of words that are keys, whole or masked.
const KEY_PREFIXES: [&str; 6] = ["sk-", "sk_", "gsk_", "xai-", "hf_", "AIza"];

/// The number of characters of the key that a word may not have in common with it.
const PIECE: usize = 8;

/// Reads the message in the body of a response. `None` where the body holds none that may be shown.
///
/// The forms are OpenAI's and Anthropic's (`error.message`), a text in `error`, and those of FastAPI (`detail`)
/// and of others (`message`).
pub(crate) fn read_message(body: &[u8], key: Option<&ApiKey>) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let places = ["/error/message", "/error", "/detail", "/message"];
    let mut texts = places
        .iter()
        .filter_map(|place| body.pointer(place)?.as_str());
    clean_message(texts.next()?, key)
}

/// Cleans a message. `None` where nothing is left.
pub(crate) fn clean_message(text: &str, key: Option<&ApiKey>) -> Option<String> {
    // A character that shows nothing could hide or reorder the others.
    let visible: String = text
        .chars()
        .map(|c| if is_deceptive(c) { ' ' } else { c })
        .collect();
    let mut words = Vec::new();
    let mut after_bearer = false;
    for word in visible.split_whitespace() {
        let shown = if after_bearer || holds_key(word, key) {
            REMOVED
        } else {
            word
        };
        after_bearer = word.eq_ignore_ascii_case("bearer");
        words.push(shown);
    }
    let line = words.join(" ");
    // Where the key is still there it is written in some way that takes more than one word.
    if line.is_empty() || key.is_some_and(|key| key.is_in(line.as_bytes())) {
        return None;
    }
    if line.chars().count() <= MAX_CHARS {
        return Some(line);
    }
    Some(line.chars().take(MAX_CHARS - 1).chain(['…']).collect())
}

/// Whether a word holds a key: ours, a piece of ours, one that is masked, or anything that begins as keys do.
fn holds_key(word: &str, key: Option<&ApiKey>) -> bool {
    let parts = word.split(|c: char| !(c.is_ascii_alphanumeric() || "-_*".contains(c)));
    let mut parts = parts.filter(|part| !part.is_empty());
    parts.any(|part| {
        let mut prefixes = KEY_PREFIXES.iter();
        prefixes.any(|prefix| part.len() > prefix.len() && part.starts_with(prefix))
            || part.contains("**")
    }) || key.is_some_and(|key| key.shares_piece(word, PIECE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(text: &str) -> String {
        let key = ApiKey::new("own-0123456789abcdef".to_owned()).unwrap();
        clean_message(text, Some(&key)).unwrap_or_default()
    }

    #[test]
    fn a_message_is_one_short_line_without_hidden_characters() {
        assert_eq!(clean("a\n\tb\r\nc"), "a b c");
        assert_eq!(clean("\u{1b}[31mred\u{7}\u{202e}der\u{0}"), "[31mred der");
        assert_eq!(clean(" \n\u{200b}\u{3164}\u{13430} "), "");
        let long = clean(&"ä".repeat(400));
        assert!(long.chars().count() == 300 && long.ends_with("ä…"));
        assert_eq!(clean(&"b".repeat(300)), "b".repeat(300));
    }

    #[test]
    fn keys_and_their_pieces_are_removed_and_the_rest_stays() {
        for (text, shown) in [
            (
                "Incorrect API key provided: sk-abcd****wxyz. See https://h/keys.",
                "Incorrect API key provided: [key removed] See https://h/keys.",
            ),
            (
                "key own-0123456789abcdef is bad",
                "key [key removed] is bad",
            ),
            ("key \"...456789abcdef\"", "key [key removed]"),
            ("key own-%30123456789abcdef", "key [key removed]"),
            ("key \\u006fwn-0123456789abcdef", "key [key removed]"),
            ("Bearer abcdef was sent", "Bearer [key removed] was sent"),
            (
                "token (hf_abc) and AIzaSy1",
                "token [key removed] and [key removed]",
            ),
            (
                "the model claude-3-5-sonnet-20241022 takes no `max_tokens`; task-1 risk-free",
                "the model claude-3-5-sonnet-20241022 takes no `max_tokens`; task-1 risk-free",
            ),
        ] {
            assert_eq!(clean(text), shown);
        }
        // In two words the key can only be hidden with all the rest.
        let split = ApiKey::new("abc/defgh".to_owned()).unwrap();
        assert_eq!(
            clean_message("see abc%2Fdefgh", Some(&split)).as_deref(),
            Some("see [key removed]")
        );
    }

    #[test]
    fn messages_are_found_in_the_forms_of_real_servers() {
        for body in [
            r#"{"error":{"message":"busy","type":"x"}}"#,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"busy"}}"#,
            r#"{"error":"busy"}"#,
            r#"{"detail":"busy"}"#,
            r#"{"object":"error","message":"busy","code":400}"#,
        ] {
            assert_eq!(read_message(body.as_bytes(), None).as_deref(), Some("busy"));
        }
        for body in [
            "<html>",
            "{}",
            "[]",
            r#"{"error":{"code":1}}"#,
            r#"{"error":""}"#,
        ] {
            assert_eq!(read_message(body.as_bytes(), None), None);
        }
    }
}
