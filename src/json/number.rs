//! JSON number tokens and their exact conversion to Q16.16. Determinism: D1.
//!
//! formats.md §4, "Extracting the value", and §7; decisions D2. No floating point: a token is
//! decimal, a Q16.16 value is an integer, and all between them is integer arithmetic.

use super::number_text::NumberText;
use crate::search::IS_SMALL;

/// What all significant digits of a number in natural units, from the first non-zero digit through the last
/// written one, are below as an integer: there may be 18.
const MAX_MAGNITUDE: u64 = 10u64.pow(18);

/// The largest magnitude of an exponent as written.
const MAX_EXPONENT: i32 = 18;

/// A number token of RFC 8259 §6, taken apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number<'a> {
    pub negative: bool,
    /// At least one digit; a leading zero stands alone.
    pub integer: NumberText<'a>,
    /// The digits after the point; empty where there is no point.
    pub fraction: NumberText<'a>,
    /// Their number.
    pub fraction_digits: usize,
    /// The exponent as written, at ±`i32::MAX` where that is too small for it.
    pub exponent: Option<i32>,
}

impl<'a> Number<'a> {
    /// Takes apart `text`; `None` where it is anything but one number token.
    pub fn parse(text: NumberText<'a>) -> Option<Self> {
        match IS_SMALL || text.is_embedded {
            true => Number::parse_as::<true>(text),
            false => Number::parse_as::<false>(text),
        }
    }

    /// Takes apart `text`, in which there may be escapes if `E`.
    #[inline]
    fn parse_as<const E: bool>(mut text: NumberText<'a>) -> Option<Self> {
        let negative = text.skip::<E>(b'-');
        let (mut integer, count) = text.take_digits::<E>()?;
        if count > 1 && integer.skip::<E>(b'0') {
            return None;
        }
        let (fraction, fraction_digits) = match text.skip::<E>(b'.') {
            true => text.take_digits::<E>()?,
            false => (NumberText::unescaped(&[]), 0),
        };
        let exponent = match text.next::<E>() {
            None => None,
            Some(b'e' | b'E') => Some(exponent::<E>(text)?),
            Some(_) => return None,
        };
        Some(Number {
            negative,
            integer,
            fraction,
            fraction_digits,
            exponent,
        })
    }

    /// Whether it is written as an integer: neither point nor exponent.
    pub fn is_integer(&self) -> bool {
        self.fraction_digits == 0 && self.exponent.is_none()
    }

    /// The number that all digits write, those of the fraction included; `None` beyond `u64`.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn value(&self) -> Option<u64> {
        let mut value = 0;
        for mut digits in [self.integer, self.fraction] {
            while let Some(digit) = digits.next::<true>() {
                value = append_digit(value, digit.wrapping_sub(b'0'))?;
            }
        }
        Some(value)
    }

    /// The number that the digits up to the last one above zero write, and how many zeros are after them; `None`
    /// beyond `u64`.
    pub fn digits(&self) -> Option<(u64, u64)> {
        let (mut value, mut zeros) = (0, 0u64);
        for mut digits in [self.integer, self.fraction] {
            while let Some(digit) = digits.next::<true>() {
                if digit == b'0' {
                    zeros = zeros.wrapping_add(1);
                } else {
                    for _ in 0..zeros {
                        value = append_digit(value, 0)?;
                    }
                    value = append_digit(value, digit.wrapping_sub(b'0'))?;
                    zeros = 0;
                }
            }
        }
        Some((value, zeros))
    }

    /// The power of ten that the `value` is to be multiplied with.
    pub fn scale(&self) -> i64 {
        let fraction = i64::try_from(self.fraction_digits).unwrap_or(i64::MAX);
        i64::from(self.exponent.unwrap_or(0)).saturating_sub(fraction)
    }
}

/// The number that is written by the digits of `value` and `digit` after them; `None` beyond `u64`.
// On a device the code for it counts.
#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline)]
fn append_digit(value: u64, digit: u8) -> Option<u64> {
    value.checked_mul(10)?.checked_add(u64::from(digit))
}

/// `value` × 10^`count`; `None` where `u128` may be too small.
#[inline]
fn append_zeros(mut value: u128, count: u64) -> Option<u128> {
    for _ in 0..count {
        value = (value < u128::MAX / 10).then(|| value.wrapping_mul(10))?;
    }
    Some(value)
}

