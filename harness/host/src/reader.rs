//! `host.h`: reading a ledger record by record.

use std::ffi::{c_char, c_int};
use std::ptr;

use axilog_ledger::reader::LedgerReader;

use crate::boundary::{run, run_read};
use crate::columns::axh_columns_t;
use crate::error::HostError;
use crate::open_readers::{OpenReader, close, keep, with_reader};
use crate::pointer::{Output, SizedStruct, invalid, path};
use crate::record::axh_record_t;
use crate::record_filter::{axh_filter_t, axh_reader_t, read_filter};

/// How far a reader has come.
#[repr(C)]
pub struct axh_reader_state_t {
    /// Bytes of this struct: sizeof (axh_reader_state_t), which the caller sets.
    pub size: usize,
    /// Number of records that were read and verified, those that the filter leaves out among them.
    pub entries: u64,
    /// Offset in bytes after the last of them.
    pub offset: u64,
    /// Bytes after the last line feed of the file, where the reader came to its end: a line that is being written, or
    /// whose write was interrupted, as axh_verify tells.
    pub torn_bytes: u64,
    /// The last time that was read; 0 before the first.
    pub time: u64,
    /// Chain value of the last record that was read; zero where entries is 0.
    pub head: [u8; 32],
    /// 1 where that record is a seal, else 0.
    pub sealed: u8,
}

// SAFETY: `repr(C)`, begins with its size; zero is a number.
unsafe impl SizedStruct for axh_reader_state_t {}

/// Opens a ledger for reading. No lock is taken: the ledger may be open for writing, in this process or another.
///
/// @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
/// @param filter Records to give, borrowed for the call; NULL for every one.
/// @param reader Receives the handle, which axh_reader_close closes; NULL on failure.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, or the filter is not as its members say.
/// @retval AXH_ERR_IO The file cannot be opened, or is not a regular one.
/// @see SRS-004 §13; formats.md §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_reader_open(
    file: *const c_char,
    filter: *const axh_filter_t,
    reader: *mut *mut axh_reader_t,
) -> c_int {
    run(|| {
        if reader.is_null() || !reader.is_aligned() {
            return Err(invalid(
                "reader is no pointer to a handle, expected one that receives it",
            ));
        }
        // SAFETY: not NULL.
        unsafe { reader.write(ptr::null_mut()) };
        // SAFETY: by contract.
        let (file, filter) = unsafe { (path("file", file)?, read_filter(filter)?) };
        let opened = LedgerReader::open(&file, filter)?;
        // SAFETY: not NULL.
        unsafe { reader.write(keep(opened)) };
        Ok(())
    })
}

/// Reads the next record that the filter selects, and verifies it and all before: hashes, chain, canonical form, order,
/// witnesses, models. Only good records are given.
///
/// @param reader Reader that is open.
/// @param record Receives the record; its size is set by the caller, and it overlaps nothing. Unless the call returns
///     AXH_OK, all after the size is 0.
/// @return AXH_OK; AXH_END where the ledger has no further record, after which a later call gives what was recorded
///     since; or one of these codes.
/// @retval AXH_ERR_ARGUMENT record is NULL or has another size.
/// @retval AXH_ERR_HANDLE reader is NULL or closed.
/// @retval AXH_ERR_LEDGER The next record is bad; the text has the verdict of axh_verify and its place. So does every
///     later call.
/// @retval AXH_ERR_IO The file cannot be read.
/// @see SRS-004 §13; formats.md §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_reader_next(
    reader: *const axh_reader_t,
    record: *mut axh_record_t,
) -> c_int {
    run_read(|| {
        // SAFETY: by contract.
        let out = unsafe { Output::new("record", record) }?;
        let read = with_reader(reader, OpenReader::next)?;
        let is_there = read.is_some();
        if let Some(record) = read {
            out.write(record);
        }
        Ok(is_there)
    })
}

/// Gives the question of the observation that axh_reader_next read last, from its blob beside the ledger.
///
/// @param reader Reader that is open.
/// @param question Receives the canonical question, which the reader owns until the next call with it that reads or
///     closes; NULL on failure. It overlaps no other argument.
/// @param len Receives its bytes; 0 on failure.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, or the record is no observation.
/// @retval AXH_ERR_HANDLE reader is NULL or closed.
/// @retval AXH_ERR_LEDGER The blob is missing or has other bytes.
/// @retval AXH_ERR_IO The blob cannot be read.
/// @see SRS-004 §8; formats.md §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_reader_question(
    reader: *const axh_reader_t,
    question: *mut *const c_char,
    len: *mut usize,
) -> c_int {
    // SAFETY: by contract.
    unsafe { give_bytes(reader, question, len, OpenReader::question) }
}

