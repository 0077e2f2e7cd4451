//! The numbers that a selector leads to in an answer, as the answer writes them, or why there are none, in words.
//!
//! formats.md §4, Extracting the value. The core gives one value, or says only that there is none; what it looked for is
//! looked for again here, with the reader of serde_json, which keeps numbers as they are written.

use axilog::json::number::{scaled_decimal_to_q16, scaled_integer_to_q16};
use axilog_policyc::{EMBEDDED, decimal, selector_path, split_scale};
use serde_json::value::RawValue;

use crate::number_search::{NumberForm, visit_numbers};
use crate::raw_json::{NUMBER, describe};
use crate::written_number::{describe_range, describe_unfit_number, parse_decimal};

/// A number that a selector leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundNumber {
    /// The place of the number in the answer: a name, or a pointer.
    pub place: String,
    /// The number as the answer writes it.
    pub written: String,
    /// The value that policies compare, raw Q16.16.
    pub value: i32,
    /// Whether the value is the number itself, rather than the nearest one of Q16.16.
    pub is_exact: bool,
}

/// Finds the numbers that `selector` leads to in `answer`; a number of elements is none of them.
///
/// # Errors
/// Why there is no value, in words.
pub fn find_numbers(answer: &[u8], selector: &str) -> Result<Vec<FoundNumber>, String> {
    let (path, power) = split_scale(selector_path(selector));
    let mut found = Vec::new();
    visit_numbers(answer, path, &mut |place, value, form| {
        found.push(match form {
            NumberForm::Decimal => convert_decimal(place, value, power)?,
            NumberForm::RawQ16 => convert_raw(place, value, power)?,
        });
        Ok(())
    })?;
    Ok(found)
}

/// Says why `answer` has no value for `selector`.
#[must_use]
pub fn explain_missing(answer: &[u8], selector: &str) -> String {
    let mut steps = selector_path(selector).split('/');
    match find_numbers(answer, selector) {
        Ok(_) if steps.any(|step| step == EMBEDDED) => {
            "the answer or the JSON in a string of it has a member twice, or both together nest deeper than 32"
                .to_owned()
        }
        Ok(_) => "the answer has a member twice, or nests deeper than 32".to_owned(),
        Err(obstacle) => obstacle,
    }
}

/// Converts a JSON number, which is divided by 10^`power`.
fn convert_decimal(place: String, value: &RawValue, power: i8) -> Result<FoundNumber, String> {
    let written = value.get();
    match (
        describe(value),
        scaled_decimal_to_q16(written.as_bytes(), power),
    ) {
        (NUMBER, Some(value)) => Ok(FoundNumber {
            is_exact: parse_decimal(written, 0) == parse_decimal(&decimal(value), power),
            place,
            written: written.to_owned(),
            value,
        }),
        (NUMBER, None) => {
            let why = describe_unfit_number(written, power);
            Err(format!("\"{place}\" is {written}, {why}"))
        }
        (other, _) => Err(format!("\"{place}\" is {other}, not a number")),
    }
}

