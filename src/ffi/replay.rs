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

/// The finding of a verification or a replay.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ax_verdict_t {
    /// Every record is right.
    AX_VERDICT_OK = 0,
    /// A record does not match its commit, its obs_hash or the chain.
    AX_VERDICT_ALTERED = 1,
    /// A sequence is broken, or records stand in an order that no agent writes.
    AX_VERDICT_REORDERED = 2,
    /// The ledger is shorter than a seal says, or than the caller expects.
    AX_VERDICT_TRUNCATED = 3,
    /// The last line of a file is incomplete. Readers of files find this; the functions here never do.
    AX_VERDICT_TORN = 4,
    /// A record is not in its canonical form.
    AX_VERDICT_NON_CANONICAL = 5,
    /// A transition or a policy follows no observation, or another than its own. In a
    /// replay also: a transition lacks policies, whose number a verification without rules cannot know.
    AX_VERDICT_UNWITNESSED = 6,
    /// Replay gives other bytes than the record has.
    AX_VERDICT_DIVERGED = 7,
    /// A reset names other rules than the ones given.
    AX_VERDICT_CONFIG_MISMATCH = 8,
    /// One of the first 32 oracles answers with two models. The flag size of ax_replay_feed says that
    /// there are more oracles, whose models were not compared.
    AX_VERDICT_MODEL_MISMATCH = 9,
}

/// A verification or a replay in progress. The caller owns the context and may move and copy it; its
/// fields are private to the library.
#[repr(C)]
pub struct ax_replay_ctx_t {
    /// Private to the library.
    pub _registry: *const ax_policy_registry_t,
    /// Private to the library.
    pub _made: u32,
    /// Private to the library.
    pub _permit_truncated: u8,
    /// Private to the library.
    pub _stop_on_invalid: u8,
    /// Private to the library.
    pub _state: [u64; 224],
    /// Private to the library.
    pub _offset: u64,
    /// Private to the library.
    pub _manifest: [u8; 32],
    /// Private to the library.
    pub _has_manifest: u8,
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
    pub(super) unsafe fn get<'a>(ctx: *const ax_replay_ctx_t) -> Option<&'a Replay> {
        // SAFETY: by contract; a context that says it was made holds a `Replay`.
        unsafe {
            let made = !ctx.is_null() && (*ctx)._made == MADE;
            made.then(|| &*(&raw const (*ctx)._state).cast::<Replay>())
        }
    }

    /// # Safety
    /// `ctx` is NULL or writable, and nobody else touches its state during `'a`.
    pub(super) unsafe fn get_mut<'a>(ctx: *mut ax_replay_ctx_t) -> Option<&'a mut Replay> {
        // SAFETY: as in `get`.
        unsafe {
            let made = !ctx.is_null() && (*ctx)._made == MADE;
            made.then(|| &mut *(&raw mut (*ctx)._state).cast::<Replay>())
        }
    }

    /// # Safety
    /// The registry given to `ax_replay_init` is still valid.
    pub(super) unsafe fn with_rules<T>(
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
                manifest: ((*ctx)._has_manifest != 0).then_some((*ctx)._manifest),
            };
            Ok(call(Some(&rules)))
        }
    }
}

/// Begins to verify or to replay a ledger, whose entries ax_replay_feed then takes, or whose lines
/// ax_replay_feed_lines.
///
/// With a registry every decision is made again and compared. Without one the ledger is verified
/// only: hashes, chain, canonical forms, order, witnesses, models.
///
/// @param ctx Context to overwrite, owned by the caller.
/// @param registry Table of policies, which must outlive ctx unchanged; NULL verifies only.
/// @param permit_truncated 1 evaluates a TRUNCATED answer like a COMPLETE one, as ax_policy_ctx_t;
///     else 0.
/// @param stop_on_invalid 1 stops the agent at an INVALID_OUTPUT, as ax_policy_ctx_t; else 0.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_ERR_PROTOCOL.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_PROTOCOL ctx, or an array of the registry, is NULL (flag domain).
/// @retval AX_ERR_SIZE The registry has more than AX_POLICY_MAX_COUNT policies (flag domain).
/// @retval AX_ERR_SCHEMA An id or a selector of the registry is not valid (flag domain).
/// @retval AX_ERR_ORDERING The ids of the registry do not ascend strictly (flag domain).
/// @see SRS-004 §13; formats.md §6 (Replay)
///
/// @par Example
/// ```c
/// static ax_replay_ctx_t replay;
/// ax_ledger_entry_t entry;
/// ax_verdict_t verdict;
/// ct_fault_flags_t faults;
///
/// ct_fault_init(&faults);
/// ax_ledger_genesis_entry(&entry);
/// if (ax_replay_init(&replay, NULL, 0, 0, &faults) != AX_OK) {
///     return 1;
/// }
/// ax_replay_feed(&replay, &entry, &faults);
/// verdict = ax_replay_finish(&replay, 1, entry.chain, &faults);
/// assert(verdict == AX_VERDICT_OK);
/// ```
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_replay_init")]
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

