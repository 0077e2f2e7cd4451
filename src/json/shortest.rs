//! Whether a number is written as RFC 8785 writes it. Determinism: D1.
//!
//! formats.md §2, decisions D2. RFC 8785 writes numbers as ECMAScript's `Number::toString` does:
//! the shortest digits that read back as the same double; among those the nearest to it, and of
//! two as near the even one. Instead of printing the double, this decides whether the digits at
//! hand are those, in exact integer arithmetic.

use super::bignum::BigInteger;
use super::layout::Layout;
use super::number::Number;
use super::number_text::NumberText;
use core::cmp::Ordering;

/// The longest text of a double: sign, point, and `e-308` with 17 digits, or `0.00000` before them.
const MAX_TEXT: usize = 25;

/// No double needs more digits.
const MAX_DIGITS: i64 = 17;

/// The exponent of the least significant bit of a double is at least −1074 and at most 971.
const EXPONENTS: core::ops::RangeInclusive<i32> = -1074..=971;

/// Mantissas of normal doubles lie in `IMPLICIT_BIT .. 2 * IMPLICIT_BIT`.
const IMPLICIT_BIT: u64 = 1 << 52;

/// Whether `text`, which must be one JSON number token, is in canonical form.
///
/// Integers from −2^63 to 2^64−1 are where they are written plainly and exactly, without point
/// or exponent (decisions D2; `-0` is not). Any other number is where `text` is what ECMAScript
/// writes for the nearest double. What is nearest to zero or beyond the largest double is not,
/// and neither is text that is no number token.
#[must_use]
pub fn is_canonical_number(text: &[u8]) -> bool {
    Number::parse(NumberText::unescaped(text)).is_some_and(|number| {
        is_plain_integer(&number)
            || text.len() <= MAX_TEXT && is_written_double(text, &number).unwrap_or(false)
    })
}

/// Whether it is an exact integer of decisions D2; its grammar leaves one way to write it.
fn is_plain_integer(number: &Number<'_>) -> bool {
    let limit = if number.negative { 1 << 63 } else { u64::MAX };
    let in_range = |magnitude| magnitude <= limit && !(number.negative && magnitude == 0);
    number.is_integer() && number.value().is_some_and(in_range)
}

/// Whether the digits and then the layout are ECMAScript's; `None` is no, too.
fn is_written_double(text: &[u8], number: &Number<'_>) -> Option<bool> {
    let (digits, zeros) = number.digits().filter(|&(digits, _)| digits != 0)?;
    let exponent = number.scale().saturating_add(i64::try_from(zeros).ok()?);
    let count = i64::from(digits.checked_ilog10()?).wrapping_add(1);
    // The value is 0.ddd × 10^point. Doubles end at 1.8e308 and 5e-324.
    let point = exponent.saturating_add(count);
    if count > MAX_DIGITS || !(-323..=309).contains(&point) {
        return None;
    }
    let (exponent, point) = (i32::try_from(exponent).ok()?, i32::try_from(point).ok()?);
    Some(Layout::of(number.negative, digits, point).is(text) && is_shortest(digits, exponent)?)
}

/// Whether ECMAScript chooses `digits` × 10^`exponent` for the double nearest to it. `digits` has
/// 1 to 17 digits, the last not zero; `None` where the nearest double is zero or infinite.
fn is_shortest(digits: u64, exponent: i32) -> Option<bool> {
    let (frame, mantissa) = nearest(digits, exponent)?;
    let double = mantissa.wrapping_mul(4);
    // What reads as this double: half a unit around it, less below a power of two, more above
    // one, and the ends too where the mantissa is even.
    let smallest = frame.exponent == *EXPONENTS.start();
    let below = if mantissa == IMPLICIT_BIT && !smallest {
        1
    } else {
        2
    };
    let above = if mantissa == 2 * IMPLICIT_BIT { 4 } else { 2 };
    let even = mantissa & 1 == 0;
    let reads_as_double = |decimal: u64| {
        let low = frame.compare(decimal, double.wrapping_sub(below));
        let high = frame.compare(decimal, double.wrapping_add(above));
        let inside = low == Ordering::Greater && high == Ordering::Less;
        inside || even && (low == Ordering::Equal || high == Ordering::Equal)
    };
    // What reads as the double is an interval with `digits` in it, so a number of fewer digits is
    // in it only if one of the two next to `digits` is. (For one digit these are 0, which never
    // is, and 10, which is for 8e-324 and 9e-324: 1e-323 is nearer.)
    let shorter = digits.wrapping_sub(digits % 10);
    if reads_as_double(shorter) || reads_as_double(shorter.wrapping_add(10)) {
        return Some(false);
    }
    // Of as many digits, a neighbour wins if the double is beyond the middle between the two.
    let odd = digits & 1 == 1;
    for (neighbour, beyond) in [
        (digits.wrapping_sub(1), Ordering::Greater),
        (digits.wrapping_add(1), Ordering::Less),
    ] {
        let twice_middle = digits.wrapping_add(neighbour);
        let middle = frame.compare(twice_middle, double.wrapping_mul(2));
        let wins = middle == beyond || odd && middle == Ordering::Equal;
        if wins && reads_as_double(neighbour) {
            return Some(false);
        }
    }
    Some(true)
}

