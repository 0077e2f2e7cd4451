//! `policy.h`, third part: evaluating values and writing records (formats.md §4; SRS-004 §17.6).

use core::ffi::{c_char, c_int};
use core::mem::MaybeUninit;

use super::pointer::{ClosureSink, Flags, c_string, enum_value, write_text};
use super::policy::ax_policy_result_t::{self, AX_POLICY_BREACH, AX_POLICY_PERMITTED};
use super::policy::{
    ax_policy_cmp_t, ax_policy_ctx_t, ax_policy_err_t, ax_policy_input_t, ax_policy_record_t,
    ax_policy_t,
};
use super::registry::{load_comparison, load_policy};
use super::sink::CSink;
use super::types::{ct_fault_flags_t, q16_16_t};
use crate::evidence::policy::{PolicyRecord, PolicyResult};
use crate::fault::{Error, Fault, Faults};
use crate::ledger::LedgerSink;
use crate::policy::{
    self, Comparison, DEFAULT_SELECTOR, Evaluation, MAX_ID_BYTES, PolicyInput, Registry,
};
use crate::sink::shared;

/// Evaluates one policy on one value, and commits the record where ctx->ledger is set.
///
/// A disabled policy permits and leaves no record. A breach sets ctx->breach_flag and the
/// violation of ctx->agent.
///
/// @param ctx Context that ax_policy_init made.
/// @param policy Policy to evaluate, borrowed for the call.
/// @param input Value and sequences, borrowed for the call.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_POLICY_BREACH.
/// @return AX_POLICY_PERMITTED or AX_POLICY_BREACH. A record that cannot be committed breaches
///     (flags ledger_fail and perhaps io_error), and so do a NULL, a policy or registry that is
///     not valid and a ledger that was never initialised (flag domain).
/// @see SRS-004 §17.4; formats.md §4
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_policy_evaluate")]
pub unsafe extern "C" fn ax_policy_evaluate(
    ctx: *mut ax_policy_ctx_t,
    policy: *const ax_policy_t,
    input: *const ax_policy_input_t,
    faults: *mut ct_fault_flags_t,
) -> ax_policy_result_t {
    // SAFETY: by contract.
    let table = unsafe {
        policy
            .as_ref()
            .and_then(|p| load_policy(p, DEFAULT_SELECTOR.as_bytes()))
    };
    let valid = table.filter(|policy| policy::is_valid_id(policy.id.as_bytes()));
    let one = valid
        .as_ref()
        .map(|policy| core::array::from_ref(policy) as &dyn Registry);
    // SAFETY: by contract.
    unsafe { evaluate(ctx, one, input, faults) }
}

/// Evaluates one value against every enabled policy in order, whatever its selector, and commits
/// the records where ctx->ledger is set.
///
/// A breach sets ctx->breach_flag and the violation of ctx->agent. Without policies the value is
/// permitted.
///
/// @param ctx Context that ax_policy_init made.
/// @param input Value and sequences, borrowed for the call.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_POLICY_BREACH.
/// @return AX_POLICY_PERMITTED or AX_POLICY_BREACH. A record that cannot be committed breaches
///     (flags ledger_fail and perhaps io_error), and so do a NULL, a policy or registry that is
///     not valid and a ledger that was never initialised (flag domain).
/// @see SRS-004 §11.1 and §17.4; formats.md §4
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_policy_evaluate_all")]
pub unsafe extern "C" fn ax_policy_evaluate_all(
    ctx: *mut ax_policy_ctx_t,
    input: *const ax_policy_input_t,
    faults: *mut ct_fault_flags_t,
) -> ax_policy_result_t {
    // SAFETY: by contract.
    let registry = unsafe { ctx.as_ref().and_then(|ctx| ctx.registry().ok()) };
    // SAFETY: by contract.
    unsafe {
        evaluate(
            ctx,
            registry.as_ref().map(|r| r as &dyn Registry),
            input,
            faults,
        )
    }
}

