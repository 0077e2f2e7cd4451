//! The catalogue of steps (A7): what each is for, what an answer to it holds, and what binds it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;

use axilog_ledger::input::normalize_line_ends;
use serde::Deserialize;

use super::error::BundleError;
use super::gbnf::{Grammar, GrammarError, GrammarErrorKind};
use super::model::ProvenanceRecord;
use super::provenance;
use super::value::nfc;

/// The id of Chapter 13.
pub const CHAPTER_13: u32 = 13;

const BUILT_IN: &str = include_str!("../data/catalogue.toml");

/// The grammars that ship, by their file names.
pub const GRAMMARS: [(&str, &str); 4] = [
    (
        "agent_decision.gbnf",
        include_str!("../data/grammars/agent_decision.gbnf"),
    ),
    (
        "chapter_13.gbnf",
        include_str!("../data/grammars/chapter_13.gbnf"),
    ),
    (
        "json_generic.gbnf",
        include_str!("../data/grammars/json_generic.gbnf"),
    ),
    (
        "sieve_analysis.gbnf",
        include_str!("../data/grammars/sieve_analysis.gbnf"),
    ),
];

/// Steps by their ids, and the contracts that hold for all of them.
#[derive(Clone, Debug)]
pub struct Catalogue {
    steps: Vec<PipelineStep>,
    contracts: Vec<String>,
    /// The file; `None` for the built-in one.
    source: Option<(PathBuf, ProvenanceRecord)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    contracts: Vec<String>,
    step: Vec<PipelineStep>,
}

/// A step of a catalogue.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PipelineStep {
    id: u32,
    name: String,
    mission: String,
    schema_excerpt: String,
    grammar: String,
    fallback_grammar: Option<String>,
    guardrails: Vec<String>,
    key_metrics: Vec<String>,
}

impl PipelineStep {
    /// Its number, from 1; 13 is Chapter 13.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Its name: lower-case letters, digits and `_`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is for.
    #[must_use]
    pub fn mission(&self) -> &str {
        &self.mission
    }

    /// What an answer to it holds.
    #[must_use]
    pub fn schema_excerpt(&self) -> &str {
        &self.schema_excerpt
    }

    /// The file name of the grammar that an answer fits.
    #[must_use]
    pub fn grammar(&self) -> &str {
        &self.grammar
    }

    /// The file name of a wider grammar, for where the first one cannot be used.
    #[must_use]
    pub fn fallback_grammar(&self) -> Option<&str> {
        self.fallback_grammar.as_deref()
    }

    /// Its hard constraints; there may be none.
    #[must_use]
    pub fn guardrails(&self) -> &[String] {
        &self.guardrails
    }

    /// Those of its results that a model gets to see, in this order.
    #[must_use]
    pub fn key_metrics(&self) -> &[String] {
        &self.key_metrics
    }

    fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let own = [
            &mut self.name,
            &mut self.mission,
            &mut self.schema_excerpt,
            &mut self.grammar,
        ];
        own.into_iter()
            .chain(&mut self.fallback_grammar)
            .chain(&mut self.guardrails)
            .chain(&mut self.key_metrics)
    }
}

impl Catalogue {
    /// The seven steps of A7.
    ///
    /// # Errors
    /// None: it is the library's own, and a test reads it.
    pub fn built_in() -> Result<Catalogue, BundleError> {
        parse(BUILT_IN, Path::new("the built-in catalogue"))
    }

    /// Reads a catalogue in TOML.
    ///
    /// # Errors
    /// [`FileError::Io`](axilog_ledger::error::FileError::Io), [`FileError::TooLong`](axilog_ledger::error::FileError::TooLong); [`BundleError::Catalogue`], with line and column where the form is wrong.
    pub fn read(path: &Path) -> Result<Catalogue, BundleError> {
        let bytes = provenance::read(path, "read the catalogue")?;
        let text = std::str::from_utf8(&bytes).map_err(|error| BundleError::Catalogue {
            path: path.to_owned(),
            reason: format!("not UTF-8 at byte {}", error.valid_up_to()),
        })?;
        let mut catalogue = parse(text, path)?;
        let record = provenance::record_bytes(path, &bytes);
        catalogue.source = Some((path.to_owned(), record));
        Ok(catalogue)
    }

    /// Its steps, in the order of their ids.
    #[must_use]
    pub fn steps(&self) -> &[PipelineStep] {
        &self.steps
    }

    /// The file names of the authority contracts in force.
    #[must_use]
    pub fn contracts(&self) -> &[String] {
        &self.contracts
    }

    /// The file it was read from; `None` where it is built in.
    #[must_use]
    pub fn source(&self) -> Option<&ProvenanceRecord> {
        self.source.as_ref().map(|(_, record)| record)
    }

    /// The step with this id.
    ///
    /// # Errors
    /// [`BundleError::UnknownStep`], which lists those that there are.
    pub fn step(&self, id: u32) -> Result<&PipelineStep, BundleError> {
        let found = self.steps.iter().find(|step| step.id == id);
        found.ok_or_else(|| BundleError::UnknownStep {
            step: id,
            known: self
                .steps
                .iter()
                .map(|step| format!("{} ({})", step.id, step.name))
                .collect::<Vec<String>>()
                .join(", "),
        })
    }

    /// The text of the grammar `name`: of the file beside the catalogue, or else of the built-in one.
    /// With it comes where it was found.
    ///
    /// # Errors
    /// [`BundleError::NoGrammar`]; [`BundleError::Grammar`] for what is not UTF-8; [`FileError::Io`](axilog_ledger::error::FileError::Io),
    /// [`FileError::TooLong`](axilog_ledger::error::FileError::TooLong).
    pub fn grammar_text(&self, name: &str) -> Result<(PathBuf, String), BundleError> {
        let beside = self.source.as_ref().map(|(path, _)| path);
        let path = beside.map_or_else(|| PathBuf::from(name), |path| path.with_file_name(name));
        find_grammar_text(path, beside.is_some(), name)
    }

