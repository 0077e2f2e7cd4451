//! An index of every exact string in the memory, which finds them in a text, in any spelling and encoded, in time
//! that grows little with their number.

use std::collections::{BTreeSet, HashMap};

use rusqlite::Connection;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::characters::LetterCase;
use crate::encoded_text::find_encoded_parts;
use crate::escaped_text::{UnescapedText, unescape};
use crate::folded_text::{FoldedText, SoughtString, read_leet};
use crate::guarding::Guarding;
use crate::handle::Handle;
use crate::literal_text::LiteralString;

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
    /// The paranoid ones: of letters by all that may stand for them, and of digits.
    loose_words: FoldedStrings,
    loose_numbers: FoldedStrings,
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
    /// Where it is looked for as it is written alone.
    literal: Option<LiteralString>,
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

/// A string that is to be found, folded in each case.
struct NewString {
    folded: [(LetterCase, FoldedText); 2],
    literal: Option<LiteralString>,
    /// Where it is looked for more loosely: without what is neither letter nor digit, and in leet where it has a letter.
    loose: Option<FoldedText>,
    handle: Handle,
    fact: Handle,
}

impl IndexedStrings {
    fn add(&mut self, new: &NewString) {
        let make = |sought| ExactString {
            sought,
            literal: new.literal.clone(),
            handle: new.handle,
            fact: new.fact,
        };
        for (case, folded) in &new.folded {
            let strings = match case {
                LetterCase::Small => &mut self.by_small_letters,
                LetterCase::Capital => &mut self.by_capitals,
            };
            strings.add(make(folded.as_sought()));
        }
        let Some(loose) = &new.loose else {
            return;
        };
        let [(_, folded), _] = &new.folded;
        let strings = match folded.as_sought().has_letter() {
            true => &mut self.loose_words,
            false => &mut self.loose_numbers,
        };
        for sought in loose.as_loosely_sought() {
            strings.add(make(sought));
        }
    }

    /// Hands every string that stands in `text` to `visit`, with its place. `change` changes the text once it is folded.
    fn find_in(
        &self,
        text: &str,
        case: LetterCase,
        change: fn(FoldedText) -> FoldedText,
        visit: &mut dyn FnMut(&ExactString, (usize, usize)),
    ) {
        let folded = change(FoldedText::with_case(text, case));
        let mut find = |strings: &FoldedStrings, folded: &FoldedText| {
            strings.find_in(folded, &mut |string, start, end| {
                visit(string, folded.bytes(start, end));
            });
        };
        match case {
            LetterCase::Small => find(&self.by_small_letters, &folded),
            LetterCase::Capital => return find(&self.by_capitals, &folded),
        }
        if self.loose_words.longest > 0 {
            let leet = FoldedText::with_case(&read_leet(text), case);
            find(&self.loose_words, &change(leet).loosened());
        }
        if self.loose_numbers.longest > 0 {
            find(&self.loose_numbers, &folded.loosened());
        }
    }
}

impl FoldedStrings {
    fn add(&mut self, string: ExactString) {
        let shapes = &string.sought.shapes;
        let [first, second, ..] = **shapes else {
            return;
        };
        let length = shapes.len();
        self.lengths
            .entry((first, second))
            .or_default()
            .insert(length);
        self.longest = self.longest.max(length);
        let hash = shapes.iter().copied().fold(0, extend_hash);
        self.by_hash.entry(hash).or_default().push(string);
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
        // The table's own end: while it is derived anew, the log is ahead of it.
        let newest = conn
            .prepare_cached("SELECT coalesce(max(seq), 0) FROM detail")?
            .query_row([], |row| row.get(0))?;
        if newest < self.seq {
            *self = ExactStrings::default();
        }
        let mut new =
            conn.prepare_cached("SELECT exact, handle, fact, guard FROM detail WHERE seq > ?1")?;
        let mut rows = new.query([self.seq])?;
        while let Some(row) = rows.next()? {
            let guard = Guarding::parse(row.get_ref(3)?.as_str()?).unwrap_or(Guarding::Spelled);
            self.add(row.get_ref(0)?.as_str()?, guard, row.get(1)?, row.get(2)?);
        }
        self.seq = newest;
        Ok(())
    }

