//! The numbers of an answer that count, exactly as it writes them.
//!
//! formats.md §4, Extracting the value: the numbers that policies may compare, without the range of Q16.16.

use std::str::FromStr;

use axilog::json::number::scaled_integer_to_q16;
use axilog_policyc::decimal;
use bigdecimal::BigDecimal;
use serde_json::value::RawValue;

use super::declaration::{RunningValue, RunningValueKind};
use crate::jcs::canonicalize;
use crate::number_search::{NumberForm, visit_numbers};
use crate::raw_json::{NUMBER, describe};
use crate::written_number::find_length_fault;

/// What an answer adds to a running value, or is compared with; `None` where it has no such number. An answer that is
/// not one JSON object, or has a member twice, has none.
pub(super) fn find_amount(
    kind: RunningValueKind,
    value: &RunningValue,
    answer: &str,
) -> Option<BigDecimal> {
    let path = match (kind, &value.path) {
        (RunningValueKind::Count, _) => return Some(BigDecimal::from(1)),
        (_, path) => path.as_deref()?,
    };
    canonicalize(answer.as_bytes()).ok()?;
    let mut numbers = Vec::new();
    visit_numbers(answer.as_bytes(), path, &mut |_, number, form| {
        let exact = read_exactly(number, form);
        numbers.push(exact.ok_or_else(|| "no number that counts".to_owned())?);
        Ok(())
    })
    .ok()?;
    match (kind, numbers.as_slice()) {
        (_, []) => None,
        (RunningValueKind::Sum, all) => Some(all.iter().sum()),
        (_, [one]) => Some(one.clone()),
        (_, [_, ..]) => None,
    }
}

fn read_exactly(number: &RawValue, form: NumberForm) -> Option<BigDecimal> {
    let written = number.get();
    if describe(number) != NUMBER {
        return None;
    }
    match form {
        NumberForm::Decimal if find_length_fault(written).is_none() => {
            BigDecimal::from_str(written).ok()
        }
        NumberForm::Decimal => None,
        NumberForm::RawQ16 => {
            let raw = scaled_integer_to_q16(written.as_bytes(), 0)?;
            BigDecimal::from_str(&decimal(raw)).ok()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(path: &str, answer: &str) -> Option<String> {
        let value = RunningValue {
            oracle: "o".to_owned(),
            path: Some(path.to_owned()),
            window: None,
        };
        let amount = find_amount(RunningValueKind::Sum, &value, answer)?;
        Some(amount.normalized().to_plain_string())
    }

    #[test]
    fn the_numbers_count_exactly_as_they_are_written() {
        for (path, answer, expected) in [
            ("amount", r#"{"amount":0.1}"#, Some("0.1")),
            (
                "/amount",
                r#"{"amount":123456789012345678}"#,
                Some("123456789012345678"),
            ),
            (
                "/amount",
                r#"{"amount":-4e18}"#,
                Some("-4000000000000000000"),
            ),
            (
                "/amount",
                r#"{"amount":1e-18}"#,
                Some("0.000000000000000001"),
            ),
            ("/amount", r#"{"amount_q16":98304}"#, Some("1.5")),
            (
                "/items/~*/price",
                r#"{"items":[{"price":1.10},{"price":2.2}]}"#,
                Some("3.3"),
            ),
            // What no policy takes for a number counts for nothing here either.
            ("/amount", r#"{"amount":1234567890123456789}"#, None),
            ("/amount", r#"{"amount":1e19}"#, None),
            ("/amount", r#"{"amount":"7"}"#, None),
            ("/amount", r#"{"amount":7,"amount":1}"#, None),
            ("/amount", r#"{"amount":7,"other":{"a":1,"a":1}}"#, None),
            ("/amount", r#"{"amount":7,"amount_q16":1}"#, None),
            ("/amount", r#"{"amount":7"#, None),
            ("/amount", "[7]", None),
            ("/items/~*/price", r#"{"items":[{"price":1},{}]}"#, None),
            ("/items/~*/price", r#"{"items":[]}"#, None),
        ] {
            assert_eq!(amount(path, answer).as_deref(), expected, "{path} {answer}");
        }
    }
}
