//! The lines of a ledger file: one canonical JSON object per record.
//!
//! formats.md §6, Ledger file. Determinism: D1. Devices, bindings and the harness write and read
//! the same file through this one module.

#![forbid(unsafe_code)]

use crate::evidence::reader::Reader;
use crate::fault::Error;
use crate::hash::Tag;
use crate::json::writer::{self, Sink};
use crate::ledger::Entry;

/// Bytes of a line besides its record: every other field at its longest, and the line feed.
pub const MAX_LINE_OVERHEAD: usize = 224;

/// Writes the line of `entry`, its line feed included; [`parse`] reads it where it [`can_hold`] the
/// record.
pub fn write(entry: &Entry<'_>, out: &mut impl Sink) {
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
    // The tail has few possible lengths, while a record may hold `,"seq":` in its text: so the
    // last occurrence is the one.
    let tail = reader
        .rest()
        .windows(SEQ.len())
        .rposition(|window| window == SEQ);
    let payload = reader.take(tail.ok_or(Error::Schema)?)?;
    reader.literal(SEQ)?;
    let sequence = reader.u64()?;
    reader.literal(b",\"tag\":\"")?;
    let tag = Tag::parse(reader.until_quote()?).ok_or(Error::Schema)?;
    reader.literal(b"}")?;
    reader.end()?;
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
    record.first() == Some(&b'{') && record.last() == Some(&b'}') && !record.contains(&b'\n')
}

const SEQ: &[u8] = b",\"seq\":";
