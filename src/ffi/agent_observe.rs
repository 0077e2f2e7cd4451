//! `agent.h`, second part: observing and stepping (formats.md §5; SRS-004 §12, §19).

use core::ffi::c_int;
use core::mem::MaybeUninit;

use super::agent::{ax_agent_ctx_t, ax_input_class_t, ax_input_t, load_class};
use super::obs::ax_obs_input_t;
use super::pointer::{Flags, buffer};
use super::policy::ax_policy_ctx_t;
use super::sink::CSink;
use super::types::ct_fault_flags_t;
use crate::admission::Admitted;
use crate::agent::Agent;
use crate::agent::observe::Observed;
use crate::fault::{Error, Fault, Faults};
use crate::policy::{Evaluation, Rules};

// Exports ax_agent_step, which only forwards.
use axilog_step as _;

/// The step behind ax_agent_step, for programs whose own function has that name. It acts on one
/// input whose observation is already in the agent's ledger (formats.md §5, rules 0 to 7): policies
/// first, then the transition, then the state. The result is in ctx and in the ledger.
///
/// A NULL faults: nothing at all. Another NULL, a ledger that was never initialised, or a registry
/// that is not one: flag domain, nothing else. A policy->ledger other than the agent's own, or a flag
/// set on entry: STOPPED for good, no record.
///
/// # Safety
/// The pointers are NULL or valid; ctx was made by ax_agent_init, policy by ax_policy_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axilog_agent_step(
    ctx: *mut ax_agent_ctx_t,
    policy: *mut ax_policy_ctx_t,
    input: *const ax_input_t,
    faults: *mut ct_fault_flags_t,
) {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return;
    };
    // SAFETY: by contract.
    let input = unsafe { input.as_ref().and_then(|input| input.load()) };
    let Some(input) = input else {
        flags.set(Fault::Domain);
        return;
    };
    // SAFETY: by contract.
    let stepped = unsafe {
        with_agent(ctx, policy, flags, |agent, rules, sink, faults| {
            Ok(agent.step(&input, rules, sink, faults))
        })
    };
    // SAFETY: by contract.
    let policy = unsafe { policy.as_mut() };
    if let (Ok(Some(evaluation)), Some(policy)) = (stepped, policy) {
        policy.begin_cycle(evaluation);
    }
}

/// Takes an oracle's raw answer all the way (formats.md §5): admits it under the next sequence,
/// records it, evaluates the policies, commits the transition, changes state. in->ledger_seq is
/// ignored. work is scratch: it holds the record and bounds its size.
///
/// Returns AX_OK; AX_ERR_ENCODING where input or answer were not admissible (recorded and acted on
/// all the same); AX_ERR_LEDGER (the observation may be recorded; health is STOPPED). With nothing
/// recorded: AX_ERR_PROTOCOL for a NULL (flag domain) or a flag set on entry, AX_ERR_SCHEMA (flag
/// schema), AX_ERR_ORDERING (flags ordering, protocol), AX_ERR_BUFFER where work is too small for
/// any record of it. What the oracle did wrong is in the record, never in faults.
///
/// # Safety
/// As for ax_agent_step; work is NULL or points to work_len writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_agent_observe(
    agent: *mut ax_agent_ctx_t,
    policy: *mut ax_policy_ctx_t,
    r#in: *const ax_obs_input_t,
    work: *mut u8,
    work_len: usize,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let answer = unsafe {
        r#in.as_ref()
            .ok_or(Error::Protocol)
            .and_then(|input| input.load())
    };
    // SAFETY: by contract.
    unsafe {
        observe(
            agent,
            policy,
            work,
            work_len,
            faults,
            |agent, rules, work, sink, faults| {
                let answer = answer.inspect_err(|&error| {
                    faults.set(if error == Error::Schema {
                        Fault::Schema
                    } else {
                        Fault::Domain
                    });
                })?;
                agent.observe(&answer, rules, work, sink, faults)
            },
        )
    }
}

