//! `policy.h`, second part: the rules of an agent and the built-in registry (formats.md §4 and §5;
//! SRS-004 §17.5).

use core::ffi::{c_char, c_int};
use core::mem::MaybeUninit;

use super::agent::ax_agent_ctx_t;
use super::audit::ax_ledger_ctx_t;
use super::pointer::{Flags, code, enum_value};
use super::policy::{ax_policy_ctx_t, ax_policy_err_t, ax_policy_registry_t};
use super::registry::{BUILTIN, CRegistry};
use super::types::ct_fault_flags_t;
use crate::fault::{Error, Fault};

/// Makes a policy context with the built-in policies, both switches off and no manifest.
///
/// @param ctx Context to overwrite, owned by the caller; untouched on failure.
/// @param ledger Ledger to commit records to, which must outlive ctx; NULL: records are not
///     committed. An agent that steps needs its own ledger here.
/// @param agent Agent whose violation a breach sets, which must outlive ctx; may be NULL.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_POLICY_ERR_NULL_INPUT.
/// @return AX_POLICY_OK, or one of these codes.
/// @retval AX_POLICY_ERR_NULL_CTX ctx is NULL (flag domain).
/// @see SRS-004 §17 and §25.4; formats.md §4
///
/// @par Example
/// ```c
/// static ax_agent_ctx_t agent;
/// ax_policy_ctx_t policy;
/// ax_policy_err_t code;
/// ct_fault_flags_t faults;
///
/// ct_fault_init(&faults);
/// ax_agent_init(&agent, &faults);
/// code = ax_policy_init(&policy, &agent.ledger, &agent, &faults);
/// assert(code == AX_POLICY_OK && policy.registry == ax_policy_get_registry());
/// ```
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_policy_init")]
pub unsafe extern "C" fn ax_policy_init(
    ctx: *mut ax_policy_ctx_t,
    ledger: *mut ax_ledger_ctx_t,
    agent: *mut ax_agent_ctx_t,
    faults: *mut ct_fault_flags_t,
) -> ax_policy_err_t {
    // SAFETY: forwarded.
    unsafe { ax_policy_init_with_registry(ctx, &raw const BUILTIN.0, ledger, agent, faults) }
}

/// Makes a policy context with a registry of the caller's, both switches off and no manifest.
///
/// A policy whose operator is unknown is kept, and breaches.
///
/// @param ctx Context to overwrite, owned by the caller; untouched on failure.
/// @param registry Table of policies, which must outlive ctx unchanged.
/// @param ledger Ledger to commit records to, which must outlive ctx; NULL: records are not
///     committed. An agent that steps needs its own ledger here.
/// @param agent Agent whose violation a breach sets, which must outlive ctx; may be NULL.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_POLICY_ERR_NULL_INPUT.
/// @return AX_POLICY_OK, or one of these codes.
/// @retval AX_POLICY_ERR_NULL_CTX ctx is NULL (flag domain).
/// @retval AX_POLICY_ERR_NULL_INPUT registry or one of its arrays is NULL (flag domain).
/// @retval AX_POLICY_ERR_OVERFLOW The registry has more than AX_POLICY_MAX_COUNT policies (flag
///     domain).
/// @retval AX_POLICY_ERR_INVALID_ID An id or a selector is not valid, or the ids do not ascend
///     strictly (flag domain).
/// @see SRS-004 §17.5; formats.md §4
///
/// @par Example
/// ```c
/// static const ax_policy_t policies[] = {
///     { "POL-001-MAX-SPEED", Q16_16_FROM_INT(60), AX_POLICY_CMP_GT, 1 },
/// };
/// static const char *const selectors[] = { "speed" };
/// static const ax_policy_registry_t registry = { policies, 1, selectors };
/// static ax_agent_ctx_t agent;
/// ax_policy_ctx_t policy;
/// ax_policy_err_t code;
/// ct_fault_flags_t faults;
///
/// ct_fault_init(&faults);
/// ax_agent_init(&agent, &faults);
/// code = ax_policy_init_with_registry(&policy, &registry, &agent.ledger, &agent, &faults);
/// assert(code == AX_POLICY_OK);
/// ```
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_policy_init_with_registry")]
pub unsafe extern "C" fn ax_policy_init_with_registry(
    ctx: *mut ax_policy_ctx_t,
    registry: *const ax_policy_registry_t,
    ledger: *mut ax_ledger_ctx_t,
    agent: *mut ax_agent_ctx_t,
    faults: *mut ct_fault_flags_t,
) -> ax_policy_err_t {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return ax_policy_err_t::AX_POLICY_ERR_NULL_INPUT;
    };
    // SAFETY: by contract.
    let checked = unsafe { CRegistry::new(registry) };
    let error = match checked {
        _ if ctx.is_null() => ax_policy_err_t::AX_POLICY_ERR_NULL_CTX,
        Err(Error::Protocol) => ax_policy_err_t::AX_POLICY_ERR_NULL_INPUT,
        Err(Error::Size) => ax_policy_err_t::AX_POLICY_ERR_OVERFLOW,
        Err(_) => ax_policy_err_t::AX_POLICY_ERR_INVALID_ID,
        Ok(_) => {
            let made = ax_policy_ctx_t {
                ledger,
                agent,
                breach_flag: 0,
                evaluation_count: 0,
                answer_permitted: 0,
                last_eval_seq: 0,
                registry,
                permit_truncated: 0,
                stop_on_invalid: 0,
                has_manifest: 0,
                manifest: [0; 32],
            };
            // SAFETY: not NULL.
            unsafe { ctx.write(made) }
            return ax_policy_err_t::AX_POLICY_OK;
        }
    };
    flags.set(Fault::Domain);
    error
}

