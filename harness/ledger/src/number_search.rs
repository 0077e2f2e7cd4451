//! The search for the numbers that a path leads to in an answer, without a judgement of them.
//!
//! formats.md §4, Extracting the value.

use axilog_policyc::{COUNT, EMBEDDED, EVERY};
use serde_json::value::RawValue;

use crate::raw_json::{ARRAY, OBJECT, describe, enter, list_elements, list_members, read_json};

/// The largest number of elements or members that is a value.
const MAX_COUNT: usize = 32_767;

/// How the value at the end of a path writes its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberForm {
    /// As a JSON number.
    Decimal,
    /// As an integer that counts 65536ths, in a member whose name ends in `_q16`.
    RawQ16,
}

/// Takes the value at the end of a path, with its place: a name, or a pointer. An error ends the search.
pub(crate) type TakeValue<'t> =
    &'t mut dyn FnMut(String, &RawValue, NumberForm) -> Result<(), String>;

/// Calls `take` with each value that `path` leads to in `answer`, in order; with none for a number of elements, which is
/// checked only.
///
/// # Errors
/// Why there is no value, in words: the first obstacle, or the error of `take`.
pub(crate) fn visit_numbers(answer: &[u8], path: &str, take: TakeValue<'_>) -> Result<(), String> {
    let whole = read_json(answer).map_err(|error| format!("the answer is not JSON: {error}"))?;
    if describe(whole) != OBJECT {
        return Err(format!(
            "the answer is {}, not one JSON object",
            describe(whole)
        ));
    }
    let steps: Vec<&str> = match path.strip_prefix('/') {
        Some(steps) => steps.split('/').collect(),
        None => vec![path],
    };
    NumberSearch { take }.follow(whole, "", &steps)
}

/// A search, which ends at the first obstacle.
struct NumberSearch<'t> {
    take: TakeValue<'t>,
}

impl NumberSearch<'_> {
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
            self.reach(element, format!("{walked}/{index}"), behind)?;
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
        self.reach(held, format!("{walked}/{EMBEDDED}"), behind)
    }

    /// Takes the value at `place`, where the path ends there, or follows the rest of the path from it.
    fn reach(&mut self, value: &RawValue, place: String, behind: &[&str]) -> Result<(), String> {
        match behind {
            [] => (self.take)(place, value, NumberForm::Decimal),
            _ => self.follow(value, &place, behind),
        }
    }

    /// Takes the value of the member or element `last` of `place`.
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
            (_, Some(value), None) => (self.take)(name(last), value, NumberForm::Decimal),
            (_, None, Some(value)) => (self.take)(name(&raw), value, NumberForm::RawQ16),
            (other, ..) => Err(format!("{} is {other}", name_place(walked))),
        }
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
