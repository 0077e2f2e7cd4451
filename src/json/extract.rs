//! The values that policies evaluate, out of an oracle's answer. Determinism: D1.
//!
//! formats.md §4, "Extracting the value", and decisions D18. Nothing in an answer is trusted: the
//! whole of it must be one strictly valid JSON object before any value of it counts.

use super::duplicate::{HALF, Names, fingerprint, is_repeated};
use super::escaped::{Cursor, EscapedText};
use super::reader::{InvalidJson, Reader, Token};
use super::source::Source;
use super::values::{MAX_DEPTH, Values, room_within};
use crate::search::IS_SMALL;

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

/// Reads the answer, once where it has no object of very many names.
///
/// The names of the open objects are kept, and each is compared with those of its own object. When there is
/// no room for more, names are only compared from there on, until the innermost container ends that began
/// with half of the room free; then what was not kept is read again from there to that end. So what lies in
/// objects that together have fewer than [`CAPACITY`] names is read once, wherever it lies.
fn read(
    output: EscapedText<'_>,
    key: &[u8; 16],
    values: &mut Values<'_>,
) -> Result<(), InvalidJson> {
    let mut names = Names::new();
    let mut walk = Walk::new(output);
    // The walk as it was when there was no more room, and how many containers are open when it is taken up
    // again.
    let mut before = walk;
    let mut full = None;
    // The first name of an object, until another one follows or something in which there may be names: most
    // objects in short answers have no other.
    let mut first = None;
    // The name of the member whose value comes next.
    let mut member = None;
    // The position up to which the values have been taken.
    let mut taken_to = 0;
    loop {
        if !IS_SMALL {
            walk.skip_elements(taken_to, values);
        }
        let Some(token) = walk.reader.next()? else {
            return Ok(());
        };
        if walk.reader.position() > taken_to {
            walk.collect(token, &mut member, values)?;
        }
        match token {
            Token::ObjectStart(_) | Token::ArrayStart => {
                if let Some(name) = first.take() {
                    names.keep(fingerprint(key, name));
                }
                walk.begin(token, names.count())?;
            }
            Token::Key(name) => {
                let (object, kept) = walk.object()?;
                if full.is_some() && kept == names.count() {
                    // Nothing was kept of this object; what begins here is read again.
                } else if full.is_none() && kept == names.count() && first.is_none() {
                    first = Some(name);
                } else {
                    if let Some(name) = first.take() {
                        names.keep(fingerprint(key, name));
                    }
                    let fingerprint = fingerprint(key, name);
                    if names.has(kept, fingerprint) && is_repeated(output, object, name, LIMIT) {
                        return Err(InvalidJson);
                    }
                    if full.is_none() {
                        names.keep(fingerprint);
                    }
                }
            }
            Token::ObjectEnd | Token::ArrayEnd => {
                // One that is left is the only name of the object that ends.
                first = None;
                let depth = usize::from(walk.reader.depth());
                names.truncate(walk.kept_before(depth));
                if full == Some(depth) {
                    full = None;
                    taken_to = taken_to.max(walk.reader.position());
                    walk = before;
                }
            }
            Token::String(_) | Token::Number(_) | Token::Literal => {}
        }
        if full.is_none() && names.are_full() {
            before = walk;
            full = Some(before.make_room());
        }
    }
}

/// A place in the answer, with the containers that are open there.
#[derive(Clone, Copy)]
struct Walk<'a> {
    reader: Reader<Cursor<'a>>,
    /// By depth: the beginning of each open object.
    objects: [u32; MAX_DEPTH],
    /// By depth: the number of names that were kept when each open container began.
    kept: [u8; MAX_DEPTH],
}

impl<'a> Walk<'a> {
    fn new(output: EscapedText<'a>) -> Self {
        Walk {
            reader: Reader::new(output.cursor(), LIMIT),
            objects: [0; MAX_DEPTH],
            kept: [0; MAX_DEPTH],
        }
    }

    /// Notes the container that begins with `token`, which was just read, when `count` names are kept.
    fn begin(&mut self, token: Token<'a, Cursor<'a>>, count: u8) -> Result<(), InvalidJson> {
        let depth = usize::from(self.reader.depth());
        let depth = depth.wrapping_sub(1);
        if let Token::ObjectStart(brace) = token {
            *self.objects.get_mut(depth).ok_or(InvalidJson)? = offset(brace)?;
        }
        *self.kept.get_mut(depth).ok_or(InvalidJson)? = count;
        Ok(())
    }

    /// The beginning of the innermost open object, and the number of names kept before it.
    fn object(&self) -> Result<(u32, u8), InvalidJson> {
        let depth = usize::from(self.reader.depth());
        let depth = depth.wrapping_sub(1);
        let object = self.objects.get(depth).ok_or(InvalidJson)?;
        Ok((*object, self.kept_before(depth)))
    }

    /// The number of names that were kept when the container began around which `depth` others are open.
    fn kept_before(&self, depth: usize) -> u8 {
        self.kept.get(depth).copied().unwrap_or(0)
    }

    /// Forgets enough names of the innermost containers that half of the room is free. Returns how many
    /// containers are open around them.
    fn make_room(&mut self) -> usize {
        let open = usize::from(self.reader.depth());
        let has_room = |depth: &usize| self.kept_before(*depth) <= HALF;
        let depth = (0..open).rev().find(has_room).unwrap_or(0);
        let count = self.kept_before(depth);
        for kept in self.kept.iter_mut().skip(depth) {
            *kept = count;
        }
        depth
    }

    /// Passes the elements that come next and that no path leads to, as far as they are spelt plainly.
    /// Values are taken after the position `taken_to`.
    #[inline]
    fn skip_elements(&mut self, taken_to: usize, values: &mut Values<'_>) {
        let depth = self.reader.depth();
        let room = room_within(depth);
        let is_taken = values.reaches(depth) && self.reader.position() >= taken_to;
        let most = match is_taken {
            true => values.unwanted(),
            false => u32::MAX,
        };
        if most > 0 {
            let passed = self
                .reader
                .skip_elements(|cursor, is_first| cursor.skip_elements(is_first, room, most));
            if is_taken {
                values.pass(passed);
            }
        }
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
            let print = fingerprint(&KEY, EscapedText::new(text.as_bytes()).cursor());
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
