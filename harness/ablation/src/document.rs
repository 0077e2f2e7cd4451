//! The run document: canonical JSON, no floats, and nothing in it that the ledger and the header do not
//! give again.

use std::collections::BTreeMap;

use axilog::evidence::observation::Failure;
use axilog_ledger::file::hex;
use serde_json::{Value, json};

use super::canonical;
use super::decimal::Decimal;
use super::draw::Place;
use super::header::{Header, Held};
use super::pipeline::Step;
use super::run::{Episode, Run, Status};

/// How often each action was done.
pub type Actions = BTreeMap<String, u64>;

/// The document of a run, a line of canonical JSON.
#[must_use]
pub fn document(header: &Header, run: &Run) -> String {
    let seeds = run.seeds.iter().map(|(seed, episodes)| {
        let shown = episodes
            .iter()
            .map(|episode| episode_value(header, episode));
        json!({
            "actions": actions(episodes),
            "episodes": shown.collect::<Vec<Value>>(),
            "seed": seed,
        })
    });
    canonical(&json!({
        "header": serde_json::to_value(header).unwrap_or_default(),
        "result": result(run),
        "seeds": seeds.collect::<Vec<Value>>(),
        "status": status(&run.status),
    })) + "\n"
}

/// The actions done in some episodes.
fn actions(episodes: &[Episode]) -> Actions {
    let mut counts = Actions::new();
    for step in episodes.iter().flat_map(|episode| &episode.steps) {
        *counts.entry(step.action.clone()).or_default() += 1;
    }
    counts
}

fn status(status: &Status) -> Value {
    let at =
        |place: &Place| json!({ "episode": place.episode, "seed": place.seed, "step": place.step });
    let told = |verdict: &str, reason: &str, detail: &str, place| json!({ "at": at(place), "detail": detail, "reason": reason, "verdict": verdict });
    match status {
        Status::Valid => json!({ "at": null, "detail": null, "reason": null, "verdict": "VALID" }),
        Status::Invalid(invalid, place) => told(
            "INVALID_RUN",
            invalid.reason.as_str(),
            &invalid.detail,
            place,
        ),
        Status::Interrupted(place) => {
            told("PARTIAL", "INTERRUPTED", "stopped before this step", place)
        }
        Status::NoAnswer(failure, place) => told(
            "PARTIAL",
            "NO_ANSWER",
            match failure {
                Failure::Timeout => "TIMEOUT",
                Failure::InvalidOutput => "INVALID_OUTPUT",
                Failure::TransportError => "TRANSPORT_ERROR",
            },
            place,
        ),
    }
}

fn result(run: &Run) -> Value {
    let episodes = || run.seeds.iter().flat_map(|(_, episodes)| episodes);
    let steps = || episodes().flat_map(|episode| &episode.steps);
    let prompts = || steps().filter_map(|step| Some(step.generated.measures?.prompt_tokens));
    let (min, max) = (prompts().min(), prompts().max());
    json!({
        "prompt_tokens_max": max,
        "prompt_tokens_min": min,
        "steps": steps().count(),
        "token_jitter": max.zip(min).map(|(max, min)| max.saturating_sub(min)),
        "writes_attempted": episodes().map(|e| e.written() + e.blocked()).sum::<usize>(),
        "writes_blocked": episodes().map(Episode::blocked).sum::<usize>(),
        "written": episodes().map(Episode::written).sum::<usize>(),
    })
}

fn episode_value(header: &Header, episode: &Episode) -> Value {
    let mut rejections: BTreeMap<&str, u64> = BTreeMap::new();
    for step in &episode.steps {
        if let Some(code) = refused(step) {
            *rejections.entry(code).or_default() += 1;
        }
    }
    let steps = episode
        .steps
        .iter()
        .map(|step| step_value(header.held.as_ref(), step));
    json!({
        "distinct_signatures": episode.distinct_signatures,
        "episode": episode.episode,
        "novel_steps": episode.novel(),
        "refusals": rejections,
        "steps": steps.collect::<Vec<Value>>(),
        "writes_attempted": episode.written() + episode.blocked(),
        "writes_blocked": episode.blocked(),
        "written": episode.written(),
    })
}

/// Why the step's answer bound nothing.
fn refused(step: &Step) -> Option<&'static str> {
    match (&step.assisted, &step.compiled) {
        (Err(rejection), _) => Some(rejection.as_str()),
        (_, Some(Err(error))) => Some(error.as_str()),
        _ => None,
    }
}

fn step_value(held: Option<&Held>, step: &Step) -> Value {
    let answered = &step.generated.answered;
    let artifact = step.assisted.as_ref().ok();
    let mut value = json!({
        "action": step.action,
        "artifact_digest": artifact.map(|artifact| hex(&artifact.digest())),
        "input_hash": hex(&answered.input_hash),
        "ledger_seq": answered.ledger_seq,
        "mask_size": step.mask,
        "novel": step.novelty.novel,
        "obs_hash": hex(&answered.obs_hash),
        "proposed": artifact.map(|artifact| &artifact.action),
        "recorded": step.recorded.as_str(),
        "refused": refused(step),
        "signature": step.novelty.signature.as_ref().map(hex),
        "step": step.place.step,
    });
    if let (Some(measures), Some(held), Some(object)) =
        (step.generated.measures, held, value.as_object_mut())
    {
        let share = Decimal::ratio(
            measures.precedent_tokens.into(),
            held.precedent_length.into(),
        );
        for (name, found) in [
            ("precedent_hash", hex(&measures.precedent_hash).into()),
            ("precedent_padding", measures.precedent_padding.into()),
            ("precedent_tokens", measures.precedent_tokens.into()),
            ("precedent_utilisation", share.to_string().into()),
            ("prompt_tokens", measures.prompt_tokens.into()),
            ("situation_padding", measures.situation_padding.into()),
            ("situation_tokens", measures.situation_tokens.into()),
        ] {
            let _: Option<Value> = object.insert(name.to_owned(), found);
        }
    }
    value
}
