//! The canonical form (RFC 8785) of any JSON value.
//!
//! formats.md §2, decisions D2. The core decides whether a text *is* canonical
//! ([`axilog::json::canonical`]); this module writes the canonical form of a text. Numbers are read from
//! their digits and never rounded by a parser: integers from −2^63 to 2^64−1 stay exact, and any other number
//! is written as ECMAScript writes the nearest double. Determinism: D1.

mod cursor;

use std::cell::Cell;

use axilog::json::canonical::MAX_DEPTH;
use axilog::json::name::Name;
use axilog::json::reader::{Reader, Token};
use axilog::json::source::{Plain, Source};
use axilog::json::writer;
use axilog::profile::Profile;

use crate::encoding::ByteBuffer;

pub use cursor::TrackingCursor;

/// The hash of this module's code, for a program that pins the code it decides with.
pub const SOURCE_HASH: &str = env!("JCS_SOURCE_HASH");

/// The reason why a text has no canonical form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonicalizationError {
    /// The place of the error in the text, in bytes.
    pub offset: usize,
    /// The reason in words.
    pub reason: String,
}

impl CanonicalizationError {
    fn new(at: usize, reason: impl Into<String>) -> CanonicalizationError {
        CanonicalizationError {
            offset: at,
            reason: reason.into(),
        }
    }
}

type CursorToken<'a> = Token<'a, TrackingCursor<'a>>;

/// Writes the JSON value `bytes` in canonical form. White space may surround the value.
///
/// # Errors
/// [`CanonicalizationError`] for anything but one JSON value, for a member name that occurs twice, a number beyond
/// the doubles, and nesting deeper than [`MAX_DEPTH`].
pub fn canonicalize(bytes: &[u8]) -> Result<Vec<u8>, CanonicalizationError> {
    if let Err(error) = std::str::from_utf8(bytes) {
        return Err(CanonicalizationError::new(error.valid_up_to(), "not UTF-8"));
    }
    let furthest = Cell::new(0);
    let source = TrackingCursor::new(Plain::new(bytes), &furthest);
    let mut writer = Writer {
        text: bytes,
        furthest: &furthest,
        tokens: Reader::new(source, max_depth()),
        out: ByteBuffer::default(),
    };
    let first = writer.next()?;
    writer.value(first)?;
    match writer.tokens.next() {
        Ok(None) => Ok(writer.out.0),
        _ => Err(writer.error()),
    }
}

/// Finds the integers in a JSON text that a double cannot tell from their neighbours: those beyond ±(2^53−1).
/// Calls `report` with the offset and the digits of each. The search ends where the text is not JSON.
pub fn find_inexact_integers(bytes: &[u8], report: &mut dyn FnMut(usize, &str)) {
    if std::str::from_utf8(bytes).is_err() {
        return;
    }
    let mut tokens = Reader::new(Plain::new(bytes), max_depth());
    while let Ok(Some(token)) = tokens.next() {
        if let Token::Number(number) = token
            && let Ok(number_text) = std::str::from_utf8(number.stored)
            && is_inexact_integer(number_text)
        {
            report(offset_of(bytes, number.stored), number_text);
        }
    }
}

/// Whether the JSON number `number` is written as an integer beyond ±(2^53−1).
pub fn is_inexact_integer(number: &str) -> bool {
    is_integer(number)
        && number
            .parse::<i128>()
            .map_or(true, |n| n.unsigned_abs() >= 1 << 53)
}

/// The most containers that may be open at once, in the reader's type.
pub fn max_depth() -> u8 {
    u8::try_from(MAX_DEPTH).unwrap_or(u8::MAX)
}

fn is_integer(number: &str) -> bool {
    !number.contains(['.', 'e', 'E'])
}

/// The offset of `part`, which is a piece of `text`.
fn offset_of(text: &[u8], part: &[u8]) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// The UTF-16 code units of a string's content, escapes resolved.
fn utf16(content: TrackingCursor<'_>) -> Vec<u16> {
    Name::new(content.into_text()).collect()
}

struct Writer<'a> {
    text: &'a [u8],
    furthest: &'a Cell<usize>,
    tokens: Reader<TrackingCursor<'a>>,
    out: ByteBuffer,
}

