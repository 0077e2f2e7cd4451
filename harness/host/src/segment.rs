//! `host.h`: one ledger verified or replayed by several processes, a segment of its file by each.

use std::ffi::{c_char, c_int};
use std::path::Path;

use axilog::replay::Verdict;
use axilog_ledger::json_report::replay::replay_json;
use axilog_ledger::json_report::verification::verification_json;
use axilog_ledger::segments::{
    SegmentCheck, SegmentsError, check_segment, replay_in_segments, verify_in_segments,
};
use axilog_ledger::verify::segment::SegmentFacts;
use serde_json::Value;

use crate::boundary::{run, run_check};
use crate::error::HostError;
use crate::expectations::{Expectations, axh_expectations_t};
use crate::given_text::{clear_text, give_json, give_text};
use crate::pointer::{invalid, parsed_texts, path};

/// Verifies the segment of a ledger that has the lines which begin from one offset on and before another.
///
/// Any offsets will do: the segments from 0 to A, from A to B and from B to the file's length are the whole file. What was
/// found of each goes to one process that has the file too, and calls axh_segment_verify_join. Whoever hands in what nobody
/// found has verified nothing: those who check segments are trusted as the one who joins is.
///
/// @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
/// @param from Offset in the file, in bytes.
/// @param to Offset in the file, in bytes. One that is not after `from` gives a segment without lines.
/// @param expected What is known of the ledger from elsewhere, borrowed for the call, without blobs; NULL for nothing. It
///     must be the same for each segment and when they are joined.
/// @param segment Receives what was found, as hexadecimal digits, NUL-terminated, which axh_string_free frees; NULL on
///     failure. A process that loads the same version of this library reads it; nobody keeps it. It overlaps no other
///     argument.
/// @return AXH_OK, where the segment has a defect too, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, or an expectation is not as its member says or names blobs.
/// @retval AXH_ERR_IO The file cannot be read.
/// @see SRS-004 §13; formats.md §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_segment_verify(
    file: *const c_char,
    from: u64,
    to: u64,
    expected: *const axh_expectations_t,
    segment: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe { check_part(file, (from, to), false, expected, segment) }
}

/// Replays a segment as axh_segment_verify verifies it: policies and agent run afresh on its observations, from the state
/// that one of its first records implies. axh_segment_replay_join takes what was found.
///
/// The rules are those that the beginning of the file names, from the blobs beside it, or the expected ones.
///
/// @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
/// @param from Offset in the file, in bytes.
/// @param to Offset in the file, in bytes. One that is not after `from` gives a segment without lines.
/// @param expected What is known of the ledger from elsewhere, borrowed for the call, without blobs; NULL for nothing. It
///     must be the same for each segment and when they are joined.
/// @param segment Receives what was found, as hexadecimal digits, NUL-terminated, which axh_string_free frees; NULL on
///     failure. It overlaps no other argument.
/// @return AXH_OK, where the segment has a defect or the rules are missing too, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, or an expectation is not as its member says or names blobs.
/// @retval AXH_ERR_IO The file cannot be read.
/// @see SRS-004 §13; formats.md §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_segment_replay(
    file: *const c_char,
    from: u64,
    to: u64,
    expected: *const axh_expectations_t,
    segment: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe { check_part(file, (from, to), true, expected, segment) }
}

/// Joins segments that were verified. The verdict, the place of the first defect and its reason are those of axh_verify.
///
/// Each segment is joined where the state that it began with is the one that the records before have led to. What is not
/// joined, with any defect, and what no segment has, is read here. The digest in a segment finds what was changed by accident;
/// nobody has signed it, so that whoever gives the segments is trusted. Blobs are not compared.
///
/// @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
/// @param segments What axh_segment_verify gave of each segment, in any order, borrowed for the call; NULL for none.
/// @param segment_count Number of segments.
/// @param expected What the segments were verified with, borrowed for the call; NULL for nothing.
/// @param json Receives the object that `axilog verify --json` prints, NUL-terminated, which axh_string_free frees; NULL
///     on failure. It overlaps no other argument. NULL where it is not wanted.
/// @return AXH_OK where the verdict is OK, AXH_NOT_OK where it is another, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, an expectation is not as its member says or names blobs, or a segment is
///     not whole as it was given, or is of a ledger that begins with other bytes or was longer, or of other expectations.
/// @retval AXH_ERR_IO The file cannot be read.
/// @see SRS-004 §13; formats.md §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_segment_verify_join(
    file: *const c_char,
    segments: *const *const c_char,
    segment_count: usize,
    expected: *const axh_expectations_t,
    json: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe {
        join_parts(
            file,
            segments,
            segment_count,
            expected,
            json,
            |path, facts, expected| {
                let verified = verify_in_segments(path, facts, &expected.ledger)?;
                let is_good = verified.verdict() == Verdict::Ok;
                Ok((is_good, verification_json(path, &verified)))
            },
        )
    }
}

