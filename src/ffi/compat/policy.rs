//! Policies as the deployed rigs evaluate them: four built-in ones, and structs without `obs_ledger_seq`, which the
//! library fills.
//!
//! What docs/rigs.md lists under "What differs from the deployed code" is not followed: a decision that cannot be
//! recorded is a breach here.

use core::ffi::{c_char, c_int};
use core::mem::MaybeUninit;

use super::ledger;
use crate::evidence::policy::{PolicyRecord, PolicyResult};
use crate::fault::{Fault, Faults};
use crate::ffi::agent::ax_agent_ctx_t;
use crate::ffi::audit::ax_ledger_ctx_t;
use crate::ffi::pointer::{ClosureSink, Flags, c_string, enum_value, write_text};
use crate::ffi::policy::ax_policy_cmp_t::{self, AX_POLICY_CMP_GT, AX_POLICY_CMP_LT};
use crate::ffi::policy::ax_policy_err_t::{
    AX_POLICY_ERR_INVALID_ID, AX_POLICY_ERR_NULL_CTX, AX_POLICY_ERR_NULL_INPUT,
    AX_POLICY_ERR_SERIALISE,
};
use crate::ffi::policy::ax_policy_result_t::{self, AX_POLICY_BREACH, AX_POLICY_PERMITTED};
use crate::ffi::policy::{ax_policy_ctx_t, ax_policy_err_t, ax_policy_registry_t, ax_policy_t};
use crate::ffi::policy_init::ax_policy_init_with_registry;
use crate::ffi::registry::{BUILTIN, CRegistry, Static, load_policy};
use crate::ffi::sink::CSink;
use crate::ffi::types::{ct_fault_flags_t, q16_16_t};
use crate::ledger::LedgerSink;
use crate::policy::{
    self, DEFAULT_SELECTOR, MAX_ID_BYTES, Policy, PolicyInput, Registry, iter_policies,
};
use crate::sink::shared;

const fn built_in(
    policy_id: &'static core::ffi::CStr,
    threshold: q16_16_t,
    comparison: ax_policy_cmp_t,
) -> ax_policy_t {
    ax_policy_t {
        policy_id: policy_id.as_ptr(),
        threshold,
        comparison: MaybeUninit::new(comparison),
        enabled: 1,
    }
}

/// All judge the one value of a call: a rig evaluates each by itself, or takes a value that none permits for a breach.
static DEPLOYED_POLICIES: Static<[ax_policy_t; 4]> = Static([
    built_in(c"POL-001-MAX-VELOCITY", 4_587_520, AX_POLICY_CMP_GT),
    built_in(c"POL-002-MIN-ALTITUDE", 6_553_600, AX_POLICY_CMP_LT),
    built_in(c"POL-003-THERMAL-LIMIT", 5_570_560, AX_POLICY_CMP_GT),
    built_in(c"POL-004-RATE-LIMIT", 65_536_000, AX_POLICY_CMP_GT),
]);

static DEPLOYED: Static<ax_policy_registry_t> = Static(ax_policy_registry_t {
    policies: (&raw const DEPLOYED_POLICIES).cast(),
    count: DEPLOYED_POLICIES.0.len(),
    selectors: core::ptr::null(),
});

/// The deployed policies, or those that the library was compiled with.
fn builtin_registry() -> &'static ax_policy_registry_t {
    match option_env!("AXILOG_POLICIES") {
        Some(_) => &BUILTIN.0,
        None => &DEPLOYED.0,
    }
}

/// A value to judge, as deployed rigs have it.
#[repr(C)]
pub struct ax_compat_policy_input_t {
    value: q16_16_t,
    ledger_seq: u64,
}

/// A policy's record, as deployed rigs have it.
#[repr(C)]
pub struct ax_compat_policy_record_t {
    pub(super) actual: q16_16_t,
    pub(super) ledger_seq: u64,
    pub(super) policy_id: *const c_char,
    pub(super) result: MaybeUninit<ax_policy_result_t>,
    pub(super) threshold: q16_16_t,
}

