//! The run document: canonical JSON without floats, and nothing in it that does not follow from the
//! header and the ledger.

use std::collections::BTreeMap;
use std::path::Path;

use axilog::hash::Hash;
use axilog_ledger::encoding::hex;
use serde::{Deserialize, Serialize};

use super::decimal::Decimal;
use super::environment::Place;
use super::error::AblationError;
use super::header::RunHeader;
use super::json_document::{parse_document, to_canonical_json};
use super::pipeline::{CompletedStep, PrecedentOutcome};
use super::run::{Episode, Run, RunStatus};
use super::statements::{AnswerFacts, ServerStatement};

/// How often each action was done.
pub type ActionCounts = BTreeMap<String, u64>;

/// The document of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunDocument {
    /// What the run is of.
    pub header: RunHeader,
    /// What the server said of its answers: at the first one, and at each of which it said something else. Empty
    /// for an oracle that is no server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub provider: Vec<ServerStatement>,
    /// The totals over all seeds.
    pub result: RunTotals,
    /// What happened under each seed, in order.
    pub seeds: Vec<SeedResult>,
    /// How the run ended.
    pub status: StatusReport,
}

impl RunDocument {
    /// The document of `run`, which ran what `header` says.
    #[must_use]
    pub fn new(header: &RunHeader, run: &Run) -> RunDocument {
        let seeds = run.seeds.iter().map(|(seed, episodes)| SeedResult {
            actions: count_actions(episodes),
            episodes: episodes
                .iter()
                .map(|episode| EpisodeResult::new(header, episode))
                .collect(),
            seed: *seed,
        });
        RunDocument {
            header: header.clone(),
            provider: list_provider_statements(run),
            result: RunTotals::new(run),
            seeds: seeds.collect(),
            status: StatusReport::new(&run.status),
        }
    }

    /// Every step of every episode.
    pub fn steps(&self) -> impl Iterator<Item = &StepResult> {
        let episodes = self.seeds.iter().flat_map(|seed| &seed.episodes);
        episodes.flat_map(|episode| &episode.steps)
    }

    /// The text of the file: a line of canonical JSON.
    #[must_use]
    pub fn to_file_text(&self) -> String {
        to_canonical_json(self) + "\n"
    }

    /// Reads the document `bytes`, which is the file at `path`.
    ///
    /// # Errors
    /// [`AblationError::Document`].
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<RunDocument, AblationError> {
        let hint = "`axilog ablation replay` shows whether it was changed";
        parse_document(path, bytes, "a run document", hint)
    }
}

/// What the server said of the answers of the steps that were taken, where it said something new.
fn list_provider_statements(run: &Run) -> Vec<ServerStatement> {
    let (mut statements, mut last) = (Vec::new(), &AnswerFacts::default());
    for step in run.steps() {
        let answer = &step.generated.answer;
        if answer.facts != *last {
            statements.push(ServerStatement::new(answer.ledger_seq, &answer.facts));
            last = &answer.facts;
        }
    }
    statements
}

/// How a run ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatusReport {
    /// The step at which the run stopped; `None` for a valid run.
    pub at: Option<Place>,
    /// What was found there, in a sentence or a code.
    pub detail: Option<String>,
    /// Why the run is not valid, as a code.
    pub reason: Option<String>,
    /// `VALID`, `INVALID_RUN` or `PARTIAL`.
    pub verdict: String,
}

impl StatusReport {
    /// The report of `status`.
    #[must_use]
    pub fn new(status: &RunStatus) -> StatusReport {
        let (verdict, reason, detail, place) = match status {
            RunStatus::Valid => {
                return StatusReport {
                    at: None,
                    detail: None,
                    reason: None,
                    verdict: "VALID".to_owned(),
                };
            }
            RunStatus::Invalid(invalid, place) => {
                let detail = invalid.detail.as_str();
                ("INVALID_RUN", invalid.reason.as_str(), detail, place)
            }
            RunStatus::Interrupted(place) => {
                ("PARTIAL", "INTERRUPTED", "stopped before this step", place)
            }
            RunStatus::NoAnswer(failure, place) => {
                ("PARTIAL", "NO_ANSWER", failure.as_str(), place)
            }
        };
        StatusReport {
            at: Some(*place),
            detail: Some(detail.to_owned()),
            reason: Some(reason.to_owned()),
            verdict: verdict.to_owned(),
        }
    }

