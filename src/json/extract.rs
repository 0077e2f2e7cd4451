//! The values that policies evaluate, out of an oracle's answer. Determinism: D1.
//!
//! formats.md §4, "Extracting the value", and decisions D18. Nothing in an answer is trusted: the
//! whole of it must be one strictly valid JSON object before any value of it counts.

use super::duplicate::{HALF, Names, fingerprint, is_repeated};
use super::embedded::{Embedding, Outside, Possible};
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
/// there is no element, where no selector is wanted, where a string on the way holds no JSON value, and everywhere
/// if the answer is not one JSON object (RFC 8259). Repeated names, lone surrogates and nesting beyond 32, in which
/// a string that `~j` reads counts, are no JSON here.
pub fn extract(
    output: EscapedText<'_>,
    key: &[u8; 16],
    selectors: &dyn Selectors,
    values: &mut [i32; MAX_POLICIES],
) {
    let mut values = Values::new(selectors, values);
    let read = match IS_SMALL || values.may_enter_strings {
        true => read::<Possible>(output, key, &mut values),
        false => read::<Outside>(output, key, &mut values),
    };
    match read {
        Ok(()) => values.finish(),
        Err(InvalidJson) => values.discard(),
    }
}

/// Reads the answer, once where it has no object of very many names.
///
/// The names of the open objects are kept, and each is compared with those of its own object. When there is
/// no room for more, names are only compared from there on, until the innermost container ends that began
/// with half of the room free; then what was not kept is read again from there to that end, and values are taken.
/// So what lies in objects that together have fewer than [`CAPACITY`] names is read once, wherever it lies.
///
/// A string that `~j` leads into is a container too, in which the text that it holds is read. What is wrong there
/// takes the value from the paths that lead into it, and from no others.
fn read<E: Embedding>(
    output: EscapedText<'_>,
    key: &[u8; 16],
    values: &mut Values<'_>,
) -> Result<(), InvalidJson> {
    let mut reading = Reading::<E> {
        names: Names::new(),
        walk: Walk::new(output),
        behind: Reader::new(output.begin(), LIMIT),
        before: Walk::new(output),
        full: None,
        first: None,
        member: None,
    };
    loop {
        match reading.read_token(key, values) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(InvalidJson) if reading.walk.is_in_string() => reading.leave_broken_string(values),
            Err(InvalidJson) => return Err(InvalidJson),
        }
    }
}

/// An answer that is being read.
struct Reading<'a, E> {
    names: Names,
    walk: Walk<'a, E>,
    /// Where the answer goes on after the string in which `walk` is or `before` was.
    behind: Reader<Cursor<'a, E>>,
    /// The walk as it was when there was no more room for names.
    before: Walk<'a, E>,
    /// How many containers are open when it is taken up again.
    full: Option<usize>,
    /// The first name of an object, until another one follows or something in which there may be names: most
    /// objects in short answers have no other.
    first: Option<Cursor<'a, E>>,
    /// The name of the member whose value comes next.
    member: Option<Cursor<'a, E>>,
}

impl<'a, E: Embedding> Reading<'a, E> {
    /// Reads the next token; whether there was one.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn read_token(&mut self, key: &[u8; 16], values: &mut Values<'_>) -> Result<bool, InvalidJson> {
        if !IS_SMALL {
            self.walk.skip_elements(self.full.is_none(), values);
        }
        let token = match self.walk.reader.next()? {
            Some(token) => token,
            None if self.walk.is_in_string() => {
                self.walk.leave(self.behind);
                Token::ArrayEnd
            }
            None => return Ok(false),
        };
        if self.full.is_none() {
            self.walk.collect(token, &mut self.member, values)?;
        }
        match token {
            Token::ObjectStart(_) | Token::ArrayStart => self.begin(token, key)?,
            Token::Key(name) => self.take_name(name, key)?,
            Token::ObjectEnd | Token::ArrayEnd => {
                // One that is left is the only name of the object that ends.
                self.first = None;
                let depth = usize::from(self.walk.depth());
                self.names.truncate(self.walk.kept_before(depth));
                if self.full == Some(depth) {
                    self.full = None;
                    self.walk = self.before;
                }
            }
            Token::String(text) => {
                let depth = self.walk.depth();
                if E::IS_POSSIBLE
                    && self.full.is_none()
                    && values.leads_into_string(depth.wrapping_add(1))
                {
                    self.behind = self.walk.reader;
                    self.walk.enter(text);
                    self.begin(Token::ArrayStart, key)?;
                    // The names that are kept in the string can then be forgotten before it ends.
                    if self.names.count() > HALF {
                        self.compare_only();
                        self.walk.leave(self.behind);
                    }
                }
            }
            Token::Number(_) | Token::Literal => {}
        }
        if self.full.is_none() && self.names.are_full() {
            self.compare_only();
        }
        Ok(true)
    }

    /// Notes the container that begins with `token`, which was just read.
    fn begin(
        &mut self,
        token: Token<'a, Cursor<'a, E>>,
        key: &[u8; 16],
    ) -> Result<(), InvalidJson> {
        if let Some(name) = self.first.take() {
            self.names.keep(fingerprint(key, name));
        }
        self.walk.begin(token, self.names.count())
    }

    /// Compares `name`, which was just read, with those of its object, and keeps it.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn take_name(&mut self, name: Cursor<'a, E>, key: &[u8; 16]) -> Result<(), InvalidJson> {
        let (object, kept) = self.walk.object()?;
        if self.full.is_some() && kept == self.names.count() {
            // Nothing was kept of this object; what begins here is read again.
        } else if self.full.is_none() && kept == self.names.count() && self.first.is_none() {
            self.first = Some(name);
        } else {
            if let Some(name) = self.first.take() {
                self.names.keep(fingerprint(key, name));
            }
            let fingerprint = fingerprint(key, name);
            if self.names.has(kept, fingerprint) && is_repeated(object, name, LIMIT) {
                return Err(InvalidJson);
            }
            if self.full.is_none() {
                self.names.keep(fingerprint);
            }
        }
        Ok(())
    }

    /// Keeps no more names until there is room again, from where on this is read again.
    #[cold]
    fn compare_only(&mut self) {
        self.before = self.walk;
        self.full = Some(self.before.make_room());
    }

    /// Goes on after the string whose text was to be read as JSON and is none.
    #[cold]
    fn leave_broken_string(&mut self, values: &mut Values<'_>) {
        // Of what is read again nothing lies around the string.
        self.full = None;
        self.first = None;
        self.member = None;
        self.walk.leave(self.behind);
        let depth = usize::from(self.walk.depth());
        self.names.truncate(self.walk.kept_before(depth));
        values.leave_broken_string();
    }
}