/// Computes the SHA-256 of a context's canonical configuration, which is the input_hash of every
/// RESET_REQUEST.
///
/// @param ctx Context that ax_policy_init made, borrowed for the call.
/// @param out Receives the 32 bytes of the digest, all zero on failure; overlaps no other argument.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_ERR_PROTOCOL.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_PROTOCOL A pointer is NULL (flag domain).
/// @retval AX_ERR_SIZE The registry has more than AX_POLICY_MAX_COUNT policies (flag domain).
/// @retval AX_ERR_SCHEMA An id or a selector of the registry is not valid (flag domain).
/// @retval AX_ERR_ORDERING The ids of the registry do not ascend strictly (flag domain).
/// @see SRS-004 §17.5; formats.md §5 (Configuration)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_policy_config_hash")]
pub unsafe extern "C" fn ax_policy_config_hash(
    ctx: *const ax_policy_ctx_t,
    out: *mut [u8; 32],
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return Error::Protocol.code();
    };
    if out.is_null() {
        return flags.null();
    }
    // SAFETY: by contract.
    let hash = unsafe { ctx.as_ref() }
        .ok_or(Error::Protocol)
        .and_then(|ctx| {
            // SAFETY: by contract.
            let registry = unsafe { ctx.registry() }?;
            Ok(ctx.rules(&registry).hash())
        });
    // SAFETY: not NULL.
    unsafe { out.write(hash.unwrap_or([0; 32])) }
    if hash.is_err() {
        flags.set(Fault::Domain);
    }
    code(hash)
}

/// Gives the registry that is compiled into the library.
///
/// @return The registry, in static memory of the library; never NULL.
/// @see SRS-004 §17.3 and §17.5
///
/// # Safety
/// Always safe to call.
#[unsafe(export_name = "axilog_impl_ax_policy_get_registry")]
pub unsafe extern "C" fn ax_policy_get_registry() -> *const ax_policy_registry_t {
    &raw const BUILTIN.0
}

/// Counts the policies that are compiled into the library.
///
/// @return The number of policies, at most AX_POLICY_MAX_COUNT.
/// @see SRS-004 §17.5
///
/// # Safety
/// Always safe to call.
#[unsafe(export_name = "axilog_impl_ax_policy_get_count")]
pub unsafe extern "C" fn ax_policy_get_count() -> usize {
    BUILTIN.0.count
}

/// Tells whether the built-in registry is sorted and free of duplicates.
///
/// @return 1 where it is, as in every library that was built; else 0.
/// @see SRS-004 §17.5
///
/// # Safety
/// Always safe to call.
#[unsafe(export_name = "axilog_impl_ax_policy_verify_registry_sorted")]
pub unsafe extern "C" fn ax_policy_verify_registry_sorted() -> c_int {
    // SAFETY: the built-in table is static.
    c_int::from(unsafe { CRegistry::new(&raw const BUILTIN.0) }.is_ok())
}

/// Describes a return code of the policy functions in one line of English.
///
/// @param code Code, or any other number.
/// @return A static string of the library, never NULL: "unknown code" for a number that is not a
///     code.
/// @see SRS-004 §25.4
///
/// # Safety
/// Always safe to call.
#[unsafe(export_name = "axilog_impl_ax_policy_strerror")]
pub unsafe extern "C" fn ax_policy_strerror(code: MaybeUninit<ax_policy_err_t>) -> *const c_char {
    match enum_value(code) {
        0 => c"success",
        -1 => c"the policy context is NULL",
        -2 => c"a required pointer other than the policy context is NULL",
        -3 => c"the record does not fit its buffer",
        -4 => c"a record could not be committed",
        -5 => c"an id or a selector is not valid, or the ids do not ascend strictly",
        -6 => c"the registry has more than 64 policies",
        _ => c"unknown code",
    }
    .as_ptr()
}