/// Joins segments that were replayed. The verdict, the place of the first defect and its reason are those of axh_replay.
/// Whoever gives the segments is trusted, and blobs are not compared, as axh_segment_verify_join says.
///
/// @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
/// @param segments What axh_segment_replay gave of each segment, in any order, borrowed for the call; NULL for none.
/// @param segment_count Number of segments.
/// @param expected What the segments were replayed with, borrowed for the call; NULL for nothing.
/// @param json Receives the object that `axilog replay --json` prints, NUL-terminated, which axh_string_free frees; NULL
///     on failure. It overlaps no other argument. NULL where it is not wanted.
/// @return AXH_OK where the verdict is OK, AXH_NOT_OK where it is another, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, an expectation is not as its member says or names blobs, or a segment is
///     not whole as it was given, or is of a ledger that begins with other bytes or was longer, or of other rules or
///     expectations.
/// @retval AXH_ERR_LEDGER The rules that the ledger names are missing or cannot be read.
/// @retval AXH_ERR_IO The file cannot be read.
/// @see SRS-004 §13; formats.md §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_segment_replay_join(
    file: *const c_char,
    segments: *const *const c_char,
    segment_count: usize,
    expected: *const axh_expectations_t,
    json: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe {
        join_parts(
            file,
            segments,
            segment_count,
            expected,
            json,
            |path, facts, expected| {
                let replayed = replay_in_segments(path, facts, expected.rules(), &expected.ledger)?;
                let is_good = replayed.verification.verdict() == Verdict::Ok;
                Ok((is_good, replay_json(path, &replayed)))
            },
        )
    }
}

/// # Safety
/// As [`axh_segment_verify`].
unsafe fn check_part(
    file: *const c_char,
    (from, to): (u64, u64),
    is_replay: bool,
    expected: *const axh_expectations_t,
    segment: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe { clear_text(segment) };
    run(|| {
        if segment.is_null() {
            return Err(invalid("segment is NULL, expected a pointer"));
        }
        // SAFETY: by contract.
        let (path, expected) = unsafe { (path("file", file)?, read_expectations(expected)?) };
        let check = match is_replay {
            true => SegmentCheck::Replay(expected.rules()),
            false => SegmentCheck::Verification,
        };
        let facts = check_segment(&path, from, to, check, &expected.ledger)?;
        // SAFETY: by contract.
        unsafe { give_text(segment, facts.to_text()) };
        Ok(())
    })
}

/// # Safety
/// As [`axh_segment_verify_join`].
unsafe fn join_parts(
    file: *const c_char,
    segments: *const *const c_char,
    segment_count: usize,
    expected: *const axh_expectations_t,
    json: *mut *mut c_char,
    join: impl FnOnce(&Path, &[SegmentFacts], &Expectations) -> Result<(bool, Value), SegmentsError>,
) -> c_int {
    // SAFETY: by contract.
    unsafe { clear_text(json) };
    run_check(|| {
        // SAFETY: by contract.
        let (path, expected) = unsafe { (path("file", file)?, read_expectations(expected)?) };
        let take = |text: &str| Ok(text.to_owned());
        // SAFETY: by contract.
        let texts = unsafe { parsed_texts("segments", segments, segment_count, take) }?;
        let facts: Result<Vec<SegmentFacts>, HostError> =
            texts.iter().enumerate().map(read_facts).collect();
        let facts = facts?;
        let (is_good, object) = join(&path, &facts, &expected).map_err(|error| match error {
            SegmentsError::Ledger(error) => HostError::Ledger(error),
            SegmentsError::Join(error) => invalid(error.to_string()),
        })?;
        // SAFETY: by contract.
        unsafe { give_json(json, &object) };
        Ok(is_good)
    })
}

fn read_facts((number, text): (usize, &String)) -> Result<SegmentFacts, HostError> {
    SegmentFacts::from_text(text).ok_or_else(|| {
        invalid(format!(
            "segments: element {number} was changed or cut off, or another version of this library gave it; check its segment again"
        ))
    })
}

/// # Safety
/// As [`Expectations::read`].
unsafe fn read_expectations(
    expected: *const axh_expectations_t,
) -> Result<Expectations, HostError> {
    // SAFETY: by contract.
    let expected = unsafe { Expectations::read(expected) }?;
    match expected.compare_blobs {
        true => Err(invalid(
            "expected.blobs is 1, and segments have no blobs; compare them with axh_verify or axh_audit",
        )),
        false => Ok(expected),
    }
}
