//! The patterns of gate G7: forbidden texts, and the languages in which each is looked for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use axilog_ledger::input_file::read_input;

use crate::error::{MemoryError, Result};
use crate::folded_text::fold_case;

/// The built-in patterns, and the form of such a file.
const BUILT_IN: &str = include_str!("patterns.txt");

/// The line by which a file adds to the built-in patterns.
const ADD_BUILT_IN: &str = "built-in";

/// The first word of a line about a language.
const LANGUAGE: &str = "language";

/// The word for every language.
const EVERY_LANGUAGE: &str = "all";

/// A forbidden text.
pub(super) struct Pattern {
    pub(super) ban: String,
    /// The text, its case folded.
    pub(super) text: String,
    /// The names of languages, or endings.
    languages: Vec<String>,
}

/// Forbidden texts, and the endings of the languages there are.
#[derive(Default)]
pub(super) struct BanPatterns {
    pub(super) patterns: Vec<Pattern>,
    endings: BTreeMap<String, BTreeSet<String>>,
}

impl BanPatterns {
    /// Reads a file of patterns, which has 1 MiB at most; the built-in patterns where there is no file.
    pub(super) fn read(path: Option<&Path>) -> Result<BanPatterns> {
        let mut patterns = BanPatterns::default();
        let Some(path) = path else {
            patterns.add_lines("the built-in patterns", BUILT_IN)?;
            return Ok(patterns);
        };
        let name = path.display().to_string();
        let bytes = read_input(path, "read the patterns", 1 << 20)?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let place = format!("byte {}", error.utf8_error().valid_up_to());
            MemoryError::document(&name, place, "is not UTF-8")
        })?;
        if text.lines().any(|line| line.trim_end() == ADD_BUILT_IN) {
            patterns.add_lines("the built-in patterns", BUILT_IN)?;
        }
        patterns.add_lines(&name, &text)?;
        Ok(patterns)
    }

    fn add_lines(&mut self, name: &str, text: &str) -> Result<()> {
        for (number, line) in text.lines().enumerate() {
            if line.is_empty() || line.starts_with('#') || line.trim_end() == ADD_BUILT_IN {
                continue;
            }
            let parts: Vec<&str> = line.splitn(3, '\t').collect();
            let [first, list, text] = parts.as_slice() else {
                let place = format!("line {}", number + 1);
                let expected = "three behind one tab each: the ban, its languages, the text; or language, its name, its endings";
                let reason = format!("found {} part(s), expected {expected}", parts.len());
                return Err(MemoryError::document(name, place, reason));
            };
            let names = |list: &str| list.split(',').map(fold_case).collect::<Vec<_>>();
            match *first {
                LANGUAGE => {
                    let language = self.endings.entry(fold_case(list)).or_default();
                    language.extend(names(text));
                }
                ban => self.patterns.push(Pattern {
                    ban: ban.to_owned(),
                    text: fold_case(text),
                    languages: names(list),
                }),
            }
        }
        Ok(())
    }

    /// How many languages there are.
    pub(super) fn count_languages(&self) -> usize {
        self.endings.len()
    }

    /// The patterns for files with this ending; nothing where neither a language nor a pattern has the ending.
    pub(super) fn find_for(&self, ending: &str) -> Option<Vec<&Pattern>> {
        let of_language = self
            .endings
            .values()
            .any(|endings| endings.contains(ending));
        let is_meant = |name: &String| match self.endings.get(name) {
            Some(endings) => endings.contains(ending),
            None if name == EVERY_LANGUAGE => of_language,
            None => name == ending,
        };
        let patterns = self.patterns.iter();
        let wanted: Vec<&Pattern> = patterns
            .filter(|pattern| pattern.languages.iter().any(is_meant))
            .collect();
        (of_language || !wanted.is_empty()).then_some(wanted)
    }
}
