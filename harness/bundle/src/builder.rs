//! Building a bundle from a request (A4.1, A5, A8.1, A8.3). There is no other way to make one.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::budget::TokenBudget;
use super::catalogue::{CHAPTER_13, Catalogue, PipelineStep};
use super::error::BundleError;
use super::model::{BUNDLE_VERSION, BundleContext, ProvenanceRecord, StepAwarenessBundle};
use super::provenance;
use super::render::render_prompt_from_bundle;
use super::retrieve::{History, HistoryReader, HistoryRecords, SkippedRecord};
use super::value::{Object, nfc};

/// The members of a step's results that come first in the evaluation.
const EVALUATION: [&str; 3] = ["success", "confidence", "interpretation"];

/// The last second of the year 9999: later times have no four-digit year.
const LAST_SECOND: u64 = 253_402_300_799;

/// A step's output, and the file that it was read from.
#[derive(Clone, Debug)]
pub struct Results {
    value: Object,
    source: Option<ProvenanceRecord>,
}

impl Results {
    /// Makes results from a value that is in no file.
    #[must_use]
    pub fn new(value: Object) -> Results {
        Results {
            value,
            source: None,
        }
    }

    /// Reads results: a JSON object, in a file of at most 64 MiB.
    ///
    /// # Errors
    /// [`FileError::Io`](axilog_ledger::error::FileError::Io), [`FileError::TooLong`](axilog_ledger::error::FileError::TooLong); [`BundleError::Results`] with the place.
    pub fn read(path: &Path) -> Result<Results, BundleError> {
        let bytes = provenance::read(path, "read the results")?;
        let value = Object::parse(&bytes).map_err(|reason| BundleError::Results {
            path: path.to_owned(),
            reason,
        })?;
        Ok(Results {
            value,
            source: Some(provenance::record_bytes(path, &bytes)),
        })
    }
}

/// A request for a bundle (A8.1).
#[derive(Clone, Debug)]
pub struct BundleRequest<'a> {
    /// The catalogue that describes the step.
    pub catalogue: &'a Catalogue,
    /// The step's id; 13 is Chapter 13.
    pub step_id: u32,
    /// The id of the run; where it is empty, one is made from the step and the time.
    pub run_id: String,
    /// The number of the run, from 1.
    pub run_number: u64,
    /// The step's output, to be evaluated.
    pub results: Option<Results>,
    /// The manifest of the agent.
    pub manifest_path: Option<PathBuf>,
    /// Other files that the evaluation rests on.
    pub state_paths: Vec<PathBuf>,
    /// How many tokens each part may have.
    pub budgets: TokenBudget,
    /// Whether the content is Chapter 13's, whatever the step.
    pub is_chapter_13: bool,
    /// Whether the answer shall fit the step's fallback grammar.
    pub fallback: bool,
    /// The history of earlier runs.
    pub history: Option<History>,
    /// The present time.
    pub now: SystemTime,
}

