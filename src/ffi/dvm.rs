//! `dvm.h`: Q16.16 arithmetic (formats.md §7; SRS-004-SHALL-030).
//!
//! Only the flags overflow, underflow, div_zero, saturation and domain are ever touched.

use super::pointer::Flags;
use super::types::ct_fault_flags_t;
use crate::fault::Faults;
use crate::q16;

/// a + b. Saturates: above the range sets overflow and saturation, below it underflow and saturation.
///
/// Returns the raw Q16.16 result; 0 and nothing done where faults is NULL.
///
/// # Safety
/// faults is NULL or points to at least the first seven flags.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_add_q16(a: i32, b: i32, faults: *mut ct_fault_flags_t) -> i32 {
    // SAFETY: forwarded.
    unsafe { apply(q16::add, a, b, faults) }
}

/// a - b. Saturates: above the range sets overflow and saturation, below it underflow and saturation.
///
/// Returns the raw Q16.16 result; 0 and nothing done where faults is NULL.
///
/// # Safety
/// faults is NULL or points to at least the first seven flags.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_sub_q16(a: i32, b: i32, faults: *mut ct_fault_flags_t) -> i32 {
    // SAFETY: forwarded.
    unsafe { apply(q16::sub, a, b, faults) }
}

/// a * b, rounded half to even. Saturates: above the range sets overflow and saturation, below it underflow and saturation.
///
/// Returns the raw Q16.16 result; 0 and nothing done where faults is NULL.
///
/// # Safety
/// faults is NULL or points to at least the first seven flags.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_mul_q16(a: i32, b: i32, faults: *mut ct_fault_flags_t) -> i32 {
    // SAFETY: forwarded.
    unsafe { apply(q16::mul, a, b, faults) }
}

/// a / b, rounded half to even; by zero 0 and the flag div_zero. Saturates: above the range sets overflow and saturation, below it underflow and saturation.
///
/// Returns the raw Q16.16 result; 0 and nothing done where faults is NULL.
///
/// # Safety
/// faults is NULL or points to at least the first seven flags.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_div_q16(a: i32, b: i32, faults: *mut ct_fault_flags_t) -> i32 {
    // SAFETY: forwarded.
    unsafe { apply(q16::div, a, b, faults) }
}

/// # Safety
/// As for the callers.
unsafe fn apply(
    operation: fn(i32, i32, &mut Faults) -> i32,
    a: i32,
    b: i32,
    faults: *mut ct_fault_flags_t,
) -> i32 {
    // SAFETY: forwarded.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return 0;
    };
    let mut raised = Faults::NONE;
    let result = operation(a, b, &mut raised);
    flags.raise(raised);
    result
}
