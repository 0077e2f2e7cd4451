//! `accepted.jsonl`: where the compatibility headers do otherwise than the deployed code, and why.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use axilog_testkit::vectors::vector;
use serde::Deserialize;

use super::vectors::Difference;

/// One reason and all that differs because of it.
#[derive(Deserialize)]
pub struct Cause {
    pub cause: String,
    /// What the deployed code does.
    pub deployed: String,
    /// What the library does through `include/compat`.
    pub here: String,
    pub reason: String,
    /// Whose behaviour is the safer one: `here`, `deployed`, or `neither`.
    pub safer: String,
    /// What a rig gives up that is compiled with `AXILOG_COMPAT_AS_DEPLOYED`, which then follows the deployed code;
    /// without it, that makes no difference.
    pub gives_up: Option<String>,
    #[serde(rename = "where")]
    pub places: Vec<Place>,
}

#[derive(Deserialize)]
pub struct Place {
    pub function: String,
    pub generations: Vec<String>,
    pub cases: Vec<String>,
}

/// A function, or the kind of a value, and a case of it.
pub type Key = (String, String);

pub fn read_accepted() -> Vec<Cause> {
    vector("deployed/accepted.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What is accepted of one generation; each case has one cause.
pub fn accepted_of(causes: &[Cause], generation: &str) -> BTreeMap<Key, String> {
    let mut accepted = BTreeMap::new();
    for cause in causes {
        for place in &cause.places {
            if !place.generations.iter().any(|name| name == generation) {
                continue;
            }
            for case in &place.cases {
                let key = (place.function.clone(), case.clone());
                let before = accepted.insert(key, cause.cause.clone());
                assert!(
                    before.is_none(),
                    "accepted.jsonl has {} of {} twice",
                    case,
                    place.function
                );
            }
        }
    }
    accepted
}

/// Says what differs and is not accepted, and what is accepted and no longer differs; nothing where neither is so.
pub fn judge(causes: &[Cause], generation: &str, differences: &[Difference]) -> String {
    let accepted = accepted_of(causes, generation);
    let mut said = String::new();
    let mut differing = BTreeSet::new();
    for difference in differences {
        let Difference {
            function,
            case,
            field,
            found,
            expected,
        } = difference;
        let key = (function.clone(), case.clone());
        if !accepted.contains_key(&key) {
            let [found, expected] = [found, expected].map(|text| shorten(text));
            writeln!(
                said,
                "{generation} {function}, case {case:?}: {field} is {found}, and deployed {expected}"
            )
            .unwrap();
        }
        differing.insert(key);
    }
    for ((function, case), cause) in accepted {
        if !differing.contains(&(function.clone(), case.clone())) {
            writeln!(
                said,
                "{generation} {function}, case {case:?}: as deployed now; accepted.jsonl still has it under \
                 {cause:?}"
            )
            .unwrap();
        }
    }
    said
}

fn shorten(text: &str) -> String {
    if text.len() > 200 {
        format!("{}... ({} characters)", &text[..200], text.len())
    } else {
        text.to_owned()
    }
}

/// The table of `docs/rigs.md`.
pub fn write_table(causes: &[Cause]) -> String {
    let mut table = String::from(
        "| what | functions | deployed | here | why | safer | cases | `AXILOG_COMPAT_AS_DEPLOYED` gives up |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for cause in causes {
        let functions: BTreeSet<String> = cause
            .places
            .iter()
            .map(|place| format!("`{}`", place.function))
            .collect();
        let functions: Vec<String> = functions.into_iter().collect();
        let cases: usize = cause.places.iter().map(|place| place.cases.len()).sum();
        writeln!(
            table,
            "| {} | {} | {} | {} | {} | {} | {cases} | {} |",
            cause.cause,
            functions.join(", "),
            cause.deployed,
            cause.here,
            cause.reason,
            cause.safer,
            cause.gives_up.as_deref().unwrap_or("as here")
        )
        .unwrap();
    }
    table
}