/// The double nearest to `digits` × 10^`exponent`: its mantissa and the frame whose binary unit is
/// a quarter of the mantissa's last bit. The mantissa is 2^53 where rounding reached the next power
/// of two. `None` where the double is zero or infinite.
fn nearest(digits: u64, exponent: i32) -> Option<(Frame, u64)> {
    let mut frame = Frame::around(digits, exponent)?;
    if frame.compare(digits, 8 * IMPLICIT_BIT) != Ordering::Less {
        frame.binary.shift(1)?;
        frame.exponent = frame.exponent.wrapping_add(1);
    }
    let mut mantissa = 0u64;
    for bit in (0..=52).rev() {
        let larger = mantissa | 1u64.wrapping_shl(bit);
        if frame.compare(digits, larger.wrapping_mul(4)) != Ordering::Less {
            mantissa = larger;
        }
    }
    let middle = mantissa.wrapping_mul(4).wrapping_add(2);
    let up = match frame.compare(digits, middle) {
        Ordering::Less => 0,
        Ordering::Equal => mantissa & 1,
        Ordering::Greater => 1,
    };
    mantissa = mantissa.wrapping_add(up);
    let infinite = !EXPONENTS.contains(&frame.exponent)
        || frame.exponent == *EXPONENTS.end() && mantissa == 2 * IMPLICIT_BIT;
    (mantissa != 0 && !infinite).then_some((frame, mantissa))
}

/// A common scale for decimal and binary fractions: both units are integers in it.
struct Frame {
    /// 10^(decimal exponent), scaled.
    decimal: BigInteger,
    /// 2^(`exponent` − 2), scaled.
    binary: BigInteger,
    /// The exponent of the last bit of a mantissa.
    exponent: i32,
}

impl Frame {
    /// The frame in which `digits` × 10^`ten` has a mantissa of 53 or 54 bits, or of fewer where
    /// the double is subnormal.
    fn around(digits: u64, ten: i32) -> Option<Self> {
        let five = BigInteger::power_of_five(ten.unsigned_abs())?;
        let five_bits = i32::try_from(five.bits()).ok()?;
        let bits = i32::try_from(digits.checked_ilog2()?)
            .ok()?
            .wrapping_add(ten);
        // The value is at least 2^magnitude and below 2^(magnitude + 2).
        let magnitude = if ten < 0 {
            bits.wrapping_sub(five_bits)
        } else {
            bits.wrapping_add(five_bits).wrapping_sub(1)
        };
        let exponent = magnitude.wrapping_sub(52).max(*EXPONENTS.start());
        let mut frame = Frame {
            decimal: BigInteger::one(),
            binary: BigInteger::one(),
            exponent,
        };
        if ten < 0 {
            frame.binary = five;
        } else {
            frame.decimal = five;
        }
        // Only the difference of the powers of two counts.
        let shift = ten.wrapping_sub(exponent).wrapping_add(2);
        if shift < 0 {
            frame.binary.shift(shift.unsigned_abs())?;
        } else {
            frame.decimal.shift(shift.unsigned_abs())?;
        }
        Some(frame)
    }

    /// Compares `decimal` × 10^(decimal exponent) with `binary` × 2^(`exponent` − 2).
    fn compare(&self, decimal: u64, binary: u64) -> Ordering {
        self.decimal.compare_products(decimal, &self.binary, binary)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use proptest::prelude::*;
    use std::{format, string::String};

    /// decisions D2 and RFC 8785 by way of `ryu_js`.
    fn reference(text: &str) -> bool {
        if !text.contains(['.', 'e', 'E']) {
            let exact = text.parse::<i128>().ok();
            if exact.is_some_and(|n| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&n)) {
                return text != "-0";
            }
        }
        let double: f64 = text.parse().unwrap();
        double.is_finite() && double != 0.0 && ryu_js::Buffer::new().format(double) == text
    }

    fn check(text: &str) {
        assert_eq!(
            is_canonical_number(text.as_bytes()),
            reference(text),
            "{text}"
        );
    }

