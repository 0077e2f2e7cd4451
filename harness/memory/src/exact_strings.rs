//! An index of every exact string in the memory, which finds them in a text, in any spelling and encoded, in time
//! that grows little with their number.

use std::collections::{BTreeSet, HashMap};

use rusqlite::Connection;

use crate::characters::LetterCase;
use crate::encoded_text::find_encoded_parts;
use crate::folded_text::{FoldedText, SoughtString};
use crate::handle::Handle;
use crate::log;

/// An index of every exact string in the memory.
#[derive(Debug, Default)]
pub(crate) struct ExactStrings {
    spelt: IndexedStrings,
    /// The strings that have a digit, with all digits alike; each form once.
    with_digits: IndexedStrings,
    /// The details of each form, and their facts.
    forms: HashMap<Handle, Vec<(Handle, Handle)>>,
    /// Whether a string is not ASCII. Texts and strings in ASCII alone look alike by their small letters too.
    beyond_ascii: bool,
    /// The last entry of the log that the index covers.
    seq: u64,
}

/// Strings by the shapes of their small letters and of their capitals.
#[derive(Debug, Default)]
struct IndexedStrings {
    by_small_letters: FoldedStrings,
    by_capitals: FoldedStrings,
}

/// Strings by their shapes.
#[derive(Debug, Default)]
struct FoldedStrings {
    /// The lengths of the strings that begin with two shapes.
    lengths: HashMap<(char, char), BTreeSet<usize>>,
    longest: usize,
    /// The strings by a rolling hash of their shapes.
    by_hash: HashMap<u64, Vec<ExactString>>,
}

#[derive(Debug)]
struct ExactString {
    sought: SoughtString,
    handle: Handle,
    fact: Handle,
}

/// A place in a text where an exact string stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Occurrence {
    /// The bytes of the text, or of its NFC where it is not in NFC.
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Where it begins in the decoded text, where these bytes are an encoded part.
    pub(crate) decoded_at: Option<usize>,
    /// The detail whose string it is.
    pub(crate) handle: Handle,
    /// The fact of the detail.
    pub(crate) fact: Handle,
}

/// The bytes of an occurrence, and where it begins in the decoded text of an encoded part.
pub(crate) type Place = (usize, usize, Option<usize>);

impl Occurrence {
    pub(crate) fn place(&self) -> Place {
        (self.from, self.to, self.decoded_at)
    }
}

/// The base of the rolling hash; odd, and of no pattern.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

fn extend_hash(hash: u64, c: char) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(u64::from(c) + 1)
}

impl IndexedStrings {
    fn of(&mut self, case: LetterCase) -> &mut FoldedStrings {
        match case {
            LetterCase::Small => &mut self.by_small_letters,
            LetterCase::Capital => &mut self.by_capitals,
        }
    }
}

impl FoldedStrings {
    fn add(&mut self, sought: SoughtString, handle: Handle, fact: Handle) {
        let mut shapes = sought.shapes.iter().copied();
        let (Some(first), Some(second)) = (shapes.next(), shapes.next()) else {
            return;
        };
        let length = sought.shapes.len();
        self.lengths
            .entry((first, second))
            .or_default()
            .insert(length);
        self.longest = self.longest.max(length);
        let hash = sought.shapes.iter().copied().fold(0, extend_hash);
        self.by_hash.entry(hash).or_default().push(ExactString {
            sought,
            handle,
            fact,
        });
    }

    /// Hands every string that stands in `text` to `visit`, with its place.
    fn find_in(&self, text: &FoldedText, visit: &mut dyn FnMut(&ExactString, usize, usize)) {
        let shapes: Vec<char> = text.chars().collect();
        let mut hashes = Vec::with_capacity(shapes.len() + 1);
        hashes.push(0u64);
        for c in &shapes {
            hashes.push(extend_hash(hashes.last().copied().unwrap_or_default(), *c));
        }
        let mut powers = Vec::with_capacity(self.longest + 1);
        powers.push(1u64);
        for _ in 0..self.longest.min(shapes.len()) {
            let last = powers.last().copied().unwrap_or_default();
            powers.push(last.wrapping_mul(BASE));
        }
        for (start, pair) in shapes.windows(2).enumerate() {
            let &[first, second] = pair else { continue };
            let Some(lengths) = self.lengths.get(&(first, second)) else {
                continue;
            };
            if !text.may_begin(start) {
                continue;
            }
            for &length in lengths {
                let end = start + length;
                let (Some(before), Some(behind), Some(power)) =
                    (hashes.get(start), hashes.get(end), powers.get(length))
                else {
                    break;
                };
                let hash = behind.wrapping_sub(before.wrapping_mul(*power));
                let candidates = self.by_hash.get(&hash).into_iter().flatten();
                for string in candidates.filter(|string| text.has_at(start, &string.sought)) {
                    visit(string, start, end);
                }
            }
        }
    }
}