/// A place in the answer, with the containers that are open there.
#[derive(Clone, Copy)]
struct Walk<'a, E> {
    reader: Reader<Cursor<'a, E>>,
    /// The number of containers that are open around what `reader` reads, the string included; 0 outside of a
    /// string.
    around: u8,
    /// By depth: the beginning of each open object.
    objects: [u32; MAX_DEPTH],
    /// By depth: the number of names that were kept when each open container began.
    kept: [u8; MAX_DEPTH],
}

impl<'a, E: Embedding> Walk<'a, E> {
    fn new(output: EscapedText<'a>) -> Self {
        Walk {
            reader: Reader::new(output.begin(), LIMIT),
            around: 0,
            objects: [0; MAX_DEPTH],
            kept: [0; MAX_DEPTH],
        }
    }

    /// The number of open containers.
    fn depth(&self) -> u8 {
        let depth = self.reader.depth();
        match self.is_in_string() {
            true => depth.wrapping_add(self.around),
            false => depth,
        }
    }

    /// Whether the text that a string holds is being read.
    fn is_in_string(&self) -> bool {
        E::IS_POSSIBLE && self.around > 0
    }

    /// Begins to read the text of the string that was just read, whose content begins at `text`.
    fn enter(&mut self, text: Cursor<'a, E>) {
        let depth = self.reader.depth();
        self.around = depth.wrapping_add(1);
        let text = text.embedded(self.reader.position());
        let room = u8::try_from(room_within(self.around)).unwrap_or(0);
        self.reader = Reader::new(text, room);
    }

    /// Goes on after the string, at `behind`.
    fn leave(&mut self, behind: Reader<Cursor<'a, E>>) {
        self.reader = behind;
        self.around = 0;
    }

    /// Notes the container that begins with `token`, which was just read, when `count` names are kept.
    fn begin(&mut self, token: Token<'a, Cursor<'a, E>>, count: u8) -> Result<(), InvalidJson> {
        let depth = usize::from(self.depth());
        let depth = depth.wrapping_sub(1);
        if let Token::ObjectStart(brace) = token {
            *self.objects.get_mut(depth).ok_or(InvalidJson)? = offset(brace)?;
        }
        *self.kept.get_mut(depth).ok_or(InvalidJson)? = count;
        Ok(())
    }

    /// The beginning of the innermost open object, and the number of names kept before it.
    fn object(&self) -> Result<(u32, u8), InvalidJson> {
        let depth = usize::from(self.depth());
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
        let open = usize::from(self.depth());
        let has_room = |depth: &usize| self.kept_before(*depth) <= HALF;
        let depth = (0..open).rev().find(has_room).unwrap_or(0);
        let count = self.kept_before(depth);
        for kept in self.kept.iter_mut().skip(depth) {
            *kept = count;
        }
        depth
    }

    /// Passes the elements that come next and that no path leads to, as far as they are spelt plainly.
    /// Values are taken if this `takes_values`.
    #[inline]
    fn skip_elements(&mut self, takes_values: bool, values: &mut Values<'_>) {
        let depth = self.depth();
        let room = room_within(depth);
        let is_taken = takes_values && values.reaches(depth);
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
        token: Token<'a, Cursor<'a, E>>,
        member: &mut Option<Cursor<'a, E>>,
        values: &mut Values<'_>,
    ) -> Result<(), InvalidJson> {
        let depth = self.depth();
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
fn offset<E: Embedding>(cursor: Cursor<'_, E>) -> Result<u32, InvalidJson> {
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
