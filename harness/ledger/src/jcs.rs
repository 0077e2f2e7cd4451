//! The canonical form (RFC 8785) of any JSON value.
//!
//! formats.md §2, decisions D2. Whether a text *is* canonical is the core's to say
//! ([`axilog::json::canonical`]); this says what it should have been. Numbers are taken from their
//! digits, never through a parser that rounds: integers from −2^63 to 2^64−1 stay exact, any other
//! number is written as ECMAScript writes the nearest double. Determinism: D1.

use std::cell::Cell;

use axilog::json::canonical::MAX_DEPTH;
use axilog::json::name::Name;
use axilog::json::reader::{Reader, Token};
use axilog::json::source::{Plain, Source};
use axilog::json::writer;
use axilog::profile::Profile;

use crate::file::LineBytes;

/// Why a text has no canonical form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoForm {
    /// Where, in bytes.
    pub at: usize,
    /// Why, in a sentence.
    pub reason: String,
}

impl NoForm {
    fn new(at: usize, reason: impl Into<String>) -> NoForm {
        NoForm {
            at,
            reason: reason.into(),
        }
    }
}

/// A cursor that leaves word how far reading came: the reader itself does not say where it stopped.
#[derive(Clone, Copy)]
pub struct Tracked<'a> {
    text: Plain<'a>,
    read: &'a Cell<usize>,
}

impl<'a> Tracked<'a> {
    /// `text` from where it stands; `read` follows.
    pub fn new(text: Plain<'a>, read: &'a Cell<usize>) -> Tracked<'a> {
        read.set(text.position());
        Tracked { text, read }
    }

    /// The same place, and reading on from there is not noted.
    pub fn plain(self) -> Plain<'a> {
        self.text
    }
}

impl<'a> Source<'a> for Tracked<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.peek()
    }

    fn bump(&mut self) {
        self.text.bump();
        self.read.set(self.read.get().max(self.text.position()));
    }

    fn position(&self) -> usize {
        self.text.position()
    }

    fn skip_plain(&mut self) {
        self.text.skip_plain();
        self.read.set(self.read.get().max(self.text.position()));
    }

    fn since(&self, start: usize) -> &'a [u8] {
        self.text.since(start)
    }
}

type Found<'a> = Token<'a, Tracked<'a>>;

/// The canonical form of the JSON value that is `bytes`; white space may stand around it.
///
/// # Errors
/// [`NoForm`] for anything but one JSON value, for a member name that occurs twice, a number beyond
/// the doubles, and nesting deeper than [`MAX_DEPTH`].
pub fn canonical(bytes: &[u8]) -> Result<Vec<u8>, NoForm> {
    if let Err(error) = std::str::from_utf8(bytes) {
        return Err(NoForm::new(error.valid_up_to(), "not UTF-8"));
    }
    let read = Cell::new(0);
    let source = Tracked::new(Plain::new(bytes), &read);
    let mut writer = Writer {
        text: bytes,
        read: &read,
        tokens: Reader::new(source, limit()),
        out: LineBytes::default(),
    };
    let first = writer.next()?;
    writer.value(first)?;
    match writer.tokens.next() {
        Ok(None) => Ok(writer.out.0),
        _ => Err(writer.refusal()),
    }
}

/// The integers in `bytes` that a double cannot tell from their neighbours: beyond ±(2^53−1). Hands
/// `found` the offset and the digits of each. Nothing is found in what is not JSON.
pub fn inexact_integers(bytes: &[u8], found: &mut dyn FnMut(usize, &str)) {
    if std::str::from_utf8(bytes).is_err() {
        return;
    }
    let mut tokens = Reader::new(Plain::new(bytes), limit());
    while let Ok(Some(token)) = tokens.next() {
        if let Token::Number(number) = token
            && let Ok(number_text) = std::str::from_utf8(number)
            && is_inexact_integer(number_text)
        {
            found(offset(bytes, number), number_text);
        }
    }
}

/// Whether `number`, a JSON number, is written as an integer beyond ±(2^53−1).
pub fn is_inexact_integer(number: &str) -> bool {
    is_integer(number)
        && number
            .parse::<i128>()
            .map_or(true, |n| n.unsigned_abs() >= 1 << 53)
}

/// The most containers that may be open at once, as the reader takes it.
pub fn limit() -> u8 {
    u8::try_from(MAX_DEPTH).unwrap_or(u8::MAX)
}

fn is_integer(number: &str) -> bool {
    !number.contains(['.', 'e', 'E'])
}

/// Where `part`, a piece of `text`, begins in it.
fn offset(text: &[u8], part: &[u8]) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

struct Writer<'a> {
    text: &'a [u8],
    read: &'a Cell<usize>,
    tokens: Reader<Tracked<'a>>,
    out: LineBytes,
}