    /// The grammar `name` and its text.
    ///
    /// # Errors
    /// As [`Catalogue::grammar_text`], and [`BundleError::Grammar`].
    pub fn grammar(&self, name: &str) -> Result<(Grammar, String), BundleError> {
        parse_grammar(self.grammar_text(name)?)
    }

    /// Says what is wrong with the grammar `name`; `None` where it is good.
    #[must_use]
    pub fn find_grammar_problem(&self, name: &str) -> Option<String> {
        let error = self.grammar(name).err()?;
        Some(error.to_string())
    }
}

/// The grammar of the file `path`, or where there is none the built-in one of that name, and its text.
///
/// # Errors
/// As [`Catalogue::grammar`].
pub fn read_grammar(path: &Path) -> Result<(Grammar, String), BundleError> {
    parse_grammar(find_grammar_text(
        path.to_owned(),
        true,
        &path.to_string_lossy(),
    )?)
}

/// The text of the grammar in the file `path`, which is read where `is_file` says so, or of the built-in one
/// `name`; and where it was found.
fn find_grammar_text(
    path: PathBuf,
    is_file: bool,
    name: &str,
) -> Result<(PathBuf, String), BundleError> {
    if is_file && provenance::open(&path, "read the grammar")?.is_some() {
        let bytes = provenance::read(&path, "read the grammar")?;
        return match String::from_utf8(bytes) {
            Ok(text) => Ok((path, text)),
            Err(error) => Err(not_text(path, &error)),
        };
    }
    match GRAMMARS.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => Ok((PathBuf::from(name), (*text).to_owned())),
        None => Err(BundleError::NoGrammar {
            name: name.to_owned(),
            path,
            built_in: GRAMMARS.map(|(known, _)| known).join(", "),
        }),
    }
}

fn parse_grammar((path, text): (PathBuf, String)) -> Result<(Grammar, String), BundleError> {
    match Grammar::parse(&text) {
        Ok(grammar) => Ok((grammar, text)),
        Err(source) => Err(BundleError::Grammar { path, source }),
    }
}

fn not_text(path: PathBuf, error: &FromUtf8Error) -> BundleError {
    let at = error.utf8_error().valid_up_to();
    let before = error.as_bytes().iter().take(at);
    let source = GrammarError {
        kind: GrammarErrorKind::Malformed,
        line: before.filter(|byte| **byte == b'\n').count() + 1,
        column: 1,
        reason: format!("not UTF-8 at byte {at}"),
    };
    BundleError::Grammar { path, source }
}

fn parse(text: &str, path: &Path) -> Result<Catalogue, BundleError> {
    let refused = |reason: String| BundleError::Catalogue {
        path: path.to_owned(),
        reason,
    };
    let mut form: Form = toml::from_str(text)
        .map_err(|error| refused(format!("not a catalogue: {}", error.to_string().trim_end())))?;
    // Not the text as a whole: escapes may stand for what is not in form C, and for line ends, too.
    let texts = form.step.iter_mut().flat_map(PipelineStep::texts);
    for text in texts.chain(&mut form.contracts) {
        *text = normalize_line_ends(&nfc(text));
    }
    check(&form).map_err(refused)?;
    let mut steps = form.step;
    steps.sort_by_key(PipelineStep::id);
    Ok(Catalogue {
        steps,
        contracts: form.contracts,
        source: None,
    })
}

/// What is wrong with a catalogue whose form is right.
fn check(form: &Form) -> Result<(), String> {
    if form.step.is_empty() {
        return Err("has no [[step]]".to_owned());
    }
    if let Some(contract) = form.contracts.iter().find(|name| !is_file_name(name)) {
        return Err(format!("the contract {contract:?} is not a file name"));
    }
    let mut seen = BTreeSet::new();
    for step in &form.step {
        let wrong = |reason: String| Err(format!("step {}: {reason}", step.id));
        if step.id == 0 {
            return wrong("ids begin at 1".to_owned());
        }
        if !seen.insert(step.id) {
            return wrong("is there twice".to_owned());
        }
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if step.name.is_empty() || !step.name.chars().all(fits) {
            return wrong(format!(
                "the name {:?}: expected lower-case letters, digits and '_'",
                step.name
            ));
        }
        for (what, text) in [
            ("mission", &step.mission),
            ("schema_excerpt", &step.schema_excerpt),
        ] {
            if text.trim().is_empty() {
                return wrong(format!("the {what} is empty"));
            }
            // Trimmed, as the prompt has it.
            if text.trim().lines().any(|line| line.starts_with("===")) {
                return wrong(format!(
                    "the {what} has a line that begins as a section does, with ==="
                ));
            }
        }
        let grammars = [Some(&step.grammar), step.fallback_grammar.as_ref()];
        if let Some(name) = grammars.into_iter().flatten().find(|n| !is_file_name(n)) {
            return wrong(format!("the grammar {name:?} is not a file name"));
        }
        let mut metrics = BTreeSet::new();
        if let Some(twice) = step.key_metrics.iter().find(|name| !metrics.insert(*name)) {
            return wrong(format!("the key metric {twice:?} is there twice"));
        }
        if let Some(line) = step.guardrails.iter().find(|t| !is_line(t)) {
            return wrong(format!("{line:?}: expected one line that is not empty"));
        }
    }
    Ok(())
}

/// A plain name: nothing that leads to another folder.
fn is_file_name(name: &str) -> bool {
    !name.contains(['/', '\\']) && !matches!(name, "" | "." | "..") && is_line(name)
}

fn is_line(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains(char::is_control)
}
