//! Q16.16 arithmetic against the `fixed` crate, and against exact rational numbers where that crate
//! rounds in another way (formats.md §7).

use axilog::fault::{Fault, Faults};
use axilog::q16;
use fixed::types::{I16F16, I48F16, I64F64};
use proptest::prelude::*;

use crate::cases::cases;

type Operation = fn(i32, i32, &mut Faults) -> i32;

/// `numerator / denominator` as an integer, half to even; the denominator is positive.
fn half_even(numerator: i128, denominator: i128) -> i128 {
    let floor = numerator.div_euclid(denominator);
    let twice = 2 * numerator.rem_euclid(denominator);
    let up = twice > denominator || (twice == denominator && floor % 2 != 0);
    floor + i128::from(up)
}

/// The exact result, not yet saturated, by the document's own words; nothing for a division by zero.
fn exact(name: &str, a: i32, b: i32) -> Option<i128> {
    let (a, b) = (i128::from(a), i128::from(b));
    match name {
        "add" => Some(a + b),
        "sub" => Some(a - b),
        "mul" => Some(half_even(a * b, 65_536)),
        _ if b == 0 => None,
        _ => Some(half_even(a * 65_536 * b.signum(), b.abs())),
    }
}

const OPERATIONS: [(&str, Operation); 4] = [
    ("add", q16::add),
    ("sub", q16::sub),
    ("mul", q16::mul),
    ("div", q16::div),
];

#[test]
fn whole_numbers_become_fixed_point_by_multiplication_and_saturate() {
    for (whole, raw, saturated) in [
        (0, 0, None),
        (-2, -131_072, None),
        (3, 196_608, None),
        (32_767, 2_147_418_112, None),
        (-32_768, i32::MIN, None),
        (32_768, i32::MAX, Some(Fault::Overflow)),
        (-32_769, i32::MIN, Some(Fault::Underflow)),
        (i64::MAX, i32::MAX, Some(Fault::Overflow)),
        (i64::MIN, i32::MIN, Some(Fault::Underflow)),
    ] {
        let mut faults = Faults::NONE;
        assert_eq!(q16::from_int(whole, &mut faults), raw, "{whole}");
        let mut expected = Faults::NONE;
        for fault in saturated.into_iter().flat_map(|f| [f, Fault::Saturation]) {
            expected.set(fault);
        }
        assert_eq!(faults, expected, "{whole}");
    }
}

fn check(a: i32, b: i32) {
    for (name, operation) in OPERATIONS {
        let (value, flags): (i128, &[Fault]) = match exact(name, a, b) {
            None => (0, &[Fault::DivZero]),
            Some(n) if n > i128::from(i32::MAX) => {
                (i32::MAX.into(), &[Fault::Overflow, Fault::Saturation])
            }
            Some(n) if n < i128::from(i32::MIN) => {
                (i32::MIN.into(), &[Fault::Underflow, Fault::Saturation])
            }
            Some(n) => (n, &[]),
        };
        let mut faults = Faults::NONE;
        let result = operation(a, b, &mut faults);
        assert_eq!(i128::from(result), value, "{name} {a} {b}");
        assert!(faults.iter().eq(flags.iter().copied()), "{name} {a} {b}");
        // Flags stay; none that was there goes.
        let mut all = Faults::NONE;
        Fault::ALL.into_iter().for_each(|flag| all.set(flag));
        let before = all;
        assert_eq!(operation(a, b, &mut all), result);
        assert_eq!(all, before);
    }
}

/// The same by the `fixed` crate's own arithmetic.
fn by_fixed(name: &str, a: i32, b: i32) -> i32 {
    let (x, y) = (I16F16::from_bits(a), I16F16::from_bits(b));
    // A result in units of the last place, as a number.
    let in_units = |units: I48F16| {
        let whole = units.round_ties_even().to_num::<i64>();
        let clamped = whole.clamp(i32::MIN.into(), i32::MAX.into());
        i32::try_from(clamped).unwrap()
    };
    match name {
        "add" => x.saturating_add(y).to_bits(),
        "sub" => x.saturating_sub(y).to_bits(),
        // The product has 32 fractional bits; sixteen of them are beyond the last place.
        "mul" => in_units(I48F16::from_bits(x.wide_mul(y).to_bits())),
        // No quotient is nearer to a tie than 2^-48 without being one, and this one has 64
        // fractional bits.
        _ => {
            let quotient = I64F64::from(x) / I64F64::from(y) * I64F64::from_num(65_536);
            let whole = quotient.round_ties_even().to_num::<i64>();
            whole.clamp(i32::MIN.into(), i32::MAX.into()) as i32
        }
    }
}

/// Values near everything that matters.
fn operand() -> impl Strategy<Value = i32> {
    prop_oneof![
        any::<i32>(),
        -70_000..70_000i32,
        (0..32u32, -2..=2i32).prop_map(|(bit, near)| (1i32 << bit).wrapping_add(near)),
        (0..32u32, -2..=2i32).prop_map(|(bit, near)| (-1i32 << bit).wrapping_add(near)),
    ]
}

proptest! {
    #![proptest_config(cases(20_000))]

    #[test]
    fn agrees_with_exact_numbers_and_with_fixed(a in operand(), b in operand()) {
        check(a, b);
        for (name, operation) in OPERATIONS {
            if name != "div" || b != 0 {
                let result = operation(a, b, &mut Faults::default());
                prop_assert_eq!(result, by_fixed(name, a, b), "{} {} {}", name, a, b);
            }
        }
    }
}

#[test]
fn edges() {
    let mut edges = vec![
        0, 1, 2, 3, 5, 7, 32_767, 32_768, 32_769, 65_535, 65_536, 65_537, 98_304,
    ];
    edges.extend([
        131_072,
        1 << 30,
        (1 << 30) + 1,
        i32::MAX / 2,
        i32::MAX - 1,
        i32::MAX,
    ]);
    edges.extend(edges.clone().iter().map(|n| -n));
    edges.push(i32::MIN);
    for &a in &edges {
        for &b in &edges {
            check(a, b);
        }
    }
    // Half of the last place, on both sides of zero, goes to the even neighbour.
    let mut none = Faults::NONE;
    for (a, expected) in [
        (1, 0),
        (3, 2),
        (5, 2),
        (7, 4),
        (-1, 0),
        (-3, -2),
        (-5, -2),
        (-7, -4),
    ] {
        assert_eq!(q16::mul(a, 32_768, &mut none), expected);
        assert_eq!(q16::div(a, 131_072, &mut none), expected);
        assert_eq!(q16::mul(a, -32_768, &mut none), -expected);
        assert_eq!(q16::div(a, -131_072, &mut none), -expected);
    }
    assert_eq!(none, Faults::NONE);
}
