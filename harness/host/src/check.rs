//! `host.h`: verifying, replaying and auditing a ledger.

use std::ffi::{CString, c_char, c_int};
use std::path::Path;

use axilog::replay::Verdict;
use axilog_ledger::audit::{AuditVerdict, audit_ledger};
use axilog_ledger::error::LedgerError;
use axilog_ledger::json_report::audit::audit_json;
use axilog_ledger::json_report::head::LedgerHead;
use axilog_ledger::json_report::replay::replay_json;
use axilog_ledger::json_report::verification::LedgerVerification;
use axilog_ledger::ledger_input::open_ledger;
use axilog_ledger::replay::replay_ledger;
use serde_json::Value;

use crate::boundary::run_check;
use crate::error::HostError;
use crate::expectations::{Expectations, axh_expectations_t};
use crate::given_text::{clear_text, give_json};
use crate::pointer::{invalid, path};

/// Checks a ledger: hashes, chain, canonical forms, order, witnesses, models. Decides nothing again.
///
/// The ledger may be open for writing, in this process or another.
///
/// @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
/// @param expected What is known of the ledger from elsewhere, borrowed for the call; NULL for nothing.
/// @param json Receives the object that `axilog verify --json` prints, NUL-terminated, which axh_string_free frees; NULL
///     on failure. It overlaps no other argument. NULL where it is not wanted.
/// @return AXH_OK where the verdict is OK, AXH_NOT_OK where it is another, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, or an expectation is not as its member says.
/// @retval AXH_ERR_IO The file cannot be read.
/// @see SRS-004 §13; formats.md §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_verify(
    file: *const c_char,
    expected: *const axh_expectations_t,
    json: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe {
        check_with(file, expected, json, |path, expected| {
            let mut ledger = open_ledger(path).map_err(LedgerError::from)?;
            let verification = LedgerVerification::read(
                &mut ledger,
                path,
                &expected.ledger,
                expected.compare_blobs,
            )?;
            Ok((verification.verdict() == "OK", verification.to_json(path)))
        })
    }
}

/// Replays a ledger: runs policies and agent afresh on the recorded observations, and compares every record.
///
/// @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
/// @param expected What is known of the ledger from elsewhere, borrowed for the call; NULL for nothing.
/// @param json Receives the object that `axilog replay --json` prints, NUL-terminated, which axh_string_free frees; NULL
///     on failure. It overlaps no other argument. NULL where it is not wanted.
/// @return AXH_OK where the verdict is OK, AXH_NOT_OK where it is another, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, or an expectation is not as its member says.
/// @retval AXH_ERR_LEDGER The rules that the ledger names are missing or cannot be read.
/// @retval AXH_ERR_IO The file cannot be read.
/// @see SRS-004 §13; formats.md §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_replay(
    file: *const c_char,
    expected: *const axh_expectations_t,
    json: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe {
        check_with(file, expected, json, |path, expected| {
            let ledger = open_ledger(path).map_err(LedgerError::from)?;
            let replayed = replay_ledger(
                ledger,
                path,
                expected.rules(),
                &expected.ledger,
                &mut |_| {},
            )?;
            let is_good = replayed.verification.verdict() == Verdict::Ok;
            Ok((is_good, replay_json(path, &replayed)))
        })
    }
}

/// Audits a ledger: verifies and replays it, compares blobs, rules, models, schemas and derivations, as one verdict.
///
/// @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
/// @param expected What is known of the ledger from elsewhere, borrowed for the call; NULL for nothing.
/// @param json Receives the object that `axilog audit --json` prints, NUL-terminated, which axh_string_free frees; NULL
///     on failure. It overlaps no other argument. NULL where it is not wanted.
/// @return AXH_OK where the verdict is OK, AXH_NOT_OK where it is FAILED or INCOMPLETE, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, or an expectation is not as its member says.
/// @retval AXH_ERR_IO A file cannot be read.
/// @see SRS-004 §13; formats.md §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_audit(
    file: *const c_char,
    expected: *const axh_expectations_t,
    json: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe {
        check_with(file, expected, json, |path, expected| {
            let audited = audit_ledger(
                open_ledger(path).map_err(LedgerError::from)?,
                path,
                &expected.audit(),
            )?;
            let is_good = audited.verdict() == AuditVerdict::Ok;
            Ok((is_good, audit_json(path, &audited)))
        })
    }
}

/// Gives the length, the head, the recorded state and the manifest of a ledger, which is replayed on the way.
///
/// @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
/// @param expected What is known of the ledger's rules, borrowed for the call; NULL for nothing. What is expected of its
///     records is for axh_replay, and an error here.
/// @param json Receives the object that `axilog head --json` prints, NUL-terminated, which axh_string_free frees; NULL on
///     failure. It overlaps no other argument. NULL where it is not wanted.
/// @return AXH_OK where the ledger is good, AXH_NOT_OK where it is not, and the object is of its fault, or one of these
///     codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, or an expectation is not as its member says.
/// @retval AXH_ERR_LEDGER The rules that the ledger names are missing or cannot be read.
/// @retval AXH_ERR_IO The file cannot be read.
/// @see SRS-004 §13; formats.md §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_head(
    file: *const c_char,
    expected: *const axh_expectations_t,
    json: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe {
        check_with(file, expected, json, |path, expected| {
            if expected.names_records() {
                return Err(invalid(
                    "expected names entries, a head, extends or models, which axh_head does not compare: call axh_replay",
                ));
            }
            let head = LedgerHead::read(
                open_ledger(path).map_err(LedgerError::from)?,
                path,
                expected.rules(),
            )?;
            Ok((head.is_good(), head.to_json(path)))
        })
    }
}

/// Frees a text that a function of this header has given.
///
/// @param text Text to free, once; NULL is none, and nothing is done.
/// @see SRS-004 §25.2
///
/// # Safety
/// `text` is NULL, or was given by a function of this library and not freed since.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_string_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: made by `into_raw`, by contract.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// # Safety
/// As [`axh_verify`].
unsafe fn check_with(
    file: *const c_char,
    expected: *const axh_expectations_t,
    json: *mut *mut c_char,
    check: impl FnOnce(&Path, &Expectations) -> Result<(bool, Value), HostError>,
) -> c_int {
    // SAFETY: by contract.
    unsafe { clear_text(json) };
    run_check(|| {
        // SAFETY: by contract.
        let (path, expected) = unsafe { (path("file", file)?, Expectations::read(expected)?) };
        let (is_good, object) = check(&path, &expected)?;
        // SAFETY: by contract.
        unsafe { give_json(json, &object) };
        Ok(is_good)
    })
}
