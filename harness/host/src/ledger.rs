//! `host.h`: creating, opening, syncing and closing a ledger.

use std::ffi::{c_char, c_int};
use std::path::Path;
use std::ptr;

use axilog_ledger::error::LedgerError;
use axilog_ledger::session::Session;

use crate::boundary::run;
use crate::error::HostError;
use crate::open_ledgers::{close, keep, step};
use crate::options::{LedgerOptions, axh_ledger_t, axh_options_t};
use crate::pointer::{invalid, path};

/// Begins a ledger: keeps its configuration, and records a reset and the time, durably. The agent is ENABLED afterwards.
///
/// The file must be absent, empty, or hold the genesis only; a ledger is never overwritten. Its blobs are kept beside
/// it, in the directory PATH.blobs.
///
/// @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
/// @param options What the ledger is bound to, borrowed for the call; NULL for the default of each.
/// @param ledger Receives the handle, which axh_ledger_close closes; NULL on failure.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, or the options are not valid.
/// @retval AXH_ERR_EXISTS The file holds a ledger.
/// @retval AXH_ERR_LOCKED Another writer has the ledger open.
/// @retval AXH_ERR_REFUSED A declared oracle has an identity that no ledger takes, or no policy judges it and one is
///     required.
/// @retval AXH_ERR_IO The operating system refused an operation.
/// @see formats.md §5 and §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_ledger_create(
    file: *const c_char,
    options: *const axh_options_t,
    ledger: *mut *mut axh_ledger_t,
) -> c_int {
    // SAFETY: by contract.
    unsafe { open_with(file, options, ledger, create) }
}

/// Opens a ledger that exists, to go on with it: replays it, or what follows its saved state, moves a torn last line aside,
/// and completes a step that was interrupted.
///
/// What the options name must be the ledger's own: its policies, its switches, and what else it is bound to. What they
/// leave out is the ledger's.
///
/// @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
/// @param options What the ledger must be bound to, and its durability, borrowed for the call; NULL for the default of
///     each.
/// @param ledger Receives the handle, which axh_ledger_close closes; NULL on failure.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, or the options are not valid.
/// @retval AXH_ERR_LOCKED Another writer has the ledger open.
/// @retval AXH_ERR_REFUSED The ledger is sealed, or is bound to something else than the options name.
/// @retval AXH_ERR_LEDGER The ledger is damaged, its policies are others, it holds no observation, or its configuration
///     is missing.
/// @retval AXH_ERR_IO The operating system refused an operation, such as opening a file that does not exist.
/// @see formats.md §6; SRS-004 §13
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_ledger_open(
    file: *const c_char,
    options: *const axh_options_t,
    ledger: *mut *mut axh_ledger_t,
) -> c_int {
    // SAFETY: by contract.
    unsafe { open_with(file, options, ledger, open) }
}

/// Opens a ledger as axh_ledger_open does, or begins it as axh_ledger_create does where there is none.
///
/// A beginning that was interrupted before its time is completed: the ledger gets the time of the options.
///
/// @param file Path of the ledger file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call.
/// @param options What the ledger is or must be bound to, and its durability, borrowed for the call; NULL for the default
///     of each.
/// @param ledger Receives the handle, which axh_ledger_close closes; NULL on failure.
/// @return AXH_OK, or one of the codes of axh_ledger_create and axh_ledger_open.
/// @see formats.md §5 and §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_ledger_open_or_create(
    file: *const c_char,
    options: *const axh_options_t,
    ledger: *mut *mut axh_ledger_t,
) -> c_int {
    // SAFETY: by contract.
    unsafe {
        open_with(file, options, ledger, |file, options| {
            match create(file, options) {
                Err(HostError::Ledger(LedgerError::AlreadyExists(_))) => {
                    let mut session = open(file, options)?;
                    session.complete_beginning(options.time())?;
                    Ok(session)
                }
                created => created,
            }
        })
    }
}

/// Syncs every step that was recorded: when the call returns AXH_OK, all of them are durable.
///
/// With AXH_DURABILITY_STEP and AXH_DURABILITY_RECORD they are so already.
///
/// @param ledger Ledger to sync.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_HANDLE ledger is NULL or closed.
/// @retval AXH_ERR_IO The sync failed, or the ledger is no longer under its path; the ledger takes no further steps.
/// @see SRS-004 §7.2; formats.md §6
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_ledger_sync(ledger: *const axh_ledger_t) -> c_int {
    run(|| step(ledger, |session| session.sync().map(|_| ())))
}

/// Syncs a ledger, closes its file and releases its lock, once the calls of other threads have returned.
///
/// The handle is closed whatever the result; later calls with it, a second close among them, return AXH_ERR_HANDLE, in
/// any thread: no handle is given twice. A program that ends without closing a ledger keeps every step that was recorded.
///
/// @param ledger Ledger to close.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_HANDLE ledger is NULL or closed already.
/// @retval AXH_ERR_FORKED Another process opened the ledger; it stays open there.
/// @retval AXH_ERR_IO The last sync failed: steps that were written may not be durable.
/// @see formats.md §6
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_ledger_close(ledger: *mut axh_ledger_t) -> c_int {
    run(|| close(ledger))
}

/// # Safety
/// As [`axh_ledger_create`].
unsafe fn open_with(
    file: *const c_char,
    options: *const axh_options_t,
    ledger: *mut *mut axh_ledger_t,
    open: impl FnOnce(&Path, &LedgerOptions) -> Result<Session, HostError>,
) -> c_int {
    run(|| {
        if ledger.is_null() || !ledger.is_aligned() {
            return Err(invalid(
                "ledger is no pointer to a handle, expected one that receives it",
            ));
        }
        // SAFETY: not NULL.
        unsafe { ledger.write(ptr::null_mut()) };
        // SAFETY: by contract.
        let (file, options) = unsafe { (path("file", file)?, LedgerOptions::read(options)?) };
        let mut session = open(&file, &options)?;
        session.set_durability(options.durability)?;
        // SAFETY: not NULL.
        unsafe { ledger.write(keep(session)) };
        Ok(())
    })
}

fn create(file: &Path, options: &LedgerOptions) -> Result<Session, HostError> {
    let (rules, time) = (options.rules()?, options.time());
    let (session, _) = match options.manifest() {
        Some(manifest) => {
            Session::create_with_schemas(file, &rules, manifest, &options.schemas, time)
        }
        None => Session::create(file, rules, time),
    }?;
    Ok(session)
}

fn open(file: &Path, options: &LedgerOptions) -> Result<Session, HostError> {
    let session = Session::open(file, options.policies.as_ref())?;
    match options.find_other_binding(session.rules()) {
        None => Ok(session),
        Some(what) => Err(HostError::OtherBinding {
            path: file.into(),
            what,
        }),
    }
}