/// # Safety
/// As for the callers.
unsafe fn evaluate(
    ctx: *mut ax_policy_ctx_t,
    registry: Option<&dyn Registry>,
    input: *const ax_policy_input_t,
    faults: *mut ct_fault_flags_t,
) -> ax_policy_result_t {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return AX_POLICY_BREACH;
    };
    // SAFETY: by contract.
    let (false, Some(registry), Some(input)) = (ctx.is_null(), registry, unsafe { input.as_ref() })
    else {
        flags.set(Fault::Domain);
        return AX_POLICY_BREACH;
    };
    let input = PolicyInput {
        value: input.value,
        ledger_seq: input.ledger_seq,
        obs_ledger_seq: input.obs_ledger_seq,
    };
    let mut raised = Faults::NONE;
    // SAFETY: by contract; no reference to a context is held while the sink is called.
    let evaluated = unsafe {
        let ledger = (*ctx).ledger;
        let state = ledger.as_ref().map(|raw| (raw.load(), raw.sink));
        match state {
            None => policy::evaluate_all(registry, &input, None, &mut raised),
            Some((None, _)) => {
                raised.set(Fault::Domain);
                Err(Error::Ledger)
            }
            Some((Some(mut held), sink)) => {
                let mut sink = CSink::new(sink);
                let into = Some((&mut held, &mut sink as &mut dyn LedgerSink));
                let result = policy::evaluate_all(registry, &input, into, &mut raised);
                (*ledger).store(&held);
                result
            }
        }
    };
    flags.raise(raised);
    let committed = evaluated.is_ok();
    let evaluation = evaluated.unwrap_or(Evaluation {
        breach: true,
        count: 0,
        ledger_seq: input.ledger_seq,
    });
    // SAFETY: `ctx` is not NULL; its agent by contract.
    unsafe {
        (*ctx).note(evaluation);
        (*ctx).answer_permitted = u8::from((*ctx).breach_flag == 0);
        if !evaluation.breach {
            return AX_POLICY_PERMITTED;
        }
        if let Some(agent) = (*ctx).agent.as_mut() {
            agent.note_breach(committed);
        }
    }
    AX_POLICY_BREACH
}

/// Compares a value with a threshold, without a context and without a record.
///
/// @param actual Value, raw Q16.16; INT32_MIN stands for no value.
/// @param threshold Limit, raw Q16.16, any value.
/// @param comparison Operator; a number that is not an operator breaches.
/// @return 1 where the comparison holds, the operator is unknown or there is no value; else 0.
/// @see SRS-004 §17.4; formats.md §4
///
/// # Safety
/// Always safe to call.
#[unsafe(export_name = "axilog_impl_ax_policy_check_breach")]
pub unsafe extern "C" fn ax_policy_check_breach(
    actual: q16_16_t,
    threshold: q16_16_t,
    comparison: MaybeUninit<ax_policy_cmp_t>,
) -> c_int {
    c_int::from(policy::breaches(
        actual,
        threshold,
        load_comparison(comparison),
    ))
}