/// Observes the time, in the integrator's unit. Returns as ax_agent_observe.
///
/// # Safety
/// As for ax_agent_observe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_agent_observe_time(
    agent: *mut ax_agent_ctx_t,
    policy: *mut ax_policy_ctx_t,
    timestamp: u64,
    work: *mut u8,
    work_len: usize,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    unsafe {
        observe(
            agent,
            policy,
            work,
            work_len,
            faults,
            |agent, rules, work, sink, faults| {
                agent.observe_time(timestamp, rules, work, sink, faults)
            },
        )
    }
}

/// Observes a control input. Returns as ax_agent_observe; AX_ERR_SCHEMA for a class that is not
/// POLICY_TRIGGER, FAULT_SIGNAL or RESET_REQUEST (flag schema), with nothing recorded.
///
/// # Safety
/// As for ax_agent_observe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ax_agent_observe_control(
    agent: *mut ax_agent_ctx_t,
    policy: *mut ax_policy_ctx_t,
    input_class: MaybeUninit<ax_input_class_t>,
    work: *mut u8,
    work_len: usize,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    let class = load_class(input_class);
    // SAFETY: by contract.
    unsafe {
        observe(
            agent,
            policy,
            work,
            work_len,
            faults,
            |agent, rules, work, sink, faults| {
                let class = class.ok_or_else(|| {
                    faults.set(Fault::Schema);
                    Error::Schema
                })?;
                agent.observe_control(class, rules, work, sink, faults)
            },
        )
    }
}

/// What the three ways to observe have in common.
///
/// # Safety
/// As for the callers.
unsafe fn observe(
    agent: *mut ax_agent_ctx_t,
    policy: *mut ax_policy_ctx_t,
    work: *mut u8,
    work_len: usize,
    faults: *mut ct_fault_flags_t,
    call: impl FnOnce(
        &mut Agent,
        &Rules<'_>,
        &mut [u8],
        &mut CSink,
        &mut Faults,
    ) -> Result<Observed, Error>,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract.
    let Some(work) = (unsafe { buffer(work, work_len) }) else {
        return flags.null();
    };
    // SAFETY: by contract.
    let observed = unsafe {
        with_agent(agent, policy, flags, |agent, rules, sink, faults| {
            call(agent, rules, work, sink, faults)
        })
    };
    // SAFETY: by contract.
    let policy = unsafe { policy.as_mut() };
    match observed {
        Ok(observed) => {
            if let (Some(evaluation), Some(policy)) = (observed.evaluation, policy) {
                policy.begin_cycle(evaluation);
            }
            if observed.admitted == Admitted::Invalid {
                Error::Encoding.code()
            } else {
                0
            }
        }
        Err(error) => {
            // What cannot be committed is a breach (formats.md §5, rule 6).
            if let (Error::Ledger, Some(policy)) = (error, policy) {
                policy.begin_cycle(Evaluation {
                    breach: true,
                    count: 0,
                    ledger_seq: policy.last_eval_seq,
                });
            }
            error.code()
        }
    }
}

/// Takes agent and rules out of their contexts, lets `change` at them, puts the agent back.
///
/// # Safety
/// As for the callers.
unsafe fn with_agent<T>(
    ctx: *mut ax_agent_ctx_t,
    policy: *mut ax_policy_ctx_t,
    flags: Flags,
    change: impl FnOnce(&mut Agent, &Rules<'_>, &mut CSink, &mut Faults) -> Result<T, Error>,
) -> Result<T, Error> {
    if ctx.is_null() || policy.is_null() {
        flags.set(Fault::Domain);
        return Err(Error::Protocol);
    }
    // SAFETY: neither is NULL. No reference to either is held while the sink is called.
    unsafe {
        let Some(mut agent) = (*ctx).load() else {
            flags.set(Fault::Domain);
            return Err(Error::Ledger);
        };
        let entry = flags.load();
        if !core::ptr::eq((*policy).ledger, &raw const (*ctx).ledger) {
            agent.halt();
            (*ctx).store(&agent);
            return Err(Error::Protocol);
        }
        let registry = (*policy)
            .registry()
            .inspect_err(|_| flags.set(Fault::Domain))?;
        let rules = (*policy).rules(&registry);
        let mut sink = CSink::new((*ctx).ledger.sink);
        let mut faults = entry;
        let result = change(&mut agent, &rules, &mut sink, &mut faults);
        (*ctx).store(&agent);
        flags.raise(faults);
        result
    }
}
