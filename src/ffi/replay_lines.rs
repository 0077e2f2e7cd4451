//! `replay.h`, second part: the manifest, the lines of a ledger file, and how far a replay came
//! (formats.md §5 and §6; SRS-004 §13).

use super::pointer::{Flags, bytes};
use super::replay::{ax_replay_ctx_t, ax_verdict_t, verdict_of};
use super::types::ct_fault_flags_t;
use crate::fault::Fault;
use crate::ledger_line;
use crate::replay::Verdict;
use crate::search::run;

/// Names the manifest that the ledger's configuration must name, as ax_policy_ctx_t does.
///
/// @param ctx Context that ax_replay_init made, before its first record; later, or where the context
///     was never initialised, the call does nothing.
/// @param manifest 32 bytes, copied: SHA-256 of the manifest. NULL: the configuration names none, as
///     after ax_replay_init.
/// @see SRS-004 §13; formats.md §5 (Configuration) and §6 (Manifest)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_replay_set_manifest")]
pub unsafe extern "C" fn ax_replay_set_manifest(
    ctx: *mut ax_replay_ctx_t,
    manifest: *const [u8; 32],
) {
    // SAFETY: by contract; a context that holds a replay is not NULL.
    unsafe {
        if ax_replay_ctx_t::get(ctx).is_some_and(|replay| replay.entries() == 0) {
            (*ctx)._has_manifest = u8::from(!manifest.is_null());
            (*ctx)._manifest = manifest.as_ref().copied().unwrap_or_default();
        }
    }
}

/// Takes every whole line that a buffer holds, as ax_replay_feed takes entries, up to the first that
/// is not good.
///
/// What follows the last line feed is left to the caller, who puts it before the bytes that
/// follow. A file whose last bytes are never taken is TORN. ax_replay_entries then tells the sequence
/// of the first line that is not good, and ax_replay_offset where it begins. The flag size says the
/// same as in ax_replay_feed.
///
/// @param ctx Context that ax_replay_init made; its registry must still exist.
/// @param lines Bytes of a ledger file, the first of which begins a line; borrowed for the call. NULL
///     where len is 0.
/// @param len Bytes of lines. A line has at most 131296 bytes with its line feed; a buffer of that
///     many holds a whole one.
/// @param verdict Receives the verdict so far; overlaps no other argument. AX_VERDICT_ALTERED for a
///     NULL or a context that was never initialised (flag domain).
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call does
///     nothing and returns 0.
/// @return Bytes of the lines that are good: where the first one begins that was not taken.
/// @see SRS-004 §13; formats.md §6 (Ledger file, Verification verdicts)
///
/// @par Example
/// ```c
/// static ax_replay_ctx_t replay;
/// static uint8_t line[1024];
/// ax_ledger_entry_t genesis;
/// ax_verdict_t verdict;
/// ct_fault_flags_t faults;
/// size_t taken;
/// int written;
///
/// ct_fault_init(&faults);
/// ax_ledger_genesis_entry(&genesis);
/// written = ax_ledger_line_write(line, sizeof line, &genesis);
/// if (written < 0 || ax_replay_init(&replay, NULL, 0, 0, &faults) != AX_OK) {
///     return 1;
/// }
/// taken = ax_replay_feed_lines(&replay, line, (size_t)written, &verdict, &faults);
/// assert(verdict == AX_VERDICT_OK && taken == (size_t)written);
/// assert(ax_replay_entries(&replay) == 1 && ax_replay_offset(&replay) == taken);
/// ```
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_replay_feed_lines")]
pub unsafe extern "C" fn ax_replay_feed_lines(
    ctx: *mut ax_replay_ctx_t,
    lines: *const u8,
    len: usize,
    verdict: *mut ax_verdict_t,
    faults: *mut ct_fault_flags_t,
) -> usize {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return 0;
    };
    if verdict.is_null() {
        flags.null();
        return 0;
    }
    // SAFETY: by contract.
    let (replay, lines) = unsafe { (ax_replay_ctx_t::get_mut(ctx), bytes(lines, len)) };
    let (Some(replay), Some(lines)) = (replay, lines) else {
        flags.null();
        // SAFETY: not NULL.
        unsafe { verdict.write(ax_verdict_t::AX_VERDICT_ALTERED) };
        return 0;
    };
    // SAFETY: by contract; `ctx` is not NULL since it held a replay.
    let fed = unsafe {
        ax_replay_ctx_t::with_rules(ctx, |rules| {
            let (mut rest, mut found) = (lines, replay.verdict());
            while found == Verdict::Ok {
                let end = run(rest, |byte| byte == b'\n');
                let Some((line, [_, behind @ ..])) = rest.split_at_checked(end) else {
                    break;
                };
                found = match ledger_line::parse(line) {
                    Ok(entry) => replay.feed(&entry, rules),
                    Err(_) => replay.refuse(Verdict::NonCanonical),
                };
                if found == Verdict::Ok {
                    rest = behind;
                }
            }
            (found, lines.len().saturating_sub(rest.len()))
        })
    };
    let Ok((found, taken)) = fed else {
        flags.set(Fault::Domain);
        // SAFETY: not NULL.
        unsafe { verdict.write(ax_verdict_t::AX_VERDICT_ALTERED) };
        return 0;
    };
    if replay.lost_track_of_models() {
        flags.set(Fault::Size);
    }
    // SAFETY: neither is NULL.
    unsafe {
        (*ctx)._offset = (*ctx)._offset.saturating_add(taken as u64);
        verdict.write(verdict_of(found));
    }
    taken
}

/// Counts the good entries, the genesis included: the sequence of the first entry that is not good, or
/// of the one to come.
///
/// @param ctx Context that ax_replay_init made, borrowed for the call.
/// @return Number of entries; 0 for a NULL or a context that was never initialised.
/// @see SRS-004 §13; formats.md §6 (Verification verdicts)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_replay_entries")]
pub unsafe extern "C" fn ax_replay_entries(ctx: *const ax_replay_ctx_t) -> u64 {
    // SAFETY: by contract.
    unsafe { ax_replay_ctx_t::get(ctx) }.map_or(0, |replay| replay.entries())
}

/// Gives the byte offset at which the first line begins that is not good, or that is to come, in all
/// that ax_replay_feed_lines took.
///
/// @param ctx Context that ax_replay_init made, borrowed for the call.
/// @return Offset in bytes; entries that ax_replay_feed took count nothing. 0 for a NULL or a context
///     that was never initialised.
/// @see SRS-004 §13; formats.md §6 (Verification verdicts)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_replay_offset")]
pub unsafe extern "C" fn ax_replay_offset(ctx: *const ax_replay_ctx_t) -> u64 {
    // SAFETY: by contract; a context that holds a replay is not NULL.
    unsafe {
        match ax_replay_ctx_t::get(ctx) {
            Some(_) => (*ctx)._offset,
            None => 0,
        }
    }
}