/// Writes the canonical AX:POLICY:v1 record and a NUL.
///
/// @param buf Receives the record and a NUL; overlaps no other argument. Untouched on failure.
/// @param size Bytes of room in buf; AX_POLICY_RECORD_MAX_BYTES always suffice.
/// @param record Record to write, borrowed for the call, with a NUL-terminated policy_id.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_POLICY_ERR_NULL_INPUT.
/// @return Bytes written, without the NUL; on failure a negative code.
/// @retval AX_POLICY_ERR_SERIALISE size is too small (flag serialise).
/// @retval AX_POLICY_ERR_NULL_INPUT buf or record is NULL (flag domain).
/// @retval AX_POLICY_ERR_INVALID_ID policy_id or result is not valid (flag domain).
/// @see SRS-004 §11.4 and §25.4; formats.md §4
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_policy_serialize")]
pub unsafe extern "C" fn ax_policy_serialize(
    buf: *mut c_char,
    size: usize,
    record: *const ax_policy_record_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return ax_policy_err_t::AX_POLICY_ERR_NULL_INPUT as c_int;
    };
    // SAFETY: by contract.
    let Some(raw) = (unsafe { record.as_ref() }).filter(|_| !buf.is_null()) else {
        flags.set(Fault::Domain);
        return ax_policy_err_t::AX_POLICY_ERR_NULL_INPUT as c_int;
    };
    // SAFETY: by contract.
    let id = unsafe { c_string(raw.policy_id, MAX_ID_BYTES) }.filter(|id| policy::is_valid_id(id));
    let result = match raw.result {
        0 => Some(PolicyResult::Permitted),
        1 => Some(PolicyResult::Breach),
        _ => None,
    };
    let (Some(policy_id), Some(result)) = (id, result) else {
        flags.set(Fault::Domain);
        return ax_policy_err_t::AX_POLICY_ERR_INVALID_ID as c_int;
    };
    let record = PolicyRecord {
        actual: raw.actual,
        ledger_seq: raw.ledger_seq,
        obs_ledger_seq: raw.obs_ledger_seq,
        policy_id,
        result,
        threshold: raw.threshold,
    };
    // SAFETY: by contract.
    let written =
        unsafe { write_text(buf, size, |put| record.write(shared(&mut ClosureSink(put)))) };
    if written < 0 {
        flags.set(Fault::Serialise);
        return ax_policy_err_t::AX_POLICY_ERR_SERIALISE as c_int;
    }
    written
}

/// Names a policy result as records do.
///
/// @param result Result, or any other number.
/// @return A static string of the library, never NULL: "PERMITTED", "BREACH", or "UNKNOWN" for
///     another number.
/// @see SRS-004 §11.4; formats.md §4
///
/// # Safety
/// Always safe to call.
#[unsafe(export_name = "axilog_impl_ax_policy_result_to_str")]
pub unsafe extern "C" fn ax_policy_result_to_str(
    result: MaybeUninit<ax_policy_result_t>,
) -> *const c_char {
    match enum_value(result) {
        0 => c"PERMITTED",
        1 => c"BREACH",
        _ => c"UNKNOWN",
    }
    .as_ptr()
}

/// Names a comparison operator as policy files do.
///
/// @param comparison Operator, or any other number.
/// @return A static string of the library, never NULL: "GT", "LT", "GE", "LE", or "UNKNOWN" for
///     another number.
/// @see SRS-004 §17.4; formats.md §4
///
/// # Safety
/// Always safe to call.
#[unsafe(export_name = "axilog_impl_ax_policy_cmp_to_str")]
pub unsafe extern "C" fn ax_policy_cmp_to_str(
    comparison: MaybeUninit<ax_policy_cmp_t>,
) -> *const c_char {
    match load_comparison(comparison) {
        Comparison::Gt => c"GT",
        Comparison::Lt => c"LT",
        Comparison::Ge => c"GE",
        Comparison::Le => c"LE",
        Comparison::Unknown => c"UNKNOWN",
    }
    .as_ptr()
}

/// Tells whether a policy was breached since the last cycle began.
///
/// @param ctx Context that ax_policy_init made, borrowed for the call; NULL counts as a breach.
/// @return 1 where one was, else 0.
/// @see SRS-004 §17.6 and §25.4
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_policy_has_breach")]
pub unsafe extern "C" fn ax_policy_has_breach(ctx: *const ax_policy_ctx_t) -> c_int {
    // SAFETY: by contract.
    c_int::from(unsafe { ctx.as_ref() }.is_none_or(|ctx| ctx.breach_flag != 0))
}

/// Begins a cycle: clears the breach flag, the evaluation count and the permission of a context;
/// ax_agent_step and ax_agent_observe do so themselves.
///
/// @param ctx Context that ax_policy_init made. NULL: the call does nothing.
/// @see SRS-004 §17.6 and §25.4
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_policy_reset_cycle")]
pub unsafe extern "C" fn ax_policy_reset_cycle(ctx: *mut ax_policy_ctx_t) {
    // SAFETY: by contract.
    if let Some(ctx) = unsafe { ctx.as_mut() } {
        ctx.breach_flag = 0;
        ctx.evaluation_count = 0;
        ctx.answer_permitted = 0;
    }
}
