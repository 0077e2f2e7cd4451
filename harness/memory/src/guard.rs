//! Keeping locked exact strings out of every output (HL-005, RR-002, PC-006; gate G2).
//!
//! [`Secrets`] knows every exact string there is, folded, and finds them in a text in time that does
//! not grow with their number. A [`Guard`] knows which of them one output may say.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::canonical::{Handle, texts};
use super::error::{MemoryError, Result};
use super::fold::{Folded, MAX_TOKEN};
use super::wording::LOCKED;

/// Every exact string, folded, and whose it is.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    /// By a rolling hash of the folded string, which a find is checked against.
    by_hash: HashMap<u64, Vec<Secret>>,
    /// Which lengths there are.
    lengths: BTreeSet<usize>,
    /// The last entry of the log that is in here.
    pub(super) seq: u64,
}

#[derive(Debug)]
struct Secret {
    folded: Box<str>,
    handle: Handle,
    fact: Handle,
}

/// An exact string in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Find {
    /// The detail whose string it is.
    pub(super) handle: Handle,
    /// Its fact.
    pub(super) fact: Handle,
    start: usize,
    end: usize,
}

/// The base of the rolling hash; odd, and of no pattern.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

fn roll(hash: u64, c: char) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(u64::from(c) + 1)
}

impl Secrets {
    /// Adds a string that is folded already.
    pub(super) fn add(&mut self, folded: String, handle: Handle, fact: Handle) {
        let hash = folded.chars().fold(0, roll);
        self.lengths.insert(folded.chars().count());
        let secret = Secret {
            folded: folded.into_boxed_str(),
            handle,
            fact,
        };
        self.by_hash.entry(hash).or_default().push(secret);
    }

    /// Every string that stands in `text` at boundaries of words.
    fn finds(&self, text: &Folded) -> Vec<Find> {
        let mut hashes = Vec::with_capacity(text.len() + 1);
        hashes.push(0u64);
        for c in text.chars() {
            hashes.push(roll(hashes.last().copied().unwrap_or_default(), c));
        }
        let mut powers = vec![1u64; MAX_TOKEN + 1];
        let mut power = 1u64;
        for slot in powers.iter_mut().skip(1) {
            power = power.wrapping_mul(BASE);
            *slot = power;
        }
        let mut finds = Vec::new();
        for start in (0..text.len()).filter(|&start| text.begins(start)) {
            for &length in &self.lengths {
                let end = start + length;
                if end > text.len() {
                    break;
                }
                if !text.ends(end) {
                    continue;
                }
                let (Some(before), Some(behind), Some(power)) =
                    (hashes.get(start), hashes.get(end), powers.get(length))
                else {
                    continue;
                };
                let hash = behind.wrapping_sub(before.wrapping_mul(*power));
                let Some(secrets) = self.by_hash.get(&hash) else {
                    continue;
                };
                let part = text.part(start, end);
                let same = secrets.iter().filter(|secret| *secret.folded == *part);
                finds.extend(same.map(|secret| Find {
                    handle: secret.handle,
                    fact: secret.fact,
                    start,
                    end,
                }));
            }
        }
        finds
    }
}

/// Which exact strings one output may say: those of `free` alone.
pub(super) struct Guard<'a> {
    secrets: &'a Secrets,
    /// Whether a detail of a fact is unlocked, or its fact is not locked, and the fact may be seen.
    is_free: &'a dyn Fn(Handle, Handle) -> Result<bool>,
    known: RefCell<HashMap<Handle, bool>>,
}

