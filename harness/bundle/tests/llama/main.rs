//! GBNF beside llama.cpp: which grammars it takes, and which texts fit them, by its own functions and by its
//! server with a tiny model of random weights.
//!
//! `harness/oracle/tests/llama/run` makes what these tests need and runs them; without it they say that they
//! were skipped.

mod answers;
mod notation;
mod reference;

use std::fs;
use std::path::Path;

use axilog_bundle::catalogue::GRAMMARS;

/// The grammars that ship, and those of `grammars/`: name and text.
fn all_grammars() -> Vec<(String, String)> {
    let shipped = GRAMMARS.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/llama/grammars");
    let own = fs::read_dir(folder).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(path).unwrap())
    });
    let mut all: Vec<(String, String)> = shipped.into_iter().chain(own).collect();
    all.sort();
    all
}

/// A sequence of numbers that is the same in each run (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }

    /// `text` with one character changed, taken out, put in or doubled; the new ones come from the text and
    /// from `others`.
    fn change(&mut self, text: &str, others: &str) -> String {
        let mut changed: Vec<char> = text.chars().collect();
        let choices: Vec<char> = others.chars().chain(text.chars()).collect();
        let new = choices[self.below(choices.len())];
        let at = self.below(changed.len() + 1);
        match (self.below(4), changed.get(at).copied()) {
            (0, Some(_)) => changed[at] = new,
            (1, Some(_)) => {
                changed.remove(at);
            }
            (2, Some(c)) => changed.insert(at, c),
            _ => changed.insert(at, new),
        }
        changed.into_iter().collect()
    }
}