impl<'a> BundleRequest<'a> {
    /// Requests a bundle of this step, with the defaults of A8.1 and the present time.
    #[must_use]
    pub fn new(catalogue: &'a Catalogue, step_id: u32) -> BundleRequest<'a> {
        BundleRequest {
            catalogue,
            step_id,
            run_id: String::new(),
            run_number: 1,
            results: None,
            manifest_path: None,
            state_paths: Vec::new(),
            budgets: TokenBudget::default(),
            is_chapter_13: false,
            fallback: false,
            history: None,
            now: SystemTime::now(),
        }
    }
}

/// The prompt, grammar and bundle that a dispatch function needs (A8.3).
#[derive(Clone, Debug, PartialEq)]
pub struct LlmContext {
    /// The prompt; its tokens are estimated from words.
    pub prompt: String,
    /// The file name of the grammar that an answer fits.
    pub grammar_name: String,
    /// The bundle that the prompt was rendered from.
    pub bundle: StepAwarenessBundle,
}

/// Builds the bundle that `request` asks for. Reads the files it names and does nothing else (A5.3).
/// `skipped` gets each entry of the history that is not a valid record.
///
/// # Errors
/// [`BundleError::UnknownStep`], [`BundleError::NoFallback`]; [`FileError::Io`](axilog_ledger::error::FileError::Io) for a file that is there
/// and cannot be read, or is a directory. A file that is not there is no error (A6.3).
pub fn build_step_awareness_bundle(
    request: &BundleRequest<'_>,
    skipped: &mut dyn FnMut(SkippedRecord),
) -> Result<StepAwarenessBundle, BundleError> {
    let catalogue = request.catalogue;
    let step = catalogue.step(request.step_id)?;
    let is_chapter_13 = request.is_chapter_13 || request.step_id == CHAPTER_13;
    let content = if is_chapter_13 {
        catalogue.step(CHAPTER_13)?
    } else {
        step
    };
    let found = match &request.history {
        Some(history) => HistoryReader {
            step: request.step_id,
            all_outcomes: is_chapter_13,
            key_metrics: content.key_metrics(),
        }
        .read(history, skipped)?,
        None => HistoryRecords::default(),
    };
    let results = request.results.as_ref();
    let mut files: Vec<ProvenanceRecord> = catalogue.source().cloned().into_iter().collect();
    files.extend(results.and_then(|results| results.source.clone()));
    if let Some(path) = &request.manifest_path {
        files.push(provenance::record_file(path, "hash the manifest")?);
    }
    for path in &request.state_paths {
        files.push(provenance::record_file(path, "hash the state file")?);
    }
    files.extend(found.files.iter().cloned());
    let generated_at = generated_at(request.now);
    Ok(StepAwarenessBundle {
        bundle_version: BUNDLE_VERSION,
        step_id: step.id(),
        step_name: step.name().to_owned(),
        run_id: run_id(request, &generated_at),
        run_number: request.run_number,
        is_chapter_13,
        context: context(request, content, found)?,
        budgets: request.budgets.clone(),
        provenance: files,
        generated_at,
    })
}

/// Builds a bundle and renders it: the pattern of A4.2 in one call.
///
/// # Errors
/// As [`build_step_awareness_bundle`] and [`render_prompt_from_bundle`].
pub fn build_llm_context(
    request: &BundleRequest<'_>,
    skipped: &mut dyn FnMut(SkippedRecord),
) -> Result<LlmContext, BundleError> {
    let bundle = build_step_awareness_bundle(request, skipped)?;
    Ok(LlmContext {
        prompt: render_prompt_from_bundle(&bundle)?,
        grammar_name: bundle.context().grammar_name().to_owned(),
        bundle,
    })
}

fn context(
    request: &BundleRequest<'_>,
    step: &PipelineStep,
    found: HistoryRecords,
) -> Result<BundleContext, BundleError> {
    let grammar = match (request.fallback, step.fallback_grammar()) {
        (false, _) => step.grammar(),
        (true, Some(fallback)) => fallback,
        (true, None) => return Err(BundleError::NoFallback { step: step.id() }),
    };
    let select = |names: &mut dyn Iterator<Item = &str>| {
        let results = request.results.as_ref();
        results.map_or_else(Object::default, |results| results.value.select(names))
    };
    let results = request.results.as_ref().map(|results| &results.value);
    let names = results.into_iter().flat_map(Object::members);
    let mut evaluation = EVALUATION.into_iter().chain(names.map(|(name, _)| name));
    Ok(BundleContext {
        mission: step.mission().to_owned(),
        schema_excerpt: step.schema_excerpt().to_owned(),
        grammar_name: grammar.to_owned(),
        contracts: request.catalogue.contracts().to_vec(),
        guardrails: step.guardrails().to_vec(),
        inputs_summary: select(&mut step.key_metrics().iter().map(String::as_str)),
        evaluation_summary: select(&mut evaluation),
        recent_outcomes: found.outcomes,
        trend_summary: found.trends,
        open_incidents: found.incidents,
    })
}

/// The time in UTC to the second; before 1970 and after 9999 the nearest that can be said.
fn generated_at(now: SystemTime) -> String {
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = Duration::from_secs(since.as_secs().min(LAST_SECOND));
    humantime::format_rfc3339_seconds(UNIX_EPOCH + seconds).to_string()
}

fn run_id(request: &BundleRequest<'_>, generated_at: &str) -> String {
    if !request.run_id.is_empty() {
        return nfc(&request.run_id);
    }
    let digits = generated_at.replace(['-', ':', 'Z'], "").replace('T', "_");
    format!("step{}_{digits}", request.step_id)
}
