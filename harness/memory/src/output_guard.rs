//! Keeping locked exact strings out of every output (HL-005, RR-002, PC-006; gate G2).
//!
//! A detail is open for an output where the output may hold its fact, and the fact is not locked or is
//! unlocked. The exact strings of open details may stand in the output; all others are locked there.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value;

use crate::canonical::texts;
use crate::error::{MemoryError, Result};
use crate::exact_strings::{ExactStrings, Occurrence, Place};
use crate::fixed_words::PLACEHOLDER;
use crate::handle::Handle;

/// The guard of one output, which redacts locked exact strings and refuses texts that hold one.
pub(crate) struct OutputGuard<'a> {
    strings: &'a ExactStrings,
    /// Whether a detail of a fact is open for the output.
    is_open: &'a dyn Fn(Handle, Handle) -> Result<bool>,
    /// Whether a handle may not stand in the output.
    is_hidden: &'a dyn Fn(Handle) -> Result<bool>,
    decided: RefCell<HashMap<Handle, bool>>,
}

/// The parts of a text that may be guesses at locked strings.
struct Guesses {
    /// Their bytes, in order; none reaches into another.
    cuts: Vec<(usize, usize)>,
    /// How many guesses there are: the most of which none reaches into another, and each in an encoded part.
    count: u64,
    /// Whether one of them is a locked string without digits.
    holds_word: bool,
}

impl Guesses {
    fn new(places: HashSet<Place>, holds_word: bool) -> Guesses {
        let mut cuts: Vec<(usize, usize)> =
            places.iter().map(|&(from, to, _)| (from, to)).collect();
        let encoded = places.iter().filter(|(.., at)| at.is_some()).count();
        let spelt = places.iter().filter(|(.., at)| at.is_none());
        let mut spelt: Vec<_> = spelt.map(|&(from, to, _)| (to, from)).collect();
        spelt.sort_unstable();
        let (mut count, mut end) = (encoded as u64, 0);
        for (to, from) in spelt {
            if from >= end {
                count += 1;
                end = to;
            }
        }
        cuts.sort_unstable();
        cuts.dedup_by(|next, last| {
            let overlaps = next.0 < last.1;
            if overlaps {
                last.1 = last.1.max(next.1);
            }
            overlaps
        });
        Guesses {
            cuts,
            count,
            holds_word,
        }
    }
}