    /// The verdict and, where there is one, the reason: `PARTIAL / INTERRUPTED`.
    #[must_use]
    pub fn summary(&self) -> String {
        match &self.reason {
            Some(reason) => format!("{} / {reason}", self.verdict),
            None => self.verdict.clone(),
        }
    }
}

/// The totals over all seeds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunTotals {
    /// How many tokens the longest prompt has; `None` where no length is held constant.
    pub prompt_tokens_max: Option<u64>,
    /// How many tokens the shortest prompt has.
    pub prompt_tokens_min: Option<u64>,
    /// How many steps were taken.
    pub steps: u64,
    /// The difference between the longest and the shortest prompt.
    pub token_jitter: Option<u64>,
    /// How many precedents were written or blocked.
    pub writes_attempted: u64,
    /// How many precedents were blocked.
    pub writes_blocked: u64,
    /// How many precedents were written.
    pub written: u64,
}

impl RunTotals {
    fn new(run: &Run) -> RunTotals {
        let measures = || run.steps().filter_map(|step| step.generated.measures);
        let prompt_tokens = || measures().map(|measures| measures.prompt_tokens);
        let (min, max) = (prompt_tokens().min(), prompt_tokens().max());
        let written = run.episodes().map(Episode::written_count).sum();
        let writes_blocked = run.episodes().map(Episode::blocked_count).sum();
        RunTotals {
            prompt_tokens_max: max,
            prompt_tokens_min: min,
            steps: run.steps().count() as u64,
            token_jitter: max.zip(min).map(|(max, min)| max.saturating_sub(min)),
            writes_attempted: written + writes_blocked,
            writes_blocked,
            written,
        }
    }
}

/// What happened under a seed.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedResult {
    /// How often each action was done.
    pub actions: ActionCounts,
    /// The episodes, in order.
    pub episodes: Vec<EpisodeResult>,
    /// The seed.
    pub seed: u64,
}

fn count_actions(episodes: &[Episode]) -> ActionCounts {
    let mut counts = ActionCounts::new();
    for step in episodes.iter().flat_map(|episode| &episode.steps) {
        *counts.entry(step.action.clone()).or_default() += 1;
    }
    counts
}

/// What happened in an episode.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EpisodeResult {
    /// How many different conflicts the episode had.
    pub distinct_signatures: usize,
    /// The episode's number under its seed, from 0.
    pub episode: u32,
    /// How many steps had a conflict that was new in the episode.
    pub novel_steps: u64,
    /// How many answers were refused, by code.
    pub refusals: BTreeMap<String, u64>,
    /// The steps, in order.
    pub steps: Vec<StepResult>,
    /// How many precedents were written or blocked.
    pub writes_attempted: u64,
    /// How many precedents were blocked.
    pub writes_blocked: u64,
    /// How many precedents were written.
    pub written: u64,
}

impl EpisodeResult {
    fn new(header: &RunHeader, episode: &Episode) -> EpisodeResult {
        let mut refusals = BTreeMap::new();
        for code in episode.steps.iter().filter_map(refusal_code) {
            *refusals.entry(code.to_owned()).or_default() += 1;
        }
        let (written, blocked) = (episode.written_count(), episode.blocked_count());
        EpisodeResult {
            distinct_signatures: episode.distinct_signatures,
            episode: episode.episode,
            novel_steps: episode.novel_count(),
            refusals,
            steps: episode
                .steps
                .iter()
                .map(|step| StepResult::new(header, step))
                .collect(),
            writes_attempted: written + blocked,
            writes_blocked: blocked,
            written,
        }
    }
}