impl<'a> Guard<'a> {
    pub(super) fn new(
        secrets: &'a Secrets,
        is_free: &'a dyn Fn(Handle, Handle) -> Result<bool>,
    ) -> Guard<'a> {
        Guard {
            secrets,
            is_free,
            known: RefCell::default(),
        }
    }

    /// The finds in a text that may not be said. A string that is also that of a free detail may.
    fn locked(&self, text: &Folded) -> Result<Vec<Find>> {
        let finds = self.secrets.finds(text);
        let mut locked = Vec::new();
        // Finds of the same place follow each other.
        for same in finds.chunk_by(|a, b| (a.start, a.end) == (b.start, b.end)) {
            let mut free = false;
            for find in same {
                free |= self.free(find)?;
            }
            if !free {
                locked.extend(same);
            }
        }
        Ok(locked)
    }

    fn free(&self, find: &Find) -> Result<bool> {
        if let Some(free) = self.known.borrow().get(&find.handle) {
            return Ok(*free);
        }
        let free = (self.is_free)(find.handle, find.fact)?;
        self.known.borrow_mut().insert(find.handle, free);
        Ok(free)
    }

    /// The details whose strings stand in `text` and may not be said.
    pub(super) fn leaks(&self, text: &str) -> Result<Vec<Handle>> {
        let finds = self.locked(&Folded::of(text))?;
        let handles: BTreeSet<Handle> = finds.iter().map(|find| find.handle).collect();
        Ok(handles.into_iter().collect())
    }

    /// `text` with `[locked]` for what may not be said.
    pub(super) fn clean(&self, text: &str) -> Result<String> {
        let mut cleaned = text.to_owned();
        // What is cut out may join what stood beside it into another string.
        for _ in 0..4 {
            let folded = Folded::of(&cleaned);
            let finds = self.locked(&folded)?;
            if finds.is_empty() {
                return Ok(cleaned);
            }
            if !unicode_normalization::is_nfc(&cleaned) {
                break;
            }
            let mut spans: Vec<(usize, usize)> = finds
                .iter()
                .map(|find| folded.bytes(find.start, find.end))
                .collect();
            spans.sort_unstable();
            let mut next = String::with_capacity(cleaned.len());
            let mut done = 0;
            let mut covered = 0;
            for (from, to) in spans {
                if from >= covered {
                    next.push_str(cleaned.get(done..from).unwrap_or_default());
                    next.push_str(LOCKED);
                }
                covered = covered.max(to);
                done = covered;
            }
            next.push_str(cleaned.get(done..).unwrap_or_default());
            cleaned = next;
        }
        Ok(LOCKED.to_owned())
    }

    /// `value` with `[locked]` for what may not be said; whole, where that stands in a member name or
    /// across several parts.
    pub(super) fn clean_value(&self, value: &Value) -> Result<Value> {
        let cleaned = self.clean_parts(value)?;
        if let Some(cleaned) = cleaned
            && self.leaks(&cleaned.to_string())?.is_empty()
        {
            return Ok(cleaned);
        }
        Ok(Value::from(LOCKED))
    }

    /// Nothing where a member name says it. Calls itself as deep as the value is nested.
    fn clean_parts(&self, value: &Value) -> Result<Option<Value>> {
        Ok(Some(match value {
            Value::String(text) => Value::from(self.clean(text)?),
            Value::Number(number) if !self.leaks(&number.to_string())?.is_empty() => {
                Value::from(LOCKED)
            }
            Value::Array(items) => {
                let mut cleaned = Vec::with_capacity(items.len());
                for item in items {
                    match self.clean_parts(item)? {
                        Some(item) => cleaned.push(item),
                        None => return Ok(None),
                    }
                }
                Value::Array(cleaned)
            }
            Value::Object(members) => {
                let mut cleaned = serde_json::Map::new();
                for (name, member) in members {
                    let Some(member) = self.clean_parts(member)? else {
                        return Ok(None);
                    };
                    if !self.leaks(name)?.is_empty() {
                        return Ok(None);
                    }
                    cleaned.insert(name.clone(), member);
                }
                Value::Object(cleaned)
            }
            other => other.clone(),
        }))
    }

    /// Refuses an output in which something stands that may not be said: nothing is given out rather
    /// than that.
    pub(super) fn check(&self, what: &'static str, text: &str) -> Result<()> {
        let leaks = self.leaks(text)?;
        if leaks.is_empty() {
            return Ok(());
        }
        Err(MemoryError::Leak {
            what,
            handles: leaks.iter().map(ToString::to_string).collect(),
        })
    }

    /// As [`Guard::check`]. An escape in the text of JSON may hide a string, so each text is looked at
    /// by itself too.
    pub(super) fn check_value(&self, what: &'static str, value: &Value) -> Result<()> {
        for text in texts(value) {
            self.check(what, text)?;
        }
        self.check(what, &value.to_string())
    }
}