    /// Adds a string.
    pub(crate) fn add(&mut self, exact: &str, guard: Guarding, handle: Handle, fact: Handle) {
        self.beyond_ascii |= !exact.is_ascii();
        let cases = [LetterCase::Small, LetterCase::Capital];
        let literal = |digits_alike| {
            let is_exact = guard == Guarding::Exact;
            is_exact.then(|| LiteralString::new(exact, digits_alike))
        };
        let folded = cases.map(|case| (case, FoldedText::with_case(exact, case)));
        let [(_, small), _] = &folded;
        let loose = match small.as_sought().has_letter() {
            true => FoldedText::new(&read_leet(exact)),
            false => small.clone(),
        };
        let mut new = NewString {
            folded,
            literal: literal(false),
            loose: (guard == Guarding::Paranoid).then(|| loose.clone().loosened()),
            handle,
            fact,
        };
        self.spelt.add(&new);
        new.folded = new
            .folded
            .map(|(case, folded)| (case, folded.with_digits_alike()));
        new.literal = literal(true);
        new.loose = new.loose.map(|_| loose.with_digits_alike().loosened());
        let alike = new.folded.each_ref().map(|(_, folded)| folded.as_sought());
        if !alike.iter().any(|sought| sought.has_digit) {
            return;
        }
        let form = Handle::of(format!("{alike:?}{:?}{guard}", new.literal).as_bytes());
        let details = self.forms.entry(form).or_default();
        details.push((handle, fact));
        if details.len() == 1 {
            (new.handle, new.fact) = (form, form);
            self.with_digits.add(&new);
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
        let mut find = |text: &str, source: &Source<'_>| {
            for case in [LetterCase::Small, LetterCase::Capital] {
                if case == LetterCase::Capital && text.is_ascii() && !self.beyond_ascii {
                    continue;
                }
                strings.find_in(text, case, change, &mut |string, place| {
                    if !source.allows(text, string, place) {
                        return;
                    }
                    let ((from, to), decoded_at) = source.locate(place);
                    occurrences.push(Occurrence {
                        from,
                        to,
                        decoded_at,
                        handle: string.handle,
                        fact: string.fact,
                    });
                });
            }
        };
        find(text, &Source::Original);
        for part in find_encoded_parts(text) {
            find(&part.decoded, &Source::Encoded(part.from, part.to));
        }
        if let Some(unescaped) = unescape(text) {
            find(unescaped.text(), &Source::Unescaped(&unescaped));
            for part in find_encoded_parts(unescaped.text()) {
                let (from, to) = unescaped.place(part.from, part.to);
                find(&part.decoded, &Source::Encoded(from, to));
            }
        }
        occurrences.sort_unstable();
        occurrences.dedup();
        occurrences
    }
}

/// What a text that is searched was made of.
enum Source<'a> {
    /// It is the original.
    Original,
    /// The original without its escapes.
    Unescaped(&'a UnescapedText),
    /// Decoded from these bytes of the original.
    Encoded(usize, usize),
}

impl Source<'_> {
    /// Whether a string counts that was found in the text. One that is looked for as it is written alone has to stand in
    /// the original so.
    fn allows(&self, text: &str, string: &ExactString, (from, to): (usize, usize)) -> bool {
        let Some(literal) = &string.literal else {
            return true;
        };
        if !matches!(self, Source::Original) {
            return false;
        }
        match is_nfc(text) {
            true => literal.stands_at(text, from, to),
            false => literal.stands_at(&text.nfc().collect::<String>(), from, to),
        }
    }

    /// The bytes of the original for a place in the text; and where it is in decoded text.
    fn locate(&self, place: (usize, usize)) -> ((usize, usize), Option<usize>) {
        match self {
            Source::Original => (place, None),
            Source::Unescaped(unescaped) => (unescaped.place(place.0, place.1), None),
            Source::Encoded(from, to) => ((*from, *to), Some(place.0)),
        }
    }
}
