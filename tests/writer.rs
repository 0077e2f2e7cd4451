//! The canonical writer against `serde_jcs`, and Q16.16 against the crate `fixed`.

use axilog::fault::{Fault, Faults};
use axilog::json::writer::{self, Buffer, Counter};
use axilog::profile::Profile;
use axilog::q16;
use fixed::types::{I16F16, I64F64};
use proptest::prelude::*;

fn written(write: impl Fn(&mut Buffer<'_>)) -> Vec<u8> {
    let mut room = vec![0u8; 1 << 16];
    let mut out = Buffer::new(&mut room);
    write(&mut out);
    out.finish().unwrap().to_vec()
}

/// Text in which everything that needs an escape is frequent.
fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        4 => prop::char::range(' ', '~'),
        2 => prop::char::range('\0', '\u{1f}'),
        1 => prop::sample::select(vec!['"', '\\', '/', '\u{7f}', '\u{2028}', '\u{feff}']),
        2 => any::<char>(),
    ];
    prop::collection::vec(character, 0..300).prop_map(String::from_iter)
}

/// Half to even of a wide exact value, and whether it is beyond the range on either side.
fn rounded(exact: i128, unit: i128) -> i128 {
    let floor = exact.div_euclid(unit);
    let twice = 2 * exact.rem_euclid(unit);
    floor + i128::from(twice > unit || (twice == unit && floor % 2 != 0))
}

fn saturated(wide: i128) -> (i32, Faults) {
    let mut faults = Faults::NONE;
    let within = wide.clamp(i128::from(i32::MIN), i128::from(i32::MAX));
    if within != wide {
        faults.set(Fault::Saturation);
        faults.set(if wide > 0 {
            Fault::Overflow
        } else {
            Fault::Underflow
        });
    }
    (i32::try_from(within).unwrap(), faults)
}

fn raw() -> impl Strategy<Value = i32> {
    prop_oneof![
        any::<i32>(),
        -70_000..70_000,
        prop::sample::select(vec![
            i32::MIN,
            i32::MIN + 1,
            -65_536,
            -1,
            0,
            1,
            32_768,
            65_536,
            i32::MAX
        ]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn strings_as_serde_jcs_writes_them(text in text()) {
        let ours = written(|out| writer::string(text.as_bytes(), Profile::Rfc8785, out));
        prop_assert_eq!(&ours, &serde_jcs::to_vec(&text).unwrap());
        let mut counter = Counter::default();
        writer::string(text.as_bytes(), Profile::Rfc8785, &mut counter);
        prop_assert_eq!(counter.len, ours.len());
    }

    #[test]
    fn the_other_profiles_differ_in_control_characters_only(text in text()) {
        let ours = written(|out| writer::string(text.as_bytes(), Profile::Oracle1_1, out));
        let mut expected = String::from("\"");
        for c in text.chars() {
            match c {
                '"' | '\\' => expected.extend(['\\', c]),
                '\0'..='\u{1f}' => expected += &format!("\\u{:04x}", u32::from(c)),
                _ => expected.push(c),
            }
        }
        expected.push('"');
        prop_assert_eq!(String::from_utf8(ours).unwrap(), expected);
    }

    #[test]
    fn integers_as_rust_writes_them(signed: i64, unsigned: u64) {
        prop_assert_eq!(written(|out| writer::i64(signed, out)), signed.to_string().into_bytes());
        prop_assert_eq!(written(|out| writer::u64(unsigned, out)), unsigned.to_string().into_bytes());
        if signed.unsigned_abs() < 1 << 53 {
            prop_assert_eq!(written(|out| writer::i64(signed, out)), serde_jcs::to_vec(&signed).unwrap());
        }
    }

    #[test]
    fn arithmetic_as_the_crate_fixed_does_it(a in raw(), b in raw()) {
        let (x, y) = (I16F16::from_bits(a), I16F16::from_bits(b));
        let mut faults = Faults::NONE;
        prop_assert_eq!(q16::add(a, b, &mut faults), x.saturating_add(y).to_bits());
        prop_assert_eq!(q16::sub(a, b, &mut faults), x.saturating_sub(y).to_bits());
        // The crate cuts products and quotients off; exact ones are rounded here.
        let product = I64F64::from_num(x) * I64F64::from_num(y);
        let exact = I64F64::from_num(1) / 65_536;
        let rounded = (product / exact).round_ties_even().to_num::<i128>();
        prop_assert_eq!(q16::mul(a, b, &mut faults), saturated(rounded).0);
    }

    #[test]
    fn arithmetic_is_exact_then_rounded_then_saturated(a in raw(), b in raw()) {
        let (x, y) = (i128::from(a), i128::from(b));
        let check = |operation: fn(i32, i32, &mut Faults) -> i32, wide: i128| {
            let mut faults = Faults::NONE;
            let result = operation(a, b, &mut faults);
            prop_assert_eq!((result, faults), saturated(wide));
            Ok(())
        };
        check(q16::add, x + y)?;
        check(q16::sub, x - y)?;
        check(q16::mul, rounded(x * y, 65_536))?;
        if b != 0 {
            check(q16::div, rounded(x * 65_536 * y.signum(), y.abs()))?;
        }
    }
}

#[test]
fn division_by_zero_is_zero_and_says_so() {
    for a in [i32::MIN, -1, 0, 1, i32::MAX] {
        let (mut faults, mut expected) = (Faults::NONE, Faults::NONE);
        expected.set(Fault::DivZero);
        assert_eq!((q16::div(a, 0, &mut faults), faults), (0, expected));
    }
}
