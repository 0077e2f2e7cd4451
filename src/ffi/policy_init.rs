//! `policy.h`, second part: the rules of an agent and the built-in registry (formats.md §4 and §5;
//! SRS-004 §17.5).

use core::ffi::c_int;

use super::agent::ax_agent_ctx_t;
use super::audit::ax_ledger_ctx_t;
use super::pointer::{Flags, code};
use super::policy::{ax_policy_ctx_t, ax_policy_err_t, ax_policy_registry_t};
use super::registry::{BUILTIN, CRegistry};
use super::types::ct_fault_flags_t;
use crate::fault::{Error, Fault};

/// Makes a context with the built-in policies and both switches off. ledger and agent may be NULL.
///
/// Returns AX_POLICY_OK, or AX_POLICY_ERR_NULL_CTX (flag domain).
///
/// # Safety
/// ctx is NULL or writable; ledger and agent outlive it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_policy_init(
    ctx: *mut ax_policy_ctx_t,
    ledger: *mut ax_ledger_ctx_t,
    agent: *mut ax_agent_ctx_t,
    faults: *mut ct_fault_flags_t,
) -> ax_policy_err_t {
    // SAFETY: forwarded.
    unsafe { ax_policy_init_with_registry(ctx, &raw const BUILTIN.0, ledger, agent, faults) }
}

/// As ax_policy_init, with a table of the caller's. An unknown operator is kept, and breaches.
///
/// Also returns AX_POLICY_ERR_NULL_INPUT for a NULL registry or array, AX_POLICY_ERR_OVERFLOW and
/// AX_POLICY_ERR_INVALID_ID (flag domain each). On failure ctx is untouched.
///
/// # Safety
/// As for ax_policy_init; registry is NULL or a table that outlives ctx.
#[unsafe(no_mangle)]
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
                last_eval_seq: 0,
                registry,
                permit_truncated: 0,
                stop_on_invalid: 0,
            };
            // SAFETY: not NULL.
            unsafe { ctx.write(made) }
            return ax_policy_err_t::AX_POLICY_OK;
        }
    };
    flags.set(Fault::Domain);
    error
}

/// SHA-256 of the canonical configuration of ctx: the input_hash of every RESET_REQUEST
/// (formats.md §5, Configuration).
///
/// Returns AX_OK, AX_ERR_PROTOCOL for a NULL, or the code of a registry that is not one: AX_ERR_SIZE,
/// AX_ERR_SCHEMA, AX_ERR_ORDERING (flag domain each; out is zeroed).
///
/// # Safety
/// ctx is NULL or was made by ax_policy_init; out is NULL or 32 writable bytes.
#[unsafe(no_mangle)]
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

/// The table compiled into the library, in static memory; never NULL.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_policy_get_registry() -> *const ax_policy_registry_t {
    &raw const BUILTIN.0
}

/// How many policies are compiled into the library.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_policy_get_count() -> usize {
    BUILTIN.0.count
}

/// 1 where the built-in table is sorted and free of duplicates, as it always is; else 0.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_policy_verify_registry_sorted() -> c_int {
    // SAFETY: the built-in table is static.
    c_int::from(unsafe { CRegistry::new(&raw const BUILTIN.0) }.is_ok())
}
