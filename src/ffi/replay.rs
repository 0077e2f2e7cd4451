//! `replay.h`: verification and replay (formats.md §6; SRS-004 §13).

use core::ffi::{c_char, c_int};
use core::mem::{MaybeUninit, align_of, size_of};

use super::agent::{ax_agent_ctx_t, place};
use super::audit::{ax_ledger_entry_t, load_entry};
use super::pointer::{Flags, code, enum_value};
use super::policy::ax_policy_registry_t;
use super::registry::CRegistry;
use super::sink::CSink;
use super::types::ct_fault_flags_t;
use crate::fault::{Error, Fault};
use crate::policy::Rules;
use crate::replay::{Replay, Verdict};

/// What verification and replay find.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ax_verdict_t {
    /// Nothing is wrong.
    AX_VERDICT_OK = 0,
    /// Bytes that do not match their commit, obs_hash or chain.
    AX_VERDICT_ALTERED = 1,
    /// A sequence that is broken, or records in an order that cannot be.
    AX_VERDICT_REORDERED = 2,
    /// Shorter than a seal says, or than the caller expects.
    AX_VERDICT_TRUNCATED = 3,
    /// An incomplete last line; for readers of files, never found here.
    AX_VERDICT_TORN = 4,
    /// A record that is not in its canonical form.
    AX_VERDICT_NON_CANONICAL = 5,
    /// A transition or a policy without its observation, or a transition without its policies.
    AX_VERDICT_UNWITNESSED = 6,
    /// Replay gives other bytes.
    AX_VERDICT_DIVERGED = 7,
    /// A reset under other rules than the ones given.
    AX_VERDICT_CONFIG_MISMATCH = 8,
    /// One oracle with two models.
    AX_VERDICT_MODEL_MISMATCH = 9,
}

/// A verification or replay in progress. Caller-owned; its fields are not for callers. It may be
/// moved and copied.
#[repr(C)]
pub struct ax_replay_ctx_t {
    /// Not for callers.
    pub _registry: *const ax_policy_registry_t,
    /// Not for callers.
    pub _made: u32,
    /// Not for callers.
    pub _permit_truncated: u8,
    /// Not for callers.
    pub _stop_on_invalid: u8,
    /// Not for callers.
    pub _state: [u64; 224],
}

/// Says that a context went through `ax_replay_init`.
const MADE: u32 = 0x5245_5031;

const _: () = assert!(size_of::<Replay>() <= size_of::<[u64; 224]>());
const _: () = assert!(align_of::<Replay>() <= align_of::<u64>());

impl ax_replay_ctx_t {
    /// The replay where it is: it is too large for a second one on the stack.
    ///
    /// # Safety
    /// `ctx` is NULL or readable, and nobody writes it during `'a`.
    unsafe fn get<'a>(ctx: *const ax_replay_ctx_t) -> Option<&'a Replay> {
        // SAFETY: by contract; a context that says it was made holds a `Replay`.
        unsafe {
            let made = !ctx.is_null() && (*ctx)._made == MADE;
            made.then(|| &*(&raw const (*ctx)._state).cast::<Replay>())
        }
    }

    /// # Safety
    /// `ctx` is NULL or writable, and nobody else touches its state during `'a`.
    unsafe fn get_mut<'a>(ctx: *mut ax_replay_ctx_t) -> Option<&'a mut Replay> {
        // SAFETY: as in `get`.
        unsafe {
            let made = !ctx.is_null() && (*ctx)._made == MADE;
            made.then(|| &mut *(&raw mut (*ctx)._state).cast::<Replay>())
        }
    }

