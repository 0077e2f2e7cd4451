//! The lines of a ledger file: one canonical JSON object per record.
//!
//! formats.md §6, Ledger file. Determinism: D1. Devices, bindings and the harness write and read
//! the same file through this one module.

#![forbid(unsafe_code)]

use crate::evidence::reader::Reader;
use crate::fault::Error;
use crate::hash::Tag;
use crate::json::writer;
use crate::ledger::Entry;
use crate::search::run;
use crate::sink::Sink;

/// Bytes of a line besides its record: every other field at its longest, and the line feed.
pub const MAX_LINE_OVERHEAD: usize = 224;

/// Writes the line of `entry`, its line feed included; [`parse`] reads it where it [`can_hold`] the
/// record.
pub fn write(entry: &Entry<'_>, out: &mut (impl Sink + ?Sized)) {
    out.put(b"{\"chain\":");
    writer::hash(&entry.chain, out);
    out.put(b",\"commit\":");
    writer::hash(&entry.commit, out);
    out.put(b",\"record\":");
    out.put(entry.payload);
    out.put(b",\"seq\":");
    writer::u64(entry.sequence, out);
    out.put(b",\"tag\":\"");
    out.put(entry.tag.as_str().as_bytes());
    out.put(b"\"}\n");
}

/// Reads a line, with or without its line feed. The record is the exact substring between
/// `"record":` and `,"seq":`; whether it is what its tag says is for replay to find out.
///
/// # Errors
/// [`Error::Schema`] for anything but the canonical form of a line.
pub fn parse(line: &[u8]) -> Result<Entry<'_>, Error> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let mut reader = Reader::new(line);
    reader.literal(b"{\"chain\":")?;
    let chain = reader.hash()?;
    reader.literal(b",\"commit\":")?;
    let commit = reader.hash()?;
    reader.literal(b",\"record\":")?;
    // A record may hold `,"seq":` in its text, so what follows it is read from the end.
    let tail = reader.rest().strip_suffix(b"\"}").ok_or(Error::Schema)?;
    let tagged = |tag: Tag| Some((tag, tail.strip_suffix(tag.as_str().as_bytes())?));
    let (tag, tail) = Tag::ALL.into_iter().find_map(tagged).ok_or(Error::Schema)?;
    let tail = tail.strip_suffix(b",\"tag\":\"").ok_or(Error::Schema)?;
    let digits = tail.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let (tail, digits) = tail
        .split_at_checked(tail.len().saturating_sub(digits))
        .ok_or(Error::Schema)?;
    let sequence = Reader::new(digits).u64()?;
    let payload = tail.strip_suffix(SEQ).ok_or(Error::Schema)?;
    if !can_hold(payload) {
        return Err(Error::Schema);
    }
    Ok(Entry {
        tag,
        payload,
        sequence,
        commit,
        chain,
    })
}

/// Whether a line with `record` in it can be read again: it looks like an object and has no line feed.
#[must_use]
pub fn can_hold(record: &[u8]) -> bool {
    record.first() == Some(&b'{')
        && record.last() == Some(&b'}')
        && run(record, |b| b == b'\n') == record.len()
}

const SEQ: &[u8] = b",\"seq\":";
