//! The fuzz pass: the canonicalizer on random texts, once per session, in preflight (Q5; A5).
//!
//! Equal seeds give equal texts on every machine, so the digest of all results is a constant.

use axilog::hash::{Hash, sha256};
use axilog_ledger::encoding::hex;
use axilog_oracle::canonicalizer::{Canonicalized, Status, canonicalize};

use crate::schedule::SplitMix64;

/// The seeds, one for each series of texts.
const SEEDS: [u64; 4] = [1, 2, 3, 4];

/// The number of texts per seed.
const TEXTS: usize = 500;

/// The most pieces in a text.
const PIECES: u64 = 24;

/// The pieces of the texts.
const ALPHABET: [&str; 32] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "\\",
    "{\"a\":1}",
    "{\"b\":\"x\"}",
    "{\"c\":[{}]}",
    "{name}",
    "[1]",
    "\"a\":",
    "\"\\u00e9\"",
    "\"\\ud800\"",
    "1",
    "-0.5e3",
    "9007199254740993",
    "true",
    "null",
    " ",
    "\n",
    "\r\n",
    "```json\n",
    "```",
    "Here: ",
    "Done.",
    "é",
    "\u{feff}",
    "\t",
    "\"}\"",
];

/// The number of texts.
pub(super) const TEXT_COUNT: usize = SEEDS.len() * TEXTS;

/// Canonicalizes every text, and gives the digest of the results.
///
/// # Errors
/// The text whose result breaks a rule, and the rule.
pub(super) fn run_fuzz_pass() -> Result<Hash, String> {
    let mut digest = Vec::new();
    for seed in SEEDS {
        let mut generator = SplitMix64::new(seed);
        for _ in 0..TEXTS {
            let text = draw_text(&mut generator);
            let result = canonicalize(&text);
            if let Some(rule) = find_broken_rule(&text, &result) {
                return Err(format!("{text:?}: {rule}"));
            }
            let canonical = result.block.as_ref().map_or("-", |block| &block.canonical);
            digest.extend_from_slice(result.status().as_str().as_bytes());
            digest.extend_from_slice(&sha256(canonical.as_bytes()));
        }
    }
    Ok(sha256(&digest))
}

fn draw_text(generator: &mut SplitMix64) -> String {
    let pieces = 1 + generator.below(PIECES);
    let draw = |_| {
        let index = generator.below(ALPHABET.len() as u64);
        let piece = usize::try_from(index).ok().and_then(|at| ALPHABET.get(at));
        piece.copied().unwrap_or_default()
    };
    (0..pieces).map(draw).collect()
}

/// The rule that the result of a text breaks.
fn find_broken_rule(text: &str, result: &Canonicalized) -> Option<&'static str> {
    if canonicalize(text) != *result {
        return Some("one text, two results");
    }
    match &result.block {
        Ok(block) => {
            if !result.text.contains(&block.text) {
                return Some("the object does not stand in the text");
            }
            let hash = |text: &str| canonicalize(text).block.ok().map(|block| hex(&block.hash));
            let expected = Some(hex(&block.hash));
            if hash(&block.canonical) != expected || hash(&block.text) != expected {
                return Some("the object by itself is another one");
            }
            if hash(&format!("So:\r\n{}\n.", block.text)) != expected {
                return Some("prose around the object changes it");
            }
            let (inner, end) = (block.text.get(1..), block.text.len() - 1);
            let mut damaged = inner.into_iter().chain(block.text.get(..end));
            if !damaged.all(|text| canonicalize(text).status() == Status::ParseError) {
                return Some("an object without its brace is no error");
            }
            let twice = canonicalize(&format!("{}{}", block.text, block.text));
            (twice.status() != Status::AmbiguousMultiBlock)
                .then_some("two objects are not ambiguous")
        }
        Err(Status::Ok) => Some("accepted without an object"),
        // An array's objects are not top-level.
        Err(Status::NoJson) => {
            (!text.contains('[') && !has_only_placeholders(text)).then_some("a brace is overlooked")
        }
        Err(_) => (!text.contains(['{', '[', '}', ']'])).then_some("there is nothing to reject"),
    }
}

/// Whether each brace in `text` belongs to a placeholder, which holds no quotes.
fn has_only_placeholders(text: &str) -> bool {
    let is_placeholder = |behind: &str| {
        let name = behind.split_once('}').map(|(name, _)| name);
        name.is_some_and(|name| !name.contains('"'))
    };
    text.split('{').skip(1).all(is_placeholder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axilog_oracle::canonicalizer::Block;

    /// Texts that all had one status would test little.
    #[test]
    fn the_texts_have_every_status_often() {
        let mut counts = [0; 4];
        for seed in SEEDS {
            let mut generator = SplitMix64::new(seed);
            for _ in 0..TEXTS {
                let status = canonicalize(&draw_text(&mut generator)).status();
                counts[status as usize] += 1;
            }
        }
        assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
    }

    #[test]
    fn wrong_results_break_a_rule() {
        let text = "{\"a\":1}";
        let good = canonicalize(text);
        assert_eq!(find_broken_rule(text, &good), None);
        let block = good.block.clone().unwrap();
        let other = Block {
            hash: [0; 32],
            ..block
        };
        for block in [Ok(other), Err(Status::NoJson), Err(Status::ParseError)] {
            let wrong = Canonicalized {
                block,
                ..good.clone()
            };
            assert!(find_broken_rule(text, &wrong).is_some());
        }
    }
}