/// Gives the whole answer that the record leads to which axh_reader_next read last: of an AXH_RECORD_RAW_ANSWER the bytes
/// as they came, from their blob, and of an AXH_RECORD_OBSERVATION that holds its answer whole its output.
///
/// @param reader Reader that is open.
/// @param answer Receives the answer, which the reader owns until the next call with it that reads or closes; NULL on
///     failure. It overlaps no other argument.
/// @param len Receives its bytes; 0 on failure.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, or the record leads to no whole answer; where an observation does not hold
///     it, the AXH_RECORD_RAW_ANSWER after it does.
/// @retval AXH_ERR_HANDLE reader is NULL or closed.
/// @retval AXH_ERR_LEDGER The blob is missing or has other bytes.
/// @retval AXH_ERR_IO The blob cannot be read.
/// @see formats.md §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_reader_raw_answer(
    reader: *const axh_reader_t,
    answer: *mut *const c_char,
    len: *mut usize,
) -> c_int {
    // SAFETY: by contract.
    unsafe { give_bytes(reader, answer, len, OpenReader::raw_answer) }
}

/// Reads records as axh_reader_next does, and gives them in columns.
///
/// @param reader Reader that is open.
/// @param max_records The most records to give, at least 1. A batch ends earlier where its texts reach 32 MiB, or the
///     record after it cannot be given, as the next call tells.
/// @param columns Receives the columns; its size is set by the caller, and it overlaps nothing. Unless the call returns
///     AXH_OK, all after the size is 0.
/// @return AXH_OK where there is a record at least; AXH_END where there is none; or one of the codes of axh_reader_next.
/// @retval AXH_ERR_ARGUMENT columns is NULL or has another size, or max_records is 0.
/// @see SRS-004 §13; formats.md §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_reader_columns(
    reader: *const axh_reader_t,
    max_records: usize,
    columns: *mut axh_columns_t,
) -> c_int {
    run_read(|| {
        // SAFETY: by contract.
        let out = unsafe { Output::new("columns", columns) }?;
        if max_records == 0 {
            return Err(invalid("max_records is 0, expected at least 1"));
        }
        let read = with_reader(reader, |reader| reader.next_columns(max_records))?;
        let is_there = read.is_some();
        if let Some(columns) = read {
            out.write(columns);
        }
        Ok(is_there)
    })
}

/// Gives how far a reader has come, and the head of what it has read.
///
/// @param reader Reader that is open.
/// @param state Receives the state; its size is set by the caller. On failure all after the size is 0.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_ARGUMENT state is NULL or has another size.
/// @retval AXH_ERR_HANDLE reader is NULL or closed.
/// @see formats.md §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_reader_state(
    reader: *const axh_reader_t,
    state: *mut axh_reader_state_t,
) -> c_int {
    run(|| {
        // SAFETY: by contract.
        let out = unsafe { Output::new("state", state) }?;
        out.write(with_reader(reader, |reader| Ok(state_of(reader)))?);
        Ok(())
    })
}

/// Closes a reader, and frees what it has given. Later calls with the handle return AXH_ERR_HANDLE, in any thread.
///
/// @param reader Reader to close.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_HANDLE reader is NULL or closed already.
/// @retval AXH_ERR_FORKED Another process opened the reader; it stays open there.
/// @see formats.md §6
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_reader_close(reader: *mut axh_reader_t) -> c_int {
    run(|| close(reader))
}

fn state_of(reader: &OpenReader) -> axh_reader_state_t {
    let replay = &reader.ledger.verification().replay;
    let head = (replay.entries() > 0).then_some(replay.ledger().head);
    axh_reader_state_t {
        size: size_of::<axh_reader_state_t>(),
        entries: replay.entries(),
        offset: reader.ledger.end_offset(),
        torn_bytes: reader.ledger.torn_bytes(),
        time: reader.ledger.time(),
        head: head.unwrap_or_default(),
        sealed: replay.ledger().sealed.into(),
    }
}

/// Gives bytes that the reader owns.
///
/// # Safety
/// `bytes` and `len` are NULL, or may be written.
unsafe fn give_bytes(
    reader: *const axh_reader_t,
    bytes: *mut *const c_char,
    len: *mut usize,
    read: impl FnOnce(&mut OpenReader) -> Result<&[u8], HostError>,
) -> c_int {
    run(|| {
        if bytes.is_null() || len.is_null() || !bytes.is_aligned() || !len.is_aligned() {
            return Err(invalid(
                "a pointer that receives the bytes or their number is NULL or not aligned, expected two",
            ));
        }
        // SAFETY: not NULL, aligned.
        unsafe {
            bytes.write(ptr::null());
            len.write(0);
        }
        with_reader(reader, |reader| {
            let found = read(reader)?;
            // SAFETY: not NULL, aligned.
            unsafe {
                bytes.write(found.as_ptr().cast());
                len.write(found.len());
            }
            Ok(())
        })
    })
}
