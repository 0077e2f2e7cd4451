//! `dvm.h`: Q16.16 arithmetic (formats.md §7; SRS-004-SHALL-030).
//!
//! Only the flags overflow, underflow, div_zero, saturation and domain are ever touched.

use super::pointer::Flags;
use super::types::ct_fault_flags_t;
use crate::fault::Faults;
use crate::q16;

/// Adds two Q16.16 numbers and saturates.
///
/// @param a First summand, raw Q16.16, any value.
/// @param b Second summand, raw Q16.16, any value.
/// @param faults Fault flags of the caller, of which at least the first seven exist; the call
///     clears none. A result above the range sets overflow and saturation, one below it underflow
///     and saturation. NULL: the call does nothing and returns 0.
/// @return a + b, raw Q16.16.
/// @see SRS-004 §18.2; formats.md §7
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_dvm_add_q16")]
pub unsafe extern "C" fn dvm_add_q16(a: i32, b: i32, faults: *mut ct_fault_flags_t) -> i32 {
    // SAFETY: forwarded.
    unsafe { apply(q16::add, a, b, faults) }
}

/// Subtracts one Q16.16 number from another and saturates.
///
/// @param a Number to subtract from, raw Q16.16, any value.
/// @param b Number to subtract, raw Q16.16, any value.
/// @param faults Fault flags of the caller, of which at least the first seven exist; the call
///     clears none. A result above the range sets overflow and saturation, one below it underflow
///     and saturation. NULL: the call does nothing and returns 0.
/// @return a - b, raw Q16.16.
/// @see SRS-004 §18.2; formats.md §7
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_dvm_sub_q16")]
pub unsafe extern "C" fn dvm_sub_q16(a: i32, b: i32, faults: *mut ct_fault_flags_t) -> i32 {
    // SAFETY: forwarded.
    unsafe { apply(q16::sub, a, b, faults) }
}

/// Multiplies two Q16.16 numbers, rounds half to even and saturates.
///
/// @param a First factor, raw Q16.16, any value.
/// @param b Second factor, raw Q16.16, any value.
/// @param faults Fault flags of the caller, of which at least the first seven exist; the call
///     clears none. A result above the range sets overflow and saturation, one below it underflow
///     and saturation. NULL: the call does nothing and returns 0.
/// @return The product, raw Q16.16.
/// @see SRS-004 §18.2; formats.md §7
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_dvm_mul_q16")]
pub unsafe extern "C" fn dvm_mul_q16(a: i32, b: i32, faults: *mut ct_fault_flags_t) -> i32 {
    // SAFETY: forwarded.
    unsafe { apply(q16::mul, a, b, faults) }
}

/// Divides one Q16.16 number by another, rounds half to even and saturates.
///
/// @param a Dividend, raw Q16.16, any value.
/// @param b Divisor, raw Q16.16, any value; 0 sets div_zero.
/// @param faults Fault flags of the caller, of which at least the first seven exist; the call
///     clears none. A result above the range sets overflow and saturation, one below it underflow
///     and saturation. NULL: the call does nothing and returns 0.
/// @return a / b, raw Q16.16; 0 where b is 0.
/// @see SRS-004 §18.2; formats.md §7
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_dvm_div_q16")]
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
