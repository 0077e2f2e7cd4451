//! The symbol `ax_agent_step`, and nothing else.
//!
//! c-abi.md, agent.h; SRS-004 §25.5. Firmware may bring an `ax_agent_step` of its own. A linker takes
//! a static library object by object, so the library's step has to be alone in one: the program's
//! definition then satisfies every reference, and this object stays out. A crate is the only unit
//! that is always compiled apart (short of fat LTO, which the workspace therefore does not use).
//!
//! Determinism: D2, as the step itself, which is `axilog_agent_step` in `src/ffi/agent.rs`.

#![no_std]

use core::ffi::c_void;

unsafe extern "C" {
    fn axilog_agent_step(
        ctx: *mut c_void,
        policy: *mut c_void,
        input: *const c_void,
        faults: *mut c_void,
    );
}

/// The library's step. The types behind the pointers are those of agent.h.
///
/// # Safety
/// As for `axilog_agent_step`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_agent_step(
    ctx: *mut c_void,
    policy: *mut c_void,
    input: *const c_void,
    faults: *mut c_void,
) {
    // SAFETY: forwarded.
    unsafe { axilog_agent_step(ctx, policy, input, faults) }
}
