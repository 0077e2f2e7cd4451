//! The values that policies evaluate, out of an oracle's answer. Determinism: D1.
//!
//! formats.md §4, "Extracting the value", and decisions D18. Nothing in an answer is trusted: the
//! whole of it must be one strictly valid JSON object before any value of it counts.

use super::duplicate::{Names, fingerprint, is_repeated};
use super::escaped::{Cursor, EscapedText};
use super::reader::{InvalidJson, Reader, Token};
use super::source::Source;
use super::values::{MAX_DEPTH, Values};

pub use super::values::{MAX_POLICIES, NO_VALUE, Selectors};

/// [`MAX_DEPTH`] as the reader takes it.
const LIMIT: u8 = MAX_DEPTH as u8;

/// Extracts the value of every selector from an answer.
///
/// `output` is the answer as it stands in its record. `key` keys the fingerprints of names; it
/// should be bytes that whoever writes the answer cannot choose, such as of its `obs_hash`. The
/// values do not depend on it, only the time taken.
///
/// `values[i]` becomes the Q16.16 value of selector `i`, from the member that its path names (natural
/// units), the member of that name with `_q16` (raw), the array's element that its path leads to
/// (natural units), or the number of elements or members; where the path goes to every element of an
/// array, the least or the greatest of their values. It becomes [`NO_VALUE`] where none or both of the
/// members are there, or the value does not convert, where that holds for one element of several, where
/// there is no element, where no selector is wanted, and everywhere if the answer is not one JSON object
/// (RFC 8259) without repeated names, lone surrogates or nesting beyond 32.
pub fn extract(
    output: EscapedText<'_>,
    key: &[u8; 16],
    selectors: &dyn Selectors,
    values: &mut [i32; MAX_POLICIES],
) {
    let mut values = Values::new(selectors, values);
    match read(output, key, &mut values) {
        Ok(()) => values.finish(),
        Err(InvalidJson) => values.discard(),
    }
}

/// Reads the answer, in one pass if it has few enough names. Each further pass begins where the
/// names kept by the one before end, and compares all later names with those it keeps itself.
fn read(
    output: EscapedText<'_>,
    key: &[u8; 16],
    values: &mut Values<'_>,
) -> Result<(), InvalidJson> {
    let mut names = Names::new();
    let mut walk = Walk::new(output);
    walk.pass(key, &mut names, Some(values))?;
    while names.is_full() {
        walk.pass(key, &mut names, None)?;
    }
    Ok(())
}

/// A place in the answer, with the objects that are open there.
#[derive(Clone, Copy)]
struct Walk<'a> {
    output: EscapedText<'a>,
    reader: Reader<Cursor<'a>>,
    /// By depth: the beginning of each open object.
    objects: [u32; MAX_DEPTH],
}

impl<'a> Walk<'a> {
    fn new(output: EscapedText<'a>) -> Self {
        Walk {
            output,
            reader: Reader::new(output.cursor(), LIMIT),
            objects: [0; MAX_DEPTH],
        }
    }