    /// # Safety
    /// The registry given to `ax_replay_init` is still valid.
    unsafe fn with_rules<T>(
        ctx: *const ax_replay_ctx_t,
        call: impl FnOnce(Option<&Rules<'_>>) -> T,
    ) -> Result<T, Error> {
        // SAFETY: by contract.
        unsafe {
            if (*ctx)._registry.is_null() {
                return Ok(call(None));
            }
            let registry = CRegistry::new((*ctx)._registry)?;
            let rules = Rules {
                registry: &registry,
                permit_truncated: (*ctx)._permit_truncated != 0,
                stop_on_invalid: (*ctx)._stop_on_invalid != 0,
            };
            Ok(call(Some(&rules)))
        }
    }
}

/// Begins. With a registry the ledger is replayed under it and the two switches; with NULL it is
/// verified only: hashes, chain, canonical forms, order, witnesses, models.
///
/// Returns AX_OK, AX_ERR_PROTOCOL for a NULL ctx, or the code of a registry that is not one:
/// AX_ERR_PROTOCOL, AX_ERR_SIZE, AX_ERR_SCHEMA, AX_ERR_ORDERING (flag domain each).
///
/// # Safety
/// ctx is NULL or writable; registry is NULL or outlives ctx.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_replay_init(
    ctx: *mut ax_replay_ctx_t,
    registry: *const ax_policy_registry_t,
    permit_truncated: u8,
    stop_on_invalid: u8,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return Error::Protocol.code();
    };
    if ctx.is_null() {
        return flags.null();
    }
    if !registry.is_null() {
        // SAFETY: by contract.
        if let Err(error) = unsafe { CRegistry::new(registry) } {
            flags.set(Fault::Domain);
            return error.code();
        }
    }
    // SAFETY: not NULL; zero is a valid value of every field, and the state is large enough and
    // aligned for a `Replay` by the assertions above.
    unsafe {
        ctx.write_bytes(0, 1);
        (*ctx)._registry = registry;
        (*ctx)._made = MADE;
        (*ctx)._permit_truncated = permit_truncated;
        (*ctx)._stop_on_invalid = stop_on_invalid;
        (&raw mut (*ctx)._state)
            .cast::<Replay>()
            .write(Replay::new());
    }
    0
}

/// Takes the next entry, the genesis first. The first verdict that is not OK stays.
///
/// Returns the verdict so far. Where it cannot work (a NULL, a ctx that was not made; flag domain
/// where there are faults) it returns AX_VERDICT_ALTERED: never OK. Sets the flag size where the
/// ledger has more than 32 oracles, whose models are then not all held to.
///
/// # Safety
/// ctx was made by ax_replay_init, its registry still valid; entry is NULL or readable, its pointers
/// too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_replay_feed(
    ctx: *mut ax_replay_ctx_t,
    entry: *const ax_ledger_entry_t,
    faults: *mut ct_fault_flags_t,
) -> ax_verdict_t {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return ax_verdict_t::AX_VERDICT_ALTERED;
    };
    // SAFETY: by contract.
    let (replay, entry) = unsafe { (ax_replay_ctx_t::get_mut(ctx), load_entry(entry)) };
    let (Some(replay), false) = (replay, entry.as_ref().is_err_and(|e| *e == Error::Protocol))
    else {
        flags.set(Fault::Domain);
        return ax_verdict_t::AX_VERDICT_ALTERED;
    };
    // SAFETY: by contract; `ctx` is not NULL since it held a replay.
    let verdict = unsafe {
        ax_replay_ctx_t::with_rules(ctx, |rules| match &entry {
            Ok(entry) => replay.feed(entry, rules),
            // An entry whose tag is outside the closed set.
            Err(_) => replay.refuse(Verdict::NonCanonical),
        })
    };
    let Ok(verdict) = verdict else {
        flags.set(Fault::Domain);
        return ax_verdict_t::AX_VERDICT_ALTERED;
    };
    if replay.lost_track_of_models() {
        flags.set(Fault::Size);
    }
    verdict_of(verdict)
}

/// The verdict over everything fed. expected_entries counts every record before a seal, genesis
/// included, 0: no expectation; expected_head is the chain value of the last record, a seal counted
/// or not, NULL: no expectation.
///
/// Returns AX_VERDICT_ALTERED for a NULL faults, or a ctx that was not made (flag domain).
///
/// # Safety
/// ctx was made by ax_replay_init; expected_head is NULL or 32 readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_replay_finish(
    ctx: *mut ax_replay_ctx_t,
    expected_entries: u64,
    expected_head: *const [u8; 32],
    faults: *mut ct_fault_flags_t,
) -> ax_verdict_t {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return ax_verdict_t::AX_VERDICT_ALTERED;
    };
    // SAFETY: by contract.
    let (replay, head) = unsafe { (ax_replay_ctx_t::get(ctx), expected_head.as_ref()) };
    let Some(replay) = replay else {
        flags.set(Fault::Domain);
        return ax_verdict_t::AX_VERDICT_ALTERED;
    };
    verdict_of(replay.finish((expected_entries > 0).then_some(expected_entries), head))
}

