//! The canonicalizer on drawn texts, once per session, in preflight (Q5; A5).
//!
//! Equal seeds draw equal texts on every machine, so what becomes of them has one digest.

use axilog::hash::{Hash, sha256};
use axilog_ledger::file::hex;
use axilog_oracle::canonicalizer::{Canonicalized, Status, canonicalize};

use crate::schedule::SplitMix64;

/// The seeds, one for each series of texts.
const SEEDS: [u64; 4] = [1, 2, 3, 4];

/// Texts per seed.
const TEXTS: usize = 500;

/// The most pieces that a text is made of.
const PIECES: u64 = 24;

/// What texts are made of.
const ALPHABET: [&str; 28] = [
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
    "é",
    "\u{feff}",
    "\t",
    "\"}\"",
];

/// How many texts are tried.
pub(super) const TRIED: usize = SEEDS.len() * TEXTS;

/// What becomes of all of them.
///
/// # Errors
/// The text that breaks a rule, and the rule.
pub(super) fn pass() -> Result<Hash, String> {
    let mut digest = Vec::new();
    for seed in SEEDS {
        let mut generator = SplitMix64::new(seed);
        for _ in 0..TEXTS {
            let text = drawn(&mut generator);
            let result = canonicalize(&text);
            if let Some(rule) = broken(&text, &result) {
                return Err(format!("{text:?}: {rule}"));
            }
            let canonical = result.block.as_ref().map_or("-", |block| &block.canonical);
            digest.extend_from_slice(result.status().as_str().as_bytes());
            digest.extend_from_slice(&sha256(canonical.as_bytes()));
        }
    }
    Ok(sha256(&digest))
}

fn drawn(generator: &mut SplitMix64) -> String {
    let pieces = 1 + generator.below(PIECES);
    let draw = |_| {
        let place = generator.below(ALPHABET.len() as u64);
        let piece = usize::try_from(place).ok().and_then(|at| ALPHABET.get(at));
        piece.copied().unwrap_or_default()
    };
    (0..pieces).map(draw).collect()
}

/// The rule that does not hold of what became of a text.
fn broken(text: &str, result: &Canonicalized) -> Option<&'static str> {
    let again = canonicalize(text);
    if again != *result {
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
            let twice = canonicalize(&format!("{}{}", block.text, block.text));
            (twice.status() != Status::AmbiguousMultiBlock)
                .then_some("two objects are not ambiguous")
        }
        Err(Status::Ok) => Some("accepted without an object"),
        // An array's objects are not top-level.
        Err(Status::NoJson) => {
            (text.contains('{') && !text.contains('[')).then_some("a brace is overlooked")
        }
        Err(_) => (!text.contains(['{', '['])).then_some("there is nothing to reject"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axilog_oracle::canonicalizer::Block;

    /// Texts that are all rejected, or all for one reason, would show little.
    #[test]
    fn every_status_is_met_often() {
        let mut counts = [0; 4];
        for seed in SEEDS {
            let mut generator = SplitMix64::new(seed);
            for _ in 0..TEXTS {
                let status = canonicalize(&drawn(&mut generator)).status();
                counts[status as usize] += 1;
            }
        }
        assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
    }

    #[test]
    fn wrong_results_are_found() {
        let text = "{\"a\":1}";
        let good = canonicalize(text);
        assert_eq!(broken(text, &good), None);
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
            assert!(broken(text, &wrong).is_some());
        }
    }
}