/// Takes the next entry of the ledger, the genesis first; the first verdict that is not OK stays.
///
/// The flag size says that the ledger has more than 32 oracles, of which only the first 32 are
/// held to their models.
///
/// @param ctx Context that ax_replay_init made; its registry must still exist.
/// @param entry Entry to check, borrowed for the call.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_VERDICT_ALTERED.
/// @return The verdict so far; AX_VERDICT_ALTERED for a NULL or a context that was never
///     initialised (flag domain).
/// @see SRS-004 §13; formats.md §6 (Verification verdicts)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_replay_feed")]
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

/// Gives the verdict over every entry that was fed.
///
/// @param ctx Context that ax_replay_init made.
/// @param expected_entries Records before a seal that the ledger must have, the genesis included;
///     0: no expectation.
/// @param expected_head 32 bytes, borrowed for the call: the chain value of the last record, a
///     seal counted or not. NULL: no expectation.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_VERDICT_ALTERED.
/// @return The verdict; AX_VERDICT_ALTERED for a NULL or a context that was never initialised
///     (flag domain).
/// @see SRS-004 §13; formats.md §6 (Verification verdicts)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_replay_finish")]
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

/// Gives the agent as it is after every entry that was fed, without a sink.
///
/// Where the last records of the last step are missing, set the sink and call ax_replay_complete
/// before anything else.
///
/// @param ctx Context that ax_replay_init made with a registry, borrowed for the call.
/// @param out Agent to overwrite, owned by the caller; overlaps no other argument. Untouched on
///     failure.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_ERR_PROTOCOL.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_PROTOCOL A pointer is NULL (flag domain), or the ledger is not good or was
///     verified only (flag protocol).
/// @see SRS-004 §13; formats.md §5 (Lifecycle)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_replay_agent")]
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

/// Commits the records that an interrupted last step lacks; none where the step is whole.
///
/// A RAW record is not among them: it binds bytes that the ledger does not hold. Where one is missing
/// after the last observation, the answer stays unbound. A caller that still has the bytes gives the
/// agent its sink, commits the record (ax_raw_record, ax_ledger_record), feeds the entry to ctx and
/// takes the agent anew, all before this call.
///
/// @param ctx Context that ax_replay_init made, borrowed for the call; its registry must still
///     exist.
/// @param agent Agent that ax_replay_agent gave, with its sink set; the sink leaves ctx alone.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_ERR_PROTOCOL.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_LEDGER A record cannot be committed (flags ledger_fail and perhaps io_error);
///     the agent is STOPPED.
/// @retval AX_ERR_PROTOCOL A pointer is NULL (flag domain), a flag is set on entry, or the agent
///     is not where the replay ended (flag protocol).
/// @see SRS-004 §13; formats.md §6
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_replay_complete")]
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

/// Names a verdict.
///
/// @param verdict Verdict, or any other number.
/// @return A static string of the library, never NULL: such as "DIVERGED", or "UNKNOWN" for
///     another number.
/// @see SRS-004 §13; formats.md §6 (Verification verdicts)
///
/// # Safety
/// Always safe to call.
#[unsafe(export_name = "axilog_impl_ax_verdict_to_str")]
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

pub(super) fn verdict_of(verdict: Verdict) -> ax_verdict_t {
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