impl<'a> Writer<'a> {
    fn next(&mut self) -> Result<CursorToken<'a>, CanonicalizationError> {
        match self.tokens.next() {
            Ok(Some(token)) => Ok(token),
            _ => Err(self.error()),
        }
    }

    /// The reason why the reader stopped.
    fn error(&self) -> CanonicalizationError {
        let at = self.furthest.get();
        let reason = match self.text.get(at) {
            None => "not JSON: it ends too early".to_owned(),
            Some(b'[' | b'{') if usize::from(self.tokens.depth()) >= MAX_DEPTH => {
                format!("nested deeper than {MAX_DEPTH}")
            }
            Some(_) => "not JSON from here on".to_owned(),
        };
        CanonicalizationError::new(at, reason)
    }

    /// The literal that was just read.
    fn literal(&self) -> &'static str {
        let before = self.text.get(..self.furthest.get()).unwrap_or_default();
        let mut literals = ["true", "false", "null"].into_iter();
        let literal = literals.find(|literal| before.ends_with(literal.as_bytes()));
        literal.unwrap_or_default()
    }

    /// Writes the value that begins with `token`. Calls itself at most [`MAX_DEPTH`] deep.
    fn value(&mut self, token: CursorToken<'a>) -> Result<(), CanonicalizationError> {
        match token {
            Token::ObjectStart(_) => self.object(),
            Token::ArrayStart => self.array(),
            Token::String(content) => {
                let units = utf16(content);
                self.string(&units);
                Ok(())
            }
            Token::Number(number) => self.number(number.stored),
            Token::Literal => {
                let literal = self.literal();
                self.out.0.extend_from_slice(literal.as_bytes());
                Ok(())
            }
            Token::Key(_) | Token::ObjectEnd | Token::ArrayEnd => Err(self.error()),
        }
    }

    fn array(&mut self) -> Result<(), CanonicalizationError> {
        self.out.0.push(b'[');
        let mut first = true;
        loop {
            let token = self.next()?;
            if matches!(token, Token::ArrayEnd) {
                self.out.0.push(b']');
                return Ok(());
            }
            if !std::mem::take(&mut first) {
                self.out.0.push(b',');
            }
            self.value(token)?;
        }
    }

    fn object(&mut self) -> Result<(), CanonicalizationError> {
        let mut members: Vec<(Vec<u16>, usize, Vec<u8>)> = Vec::new();
        let outer = std::mem::take(&mut self.out.0);
        while let Token::Key(name) = self.next()? {
            let token = self.next()?;
            self.value(token)?;
            let value = std::mem::take(&mut self.out.0);
            members.push((utf16(name), name.position(), value));
        }
        self.out.0 = outer;
        // RFC 8785 §3.2.3 sorts by UTF-16 code units. Equal names are sorted by place, and the error names the
        // second.
        members.sort();
        for pair in members.windows(2) {
            if let [(name, ..), (next, at, _)] = pair
                && name == next
            {
                let name = String::from_utf16_lossy(name);
                return Err(CanonicalizationError::new(
                    at.saturating_sub(1),
                    format!("the member name {name:?} occurs twice in one object"),
                ));
            }
        }
        self.out.0.push(b'{');
        for (index, (name, _, value)) in members.iter().enumerate() {
            if index > 0 {
                self.out.0.push(b',');
            }
            self.string(name);
            self.out.0.push(b':');
            self.out.0.extend_from_slice(value);
        }
        self.out.0.push(b'}');
        Ok(())
    }

    /// Writes a string. The reader has refused lone surrogates.
    fn string(&mut self, units: &[u16]) {
        let text = String::from_utf16_lossy(units);
        writer::string(text.as_bytes(), Profile::Rfc8785, &mut self.out);
    }

    fn number(&mut self, number: &'a [u8]) -> Result<(), CanonicalizationError> {
        let text = String::from_utf8_lossy(number);
        let exact = is_integer(&text)
            .then(|| text.parse::<i128>().ok())
            .flatten();
        let range = i128::from(i64::MIN)..=i128::from(u64::MAX);
        let written = match exact.filter(|integer| range.contains(integer)) {
            Some(integer) => integer.to_string(),
            None => {
                let double: f64 = text.parse().unwrap_or(f64::INFINITY);
                if !double.is_finite() {
                    let at = offset_of(self.text, number);
                    return Err(CanonicalizationError::new(
                        at,
                        "a number beyond the doubles",
                    ));
                }
                ryu_js::Buffer::new().format_finite(double).to_owned()
            }
        };
        self.out.0.extend_from_slice(written.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axilog::json::canonical::is_canonical_json;
    use proptest::prelude::*;

    #[test]
    fn values_have_their_canonical_form() {
        let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
        for (given, expected) in [
            (" { } ", "{}"),
            ("[ 1 , null,true ,false]", "[1,null,true,false]"),
            (
                r#"{"b":1,"a":{"d":[],"c":{}}}"#,
                r#"{"a":{"c":{},"d":[]},"b":1}"#,
            ),
            // Sorted by code units: the pair for U+1F600 begins with D83D, which comes before FB01.
            (
                "{\"\u{fb01}\":1,\"\u{1f600}\":2}",
                "{\"\u{1f600}\":2,\"\u{fb01}\":1}",
            ),
            // Sorted by the names themselves, not by their escaped spelling.
            (r#"{"\u0062":1,"a":2,"\n":3}"#, r#"{"\n":3,"a":2,"b":1}"#),
            (
                r#""\u0041\/\u000a\u001F\ud83d\ude00""#,
                "\"A/\\n\\u001f\u{1f600}\"",
            ),
            ("1.0", "1"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("1e3", "1000"),
            ("1E-7", "1e-7"),
            ("0.1e22", "1e+21"),
            ("333333333.33333329", "333333333.3333333"),
            ("9007199254740993", "9007199254740993"),
            ("9007199254740993.0", "9007199254740992"),
            ("18446744073709551615", "18446744073709551615"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("18446744073709551616", "18446744073709552000"),
            ("1e-400", "0"),
            (&deep(128), &deep(128)),
        ] {
            let form = canonicalize(given.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(form).unwrap(), expected, "{given}");
        }
    }

    #[test]
    fn errors_name_the_reason_and_the_place() {
        for (given, at, reason) in [
            (
                &b"{\"a\":1,\"b\":2,\"\\u0061\":3}"[..],
                13,
                "\"a\" occurs twice",
            ),
            (b"[1,1e400]", 3, "beyond the doubles"),
            (b"[1,\xff]", 3, "not UTF-8"),
            (b"[1,]", 3, "not JSON"),
            (b"{}\n{}", 3, "not JSON"),
            (b"", 0, "not JSON"),
            (b"\"\\ud800\"", 7, "not JSON"),
            (b"nul", 3, "ends too early"),
            (b"nulx", 3, "not JSON from here on"),
        ] {
            let error = canonicalize(given).unwrap_err();
            assert_eq!(error.offset, at, "{error:?}");
            assert!(error.reason.contains(reason), "{error:?}");
        }
        let deep = "[".repeat(129) + &"]".repeat(129);
        assert!(canonicalize(deep.as_bytes()).is_err());
    }

    #[test]
    fn inexact_integers_are_reported_with_their_offset() {
        let text = b"[9007199254740991,-9007199254740992,1e30,{\"a\":18446744073709551615}]";
        let mut found = Vec::new();
        find_inexact_integers(text, &mut |at, digits| found.push((at, digits.to_owned())));
        let expected = [(18, "-9007199254740992"), (46, "18446744073709551615")];
        assert_eq!(found, expected.map(|(at, digits)| (at, digits.to_owned())));
    }

    fn json() -> impl Strategy<Value = String> {
        let string = any::<String>().prop_map(|s| serde_json::to_string(&s).unwrap());
        let number = prop_oneof![
            any::<f64>().prop_map(|x| if x.is_finite() {
                format!("{x:e}")
            } else {
                "0".into()
            }),
            any::<i64>().prop_map(|n| n.to_string()),
            "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,20})?([eE][-+]?[0-9]{1,2})?",
        ];
        let leaf = prop_oneof![string, number, Just(" null ".to_owned())];
        leaf.prop_recursive(4, 32, 5, |inner| {
            let name = any::<String>().prop_map(|s| serde_json::to_string(&s).unwrap());
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5)
                    .prop_map(|all| format!("[{} ]", all.join(" , "))),
                prop::collection::btree_map(name, inner, 0..5).prop_map(|members| {
                    let all: Vec<String> = members
                        .iter()
                        .rev()
                        .map(|(k, v)| format!("{k}:{v}"))
                        .collect();
                    format!("{{{}}}", all.join(",\n"))
                }),
            ]
        })
    }

    proptest! {
        /// The core calls every form canonical, and a text exactly where the text is its own form.
        #[test]
        fn the_core_calls_exactly_the_forms_canonical(text in json()) {
            let form = canonicalize(text.as_bytes()).unwrap();
            prop_assert!(is_canonical_json(&form), "{}", String::from_utf8_lossy(&form));
            prop_assert_eq!(canonicalize(&form).unwrap(), form.clone());
            prop_assert_eq!(is_canonical_json(text.as_bytes()), form == text.as_bytes());
        }
    }
}