    /// Reads from here to the end of the answer, keeps the first names in `names` and refuses any
    /// later one that repeats one of these. If `names` is full then, this walk has moved on to
    /// where the next pass begins. The values that paths lead to go to `values`.
    fn pass(
        &mut self,
        key: &[u8; 16],
        names: &mut Names,
        mut values: Option<&mut Values<'_>>,
    ) -> Result<(), InvalidJson> {
        names.clear();
        let mut ahead = *self;
        let mut member = None;
        let mut last_kept = u32::MAX;
        let mut first = None;
        let mut alone = true;
        while let Some(token) = ahead.reader.next()? {
            if let Some(values) = &mut values {
                ahead.collect(token, &mut member, values)?;
            }
            match token {
                Token::ObjectStart(brace) => *ahead.object()? = offset(brace)?,
                Token::Key(name) => {
                    let object = *ahead.object()?;
                    // An object that begins behind the last name kept has none of those kept.
                    if alone {
                        // Most answers have few names. The first waits for one to compare it with.
                        alone = false;
                        first = Some((object, name));
                    } else if object < last_kept {
                        if let Some((object, name)) = first.take() {
                            names.keep(fingerprint(key, object, name));
                        }
                        let fingerprint = fingerprint(key, object, name);
                        if names.has(fingerprint) && is_repeated(self.output, object, name, LIMIT) {
                            return Err(InvalidJson);
                        }
                        if !names.is_full() {
                            names.keep(fingerprint);
                            if names.is_full() {
                                last_kept = offset(name)?;
                                *self = ahead;
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Hands `token`, which was just read, to `values` if a path leads there. `member` is the name of
    /// the member that it may be the value of.
    fn collect(
        &mut self,
        token: Token<'a, Cursor<'a>>,
        member: &mut Option<Cursor<'a>>,
        values: &mut Values<'_>,
    ) -> Result<(), InvalidJson> {
        let depth = self.reader.depth();
        let around = match token {
            Token::Key(name) => {
                *member = values.reaches(depth).then_some(name);
                return Ok(());
            }
            Token::ObjectEnd | Token::ArrayEnd => {
                if values.reaches(depth.wrapping_add(1)) {
                    values.leave();
                }
                return Ok(());
            }
            // Only an object has values.
            Token::ArrayStart if depth == 1 => return Err(InvalidJson),
            Token::ObjectStart(_) | Token::ArrayStart => depth.wrapping_sub(1),
            Token::String(_) | Token::Number(_) | Token::Literal => depth,
        };
        // An object would have given a name.
        let name = member.take();
        if name.is_some() || values.reaches(around) {
            values.take(name, token);
        }
        Ok(())
    }

    /// The beginning of the innermost open object.
    fn object(&mut self) -> Result<&mut u32, InvalidJson> {
        let depth = usize::from(self.reader.depth());
        self.objects
            .get_mut(depth.wrapping_sub(1))
            .ok_or(InvalidJson)
    }
}

/// The position of the cursor. No record comes near 4 GiB; longer text would be refused.
fn offset(cursor: Cursor<'_>) -> Result<u32, InvalidJson> {
    u32::try_from(cursor.position()).map_err(|_| InvalidJson)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::collections::HashMap;
    use std::format;

    struct Value;

    impl Selectors for Value {
        fn count(&self) -> usize {
            1
        }
        fn path(&self, _: usize) -> Option<&str> {
            Some("value")
        }
        fn takes_least(&self, _: usize) -> bool {
            false
        }
    }

    fn value(output: &str) -> i32 {
        let mut values = [0; MAX_POLICIES];
        extract(
            EscapedText::new(output.as_bytes()),
            &KEY,
            &Value,
            &mut values,
        );
        assert!(values.iter().skip(1).all(|&value| value == NO_VALUE));
        values[0]
    }

    const KEY: [u8; 16] = *b"0123456789abcdef";

    /// Names with the same fingerprint, of which some 300 000 names give about ten pairs, are not
    /// taken for repeated.
    #[test]
    fn equal_fingerprints_of_different_names_do_no_harm() {
        let mut names = HashMap::new();
        let mut collisions = 0;
        for number in 0..300_000 {
            let name = format!("n{number}");
            let text = format!("{name}\\\"");
            let print = fingerprint(&KEY, 0, EscapedText::new(text.as_bytes()).cursor());
            if let Some(other) = names.insert(print, name.clone()) {
                let member = |name: &str| format!("\\\"{name}\\\":0,");
                let (one, two) = (member(&other), member(&name));
                let last = "\\\"value\\\":1}";
                assert_eq!(value(&format!("{{{one}{two}{last}")), 65536);
                assert_eq!(value(&format!("{{{one}{two}{one}{last}")), NO_VALUE);
                collisions += 1;
            }
        }
        assert!(collisions > 0);
    }

    #[test]
    fn the_key_has_no_influence_on_the_values() {
        let output = EscapedText::new(br#"{\"value\":2,\"a\":{\"a\":[{\"a\":1}]},\"value_\":3}"#);
        for byte in 0..=255 {
            let mut values = [0; MAX_POLICIES];
            extract(output, &[byte; 16], &Value, &mut values);
            assert_eq!(values[0], 131_072);
        }
    }
}