impl ExactStrings {
    /// Brings the index up to the state of the database.
    pub(crate) fn refresh(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        let newest = log::read_head(conn)?.seq;
        if newest < self.seq {
            *self = ExactStrings::default();
        }
        let mut new =
            conn.prepare_cached("SELECT exact, handle, fact FROM detail WHERE seq > ?1")?;
        let mut rows = new.query([self.seq])?;
        while let Some(row) = rows.next()? {
            self.add(row.get_ref(0)?.as_str()?, row.get(1)?, row.get(2)?);
        }
        self.seq = newest;
        Ok(())
    }

    /// Adds a string.
    pub(crate) fn add(&mut self, exact: &str, handle: Handle, fact: Handle) {
        self.beyond_ascii |= !exact.is_ascii();
        let cases = [LetterCase::Small, LetterCase::Capital];
        let folded = cases.map(|case| (case, FoldedText::with_case(exact, case)));
        for (case, folded) in &folded {
            self.spelt.of(*case).add(folded.as_sought(), handle, fact);
        }
        let alike = folded.map(|(case, folded)| (case, folded.with_digits_alike().as_sought()));
        if !alike.iter().any(|(_, sought)| sought.has_digit) {
            return;
        }
        let form = Handle::of(format!("{alike:?}").as_bytes());
        let details = self.forms.entry(form).or_default();
        details.push((handle, fact));
        if details.len() == 1 {
            for (case, sought) in alike {
                self.with_digits.of(case).add(sought, form, form);
            }
        }
    }

    /// Finds every string that stands in `text`, in the order of their places.
    pub(crate) fn find_in(&self, text: &str) -> Vec<Occurrence> {
        self.find_by(text, &self.spelt, |folded| folded)
    }

    /// Finds every part of `text` that is like a string with digits, but for the digits. The handle of an occurrence is
    /// that of a form.
    pub(crate) fn find_forms(&self, text: &str) -> Vec<Occurrence> {
        self.find_by(text, &self.with_digits, FoldedText::with_digits_alike)
    }

    /// The details whose strings have a form, and their facts.
    pub(crate) fn details_of_form(&self, form: Handle) -> &[(Handle, Handle)] {
        self.forms.get(&form).map_or(&[], Vec::as_slice)
    }

    fn find_by(
        &self,
        text: &str,
        strings: &IndexedStrings,
        change: fn(FoldedText) -> FoldedText,
    ) -> Vec<Occurrence> {
        let mut occurrences = Vec::new();
        let mut find = |text: &str, encoded: Option<(usize, usize)>| {
            for (case, strings) in [
                (LetterCase::Small, &strings.by_small_letters),
                (LetterCase::Capital, &strings.by_capitals),
            ] {
                if case == LetterCase::Capital && text.is_ascii() && !self.beyond_ascii {
                    continue;
                }
                let folded = change(FoldedText::with_case(text, case));
                strings.find_in(&folded, &mut |string, start, end| {
                    let place = folded.bytes(start, end);
                    let (from, to) = encoded.unwrap_or(place);
                    occurrences.push(Occurrence {
                        from,
                        to,
                        decoded_at: encoded.map(|_| place.0),
                        handle: string.handle,
                        fact: string.fact,
                    });
                });
            }
        };
        find(text, None);
        for part in find_encoded_parts(text) {
            find(&part.decoded, Some((part.from, part.to)));
        }
        occurrences.sort_unstable();
        occurrences.dedup();
        occurrences
    }
}