    /// The canonical text of a double, its decimal neighbours, and other spellings of it.
    fn check_around(double: f64) {
        if !double.is_finite() {
            return;
        }
        let mut buffer = ryu_js::Buffer::new();
        let text = buffer.format(double);
        assert!(is_canonical_number(text.as_bytes()), "{text}");
        check(text);
        for precision in 0..=17 {
            let scientific = format!("{double:.precision$e}");
            check(&scientific);
            let (digits, exponent) = scientific.split_once('e').unwrap();
            let signed = if exponent.starts_with('-') { "" } else { "+" };
            let canonical_layout = format!("{digits}e{signed}{exponent}");
            check(&canonical_layout);
            let last = digits.as_bytes()[digits.len() - 1];
            for digit in b'0'..=b'9' {
                if last.abs_diff(digit) <= 2 {
                    let head = &digits[..digits.len() - 1];
                    let near = format!("{head}{}e{signed}{exponent}", digit as char);
                    check(&near);
                    if let Ok(near) = near.parse::<f64>() {
                        check(&format!("{near}"));
                    }
                }
            }
        }
        let plain = format!("{double}");
        check(&plain);
        check(&format!(
            "{plain}{}0",
            if plain.contains('.') { "" } else { "." }
        ));
        check(&text.replace("e+", "e"));
        check(&text.replace('e', "E"));
        check(&text.replace("e-", "e-0"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn random_doubles(bits: u64, mantissa in 0..1u64 << 52, small in -1e6..1e6f64) {
            check_around(f64::from_bits(bits));
            check_around(f64::from_bits(mantissa));
            check_around(small);
            check_around(small * 1e16);
        }

        #[test]
        fn random_decimals(
            text in "-?(0|[1-9][0-9]{0,21})(\\.[0-9]{1,18})?([eE][-+]?[1-9][0-9]{0,2})?",
            short in "-?[1-9](\\.[0-9]{0,3}[1-9])?e(-[1-9]|\\+[2-9])[0-9]{1,2}",
            integer in "-?(1[5-9]|[1-9])[0-9]{17,19}0{0,5}",
        ) {
            check(&text);
            check(&short);
            check(&integer);
        }
    }

    #[test]
    fn powers_of_two_and_ten_and_their_neighbours() {
        for exponent in 0..2047u64 {
            let power = exponent << 52;
            for bits in [power.saturating_sub(1), power, power + 1] {
                check_around(f64::from_bits(bits));
            }
        }
        for exponent in -323..=308 {
            let power: f64 = format!("1e{exponent}").parse().unwrap();
            for bits in [power.to_bits() - 1, power.to_bits(), power.to_bits() + 1] {
                check_around(f64::from_bits(bits));
            }
        }
        for bits in 0..300 {
            check_around(f64::from_bits(bits));
        }
    }

    #[test]
    fn one_digit_and_two_digit_texts_at_both_ends() {
        for exponent in (-326..=-300).chain(300..=312) {
            for digits in 1..1000 {
                let sign = if exponent < 0 { "" } else { "+" };
                check(&format!("{digits}e{sign}{exponent}"));
                let text = format!("{digits:03}");
                let (first, rest) = text.split_at(1);
                if first != "0" {
                    check(&format!("{first}.{rest}e{sign}{exponent}"));
                }
            }
        }
    }

    #[test]
    fn table() {
        for (text, expected) in [
            ("0", true),
            ("-0", false),
            ("0.0", false),
            ("0e0", false),
            ("1e3", false),
            ("1000", true),
            ("1.0", false),
            ("9007199254740993", true),
            ("18446744073709551615", true),
            ("18446744073709551616", false),
            ("18446744073709552000", true),
            ("-9223372036854775808", true),
            ("-9223372036854775809", false),
            ("-9223372036854776000", true),
            ("100000000000000000000", true),
            ("100000000000000000001", false),
            ("1000000000000000000000", false),
            ("1e+21", true),
            ("1e21", false),
            ("0.000001", true),
            ("0.0000001", false),
            ("1e-7", true),
            ("5e-324", true),
            ("4e-324", false),
            ("2e-324", false),
            ("1e-323", true),
            ("9e-324", false),
            ("2.2250738585072014e-308", true),
            ("1.7976931348623157e+308", true),
            ("1.7976931348623158e+308", false),
            ("1.7976931348623159e+308", false),
            ("1e+309", false),
            ("9007199254740992.5", false),
            ("5.684341886080802e-14", true),
            ("5.684341886080801e-14", true),
            ("333333333.3333333", true),
            ("333333333.33333329", false),
            ("1424953923781206.2", true),
            ("1e+99999999999999999999", false),
            ("1e-99999999999999999999", false),
        ] {
            assert_eq!(is_canonical_number(text.as_bytes()), expected, "{text}");
            assert_eq!(reference(text), expected, "{text}");
        }
        let long = String::from("1").repeat(100_000);
        assert!(!is_canonical_number(long.as_bytes()));
    }
}