impl<'a> OutputGuard<'a> {
    pub(crate) fn new(
        strings: &'a ExactStrings,
        is_open: &'a dyn Fn(Handle, Handle) -> Result<bool>,
        is_hidden: &'a dyn Fn(Handle) -> Result<bool>,
    ) -> OutputGuard<'a> {
        OutputGuard {
            strings,
            is_open,
            is_hidden,
            decided: RefCell::default(),
        }
    }

    /// Finds the locked strings in a text. A string that is also the string of an open detail is open.
    fn find_locked(&self, text: &str) -> Result<Vec<Occurrence>> {
        let occurrences = self.strings.find_in(text);
        let mut locked = Vec::new();
        // Occurrences at the same place follow each other.
        for same in occurrences.chunk_by(|a, b| (a.from, a.to) == (b.from, b.to)) {
            let mut is_open = false;
            for occurrence in same {
                is_open |= self.is_open(occurrence)?;
            }
            if !is_open {
                locked.extend(same);
            }
        }
        Ok(locked)
    }

    fn is_open(&self, occurrence: &Occurrence) -> Result<bool> {
        if let Some(is_open) = self.decided.borrow().get(&occurrence.handle) {
            return Ok(*is_open);
        }
        let is_open = (self.is_open)(occurrence.handle, occurrence.fact)?;
        self.decided.borrow_mut().insert(occurrence.handle, is_open);
        Ok(is_open)
    }

    /// Finds what may be a guess at a locked string: such a string, and whatever is like one but for its digits. So a
    /// number that is guessed wrong is taken as the right one is. What an open detail says at the same place is none.
    fn find_guesses(&self, text: &str) -> Result<Guesses> {
        let spelt = self.strings.find_in(text);
        let mut open = HashSet::new();
        for occurrence in &spelt {
            if self.is_open(occurrence)? {
                open.insert((occurrence.from, occurrence.to));
            }
        }
        let mut guesses = HashSet::new();
        for occurrence in self.strings.find_forms(text) {
            let is_open = open.contains(&(occurrence.from, occurrence.to));
            if !is_open && self.is_form_of_locked(occurrence.handle)? {
                guesses.insert(occurrence.place());
            }
        }
        let locked = spelt.iter().map(Occurrence::place);
        let words = locked.filter(|&(from, to, _)| !open.contains(&(from, to)));
        let words: Vec<_> = words.filter(|place| !guesses.contains(place)).collect();
        let holds_word = !words.is_empty();
        guesses.extend(words);
        Ok(Guesses::new(guesses, holds_word))
    }

    /// Whether a locked string has the form.
    fn is_form_of_locked(&self, form: Handle) -> Result<bool> {
        if let Some(is_open) = self.decided.borrow().get(&form) {
            return Ok(!is_open);
        }
        let mut is_open = true;
        for (handle, fact) in self.strings.details_of_form(form) {
            is_open = is_open && (self.is_open)(*handle, *fact)?;
        }
        self.decided.borrow_mut().insert(form, is_open);
        Ok(!is_open)
    }

    /// How many guesses at locked strings a text may have.
    pub(crate) fn count_guesses(&self, text: &str) -> Result<u64> {
        Ok(self.find_guesses(text)?.count)
    }

    /// Replaces what may be a guess in `text` by `[locked]`; gives the number of guesses too. A word is found only where
    /// it is guessed right: a text with one is replaced as a whole, so that it does not tell which part was.
    pub(crate) fn redact_guesses(&self, text: &str) -> Result<(String, u64)> {
        let guesses = self.find_guesses(text)?;
        let count = guesses.count;
        if guesses.holds_word || count > 0 && !unicode_normalization::is_nfc(text) {
            return Ok((PLACEHOLDER.to_owned(), count));
        }
        let mut redacted = String::with_capacity(text.len());
        let mut done = 0;
        for (from, to) in guesses.cuts {
            redacted.push_str(text.get(done..from).unwrap_or_default());
            redacted.push_str(PLACEHOLDER);
            done = to;
        }
        redacted.push_str(text.get(done..).unwrap_or_default());
        // What is cut out may join what stood beside it into another string.
        let is_clean = count == 0 || self.find_guesses(&redacted)?.cuts.is_empty();
        Ok((
            if is_clean {
                redacted
            } else {
                PLACEHOLDER.to_owned()
            },
            count,
        ))
    }

    /// Finds the details whose locked strings stand in `text`.
    pub(crate) fn find_leaks(&self, text: &str) -> Result<Vec<Handle>> {
        let occurrences = self.find_locked(text)?;
        let handles: BTreeSet<Handle> = occurrences
            .iter()
            .map(|occurrence| occurrence.handle)
            .collect();
        Ok(handles.into_iter().collect())
    }

    /// Replaces the handles in `text` that may not stand in the output by `[locked]`.
    fn redact_handles(&self, text: &str) -> Result<String> {
        let mut redacted = String::with_capacity(text.len());
        for part in text.split_inclusive(|c: char| !c.is_ascii_hexdigit()) {
            let end = part
                .trim_end_matches(|c: char| !c.is_ascii_hexdigit())
                .len();
            let (digits, sign) = part.split_at(end);
            let is_hidden = match Handle::parse(digits) {
                Some(handle) => (self.is_hidden)(handle)?,
                None => false,
            };
            redacted.push_str(if is_hidden { PLACEHOLDER } else { digits });
            redacted.push_str(sign);
        }
        Ok(redacted)
    }

    /// Replaces the locked strings and hidden handles in `text` by `[locked]`.
    pub(crate) fn redact_text(&self, text: &str) -> Result<String> {
        let mut redacted = self.redact_handles(text)?;
        // What is cut out may join what stood beside it into another string.
        for _ in 0..4 {
            let occurrences = self.find_locked(&redacted)?;
            if occurrences.is_empty() {
                return Ok(redacted);
            }
            if !unicode_normalization::is_nfc(&redacted) {
                break;
            }
            let mut next = String::with_capacity(redacted.len());
            let mut done = 0;
            let mut covered = 0;
            for Occurrence { from, to, .. } in occurrences {
                if from >= covered {
                    next.push_str(redacted.get(done..from).unwrap_or_default());
                    next.push_str(PLACEHOLDER);
                }
                covered = covered.max(to);
                done = covered;
            }
            next.push_str(redacted.get(done..).unwrap_or_default());
            redacted = next;
        }
        Ok(PLACEHOLDER.to_owned())
    }

    /// Replaces the locked strings in `value` by `[locked]`; a value that holds one in a member name or across
    /// several parts is replaced as a whole.
    pub(crate) fn redact_value(&self, value: &Value) -> Result<Value> {
        let redacted = self.redact_parts(value)?;
        if let Some(redacted) = redacted
            && self.find_leaks(&redacted.to_string())?.is_empty()
        {
            return Ok(redacted);
        }
        Ok(Value::from(PLACEHOLDER))
    }

    /// Redacts each part of a value; gives nothing where a member name holds a locked string or a hidden handle. Recurses as deep
    /// as the value is nested.
    fn redact_parts(&self, value: &Value) -> Result<Option<Value>> {
        Ok(Some(match value {
            Value::String(text) => Value::from(self.redact_text(text)?),
            Value::Number(number) if !self.find_leaks(&number.to_string())?.is_empty() => {
                Value::from(PLACEHOLDER)
            }
            Value::Array(items) => {
                let mut redacted = Vec::with_capacity(items.len());
                for item in items {
                    match self.redact_parts(item)? {
                        Some(item) => redacted.push(item),
                        None => return Ok(None),
                    }
                }
                Value::Array(redacted)
            }
            Value::Object(members) => {
                let mut redacted = serde_json::Map::new();
                for (name, member) in members {
                    let Some(member) = self.redact_parts(member)? else {
                        return Ok(None);
                    };
                    if !self.find_leaks(name)?.is_empty() || self.redact_handles(name)? != *name {
                        return Ok(None);
                    }
                    redacted.insert(name.clone(), member);
                }
                Value::Object(redacted)
            }
            other => other.clone(),
        }))
    }

    /// Refuses an output in which a locked string stands.
    pub(crate) fn refuse_leaks(&self, what: &'static str, text: &str) -> Result<()> {
        let leaks = self.find_leaks(text)?;
        if leaks.is_empty() {
            return Ok(());
        }
        Err(MemoryError::Leak {
            what,
            handles: leaks.iter().map(ToString::to_string).collect(),
        })
    }

    /// Judges a value: whether a locked string stands in it, and how many guesses it may have. An escape in the text of
    /// JSON may hide a string, so each text is also searched by itself.
    pub(crate) fn judge_value(&self, value: &Value) -> Result<(bool, u64)> {
        let whole = value.to_string();
        let mut holds_locked = !self.find_leaks(&whole)?.is_empty();
        let mut guesses = 0;
        for text in texts(value) {
            holds_locked = holds_locked || !self.find_leaks(text)?.is_empty();
            guesses += self.count_guesses(text)?;
        }
        // A guess may reach over several texts, and a number stands in none.
        Ok((holds_locked, guesses.max(self.count_guesses(&whole)?)))
    }
}
