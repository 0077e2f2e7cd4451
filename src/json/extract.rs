//! The values that policies evaluate, out of an oracle's answer. Determinism: D1.
//!
//! formats.md §4, "Extracting the value", and decisions D18. Nothing in an answer is trusted: the
//! whole of it must be one strictly valid JSON object before any value of it counts.

use super::duplicate::{Names, fingerprint, is_repeated};
use super::escaped::{Cursor, EscapedText};
use super::name::Name;
use super::number::{decimal_to_q16, integer_to_q16};
use super::reader::{InvalidJson, Reader, Token};
use super::source::Source;

/// The number that stands for 'no value' (decision D18); no extracted Q16.16 value equals it.
pub const NO_VALUE: i32 = i32::MIN;

/// The largest number of selectors: one for each policy of a registry.
pub const MAX_POLICIES: usize = 64;

/// The largest number of objects and arrays open at once, the outermost included.
const MAX_DEPTH: usize = 32;

/// [`MAX_DEPTH`] as the reader takes it.
const LIMIT: u8 = MAX_DEPTH as u8;

/// The suffix of a member that holds a raw Q16.16 integer.
const RAW_SUFFIX: &str = "_q16";

/// Gives the selectors that are wanted.
pub trait Selectors {
    /// The number of selectors. Those from [`MAX_POLICIES`] on are ignored.
    fn count(&self) -> usize;

    /// The selector at `index`, below `count`; `None` where none is wanted. It is asked for once
    /// per member at the top level of the answer, so it should be at hand.
    fn selector(&self, index: usize) -> Option<&str>;
}

/// Extracts the value of every selector from an answer.
///
/// `output` is the answer as it stands in its record. `key` keys the fingerprints of names; it
/// should be bytes that whoever writes the answer cannot choose, such as of its `obs_hash`. The
/// values do not depend on it, only the time taken.
///
/// `values[i]` becomes the Q16.16 value of selector `i`, from the top-level member of its name
/// (natural units) or of its name with `_q16` (raw), or [`NO_VALUE`]: where neither or both are
/// there, or it does not convert, where no selector is wanted, and everywhere if the answer is not
/// one JSON object (RFC 8259) without repeated names, lone surrogates or nesting beyond 32.
pub fn extract(
    output: EscapedText<'_>,
    key: &[u8; 16],
    selectors: &dyn Selectors,
    values: &mut [i32; MAX_POLICIES],
) {
    values.fill(NO_VALUE);
    let mut members = Members {
        selectors,
        met: 0,
        values,
    };
    if read(output, key, &mut members).is_err() {
        values.fill(NO_VALUE);
    }
}

/// Reads the answer, in one pass if it has few enough names. Each further pass begins where the
/// names kept by the one before end, and compares all later names with those it keeps itself.
fn read(
    output: EscapedText<'_>,
    key: &[u8; 16],
    members: &mut Members<'_>,
) -> Result<(), InvalidJson> {
    let mut names = Names::new();
    let mut walk = Walk::new(output);
    walk.pass(key, &mut names, Some(members))?;
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
    /// The beginning of each open object, by depth; the place of an array is not used.
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
    /// where the next pass begins. Members at the top level go to `members`.
    fn pass(
        &mut self,
        key: &[u8; 16],
        names: &mut Names,
        mut members: Option<&mut Members<'_>>,
    ) -> Result<(), InvalidJson> {
        names.clear();
        let mut ahead = *self;
        let mut member = None;
        let mut last_kept = u32::MAX;
        let mut first = None;
        let mut alone = true;
        while let Some(token) = ahead.reader.next()? {
            if let (Some(name), Some(members)) = (member.take(), &mut members) {
                members.take(name, token);
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
                    if ahead.reader.depth() == 1 {
                        member = Some(name);
                    }
                }
                _ => {}
            }
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

/// The values being extracted.
struct Members<'v> {
    selectors: &'v dyn Selectors,
    /// Bit i: a member for selector i has been met.
    met: u64,
    values: &'v mut [i32; MAX_POLICIES],
}

impl Members<'_> {
    /// Takes in the top-level member with this name, whose value is or begins with `value`.
    fn take(&mut self, name: Cursor<'_>, value: Token<'_, Cursor<'_>>) {
        let count = self.selectors.count();
        for (index, extracted) in self.values.iter_mut().enumerate().take(count) {
            let Some(form) = self
                .selectors
                .selector(index)
                .and_then(|s| Form::of(name, s))
            else {
                continue;
            };
            let bit = 1u64.wrapping_shl(u32::try_from(index).unwrap_or(0));
            let converted = match (value, form) {
                // Names do not repeat, so what was met before is the other form.
                _ if self.met & bit != 0 => None,
                (Token::Number(text), Form::Natural) => decimal_to_q16(text),
                (Token::Number(text), Form::Raw) => integer_to_q16(text),
                _ => None,
            };
            self.met |= bit;
            *extracted = converted.unwrap_or(NO_VALUE);
        }
    }
}

/// The two forms of a member that gives a selector's value.
#[derive(Clone, Copy)]
enum Form {
    /// `s`: a JSON number in natural units.
    Natural,
    /// `s_q16`: a JSON integer, the raw Q16.16 value.
    Raw,
}

impl Form {
    /// The form of `selector` that the name has; `None` where it is another name.
    fn of(name: Cursor<'_>, selector: &str) -> Option<Form> {
        // Most names are spelt plainly, and then differ from most selectors in the first byte.
        let first = selector.as_bytes().first().copied();
        if first.is_some() && name.peek().is_some_and(|b| b != b'\\' && Some(b) != first) {
            return None;
        }
        let mut units = Name::new(name);
        for unit in selector.encode_utf16() {
            if units.next() != Some(unit) {
                return None;
            }
        }
        let mut rest = units;
        match rest.next() {
            None => Some(Form::Natural),
            Some(_) => units.eq(RAW_SUFFIX.encode_utf16()).then_some(Form::Raw),
        }
    }
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
        fn selector(&self, _: usize) -> Option<&str> {
            Some("value")
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