/// Why the step's answer bound nothing.
fn refusal_code(step: &CompletedStep) -> Option<&'static str> {
    match (&step.assisted, &step.compiled) {
        (Err(rejection), _) => Some(rejection.as_str()),
        (_, Some(Err(error))) => Some(error.as_str()),
        _ => None,
    }
}

/// What happened at a step. The members that are left out where they are `None` measure the prompt; a run
/// without a constant length has none of them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepResult {
    /// The action that was done.
    pub action: String,
    /// SHA-256 of the artifact, in hexadecimal, like all digests here; `None` without an artifact.
    pub artifact_digest: Option<String>,
    /// SHA-256 of the prompt.
    pub input_hash: String,
    /// The sequence of the answer's observation.
    pub ledger_seq: u64,
    /// How many tokens the placebo that was written has more than the precedent that it replaces; absent
    /// where none was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length_gap: Option<i64>,
    /// How many actions the mask left.
    pub mask_size: usize,
    /// Whether the step's conflict was new in the episode.
    pub novel: bool,
    /// The hash of the answer's observation.
    pub obs_hash: String,
    /// SHA-256 of the precedent's segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precedent_hash: Option<String>,
    /// How many paddings follow the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precedent_padding: Option<u64>,
    /// How many tokens the record has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precedent_tokens: Option<u64>,
    /// Which part of its segment the record fills, as a decimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precedent_utilisation: Option<String>,
    /// How many tokens the prompt has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// The action that was proposed; `None` without an artifact.
    pub proposed: Option<String>,
    /// What became of the precedent: `WRITTEN`, `REPLACED` by a placebo, `BLOCKED` or `NONE`.
    pub recorded: String,
    /// Why the answer was refused, as a code; `None` where the artifact compiled.
    pub refused: Option<String>,
    /// The signature of the step's conflict; `None` without a conflict.
    pub signature: Option<String>,
    /// How many paddings follow the situation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub situation_padding: Option<u64>,
    /// How many tokens the situation has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub situation_tokens: Option<u64>,
    /// The step's number in its episode, from 0.
    pub step: u32,
}

impl StepResult {
    fn new(header: &RunHeader, step: &CompletedStep) -> StepResult {
        let answer = &step.generated.answer;
        let artifact = step.assisted.as_ref().ok();
        let measured = step.generated.measures.zip(header.constant_length.as_ref());
        let measures = measured.map(|(measures, _)| measures);
        let utilisation = measured.map(|(measures, constant)| {
            let (used, length) = (measures.precedent_tokens, constant.precedent_length);
            Decimal::from_ratio(used.into(), length.into()).to_string()
        });
        StepResult {
            action: step.action.clone(),
            artifact_digest: artifact.map(|artifact| hex(&artifact.digest())),
            input_hash: hex(&answer.input_hash),
            ledger_seq: answer.ledger_seq,
            length_gap: match step.precedent {
                PrecedentOutcome::Replaced { length_gap, .. } => Some(length_gap),
                _ => None,
            },
            mask_size: step.mask_size,
            novel: step.novelty.is_novel,
            obs_hash: hex(&answer.obs_hash),
            precedent_hash: measures.map(|m| hex(&m.precedent_hash)),
            precedent_padding: measures.map(|m| m.precedent_padding),
            precedent_tokens: measures.map(|m| m.precedent_tokens),
            precedent_utilisation: utilisation,
            prompt_tokens: measures.map(|m| m.prompt_tokens),
            proposed: artifact.map(|artifact| artifact.action.clone()),
            recorded: step.precedent.as_str().to_owned(),
            refused: refusal_code(step).map(str::to_owned),
            signature: step
                .novelty
                .signature
                .map(|signature: Hash| hex(&signature)),
            situation_padding: measures.map(|m| m.situation_padding),
            situation_tokens: measures.map(|m| m.situation_tokens),
            step: step.place.step,
        }
    }
}