/// Reads what follows the `e`.
fn exponent<const E: bool>(mut text: NumberText<'_>) -> Option<i32> {
    let negative = text.skip::<E>(b'-');
    if !negative {
        text.skip::<E>(b'+');
    }
    let (mut digits, _) = text.take_digits::<E>()?;
    if text.next::<E>().is_some() {
        return None;
    }
    let mut magnitude = 0i32;
    while let Some(digit) = digits.next::<E>() {
        let digit = i32::from(digit.wrapping_sub(b'0'));
        magnitude = magnitude.saturating_mul(10).saturating_add(digit);
    }
    Some(if negative {
        magnitude.wrapping_neg()
    } else {
        magnitude
    })
}

/// Converts a JSON number in natural units to Q16.16, exactly, rounding half to even.
///
/// `text` is one number token without anything around it. At most 18 significant digits, from the
/// first non-zero digit through the last written one (`1.50` has three, `0.00` none, zeros after
/// an integer count), and an exponent of at most ±18 as written, leading zeros aside. `-0` is 0.
///
/// `None` where it is not such a token or the result is not in −2147483647 ..= 2147483647.
/// formats.md §4.
#[must_use]
pub fn decimal_to_q16(text: &[u8]) -> Option<i32> {
    scaled_decimal_to_q16(text, 0)
}

/// Converts what [`decimal_to_q16`] converts, divided by 10^`exponent` before it is rounded (D39).
#[must_use]
pub fn scaled_decimal_to_q16(text: &[u8], exponent: i8) -> Option<i32> {
    convert(NumberText::unescaped(text), false, exponent)
}

/// Reads the raw Q16.16 value of a `_q16` member.
///
/// `text` must be a JSON number token written as an integer, `-? (0 | [1-9][0-9]*)`, without
/// anything around it: `1.0` and `1e3` are not. `-0` is, and is 0.
///
/// `None` where it is not or the value is not in −2147483647 ..= 2147483647. formats.md §4.
#[must_use]
pub fn integer_to_q16(text: &[u8]) -> Option<i32> {
    scaled_integer_to_q16(text, 0)
}

/// Reads what [`integer_to_q16`] reads, divided by 10^`exponent` and rounded half to even (D39).
#[must_use]
pub fn scaled_integer_to_q16(text: &[u8], exponent: i8) -> Option<i32> {
    convert(NumberText::unescaped(text), true, exponent)
}

/// Converts a number in natural units, or an integer that `is_raw`. One place does both: on a device the
/// code for it counts.
pub(super) fn convert(text: NumberText<'_>, is_raw: bool, exponent: i8) -> Option<i32> {
    let number = Number::parse(text)?;
    let magnitude = number.value()?;
    let is_fit = if is_raw {
        number.is_integer() && i32::try_from(magnitude).is_ok()
    } else {
        number.exponent.unwrap_or(0).saturating_abs() <= MAX_EXPONENT && magnitude < MAX_MAGNITUDE
    };
    if !is_fit {
        return None;
    }
    let (magnitude, scale) = match is_raw {
        true => (u128::from(magnitude), 0),
        false => (u128::from(magnitude) << 16, number.scale()),
    };
    let scale = scale.saturating_sub(i64::from(exponent));
    let places = scale.unsigned_abs();
    let magnitude = if scale >= 0 {
        append_zeros(magnitude, places)?
    } else {
        // A power beyond u128 is far above twice the magnitude, which is below 2^76.
        append_zeros(1, places).map_or(0, |power| divide_half_even(magnitude, power))
    };
    signed(number.negative, magnitude)
}

/// The quotient, rounded half to even; `divisor` is at least 1 and below 2^127.
fn divide_half_even(dividend: u128, divisor: u128) -> u128 {
    let quotient = dividend.checked_div(divisor).unwrap_or(0);
    let rest = dividend.wrapping_sub(quotient.wrapping_mul(divisor));
    let odd = quotient & 1;
    // Above the half, or on it with an odd quotient.
    if rest.wrapping_mul(2).wrapping_add(odd) > divisor {
        quotient.wrapping_add(1)
    } else {
        quotient
    }
}

