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

/// Gives the genesis entry, which is line 0 of every ledger file.
///
/// @param out Receives the entry, whose pointers lead to static memory of the library.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_PROTOCOL out is NULL.
/// @see formats.md §1 and §6
///
/// @par Example
/// ```c
/// ax_ledger_entry_t genesis;
///
/// ax_ledger_genesis_entry(&genesis);
/// assert(genesis.sequence == 0 && strcmp(genesis.tag, AX_TAG_STATE) == 0);
/// assert(ax_hash_equal_ct(genesis.chain, AX_GOLDEN_GENESIS_HASH, AX_HASH_SIZE));
/// ```
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_ledger_genesis_entry")]
pub unsafe extern "C" fn ax_ledger_genesis_entry(out: *mut ax_ledger_entry_t) -> c_int {
    if out.is_null() {
        return Error::Protocol.code();
    }
    // SAFETY: not NULL.
    unsafe { out.write(entry_of(&genesis_entry())) }
    0
}

/// Writes the line of a ledger file that holds an entry, with its line feed and without a NUL.
///
/// @param dst Receives the line; overlaps no other argument. Untouched on failure.
/// @param dst_size Bytes of room in dst; the record and 512 bytes always suffice.
/// @param entry Entry to write, borrowed for the call.
/// @return Bytes written; on failure a negative code.
/// @retval AX_ERR_BUFFER dst_size is too small.
/// @retval AX_ERR_SCHEMA The tag is not one of the closed set, or no line can hold the payload.
/// @retval AX_ERR_PROTOCOL A pointer is NULL.
/// @see formats.md §6 (Ledger file)
///
/// @par Example
/// ```c
/// uint8_t line[1024];
/// ax_ledger_entry_t genesis;
/// int written;
///
/// ax_ledger_genesis_entry(&genesis);
/// written = ax_ledger_line_write(line, sizeof line, &genesis);
/// if (written < 0 || fwrite(line, 1, (size_t)written, stdout) != (size_t)written) {
///     return 1;
/// }
/// assert(line[written - 1] == '\n');
/// ```
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_ledger_line_write")]
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

/// Reads one line of a ledger file, with or without its line feed; replay.h verifies its hashes.
///
/// @param out Receives the entry, which borrows its record from line and its tag from tag;
///     untouched on failure.
/// @param tag Receives the NUL-terminated tag, in 16 bytes; untouched on failure.
/// @param line Bytes of the line; they must outlive out and overlap no other argument.
/// @param len Bytes of line.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_SCHEMA The bytes are not a line in its canonical form.
/// @retval AX_ERR_PROTOCOL A pointer is NULL.
/// @see formats.md §6 (Ledger file)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_ledger_line_parse")]
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

/// Compares two byte strings in time that depends on their length alone.
///
/// @param a First byte string, borrowed for the call; may be NULL where len is 0.
/// @param b Second byte string, borrowed for the call; may be NULL where len is 0, and may overlap
///     a.
/// @param len Bytes of a and of b.
/// @return 1 where they are equal, else 0; 0 for a NULL of length above 0.
/// @see formats.md §1
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_hash_equal_ct")]
pub unsafe extern "C" fn ax_hash_equal_ct(a: *const u8, b: *const u8, len: usize) -> c_int {
    // SAFETY: by contract.
    let (a, b) = unsafe { (bytes(a, len), bytes(b, len)) };
    c_int::from(a.zip(b).is_some_and(|(a, b)| equal_ct(a, b)))
}