/// Gives the agent as it is after everything fed, without a sink. Where the last step was
/// interrupted (its last records are missing), set the sink and call ax_replay_complete before
/// anything else.
///
/// Returns AX_OK, or AX_ERR_PROTOCOL for a NULL (flag domain) and for a ledger that is not good or
/// was only verified (flag protocol); out is then untouched.
///
/// # Safety
/// ctx was made by ax_replay_init; out is NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_replay_agent(
    ctx: *const ax_replay_ctx_t,
    out: *mut ax_agent_ctx_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract.
    let Some(replay) = (unsafe { ax_replay_ctx_t::get(ctx) }).filter(|_| !out.is_null()) else {
        return flags.null();
    };
    let resumed = replay.resume();
    match &resumed {
        // SAFETY: not NULL.
        Ok((agent, _)) => code(unsafe { place(out, agent) }),
        Err(error) => {
            flags.set(Fault::Protocol);
            error.code()
        }
    }
}

/// Commits what is missing of an interrupted last step, and nothing where none is. agent is the one
/// that ax_replay_agent just gave, with its sink set.
///
/// Returns AX_OK, AX_ERR_LEDGER where a record cannot be committed (flags ledger_fail and perhaps
/// io_error; health is STOPPED), or AX_ERR_PROTOCOL for a NULL (flag domain), a flag set on entry, or
/// an agent that is not where the replay ended (flag protocol).
///
/// # Safety
/// ctx was made by ax_replay_init, its registry still valid; agent is NULL or an agent with a valid
/// sink, which leaves ctx alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_replay_complete(
    ctx: *const ax_replay_ctx_t,
    agent: *mut ax_agent_ctx_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract; no reference to the agent is held while its sink is called.
    unsafe {
        let loaded = agent.as_ref().and_then(ax_agent_ctx_t::load);
        let (Some(replay), Some(mut held)) = (ax_replay_ctx_t::get(ctx), loaded) else {
            return flags.null();
        };
        let mut faults = flags.load();
        let mut sink = CSink::new((*agent).ledger.sink);
        let result = ax_replay_ctx_t::with_rules(ctx, |rules| {
            replay.complete(&mut held, rules, &mut sink, &mut faults)
        });
        let result = result.and_then(|completed| completed);
        (*agent).store(&held);
        flags.raise(faults);
        if result == Err(Error::Protocol) {
            flags.set(Fault::Protocol);
        }
        code(result)
    }
}

/// The verdict's name, such as "DIVERGED"; "UNKNOWN" for another number. Never NULL.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_verdict_to_str(verdict: MaybeUninit<ax_verdict_t>) -> *const c_char {
    match enum_value(verdict) {
        0 => c"OK",
        1 => c"ALTERED",
        2 => c"REORDERED",
        3 => c"TRUNCATED",
        4 => c"TORN",
        5 => c"NON_CANONICAL",
        6 => c"UNWITNESSED",
        7 => c"DIVERGED",
        8 => c"CONFIG_MISMATCH",
        9 => c"MODEL_MISMATCH",
        _ => c"UNKNOWN",
    }
    .as_ptr()
}

fn verdict_of(verdict: Verdict) -> ax_verdict_t {
    match verdict {
        Verdict::Ok => ax_verdict_t::AX_VERDICT_OK,
        Verdict::Altered => ax_verdict_t::AX_VERDICT_ALTERED,
        Verdict::Reordered => ax_verdict_t::AX_VERDICT_REORDERED,
        Verdict::Truncated => ax_verdict_t::AX_VERDICT_TRUNCATED,
        Verdict::Torn => ax_verdict_t::AX_VERDICT_TORN,
        Verdict::NonCanonical => ax_verdict_t::AX_VERDICT_NON_CANONICAL,
        Verdict::Unwitnessed => ax_verdict_t::AX_VERDICT_UNWITNESSED,
        Verdict::Diverged => ax_verdict_t::AX_VERDICT_DIVERGED,
        Verdict::ConfigMismatch => ax_verdict_t::AX_VERDICT_CONFIG_MISMATCH,
        Verdict::ModelMismatch => ax_verdict_t::AX_VERDICT_MODEL_MISMATCH,
    }
}
