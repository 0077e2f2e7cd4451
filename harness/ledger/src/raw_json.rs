//! JSON values as they are written, and what stands in them: numbers keep their digits.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

/// Reads JSON without lone surrogates.
pub(crate) fn read_json(json: &[u8]) -> serde_json::Result<&RawValue> {
    let whole = serde_json::from_slice::<&RawValue>(json)?;
    // A value that is kept as written may have lone surrogates in its texts; a `Value` has none. It holds doubles, so
    // that the numbers are left out of it: one beyond the doubles is JSON all the same.
    serde_json::from_slice::<Value>(&mask_numbers(json))?;
    Ok(whole)
}

/// The same JSON with 0 for each number.
fn mask_numbers(json: &[u8]) -> Vec<u8> {
    let mut masked = Vec::with_capacity(json.len());
    let (mut is_text, mut is_escaped, mut is_number) = (false, false, false);
    for &byte in json {
        let continues = is_number && matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        is_number = !is_text && (continues || matches!(byte, b'0'..=b'9' | b'-'));
        if continues {
            continue;
        }
        masked.push(if is_number { b'0' } else { byte });
        is_text ^= byte == b'"' && !is_escaped;
        is_escaped = is_text && byte == b'\\' && !is_escaped;
    }
    masked
}

/// A member of an object, or an element of an array by an index without leading zeros.
pub(crate) fn enter<'v>(place: &'v RawValue, step: &str) -> Option<&'v RawValue> {
    match describe(place) {
        OBJECT => list_members(place)?.get(step).copied(),
        ARRAY if step == "0" || !step.starts_with(['0', '+']) => {
            let index: usize = step.parse().ok()?;
            list_elements(place)?.get(index).copied()
        }
        _ => None,
    }
}

pub(crate) fn list_members(place: &RawValue) -> Option<BTreeMap<String, &RawValue>> {
    serde_json::from_str(place.get()).ok()
}

pub(crate) fn list_elements(place: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(place.get()).ok()
}

pub(crate) const ARRAY: &str = "an array";
pub(crate) const NUMBER: &str = "a number";
pub(crate) const OBJECT: &str = "an object";

pub(crate) fn describe(value: &RawValue) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b'n') => "null",
        Some(b't' | b'f') => "true or false",
        Some(b'"') => "a string",
        Some(b'[') => ARRAY,
        Some(b'{') => OBJECT,
        _ => NUMBER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_are_masked() {
        for (json, masked) in [
            (r#"{"a":-1.5e+3,"b":[0,12]}"#, r#"{"a":0,"b":[0,0]}"#),
            (r#""1\"2" "#, r#""1\"2" "#),
            (r#"["\\",7,"\ud800"]"#, r#"["\\",0,"\ud800"]"#),
        ] {
            assert_eq!(mask_numbers(json.as_bytes()), masked.as_bytes());
        }
        assert!(read_json(br#"{"v":"\ud800","n":1}"#).is_err());
    }
}