/// Makes a context under the built-in policies; the flags may be NULL.
///
/// # Safety
/// As for `ax_policy_init`; `faults` is NULL or points to seven flags.
#[unsafe(export_name = "axilog_impl_ax_compat_policy_init")]
pub unsafe extern "C" fn ax_compat_policy_init(
    ctx: *mut ax_policy_ctx_t,
    ledger: *mut ax_ledger_ctx_t,
    agent: *mut ax_agent_ctx_t,
    faults: *mut ct_fault_flags_t,
) -> ax_policy_err_t {
    let mut own = MaybeUninit::<ct_fault_flags_t>::uninit();
    let faults = if faults.is_null() {
        own.as_mut_ptr()
    } else {
        faults
    };
    let registry = builtin_registry();
    // SAFETY: forwarded; only single flags are written.
    match unsafe { ax_policy_init_with_registry(ctx, registry, ledger, agent, faults) } {
        AX_POLICY_ERR_NULL_INPUT => AX_POLICY_ERR_NULL_CTX,
        error => error,
    }
}

/// Judges a value by one policy, enabled or not; `last_eval_seq` stays.
///
/// # Safety
/// As for `ax_policy_evaluate`; `faults` is NULL or points to seven flags.
#[unsafe(export_name = "axilog_impl_ax_compat_policy_evaluate")]
pub unsafe extern "C" fn ax_compat_policy_evaluate(
    ctx: *mut ax_policy_ctx_t,
    policy: *const ax_policy_t,
    input: *const ax_compat_policy_input_t,
    faults: *mut ct_fault_flags_t,
) -> ax_policy_result_t {
    // SAFETY: by contract.
    unsafe {
        let flags = Flags::new(faults);
        let policy = policy
            .as_ref()
            .and_then(|policy| load_policy(policy, DEFAULT_SELECTOR.as_bytes()))
            .filter(|policy| policy::is_valid_id(policy.id.as_bytes()));
        let (false, Some(policy), Some(input)) = (ctx.is_null(), policy, input.as_ref()) else {
            return refuse(flags);
        };
        let mut raised = Faults::NONE;
        let result = judge(ctx, policy, input, &mut raised);
        tell(flags, raised);
        result
    }
}

/// Judges a value by every enabled policy of the context. A flag that is set, on entry or by a record that cannot be
/// committed, ends that after the first policy, as a breach.
///
/// # Safety
/// As for `ax_policy_evaluate_all`; `faults` is NULL or points to seven flags.
#[unsafe(export_name = "axilog_impl_ax_compat_policy_evaluate_all")]
pub unsafe extern "C" fn ax_compat_policy_evaluate_all(
    ctx: *mut ax_policy_ctx_t,
    input: *const ax_compat_policy_input_t,
    faults: *mut ct_fault_flags_t,
) -> ax_policy_result_t {
    // SAFETY: by contract.
    unsafe {
        let flags = Flags::new(faults);
        let registry: Option<CRegistry<'_>> = ctx.as_ref().and_then(|ctx| ctx.registry().ok());
        let (Some(registry), Some(input)) = (registry, input.as_ref()) else {
            return refuse(flags);
        };
        let was_set = flags.is_some_and(Flags::any_of_substrate);
        let mut result = AX_POLICY_PERMITTED;
        let mut raised = Faults::NONE;
        for policy in iter_policies(&registry as &dyn Registry).filter(|policy| policy.enabled) {
            if judge(ctx, policy, input, &mut raised) == AX_POLICY_BREACH {
                result = AX_POLICY_BREACH;
            }
            if was_set || raised.any() {
                (*ctx).breach_flag = 1;
                tell(flags, raised);
                return AX_POLICY_BREACH;
            }
        }
        (*ctx).last_eval_seq = input.ledger_seq;
        result
    }
}

/// # Safety
/// The flags are as by `Flags::new`.
pub(super) unsafe fn refuse(flags: Option<Flags>) -> ax_policy_result_t {
    if let Some(flags) = flags {
        flags.set(Fault::Domain);
    }
    AX_POLICY_BREACH
}

/// Tells what eight flags can tell: a sink that refuses as `ledger_fail`.
fn tell(flags: Option<Flags>, raised: Faults) {
    let Some(flags) = flags else {
        return;
    };
    for fault in raised.iter() {
        flags.set(match fault {
            Fault::IoError => Fault::LedgerFail,
            Fault::LedgerFail => Fault::LedgerFail,
            _ => Fault::Domain,
        });
    }
}