/// The value with its sign, unless it is beyond ±2147483647.
fn signed(negative: bool, magnitude: u128) -> Option<i32> {
    let value = i32::try_from(magnitude).ok()?;
    Some(if negative {
        value.wrapping_neg()
    } else {
        value
    })
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::super::shortest::is_canonical_number;
    use super::*;
    use num_bigint::BigInt;
    use proptest::prelude::*;
    use serde_json::value::RawValue;
    use std::string::String;
    use std::vec::Vec;

    /// formats.md §4 word for word, on unbounded integers; `text` is a valid token.
    fn reference(text: &str) -> Option<i32> {
        scaled_reference(text, 0)
    }

    fn scaled_reference(text: &str, power: i8) -> Option<i32> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let exponent: i64 = exponent.parse().ok()?;
        let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = std::format!("{integer}{fraction}").replace('-', "");
        if digits.trim_start_matches('0').len() > 18 || exponent.abs() > 18 {
            return None;
        }
        let dividend = digits.parse::<BigInt>().unwrap() * 65536;
        let power = exponent - fraction.len() as i64 - i64::from(power);
        scale(dividend, power, text.starts_with('-'))
    }

    /// The magnitude × 10^`power`, rounded half to even, with its sign.
    fn scale(mut dividend: BigInt, power: i64, is_negative: bool) -> Option<i32> {
        let mut divisor = BigInt::from(1);
        if power >= 0 {
            dividend *= BigInt::from(10).pow(power as u32);
        } else {
            divisor = BigInt::from(10).pow(-power as u32);
        }
        let mut quotient = &dividend / &divisor;
        let twice_rest = (&dividend - &quotient * &divisor) * 2;
        let odd = &quotient % 2 == BigInt::from(1);
        if twice_rest > divisor || (twice_rest == divisor && odd) {
            quotient += 1;
        }
        let magnitude = i32::try_from(quotient).ok()?;
        Some(if is_negative { -magnitude } else { magnitude })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]

        #[test]
        fn decimals_convert_as_the_reference_does(
            text in "-?(0|[1-9][0-9]{0,5}|[1-9][0-9]{0,19})(\\.[0-9]{1,6}|\\.0{0,30}[0-9]{1,20})?([eE][-+]?0?[0-2]?[0-9])?"
        ) {
            prop_assert_eq!(decimal_to_q16(text.as_bytes()), reference(&text), "{}", text);
        }

        #[test]
        fn scaled_decimals_convert_as_the_reference_does(
            text in "-?(0|[1-9][0-9]{0,17})(\\.[0-9]{1,17})?([eE][-+]?1?[0-9])?",
            power in -9..=9i8,
        ) {
            let found = scaled_decimal_to_q16(text.as_bytes(), power);
            prop_assert_eq!(found, scaled_reference(&text, power), "{} {}", text, power);
        }

        #[test]
        fn scaled_integers_are_rounded_as_decimals_are(raw in -i32::MAX..=i32::MAX, power in -9..=9i8) {
            let found = scaled_integer_to_q16(std::format!("{raw}").as_bytes(), power);
            let expected = scale(BigInt::from(raw.unsigned_abs()), -i64::from(power), raw < 0);
            prop_assert_eq!(found, expected, "{} {}", raw, power);
        }

        /// Every decimal written out in full from a multiple of 2^-17 is on or next to a tie.
        #[test]
        fn ties_go_to_the_even_neighbour(half in 0..1i64 << 32, nudge in -1..=1i64) {
            // half / 2^17 = half * 5^17 / 10^17; up to 22 digits, so reduce the integer part.
            let half = half % (10 << 17);
            let scaled = i128::from(half) * 5i128.pow(17) + i128::from(nudge);
            prop_assume!(scaled >= 0);
            let text = std::format!("{}.{:017}", scaled / 10i128.pow(17), scaled % 10i128.pow(17));
            let text = text.trim_end_matches('0').trim_end_matches('.');
            prop_assert_eq!(decimal_to_q16(text.as_bytes()), reference(text), "{}", text);
            prop_assert!(decimal_to_q16(text.as_bytes()).is_some());
        }

        #[test]
        fn integers_are_read_raw(value: i64, small: i32) {
            for value in [value, i64::from(small)] {
                let expected = i32::try_from(value).ok().filter(|&raw| raw != i32::MIN);
                prop_assert_eq!(integer_to_q16(std::format!("{value}").as_bytes()), expected);
            }
        }

        #[test]
        fn any_bytes_are_a_number_or_not(text: Vec<u8>, near in "[-+0-9.eE]{0,12}") {
            for text in [text.as_slice(), near.as_bytes()] {
                let json = serde_json::from_slice::<&RawValue>(text).is_ok_and(|value| {
                    value.get().as_bytes() == text && value.get().starts_with(|c| "-0123456789".contains(c))
                });
                prop_assert_eq!(Number::parse(NumberText::unescaped(text)).is_some(), json);
                if !json {
                    prop_assert_eq!(decimal_to_q16(text), None);
                    prop_assert_eq!(integer_to_q16(text), None);
                    prop_assert!(!is_canonical_number(text));
                }
            }
        }
    }
    #[test]
    fn limits_of_digits_and_exponent() {
        for (text, expected) in [
            ("1.00000000000000000", Some(65536)),
            ("1.000000000000000000", None),
            ("000", None),
            ("0.000000000000000000000000000000", Some(0)),
            (
                "0.00000000000000000000000000000000000000000000000001",
                Some(0),
            ),
            ("0.000000000000000000000000000000e-18", Some(0)),
            ("100000000000000000e-17", Some(65536)),
            ("1000000000000000000e-18", None),
            ("1e-18", Some(0)),
            ("1e-19", None),
            ("0e18", Some(0)),
            ("0e19", None),
            ("0e-99999999999999999999", None),
            ("1e+0000000000000000000000000000000004", Some(655_360_000)),
            ("0.000000000000000001e18", Some(65536)),
            ("32767.9999923706054", Some(2_147_483_647)),
            ("32767.9999923706055", None),
            ("-32767.9999923706054", Some(-2_147_483_647)),
            ("-32767.9999923706055", None),
            ("32768", None),
            ("999999999999999999e18", None),
        ] {
            assert_eq!(decimal_to_q16(text.as_bytes()), expected, "{text}");
        }
        let tiny = std::format!("0.{}1", String::from("0").repeat(70_000));
        assert_eq!(decimal_to_q16(tiny.as_bytes()), Some(0));
        let huge = String::from("9").repeat(70_000);
        assert_eq!(decimal_to_q16(huge.as_bytes()), None);
        assert_eq!(integer_to_q16(huge.as_bytes()), None);
    }

    #[test]
    fn scaling_is_exact_and_never_saturates() {
        for (text, power, expected) in [
            ("40000", 3, Some(40 << 16)),
            ("40000.0000001", 9, Some(3)),
            ("40000.007", 3, Some(40 << 16)),
            ("40000.008", 3, Some((40 << 16) + 1)),
            ("0.00001", -5, Some(1 << 16)),
            ("0.33", -5, None),
            ("-0.32767", -5, Some(-32_767 << 16)),
            ("32768e18", 9, None),
            ("999999999999999999e18", 9, None),
            ("1e-18", -9, Some(0)),
            ("1e19", 9, None),
            ("32767999990000", 9, Some(2_147_483_647)),
            ("32768000000000", 9, None),
        ] {
            let found = scaled_decimal_to_q16(text.as_bytes(), power);
            assert_eq!(found, expected, "{text} {power}");
        }
        for (text, power, expected) in [
            ("65536000", 3, Some(65_536)),
            ("15", 1, Some(2)),
            ("25", 1, Some(2)),
            ("-35", 1, Some(-4)),
            ("2147483647", 0, Some(i32::MAX)),
            ("2147483648", 9, None),
            ("2147483647", -1, None),
            ("1", -9, Some(1_000_000_000)),
            ("0", -9, Some(0)),
            ("1.0", 1, None),
        ] {
            let found = scaled_integer_to_q16(text.as_bytes(), power);
            assert_eq!(found, expected, "{text} {power}");
        }
    }

    #[test]
    fn what_counts_as_an_integer() {
        for (text, expected) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("2147483647", Some(i32::MAX)),
            ("-2147483647", Some(-i32::MAX)),
            ("2147483648", None),
            ("-2147483648", None),
            ("1.0", None),
            ("1e3", None),
            ("1E0", None),
            ("01", None),
            ("+1", None),
            ("", None),
            ("-", None),
            (" 1", None),
        ] {
            assert_eq!(integer_to_q16(text.as_bytes()), expected, "{text}");
        }
    }
}
