//! The matcher against a reference: small random grammars, derived and matched in the plainest way.

use std::collections::BTreeSet;

use axilog_bundle::gbnf::Grammar;
use proptest::prelude::*;

/// What a grammar is made of. Names refer to later rules only, or follow a character.
#[derive(Clone, Debug)]
enum Part {
    Text(String),
    OneOf(String),
    NoneOf(String),
    Sequence(Vec<Part>),
    Choice(Vec<Part>),
    Repeat(Box<Part>, usize, Option<usize>),
    /// A character and then the root again.
    Again(char),
}

fn part() -> impl Strategy<Value = Part> {
    let leaf = prop_oneof![
        "[abc]{0,2}".prop_map(Part::Text),
        "[abc]{1,2}".prop_map(Part::OneOf),
        "[abc]{1,2}".prop_map(Part::NoneOf),
        "[abc]".prop_map(|c| Part::Again(c.chars().next().unwrap())),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Part::Sequence),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Part::Choice),
            (inner, 0..3usize, prop::option::of(0..3usize)).prop_map(|(part, least, more)| {
                Part::Repeat(Box::new(part), least, more.map(|m| least + m))
            }),
        ]
    })
}

/// The part in GBNF.
fn written(part: &Part) -> String {
    let all =
        |parts: &[Part], between: &str| parts.iter().map(written).collect::<Vec<_>>().join(between);
    match part {
        Part::Text(text) => format!("\"{text}\""),
        Part::OneOf(set) => format!("[{set}]"),
        Part::NoneOf(set) => format!("[^{set}]"),
        Part::Sequence(parts) => format!("({})", all(parts, " ")),
        Part::Choice(parts) => format!("({})", all(parts, " | ")),
        Part::Repeat(part, least, most) => {
            let (one, most) = (
                written(part),
                most.map_or(String::new(), |most| most.to_string()),
            );
            format!("({one}){{{least},{most}}}")
        }
        Part::Again(c) => format!("(\"{c}\" root)"),
    }
}

/// Whether `text` fits: from the right, so that the root's ends further on are known already.
fn fits(root: &Part, text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let mut known = vec![BTreeSet::new(); text.len() + 1];
    for from in (0..=text.len()).rev() {
        known[from] = ends(root, &text, from, &known);
    }
    known[0].contains(&text.len())
}

/// Where a match of `part` that begins at `from` may end; `known` has the root's ends after `from`.
fn ends(part: &Part, text: &[char], from: usize, known: &[BTreeSet<usize>]) -> BTreeSet<usize> {
    let one = |fits: bool| -> BTreeSet<usize> { fits.then_some(from + 1).into_iter().collect() };
    let behind = |here: &BTreeSet<usize>, part: &Part| -> BTreeSet<usize> {
        let each = here.iter().map(|at| ends(part, text, *at, known));
        each.flatten().collect()
    };
    match part {
        Part::Text(wanted) => {
            let wanted: Vec<char> = wanted.chars().collect();
            let fits = text[from..].starts_with(&wanted);
            fits.then_some(from + wanted.len()).into_iter().collect()
        }
        Part::OneOf(set) => one(text.get(from).is_some_and(|c| set.contains(*c))),
        Part::NoneOf(set) => one(text.get(from).is_some_and(|c| !set.contains(*c))),
        Part::Sequence(parts) => {
            let mut here = BTreeSet::from([from]);
            for part in parts {
                here = behind(&here, part);
            }
            here
        }
        Part::Choice(parts) => {
            let each = parts.iter().map(|part| ends(part, text, from, known));
            each.flatten().collect()
        }
        Part::Repeat(part, least, most) => {
            let (mut here, mut found) = (BTreeSet::from([from]), BTreeSet::new());
            // More than one for each character that is left gives no new end.
            let most = most.unwrap_or(least + text.len() - from);
            for count in 0..=most {
                if count >= *least {
                    found.extend(&here);
                }
                here = behind(&here, part);
            }
            found
        }
        Part::Again(c) if text.get(from) == Some(c) => known[from + 1].clone(),
        Part::Again(_) => BTreeSet::new(),
    }
}

/// A text that the part derives; `choices` say which, and recursion ends when they are used up.
fn derived(root: &Part, part: &Part, choices: &mut Vec<u8>, out: &mut String) {
    let mut choose = |count: usize| choices.pop().map_or(0, |n| usize::from(n) % count);
    match part {
        Part::Text(text) => out.push_str(text),
        Part::OneOf(set) => out.extend(set.chars().nth(choose(set.chars().count()))),
        Part::NoneOf(set) => {
            let others: Vec<char> = "abcd".chars().filter(|c| !set.contains(*c)).collect();
            out.push(others[choose(others.len())]);
        }
        Part::Sequence(parts) => {
            for part in parts {
                derived(root, part, choices, out);
            }
        }
        Part::Choice(parts) => {
            let chosen = choose(parts.len());
            derived(root, &parts[chosen], choices, out);
        }
        Part::Repeat(part, least, most) => {
            let count = least + choose(most.map_or(3, |most| most - least + 1));
            for _ in 0..count {
                derived(root, part, choices, out);
            }
        }
        Part::Again(c) => {
            out.push(*c);
            if choices.pop().is_some() {
                derived(root, root, choices, out);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// On random texts, on derived ones, and on those that differ from a derived one in one place.
    #[test]
    fn the_matcher_and_the_reference_agree(
        root in part(),
        mut choices in prop::collection::vec(any::<u8>(), 0..40),
        texts in prop::collection::vec("[abcd]{0,8}", 12),
    ) {
        let text = format!("root ::= {}", written(&root));
        // llama.cpp refuses some repetitions of what may be empty; the reference has no opinion on it.
        let Ok(grammar) = Grammar::parse(&text) else { return Ok(()) };
        let mut own = String::new();
        derived(&root, &root, &mut choices, &mut own);
        prop_assume!(own.len() <= 60);
        let mut all = texts;
        let characters: Vec<char> = own.chars().collect();
        for at in 0..characters.len().min(16) {
            for c in "abcd".chars() {
                let mut changed = characters.clone();
                changed[at] = c;
                all.push(changed.into_iter().collect());
            }
        }
        all.push(own);
        for candidate in all {
            let expected = fits(&root, &candidate);
            prop_assert_eq!(grammar.judge(&candidate).is_match(), expected, "{} {:?}", text, candidate);
        }
    }

    /// What a grammar without recursion derives is accepted, however long.
    #[test]
    fn what_is_derived_is_accepted(
        root in part(),
        mut choices in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let text = written(&root);
        prop_assume!(!text.contains("root"));
        let Ok(grammar) = Grammar::parse(&format!("root ::= {text}")) else { return Ok(()) };
        let mut own = String::new();
        derived(&root, &root, &mut choices, &mut own);
        prop_assert!(grammar.judge(&own).is_match(), "{} {:?}", text, own);
    }
}
