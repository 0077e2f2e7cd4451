//! Q16.16 fixed-point arithmetic: saturating, rounding half to even, with sticky fault flags.
//!
//! formats.md §7, SRS-004 §18 (SHALL-029, SHALL-030). Determinism: D1. Each operation widens to 64
//! bits, so no intermediate overflows and nothing is undefined on any platform.

#![forbid(unsafe_code)]

use crate::fault::{Fault, Faults};

/// `1.0` as a raw Q16.16 value.
pub const ONE: i32 = 65_536;

/// A whole number as Q16.16, by multiplication and never by shift (SRS-004-SHALL-029), saturating.
pub fn from_int(whole: i64, faults: &mut Faults) -> i32 {
    saturate(whole.saturating_mul(i64::from(ONE)), faults)
}

/// `a + b`, saturating.
pub fn add(a: i32, b: i32, faults: &mut Faults) -> i32 {
    saturate(i64::from(a).wrapping_add(i64::from(b)), faults)
}

/// `a - b`, saturating.
pub fn sub(a: i32, b: i32, faults: &mut Faults) -> i32 {
    saturate(i64::from(a).wrapping_sub(i64::from(b)), faults)
}

/// `a * b`, rounded half to even, saturating.
pub fn mul(a: i32, b: i32, faults: &mut Faults) -> i32 {
    let product = i64::from(a).wrapping_mul(i64::from(b));
    let floor = product >> 16;
    let rest = product & 0xFFFF;
    let up = rest > 0x8000 || (rest == 0x8000 && floor & 1 == 1);
    saturate(floor.wrapping_add(i64::from(up)), faults)
}

/// `a / b`, rounded half to even, saturating. Division by zero sets `div_zero` and gives 0.
pub fn div(a: i32, b: i32, faults: &mut Faults) -> i32 {
    // At most 2^47 in magnitude, so neither the quotient nor twice the remainder can overflow.
    let numerator = i64::from(a).wrapping_mul(i64::from(ONE));
    let divisor = i64::from(b);
    let (Some(quotient), Some(rest)) = (
        numerator.checked_div_euclid(divisor),
        numerator.checked_rem_euclid(divisor),
    ) else {
        faults.set(Fault::DivZero);
        return 0;
    };
    // The Euclidean remainder is never negative: numerator / divisor lies between the quotient and
    // the next value in the divisor's direction.
    let twice = rest.wrapping_mul(2);
    let away = match twice.cmp(&divisor.wrapping_abs()) {
        core::cmp::Ordering::Less => false,
        core::cmp::Ordering::Equal => quotient & 1 == 1,
        core::cmp::Ordering::Greater => true,
    };
    let step = if away { divisor.signum() } else { 0 };
    saturate(quotient.wrapping_add(step), faults)
}

fn saturate(wide: i64, faults: &mut Faults) -> i32 {
    if wide > i64::from(i32::MAX) {
        faults.set(Fault::Overflow);
        faults.set(Fault::Saturation);
        i32::MAX
    } else if wide < i64::from(i32::MIN) {
        faults.set(Fault::Underflow);
        faults.set(Fault::Saturation);
        i32::MIN
    } else {
        // In range by the two tests above; the fallback cannot be taken.
        i32::try_from(wide).unwrap_or_default()
    }
}
