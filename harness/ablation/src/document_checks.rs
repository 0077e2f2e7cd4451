//! Whether a run document holds together: its counts are those of its steps, its steps are those of its
//! header, and every prompt has one length.
//!
//! A document that follows from its ledger passes these checks; they are for those that are believed.

use std::collections::{BTreeMap, BTreeSet};

use super::header::ConstantLength;
use super::run_document::{ActionCounts, EpisodeResult, RunDocument, SeedResult, StepResult};

/// More steps than any run has; up to here the sums of the statistics are exact.
const MAX_STEPS: u64 = 1 << 31;

/// Checks a valid run's document; the error says what was found and what was expected.
pub(crate) fn check_document(document: &RunDocument) -> Result<(), String> {
    let header = &document.header;
    let Some(constant) = &header.constant_length else {
        return Err("is of the base harness, whose prompts have no constant length".to_owned());
    };
    let distinct: BTreeSet<&u64> = header.seeds.iter().collect();
    expect(
        "different seeds in its header",
        distinct.len(),
        header.seeds.len(),
    )?;
    let seeds: Vec<u64> = document.seeds.iter().map(|seed| seed.seed).collect();
    if seeds != header.seeds {
        return Err(format!(
            "has the seeds {seeds:?}, and its header has {:?}",
            header.seeds
        ));
    }
    for seed in &document.seeds {
        check_seed(document, seed).map_err(|found| format!("{found}, under seed {}", seed.seed))?;
    }
    let steps = document.steps().count() as u64;
    if !(1..=MAX_STEPS).contains(&steps) {
        return Err(format!("has {steps} steps; expected 1 to {MAX_STEPS}"));
    }
    let totals = &document.result;
    let episodes = || document.seeds.iter().flat_map(|seed| &seed.episodes);
    let sum = |count: fn(&EpisodeResult) -> u64| episodes().map(count).sum::<u64>();
    expect("steps in its result", totals.steps, steps)?;
    expect(
        "precedents written in its result",
        totals.written,
        sum(|episode| episode.written),
    )?;
    expect(
        "writes blocked in its result",
        totals.writes_blocked,
        sum(|episode| episode.writes_blocked),
    )?;
    expect(
        "writes attempted in its result",
        totals.writes_attempted,
        sum(|episode| episode.writes_attempted),
    )?;
    check_lengths(document, constant)
}

fn check_seed(document: &RunDocument, seed: &SeedResult) -> Result<(), String> {
    let header = &document.header;
    expect(
        "episodes",
        seed.episodes.len() as u64,
        u64::from(header.episodes),
    )?;
    for (number, episode) in (0_u32..).zip(&seed.episodes) {
        expect("as an episode's number", episode.episode, number)?;
        check_episode(episode, header.steps_per_episode)
            .map_err(|found| format!("{found}, in episode {number}"))?;
    }
    let mut counted = ActionCounts::new();
    for step in seed.episodes.iter().flat_map(|episode| &episode.steps) {
        *counted.entry(step.action.clone()).or_default() += 1;
    }
    match counted == seed.actions {
        true => Ok(()),
        false => Err(format!(
            "has the actions {:?}, and those of its steps are {counted:?}",
            seed.actions
        )),
    }
}

fn check_episode(episode: &EpisodeResult, steps: u32) -> Result<(), String> {
    expect("steps", episode.steps.len() as u64, u64::from(steps))?;
    let (mut signatures, mut refusals) = (BTreeSet::new(), BTreeMap::new());
    for (number, step) in (0_u32..).zip(&episode.steps) {
        expect("as a step's number", step.step, number)?;
        let is_novel = step
            .signature
            .as_ref()
            .is_some_and(|signature| signatures.insert(signature));
        if step.novel != is_novel {
            return Err(format!(
                "has a conflict at step {number} whose `novel` is {}; expected {is_novel}",
                step.novel
            ));
        }
        if let Some(code) = &step.refused {
            *refusals.entry(code.clone()).or_default() += 1_u64;
        }
    }
    let count = |is_counted: fn(&&StepResult) -> bool| {
        episode.steps.iter().filter(is_counted).count() as u64
    };
    let written = count(|step| matches!(step.recorded.as_str(), "WRITTEN" | "REPLACED"));
    let blocked = count(|step| step.recorded == "BLOCKED");
    let distinct = signatures.len();
    expect("distinct signatures", episode.distinct_signatures, distinct)?;
    expect("novel steps", episode.novel_steps, distinct as u64)?;
    expect("precedents written", episode.written, written)?;
    expect("writes blocked", episode.writes_blocked, blocked)?;
    let attempted = written + blocked;
    expect("writes attempted", episode.writes_attempted, attempted)?;
    match refusals == episode.refusals {
        true => Ok(()),
        false => Err(format!(
            "has the refusals {:?}, and those of its steps are {refusals:?}",
            episode.refusals
        )),
    }
}

/// Checks that every prompt has the same number of tokens, and every segment its length.
fn check_lengths(document: &RunDocument, constant: &ConstantLength) -> Result<(), String> {
    let totals = &document.result;
    let length = totals.prompt_tokens_min;
    for step in document.steps() {
        let segment = |tokens: Option<u64>, padding: Option<u64>| {
            tokens.zip(padding).and_then(|(a, b)| a.checked_add(b))
        };
        let found = [
            step.prompt_tokens,
            segment(step.precedent_tokens, step.precedent_padding),
            segment(step.situation_tokens, step.situation_padding),
        ];
        let (n, m) = (constant.precedent_length, constant.situation_length);
        let expected = [length, Some(n), Some(m)];
        if found != expected || length.is_none() {
            return Err(format!(
                "has at record {} a prompt of {} tokens with segments of {} and {}; expected {}, {n} and {m} at every step",
                step.ledger_seq,
                show(found[0]),
                show(found[1]),
                show(found[2]),
                show(length)
            ));
        }
    }
    let has_jitter = totals.prompt_tokens_max != length || totals.token_jitter != Some(0);
    match has_jitter {
        false => Ok(()),
        true => Err(format!(
            "has the token_jitter {} and prompts of {} to {} tokens; expected 0 and one length",
            show(totals.token_jitter),
            show(length),
            show(totals.prompt_tokens_max)
        )),
    }
}

fn show(count: Option<u64>) -> String {
    count.map_or_else(|| "no".to_owned(), |count| count.to_string())
}

fn expect<T: PartialEq + std::fmt::Display>(
    what: &str,
    found: T,
    expected: T,
) -> Result<(), String> {
    match found == expected {
        true => Ok(()),
        false => Err(format!("has {found} {what}; expected {expected}")),
    }
}