/// Converts an integer that counts 65536ths, which is divided by 10^`power`.
fn convert_raw(place: String, value: &RawValue, power: i8) -> Result<FoundNumber, String> {
    let written = value.get();
    let convert = |power| scaled_integer_to_q16(written.as_bytes(), power);
    match (describe(value), convert(0), convert(power)) {
        (NUMBER, Some(_), Some(value)) => Ok(FoundNumber {
            is_exact: parse_decimal(written, 0) == parse_decimal(&value.to_string(), power),
            place,
            written: written.to_owned(),
            value,
        }),
        (NUMBER, Some(_), None) => {
            let why = describe_range(power);
            Err(format!("\"{place}\" is {written}, {why}"))
        }
        (NUMBER, None, _) => Err(format!(
            "\"{place}\" is {written}, which is no raw Q16.16 value"
        )),
        (other, ..) => Err(format!("\"{place}\" is {other}, not an integer")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a number that the core takes nothing is said, and of one that it refuses the rule that it breaks.
    #[test]
    fn the_reason_is_the_rule_that_the_core_applies() {
        for (token, reason) in [
            ("1e-19", "exponent is beyond \u{b1}18"),
            ("1E+0019", "exponent is beyond \u{b1}18"),
            ("1e400", "exponent is beyond \u{b1}18"),
            ("0e400", "exponent is beyond \u{b1}18"),
            ("123456789012345678901", "has 21 digits"),
            ("-0.1234567890123456789", "has 19 digits"),
            ("1.000000000000000000", "has 19 digits"),
            ("40000", "the range of Q16.16"),
            ("-1e18", "the range of Q16.16"),
            ("32768", "ends at \u{b1}32767.9999847412109375"),
        ] {
            assert_eq!(scaled_decimal_to_q16(token.as_bytes(), 0), None, "{token}");
            let told = describe_unfit_number(token, 0);
            assert!(told.contains(reason), "{token}: {told}");
            let answer = format!(r#"{{"v":{token},"far":1e400}}"#);
            let told = explain_missing(answer.as_bytes(), "v");
            assert!(told.starts_with(&format!("\"v\" is {token}, ")), "{told}");
        }
        for token in [
            "1e-18",
            "1e-0018",
            "0.00",
            "123456789012345678e-18",
            "32767.99999",
        ] {
            assert!(
                scaled_decimal_to_q16(token.as_bytes(), 0).is_some(),
                "{token}"
            );
        }
    }

    #[test]
    fn the_element_that_has_no_value_is_named() {
        for (selector, answer, told) in [
            (
                "/a/~*",
                r#"{"a":[1,"2"]}"#,
                r#""/a/1" is a string, not a number"#,
            ),
            (
                "/a/~*",
                r#"{"a":[1,40000]}"#,
                r#""/a/1" is 40000, beyond the range"#,
            ),
            ("/a/~*", r#"{"a":[]}"#, r#""/a" has no element"#),
            (
                "/a/~*",
                r#"{"a":{"~*":1}}"#,
                r#""/a" is an object, not an array"#,
            ),
            (
                "/a/~*/x",
                r#"{"a":[{"x":1},{"y":1}]}"#,
                r#""/a/1" has no "x""#,
            ),
            ("/a/~*/x", r#"{"a":[{"x":1},7]}"#, r#""/a/1" is a number"#),
            (
                "/a/~*/x",
                r#"{"a":[{"x":1,"x_q16":1}]}"#,
                r#""/a/0" has both "x" and "x_q16""#,
            ),
            ("/a/~*/~*", r#"{"a":[[1],[]]}"#, r#""/a/1" has no element"#),
            (
                "/a/~*/~*",
                r#"{"a":[[1],[2,null]]}"#,
                r#""/a/1/1" is null, not a number"#,
            ),
            ("/~*", r#"{"a":1}"#, "the answer is an object, not an array"),
            (
                "/a/~j/x",
                r#"{"a":{"x":1}}"#,
                r#""/a" is an object, not a string that holds JSON"#,
            ),
            (
                "/a/~*/~j/x",
                r#"{"a":["{\"x\":1}","{\"x\":1"]}"#,
                r#""/a/1" is a string that is not JSON: EOF while parsing an object"#,
            ),
            (
                "/a/~j/x",
                r#"{"a":"{\"x\":1,\"y\":\"\\ud800\"}"}"#,
                r#""/a" is a string that is not JSON: "#,
            ),
            ("/a/~j/x", r#"{"a":"{\"y\":1}"}"#, r#""/a/~j" has no "x""#),
            (
                "/a/~j",
                r#"{"a":"\"1\""}"#,
                r#""/a/~j" is a string, not a number"#,
            ),
            (
                "/a/~j/~e3",
                r#"{"a":"4e8"}"#,
                r#""/a/~j" is 4e8, divided by 10^3 beyond the range"#,
            ),
            (
                "/a/~j/x",
                r#"{"a":"{\"x\":1,\"x\":1}"}"#,
                "the answer or the JSON in a string of it has a member twice",
            ),
            (
                "/a/~#",
                r#"{"a":true}"#,
                r#""/a" is true or false, which has no elements to count"#,
            ),
            (
                "/a/~*/~#",
                r#"{"a":[[],{},0]}"#,
                r#""/a/2" is a number, which has no elements to count"#,
            ),
            ("/a/~#", r#"{"b":[]}"#, r#"the answer has no "a""#),
            (
                "/a/~*",
                r#"{"a":[1],"a":[1]}"#,
                "the answer has a member twice",
            ),
            ("/~#", r#"{"a":1,"a":2}"#, "the answer has a member twice"),
            (
                "/a/~e-5",
                r#"{"a":0.5}"#,
                r#""a" is 0.5, divided by 10^-5 beyond the range"#,
            ),
            (
                "/a/~e3",
                r#"{"a":40000,"a":1}"#,
                "the answer has a member twice",
            ),
            (
                "/a/~*/~e3",
                r#"{"a":[4e4,4e7]}"#,
                r#""/a/1" is 4e7, divided by 10^3 beyond the"#,
            ),
            (
                "/a/~e-9",
                r#"{"a_q16":65536}"#,
                r#""a_q16" is 65536, divided by 10^-9 beyond the range"#,
            ),
        ] {
            let found = explain_missing(answer.as_bytes(), selector);
            assert!(found.starts_with(told), "{selector} in {answer}: {found}");
        }
        let long = format!(r#"{{"a":[0{}]}}"#, ",0".repeat(32_767));
        let found = explain_missing(long.as_bytes(), "/a/~#");
        assert_eq!(found, r#""/a" has 32768 elements, and at most 32767 count"#);
    }

    #[test]
    fn a_rounded_number_is_told_from_an_exact_one() {
        for (selector, number, value, is_exact) in [
            ("v", "250", 250 << 16, true),
            ("v", "2.50e2", 250 << 16, true),
            ("v", "250.00000000000001", 250 << 16, false),
            ("v", "0.5", 1 << 15, true),
            ("v", "0.1", 6554, false),
            ("v", "-0.0", 0, true),
            ("v", "1e-9", 0, false),
            ("v", "0.0000152587890625", 1, true),
            ("/v/~e3", "40000", 40 << 16, true),
            ("/v/~e3", "40000.007", 40 << 16, false),
            ("/v/~e-3", "0.0010", 1 << 16, true),
        ] {
            let answer = format!(r#"{{"v":{number}}}"#);
            let expected = FoundNumber {
                place: "v".to_owned(),
                written: number.to_owned(),
                value,
                is_exact,
            };
            assert_eq!(
                find_numbers(answer.as_bytes(), selector),
                Ok(vec![expected])
            );
        }
        let inside = find_numbers(br#"{"a":"{\"b\":[0.5]}"}"#, "/a/~j/b/0").unwrap();
        assert_eq!(inside[0].place, "/a/~j/b/0");
        assert_eq!((inside[0].value, inside[0].is_exact), (1 << 15, true));
        let found = find_numbers(br#"{"a":[{"x":1},{"x_q16":35}]}"#, "/a/~*/x/~e1");
        let places: Vec<_> = found
            .unwrap()
            .into_iter()
            .map(|f| (f.place, f.value, f.is_exact))
            .collect();
        let expected = [("/a/0/x", 6554, false), ("/a/1/x_q16", 4, false)];
        assert_eq!(
            places,
            expected.map(|(place, value, exact)| (place.to_owned(), value, exact))
        );
    }
}
