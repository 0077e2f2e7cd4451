//! The patterns of gate G7: forbidden texts, those that are none though they have one inside, and the languages in
//! which each is looked for.

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

/// The first word of a line about a text that is left out of the search.
const ALLOW: &str = "allow";

/// The word for every language.
const EVERY_LANGUAGE: &str = "all";

/// A text, and the languages in which it is looked for.
struct ScopedText {
    /// The text, its case folded.
    text: String,
    /// The names of languages, or endings.
    languages: Vec<String>,
}

/// A forbidden text.
struct Pattern {
    ban: String,
    scoped: ScopedText,
}

/// The texts, and the endings of the languages there are.
#[derive(Default)]
pub(super) struct BanPatterns {
    patterns: Vec<Pattern>,
    /// What is left out of the search.
    allowed: Vec<ScopedText>,
    endings: BTreeMap<String, BTreeSet<String>>,
}

/// What is looked for in one file, and what is left out of the search.
pub(super) struct FilePatterns<'p> {
    /// Each with its ban.
    pub(super) forbidden: Vec<(&'p str, &'p str)>,
    pub(super) allowed: Vec<&'p str>,
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
                let expected = "three after one tab each: the ban or allow, its languages, the text; or language, its name, its endings";
                let reason = format!("found {} part(s), expected {expected}", parts.len());
                return Err(MemoryError::document(name, place, reason));
            };
            let names = |list: &str| list.split(',').map(fold_case).collect::<Vec<_>>();
            match *first {
                LANGUAGE => {
                    let language = self.endings.entry(fold_case(list)).or_default();
                    language.extend(names(text));
                }
                first => {
                    let scoped = ScopedText {
                        text: fold_case(text),
                        languages: names(list),
                    };
                    match first {
                        ALLOW => self.allowed.push(scoped),
                        ban => self.patterns.push(Pattern {
                            ban: ban.to_owned(),
                            scoped,
                        }),
                    }
                }
            }
        }
        Ok(())
    }

    /// How many forbidden texts there are.
    pub(super) fn count_forbidden(&self) -> usize {
        self.patterns.len()
    }

    /// How many languages there are.
    pub(super) fn count_languages(&self) -> usize {
        self.endings.len()
    }

    /// The patterns for files with this ending; nothing where neither a language nor a pattern has the ending.
    pub(super) fn find_for(&self, ending: &str) -> Option<FilePatterns<'_>> {
        let of_language = self
            .endings
            .values()
            .any(|endings| endings.contains(ending));
        let is_meant = |name: &String| match self.endings.get(name) {
            Some(endings) => endings.contains(ending),
            None if name == EVERY_LANGUAGE => of_language,
            None => name == ending,
        };
        let is_wanted = |scoped: &ScopedText| scoped.languages.iter().any(is_meant);
        let forbidden = self.patterns.iter().filter(|it| is_wanted(&it.scoped));
        let allowed = self.allowed.iter().filter(|it| is_wanted(it));
        let wanted = FilePatterns {
            forbidden: forbidden.map(|it| (&*it.ban, &*it.scoped.text)).collect(),
            allowed: allowed.map(|it| &*it.text).collect(),
        };
        (of_language || !wanted.forbidden.is_empty()).then_some(wanted)
    }
}
