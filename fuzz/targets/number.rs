//! Numbers: their canonical form compared with `ryu-js`, their Q16.16 value with big integers.

#![no_main]

use axilog::json::number::{decimal_to_q16, integer_to_q16};
use axilog::json::shortest::is_canonical_number;
use axilog_ledger::jcs::canonicalize;
use axilog_testkit::core::strict_json::Json;
use libfuzzer_sys::fuzz_target;
use num_bigint::BigInt;

fuzz_target!(|bytes: &[u8]| {
    if let Some(first) = bytes.first_chunk() {
        check_double(f64::from_le_bytes(*first));
    }
    let token = std::str::from_utf8(bytes)
        .ok()
        .filter(|text| is_number(text));
    let Some(token) = token else {
        assert!(!is_canonical_number(bytes));
        assert_eq!((decimal_to_q16(bytes), integer_to_q16(bytes)), (None, None));
        return;
    };
    let integer = token
        .parse::<i128>()
        .ok()
        .filter(|n| (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(n) && token != "-0");
    let double: f64 = token.parse().unwrap();
    let written = match integer {
        Some(_) => Some(token.to_owned()),
        None if double.is_finite() => Some(ryu_js::Buffer::new().format_finite(double).to_owned()),
        None => None,
    };
    // A number that underflows is written as 0, so only 0 itself is canonical.
    assert_eq!(
        is_canonical_number(bytes),
        written.as_deref() == Some(token),
        "{token}"
    );
    let form = canonicalize(bytes)
        .ok()
        .map(|form| String::from_utf8(form).unwrap());
    assert_eq!(form, written, "{token}");

    assert_eq!(integer_to_q16(bytes), raw_value(token), "{token}");
    assert_eq!(decimal_to_q16(bytes), natural_value(token), "{token}");
});

/// Checks that the text that `ryu-js` writes for a finite double is canonical.
fn check_double(value: f64) {
    if value.is_finite() {
        let mut buffer = ryu_js::Buffer::new();
        let text = buffer.format_finite(value);
        assert!(is_canonical_number(text.as_bytes()), "{text}");
    }
}

/// Whether a text is one number of RFC 8259.
fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && text.ends_with(|c: char| c.is_ascii_digit())
        && matches!(Json::parse(text), Some(Json::Number(_)))
}

/// Computes the value of a raw integer of the symmetric range (formats.md section 4).
fn raw_value(token: &str) -> Option<i32> {
    if token.contains(['.', 'e', 'E']) {
        return None;
    }
    token
        .parse::<BigInt>()
        .ok()?
        .try_into()
        .ok()
        .filter(|n| *n != i32::MIN)
}

/// Computes the value of a decimal number in natural units, to the nearest 1/65536, ties to even. The
/// number has at most 18 significant digits and an exponent of at most 18 (formats.md section 4).
fn natural_value(token: &str) -> Option<i32> {
    let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
    let exponent: BigInt = exponent.parse().ok()?;
    let exponent = i64::try_from(exponent)
        .ok()
        .filter(|e| e.unsigned_abs() <= 18)?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.trim_start_matches(['-', '0']).len() > 18 {
        return None;
    }
    let scale = exponent - i64::try_from(fraction.len()).ok()?;
    let ten = |n: i64| BigInt::from(10).pow(u32::try_from(n.max(0)).unwrap());
    let digits: BigInt = digits.parse().ok()?;
    let numerator: BigInt = digits * 65_536 * ten(scale);
    let denominator = ten(-scale);
    let negative = numerator < BigInt::ZERO;
    let numerator = if negative { -numerator } else { numerator };
    let (quotient, rest) = (&numerator / &denominator, &numerator % &denominator);
    let twice = rest * 2;
    let odd = &quotient % 2 == BigInt::from(1);
    let up = twice > denominator || (twice == denominator && odd);
    let rounded = quotient + u8::from(up);
    let signed = if negative { -rounded } else { rounded };
    signed.try_into().ok().filter(|n| *n != i32::MIN)
}