/// Judges a value by a policy and records the decision where the context has a ledger; what cannot be recorded is a
/// breach.
///
/// # Safety
/// `ctx` is a context whose ledger, with its sink, and agent are NULL or valid.
unsafe fn judge(
    ctx: *mut ax_policy_ctx_t,
    policy: Policy<'_>,
    input: &ax_compat_policy_input_t,
    raised: &mut Faults,
) -> ax_policy_result_t {
    let one = [Policy {
        enabled: true,
        ..policy
    }];
    let input = PolicyInput {
        value: input.value,
        ledger_seq: input.ledger_seq,
        obs_ledger_seq: input.ledger_seq,
    };
    // SAFETY: by contract; no reference to a context is held while the sink is called.
    unsafe {
        let ledger = (*ctx).ledger;
        let evaluated = match ledger.as_ref().map(|raw| (ledger::load(raw), raw.sink)) {
            None => policy::evaluate_all(&one, &input, None, raised).ok(),
            Some((None, _)) => {
                raised.set(Fault::LedgerFail);
                None
            }
            Some((Some(mut held), sink)) => {
                let mut sink = CSink::new(sink);
                let into = Some((&mut held, &mut sink as &mut dyn LedgerSink));
                let evaluated = policy::evaluate_all(&one, &input, into, raised).ok();
                (*ledger).store(&held);
                evaluated
            }
        };
        let breach = evaluated.is_none_or(|evaluation| evaluation.breach);
        (*ctx).breach_flag |= u8::from(breach);
        (*ctx).evaluation_count = (*ctx).evaluation_count.wrapping_add(1);
        (*ctx).answer_permitted = u8::from((*ctx).breach_flag == 0);
        if !breach {
            return AX_POLICY_PERMITTED;
        }
        if let Some(agent) = (*ctx).agent.as_mut() {
            agent.note_breach(evaluated.is_some());
        }
    }
    AX_POLICY_BREACH
}

/// Writes a policy's record, in which both sequences are the rig's one.
///
/// # Safety
/// `buf` is NULL or has `size` bytes; `record` is NULL or readable, its identity too; `faults` is NULL or points to
/// seven flags.
#[unsafe(export_name = "axilog_impl_ax_compat_policy_serialize")]
pub unsafe extern "C" fn ax_compat_policy_serialize(
    buf: *mut c_char,
    size: usize,
    record: *const ax_compat_policy_record_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let written = unsafe { serialize(buf, size, record) };
    written.unwrap_or_else(|error| {
        // SAFETY: by contract; eight bytes have no flag of their own for a buffer that is too short.
        unsafe { refuse(Flags::new(faults)) };
        error as c_int
    })
}

/// # Safety
/// As for `ax_compat_policy_serialize`.
unsafe fn serialize(
    buf: *mut c_char,
    size: usize,
    record: *const ax_compat_policy_record_t,
) -> Result<c_int, ax_policy_err_t> {
    // SAFETY: by contract.
    let raw = unsafe { record.as_ref() }
        .filter(|_| !buf.is_null() && size > 0)
        .ok_or(AX_POLICY_ERR_NULL_INPUT)?;
    // SAFETY: by contract.
    let policy_id = unsafe { c_string(raw.policy_id, MAX_ID_BYTES) }
        .filter(|id| policy::is_valid_id(id))
        .ok_or(AX_POLICY_ERR_INVALID_ID)?;
    let result = match enum_value(raw.result) {
        0 => PolicyResult::Permitted,
        1 => PolicyResult::Breach,
        _ => return Err(AX_POLICY_ERR_INVALID_ID),
    };
    let record = PolicyRecord {
        actual: raw.actual,
        ledger_seq: raw.ledger_seq,
        obs_ledger_seq: raw.ledger_seq,
        policy_id,
        result,
        threshold: raw.threshold,
    };
    // SAFETY: by contract.
    let written =
        unsafe { write_text(buf, size, |put| record.write(shared(&mut ClosureSink(put)))) };
    match written {
        0.. => Ok(written),
        _ => Err(AX_POLICY_ERR_SERIALISE),
    }
}

/// The built-in policies of deployed rigs, or those that the library was compiled with.
///
/// # Safety
/// Always safe to call.
#[unsafe(export_name = "axilog_impl_ax_compat_policy_get_registry")]
pub unsafe extern "C" fn ax_compat_policy_get_registry() -> *const ax_policy_registry_t {
    builtin_registry()
}

/// Their number.
///
/// # Safety
/// Always safe to call.
#[unsafe(export_name = "axilog_impl_ax_compat_policy_get_count")]
pub unsafe extern "C" fn ax_compat_policy_get_count() -> usize {
    builtin_registry().count
}

/// 1 where their ids ascend.
///
/// # Safety
/// Always safe to call.
#[unsafe(export_name = "axilog_impl_ax_compat_policy_verify_registry_sorted")]
pub unsafe extern "C" fn ax_compat_policy_verify_registry_sorted() -> c_int {
    // SAFETY: the table is static.
    c_int::from(unsafe { CRegistry::new(builtin_registry()) }.is_ok())
}
