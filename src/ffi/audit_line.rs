//! `audit.h`, third part: the lines of a ledger file (formats.md §6), and comparing hashes.

use core::ffi::{c_char, c_int};

use super::audit::{ax_ledger_entry_t, load_entry};
use super::pointer::{buffer, bytes};
use super::sink::{entry_of, tag_text};
use crate::fault::Error;
use crate::hash::equal_ct;
use crate::ledger::genesis_entry;
use crate::ledger_line;
use crate::sink::{Buffer, Counter, shared};

/// Gives line 0 of every ledger file, in static memory.
///
/// Returns AX_OK, or AX_ERR_PROTOCOL for a NULL.
///
/// # Safety
/// out is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_ledger_genesis_entry(out: *mut ax_ledger_entry_t) -> c_int {
    if out.is_null() {
        return Error::Protocol.code();
    }
    // SAFETY: not NULL.
    unsafe { out.write(entry_of(&genesis_entry())) }
    0
}

/// Writes the line of an entry as a ledger file holds it, line feed included and no NUL.
///
/// Returns the bytes written, AX_ERR_BUFFER, AX_ERR_SCHEMA for a tag outside the closed set or a
/// payload that no line can hold, or AX_ERR_PROTOCOL for a NULL. On failure dst is untouched.
///
/// # Safety
/// dst points to dst_size bytes; entry is NULL or readable, its pointers too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_ledger_line_write(
    dst: *mut u8,
    dst_size: usize,
    entry: *const ax_ledger_entry_t,
) -> c_int {
    // SAFETY: by contract.
    let (room, entry) = unsafe { (buffer(dst, dst_size), load_entry(entry)) };
    let (Some(room), entry) = (room, entry) else {
        return Error::Protocol.code();
    };
    let entry = match entry {
        Ok(entry) if ledger_line::can_hold(entry.payload) => entry,
        Ok(_) => return Error::Schema.code(),
        Err(error) => return error.code(),
    };
    let mut counter = Counter::default();
    ledger_line::write(&entry, shared(&mut counter));
    let (Some(room), Ok(written)) = (room.get_mut(..counter.len), c_int::try_from(counter.len))
    else {
        return Error::Buffer.code();
    };
    ledger_line::write(&entry, shared(&mut Buffer::new(room)));
    written
}

/// Reads a line of a ledger file, with or without its line feed. out borrows the record from line
/// and its tag from tag. Whether the hashes are right is for replay.h.
///
/// Returns AX_OK, AX_ERR_SCHEMA for anything but a line's canonical form, or AX_ERR_PROTOCOL for a
/// NULL. On failure out and tag are untouched.
///
/// # Safety
/// out is NULL or writable; tag is NULL or 16 writable bytes; line points to len readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_ledger_line_parse(
    out: *mut ax_ledger_entry_t,
    tag: *mut [c_char; 16],
    line: *const u8,
    len: usize,
) -> c_int {
    // SAFETY: by contract.
    let Some(line) = (unsafe { bytes(line, len) }) else {
        return Error::Protocol.code();
    };
    if out.is_null() || tag.is_null() {
        return Error::Protocol.code();
    }
    let entry = match ledger_line::parse(line) {
        Ok(entry) => entry,
        Err(error) => return error.code(),
    };
    let mut text = [0 as c_char; 16];
    for (to, &from) in text.iter_mut().zip(tag_text(entry.tag).to_bytes()) {
        *to = c_char::from_ne_bytes([from]);
    }
    // SAFETY: neither is NULL.
    unsafe {
        tag.write(text);
        out.write(ax_ledger_entry_t {
            tag: tag.cast(),
            ..entry_of(&entry)
        });
    }
    0
}

/// 1 where the len bytes at a and b are equal, else 0, in time that depends on len alone. 0 for a
/// NULL of length above 0.
///
/// # Safety
/// a and b are NULL or point to len readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_hash_equal_ct(a: *const u8, b: *const u8, len: usize) -> c_int {
    // SAFETY: by contract.
    let (a, b) = unsafe { (bytes(a, len), bytes(b, len)) };
    c_int::from(a.zip(b).is_some_and(|(a, b)| equal_ct(a, b)))
}
