//! Keeping locked exact strings out of every output (HL-005, RR-002, PC-006; gate G2).
//!
//! A detail is open for an output where the output may hold its fact, and the fact is not locked or is
//! unlocked. The exact strings of open details may stand in the output; all others are locked there.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use crate::canonical::texts;
use crate::error::{MemoryError, Result};
use crate::exact_strings::{ExactStrings, Occurrence};
use crate::fixed_words::PLACEHOLDER;
use crate::handle::Handle;

/// The guard of one output, which redacts locked exact strings and refuses texts that hold one.
pub(crate) struct OutputGuard<'a> {
    strings: &'a ExactStrings,
    /// Whether a detail of a fact is open for the output.
    is_open: &'a dyn Fn(Handle, Handle) -> Result<bool>,
    decided: RefCell<HashMap<Handle, bool>>,
}

impl<'a> OutputGuard<'a> {
    pub(crate) fn new(
        strings: &'a ExactStrings,
        is_open: &'a dyn Fn(Handle, Handle) -> Result<bool>,
    ) -> OutputGuard<'a> {
        OutputGuard {
            strings,
            is_open,
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

    /// Finds the details whose locked strings stand in `text`.
    pub(crate) fn find_leaks(&self, text: &str) -> Result<Vec<Handle>> {
        let occurrences = self.find_locked(text)?;
        let handles: BTreeSet<Handle> = occurrences
            .iter()
            .map(|occurrence| occurrence.handle)
            .collect();
        Ok(handles.into_iter().collect())
    }

    /// Replaces the locked strings in `text` by `[locked]`.
    pub(crate) fn redact_text(&self, text: &str) -> Result<String> {
        let mut redacted = text.to_owned();
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

    /// Redacts each part of a value; gives nothing where a member name holds a locked string. Recurses as deep
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
                    if !self.find_leaks(name)?.is_empty() {
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

    /// Refuses a value in which a locked string stands. An escape in the text of JSON may hide a string, so
    /// each text is also searched by itself.
    pub(crate) fn refuse_leaks_in_value(&self, what: &'static str, value: &Value) -> Result<()> {
        for text in texts(value) {
            self.refuse_leaks(what, text)?;
        }
        self.refuse_leaks(what, &value.to_string())
    }
}