impl<'a> Writer<'a> {
    fn next(&mut self) -> Result<Found<'a>, NoForm> {
        match self.tokens.next() {
            Ok(Some(token)) => Ok(token),
            _ => Err(self.refusal()),
        }
    }

    /// Why the reader went no further.
    fn refusal(&self) -> NoForm {
        let at = self.read.get();
        let reason = match self.text.get(at) {
            None => "not JSON: it ends too early".to_owned(),
            Some(b'[' | b'{') if usize::from(self.tokens.depth()) >= MAX_DEPTH => {
                format!("nested deeper than {MAX_DEPTH}")
            }
            Some(_) => "not JSON from here on".to_owned(),
        };
        NoForm::new(at, reason)
    }

    /// The literal that ends where reading has come to.
    fn literal(&self) -> &'static str {
        let before = self.text.get(..self.read.get()).unwrap_or_default();
        let literals = ["true", "false", "null"].into_iter();
        let mut ending = literals.filter(|literal| before.ends_with(literal.as_bytes()));
        ending.next().unwrap_or_default()
    }

    fn units(&self, content: Tracked<'a>) -> Vec<u16> {
        Name::new(content.plain()).collect()
    }

    /// Writes the value that begins with `token`. Calls itself at most [`MAX_DEPTH`] deep.
    fn value(&mut self, token: Found<'a>) -> Result<(), NoForm> {
        match token {
            Token::ObjectStart(_) => self.object(),
            Token::ArrayStart => self.array(),
            Token::String(content) => {
                let units = self.units(content);
                self.string(&units);
                Ok(())
            }
            Token::Number(number) => self.number(number),
            Token::Literal => {
                let literal = self.literal();
                self.out.0.extend_from_slice(literal.as_bytes());
                Ok(())
            }
            Token::Key(_) | Token::ObjectEnd | Token::ArrayEnd => Err(self.refusal()),
        }
    }

    fn array(&mut self) -> Result<(), NoForm> {
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

    fn object(&mut self) -> Result<(), NoForm> {
        let mut members: Vec<(Vec<u16>, usize, Vec<u8>)> = Vec::new();
        let outer = std::mem::take(&mut self.out.0);
        while let Token::Key(name) = self.next()? {
            let token = self.next()?;
            self.value(token)?;
            let value = std::mem::take(&mut self.out.0);
            members.push((self.units(name), name.position(), value));
        }
        self.out.0 = outer;
        // RFC 8785 §3.2.3: by UTF-16 code units. The second of two equal names is the one too many.
        members.sort();
        for pair in members.windows(2) {
            if let [(name, ..), (next, at, _)] = pair
                && name == next
            {
                let name = String::from_utf16_lossy(name);
                return Err(NoForm::new(
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

    /// The reader lets no lone surrogate through.
    fn string(&mut self, units: &[u16]) {
        let text = String::from_utf16_lossy(units);
        writer::string(text.as_bytes(), Profile::Rfc8785, &mut self.out);
    }

    fn number(&mut self, number: &'a [u8]) -> Result<(), NoForm> {
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
                    let at = offset(self.text, number);
                    return Err(NoForm::new(at, "a number beyond the doubles"));
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
    fn forms() {
        let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
        for (given, expected) in [
            (" { } ", "{}"),
            ("[ 1 , null,true ,false]", "[1,null,true,false]"),
            (
                r#"{"b":1,"a":{"d":[],"c":{}}}"#,
                r#"{"a":{"c":{},"d":[]},"b":1}"#,
            ),
            // By code units: the pair for U+1F600 begins with D83D, which comes before FB01.
            (
                "{\"\u{fb01}\":1,\"\u{1f600}\":2}",
                "{\"\u{1f600}\":2,\"\u{fb01}\":1}",
            ),
            // By the names themselves, not by how they are escaped.
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
            let form = canonical(given.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(form).unwrap(), expected, "{given}");
        }
    }

    #[test]
    fn what_has_no_form_says_why_and_where() {
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
            let found = canonical(given).unwrap_err();
            assert_eq!(found.at, at, "{found:?}");
            assert!(found.reason.contains(reason), "{found:?}");
        }
        let deep = "[".repeat(129) + &"]".repeat(129);
        assert!(canonical(deep.as_bytes()).is_err());
    }

    #[test]
    fn integers_beyond_the_doubles_are_found() {
        let text = b"[9007199254740991,-9007199254740992,1e30,{\"a\":18446744073709551615}]";
        let mut found = Vec::new();
        inexact_integers(text, &mut |at, digits| found.push((at, digits.to_owned())));
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
        /// What comes out is canonical by the core's word, and its own form; and a text is
        /// canonical by the core's word where it is its own form.
        #[test]
        fn the_core_agrees(text in json()) {
            let form = canonical(text.as_bytes()).unwrap();
            prop_assert!(is_canonical_json(&form), "{}", String::from_utf8_lossy(&form));
            prop_assert_eq!(canonical(&form).unwrap(), form.clone());
            prop_assert_eq!(is_canonical_json(text.as_bytes()), form == text.as_bytes());
        }
    }
}
