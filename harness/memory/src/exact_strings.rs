//! An index of every exact string in the memory, which finds them in a text in time that does not grow
//! with their number.

use std::collections::{BTreeSet, HashMap};

use rusqlite::Connection;

use crate::folded_text::{FoldedText, MAX_EXACT};
use crate::handle::Handle;
use crate::log;

/// An index of every exact string in the memory.
#[derive(Debug, Default)]
pub(crate) struct ExactStrings {
    /// The strings by a rolling hash of their folded characters.
    by_hash: HashMap<u64, Vec<ExactString>>,
    /// The lengths of the strings.
    lengths: BTreeSet<usize>,
    /// The last entry of the log that the index covers.
    seq: u64,
}

#[derive(Debug)]
struct ExactString {
    folded: Box<str>,
    handle: Handle,
    fact: Handle,
}

/// A place in a text where an exact string stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occurrence {
    /// The detail whose string it is.
    pub(crate) handle: Handle,
    /// The fact of the detail.
    pub(crate) fact: Handle,
    /// The folded characters.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The base of the rolling hash; odd, and of no pattern.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

fn extend_hash(hash: u64, c: char) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(u64::from(c) + 1)
}

impl ExactStrings {
    /// Brings the index up to the state of the database.
    pub(crate) fn refresh(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        let newest = log::read_head(conn)?.seq;
        if newest < self.seq {
            *self = ExactStrings::default();
        }
        let mut new =
            conn.prepare_cached("SELECT folded, handle, fact FROM detail WHERE seq > ?1")?;
        let mut rows = new.query([self.seq])?;
        while let Some(row) = rows.next()? {
            self.add(row.get(0)?, row.get(1)?, row.get(2)?);
        }
        self.seq = newest;
        Ok(())
    }

    /// Adds a folded string.
    fn add(&mut self, folded: String, handle: Handle, fact: Handle) {
        let hash = folded.chars().fold(0, extend_hash);
        self.lengths.insert(folded.chars().count());
        let string = ExactString {
            folded: folded.into_boxed_str(),
            handle,
            fact,
        };
        self.by_hash.entry(hash).or_default().push(string);
    }

    /// Finds every string that stands in `text` at boundaries of words.
    pub(crate) fn find_in(&self, text: &FoldedText) -> Vec<Occurrence> {
        let mut hashes = Vec::with_capacity(text.len() + 1);
        hashes.push(0u64);
        for c in text.chars() {
            hashes.push(extend_hash(hashes.last().copied().unwrap_or_default(), c));
        }
        let mut powers = vec![1u64; MAX_EXACT + 1];
        let mut power = 1u64;
        for slot in powers.iter_mut().skip(1) {
            power = power.wrapping_mul(BASE);
            *slot = power;
        }
        let mut occurrences = Vec::new();
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
                let Some(candidates) = self.by_hash.get(&hash) else {
                    continue;
                };
                let part = text.part(start, end);
                let same = candidates.iter().filter(|string| *string.folded == *part);
                occurrences.extend(same.map(|string| Occurrence {
                    handle: string.handle,
                    fact: string.fact,
                    start,
                    end,
                }));
            }
        }
        occurrences
    }
}
