//! The numbers that a selector leads to in an answer, as the answer writes them, or why there are none, in words.
//!
//! formats.md §4, Extracting the value. The core gives one value, or says only that there is none; what it looked for is
//! looked for again here, with the reader of serde_json, which keeps numbers as they are written.

use axilog::json::number::{scaled_decimal_to_q16, scaled_integer_to_q16};
use axilog_policyc::{COUNT, EMBEDDED, EVERY, decimal, selector_path, split_scale};
use serde_json::value::RawValue;

use crate::raw_json::{
    ARRAY, NUMBER, OBJECT, describe, enter, list_elements, list_members, read_json,
};
use crate::written_number::{describe_range, describe_unfit_number, parse_decimal};

/// The largest number of elements or members that is a value.
const MAX_COUNT: usize = 32_767;

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
    let whole = read_json(answer).map_err(|error| format!("the answer is not JSON: {error}"))?;
    if describe(whole) != OBJECT {
        return Err(format!(
            "the answer is {}, not one JSON object",
            describe(whole)
        ));
    }
    let (path, power) = split_scale(selector_path(selector));
    let steps: Vec<&str> = match path.strip_prefix('/') {
        Some(steps) => steps.split('/').collect(),
        None => vec![path],
    };
    let mut search = NumberSearch {
        power,
        found: Vec::new(),
    };
    search.follow(whole, "", &steps)?;
    Ok(search.found)
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

/// A search for the numbers of a selector, which ends at the first obstacle.
struct NumberSearch {
    /// The power of ten that each number is divided by.
    power: i8,
    found: Vec<FoundNumber>,
}

impl NumberSearch {
    /// Follows `steps` from `place`, to which `walked` led.
    fn follow(&mut self, place: &RawValue, walked: &str, steps: &[&str]) -> Result<(), String> {
        let Some((step, behind)) = steps.split_first() else {
            return Ok(());
        };
        match *step {
            EVERY => self.follow_elements(place, walked, behind),
            COUNT => check_count(place, walked),
            EMBEDDED => self.follow_embedded(place, walked, behind),
            step if behind.is_empty() => self.take_member(place, walked, &unescape(step)),
            step => {
                let step = unescape(step);
                let next = enter(place, &step)
                    .ok_or_else(|| format!("{} has no \"{step}\"", name_place(walked)))?;
                self.follow(next, &format!("{walked}/{step}"), behind)
            }
        }
    }

    fn follow_elements(
        &mut self,
        place: &RawValue,
        walked: &str,
        behind: &[&str],
    ) -> Result<(), String> {
        let name = name_place(walked);
        let elements = list_elements(place)
            .ok_or_else(|| format!("{name} is {}, not an array", describe(place)))?;
        if elements.is_empty() {
            return Err(format!("{name} has no element"));
        }
        for (index, element) in elements.iter().enumerate() {
            let place = format!("{walked}/{index}");
            match behind {
                [] => self.take_natural(place, element)?,
                _ => self.follow(element, &place, behind)?,
            }
        }
        Ok(())
    }

    fn follow_embedded(
        &mut self,
        place: &RawValue,
        walked: &str,
        behind: &[&str],
    ) -> Result<(), String> {
        let name = name_place(walked);
        let text: String = serde_json::from_str(place.get()).map_err(|_| {
            format!(
                "{name} is {}, not a string that holds JSON",
                describe(place)
            )
        })?;
        let held = read_json(text.as_bytes())
            .map_err(|error| format!("{name} is a string that is not JSON: {error}"))?;
        let place = format!("{walked}/{EMBEDDED}");
        match behind {
            [] => self.take_natural(place, held),
            _ => self.follow(held, &place, behind),
        }
    }

    /// Takes the number in the member or element `last` of `place`.
    fn take_member(&mut self, place: &RawValue, walked: &str, last: &str) -> Result<(), String> {
        let kind = describe(place);
        let name = |last: &str| match walked {
            "" => last.to_owned(),
            walked => format!("{walked}/{last}"),
        };
        let raw = format!("{last}_q16");
        let raw_value = enter(place, &raw).filter(|_| kind == OBJECT);
        match (kind, enter(place, last), raw_value) {
            (OBJECT, Some(_), Some(_)) => Err(format!(
                "{} has both \"{last}\" and \"{raw}\"",
                name_place(walked)
            )),
            (OBJECT | ARRAY, None, None) => {
                Err(format!("{} has no \"{last}\"", name_place(walked)))
            }
            (_, Some(value), None) => self.take_natural(name(last), value),
            (_, None, Some(value)) => self.take_raw(name(&raw), value),
            (other, ..) => Err(format!("{} is {other}", name_place(walked))),
        }
    }

    fn take_natural(&mut self, place: String, value: &RawValue) -> Result<(), String> {
        let written = value.get();
        match (
            describe(value),
            scaled_decimal_to_q16(written.as_bytes(), self.power),
        ) {
            (NUMBER, Some(converted)) => {
                let is_exact =
                    parse_decimal(written, 0) == parse_decimal(&decimal(converted), self.power);
                self.keep(place, written, converted, is_exact);
                Ok(())
            }
            (NUMBER, None) => {
                let why = describe_unfit_number(written, self.power);
                Err(format!("\"{place}\" is {written}, {why}"))
            }
            (other, _) => Err(format!("\"{place}\" is {other}, not a number")),
        }
    }

    fn take_raw(&mut self, place: String, value: &RawValue) -> Result<(), String> {
        let written = value.get();
        let convert = |power| scaled_integer_to_q16(written.as_bytes(), power);
        match (describe(value), convert(0), convert(self.power)) {
            (NUMBER, Some(_), Some(converted)) => {
                let is_exact =
                    parse_decimal(written, 0) == parse_decimal(&converted.to_string(), self.power);
                self.keep(place, written, converted, is_exact);
                Ok(())
            }
            (NUMBER, Some(_), None) => {
                let why = describe_range(self.power);
                Err(format!("\"{place}\" is {written}, {why}"))
            }
            (NUMBER, None, _) => Err(format!(
                "\"{place}\" is {written}, which is no raw Q16.16 value"
            )),
            (other, ..) => Err(format!("\"{place}\" is {other}, not an integer")),
        }
    }

    fn keep(&mut self, place: String, written: &str, value: i32, is_exact: bool) {
        self.found.push(FoundNumber {
            place,
            written: written.to_owned(),
            value,
            is_exact,
        });
    }
}

fn check_count(place: &RawValue, walked: &str) -> Result<(), String> {
    let (kind, name) = (describe(place), name_place(walked));
    let count = match (list_elements(place), list_members(place)) {
        (Some(elements), _) => elements.len(),
        (None, Some(members)) => members.len(),
        (None, None) => return Err(format!("{name} is {kind}, which has no elements to count")),
    };
    match count > MAX_COUNT {
        true => Err(format!(
            "{name} has {count} elements, and at most {MAX_COUNT} count"
        )),
        false => Ok(()),
    }
}

fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

fn name_place(walked: &str) -> String {
    match walked {
        "" => "the answer".to_owned(),
        walked => format!("\"{walked}\""),
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
