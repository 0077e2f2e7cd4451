//! From a header to a run: the same for a live run, a calibration and a replay.

use std::sync::Arc;

use axilog_ledger::file::hex;
use axilog_oracle::tokens::Tokenizer;

use super::answers::Answers;
use super::base::V300Harness;
use super::calibration::{Basis, Calibration, MIN_SEEDS, length};
use super::environment::Environment;
use super::error::AblationError;
use super::header::{Header, Held};
use super::invalid::Stop;
use super::pipeline::{Recorded, Stages};
use super::prompt::{Frame, Lengths, base_system, skeleton_hash, system};
use super::record::NormativeStateV100;
use super::run::{Plan, Run, Status, run};
use super::trap::CommitmentTrap;
use super::v310::{V310AblationHarness, Variant};

/// The environment with this id, if it is one that ships.
#[must_use]
pub fn environment(id: &str) -> Option<Box<dyn Environment>> {
    let trap = CommitmentTrap::default();
    (trap.id() == id).then(|| Box::new(trap) as Box<dyn Environment>)
}

/// How prompts are held in `environment`, and what that depends on. Without `lengths` nothing is padded.
///
/// # Errors
/// [`super::Reason::PadUnstable`]; an error of the tokenizer.
pub fn frame(
    environment: &dyn Environment,
    tokenizer: Arc<dyn Tokenizer>,
    pad: &str,
    lengths: Option<Lengths>,
) -> Result<(Frame, Basis), Stop> {
    let (id, version) = (tokenizer.id().to_owned(), tokenizer.version().to_owned());
    let frame = Frame::new(tokenizer, pad, system(environment), lengths)?;
    let basis = Basis {
        environment: environment.id().to_owned(),
        skeleton_hash: hex(&skeleton_hash(frame.system())),
        tokenizer: id,
        tokenizer_version: version,
        pad: pad.to_owned(),
        pad_tokens: vec![frame.pad().token()],
    };
    Ok((frame, basis))
}

/// The head of a run of `plan` in `environment`, with `model` at `provider`; `held` is how its length is
/// held, `None` for the base harness.
#[must_use]
pub fn header(
    plan: &Plan,
    environment: &dyn Environment,
    provider: &str,
    model: &str,
    held: Option<Held>,
) -> Header {
    let system = match held {
        Some(_) => system(environment),
        None => base_system(environment),
    };
    Header {
        axilog_ablation_run: 1,
        variant: plan.variant,
        provider: provider.to_owned(),
        model_id: model.to_owned(),
        environment: environment.id().to_owned(),
        skeleton_hash: hex(&skeleton_hash(&system)),
        steps_per_episode: environment.steps_per_episode(),
        episodes: plan.episodes,
        seeds: plan.seeds.clone(),
        held,
    }
}

/// Runs what `header` says in `environment`; prompts are made in `frame`, without which it is the base
/// harness that runs.
///
/// # Errors
/// As [`run`].
pub fn execute(
    header: &Header,
    environment: &mut dyn Environment,
    frame: Option<&Frame>,
    answers: &mut dyn Answers,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Run, AblationError> {
    let base = base_system(environment);
    let mut stages = || -> Box<dyn Stages> {
        match frame {
            Some(frame) => Box::new(V310AblationHarness::new(
                &header.model_id,
                frame.clone(),
                header.variant,
                NormativeStateV100::default(),
            )),
            None => Box::new(V300Harness::new(&header.model_id, base.clone())),
        }
    };
    run(&header.plan(), environment, &mut stages, answers, go_on)
}

/// The run that a calibration measures: an episode under each of `seeds`, with writing on.
///
/// # Errors
/// [`AblationError::FewSeeds`]; as [`Plan::check`].
pub fn measured(seeds: &[u64], environment: &dyn Environment) -> Result<Plan, AblationError> {
    if seeds.len() < MIN_SEEDS {
        return Err(AblationError::FewSeeds(seeds.len()));
    }
    let plan = Plan {
        variant: Variant::Baseline,
        seeds: seeds.to_vec(),
        episodes: 1,
    };
    plan.check(environment)?;
    Ok(plan)
}

/// Measures how long records and situations are under `seeds`, an episode each, with writing on and
/// nothing padded. `frame` is without lengths. The inner error is why the run that measures did not end
/// well.
///
/// # Errors
/// As [`measured`] and [`run`].
pub fn calibrate(
    seeds: &[u64],
    environment: &mut dyn Environment,
    (frame, basis): (&Frame, Basis),
    (provider, model): (&str, &str),
    answers: &mut dyn Answers,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Result<Calibration, Status>, AblationError> {
    let plan = measured(seeds, environment)?;
    let mut stages = || -> Box<dyn Stages> {
        let memory = NormativeStateV100::default();
        Box::new(V310AblationHarness::new(
            model,
            frame.clone(),
            Variant::Baseline,
            memory,
        ))
    };
    let found = run(&plan, environment, &mut stages, answers, go_on)?;
    if found.status != Status::Valid {
        return Ok(Err(found.status));
    }
    let episodes = found.seeds.iter().flat_map(|(_, episodes)| episodes);
    let (mut records, mut longest, mut situation) = (0, 0, 0);
    for step in episodes.flat_map(|episode| &episode.steps) {
        if let Recorded::Written(tokens) = step.recorded {
            records += 1;
            longest = tokens.max(longest);
        }
        let measures = step.generated.measures;
        situation = measures.map_or(0, |m| m.situation_tokens).max(situation);
    }
    Ok(Ok(Calibration {
        axilog_ablation_calibration: 1,
        basis,
        provider: provider.to_owned(),
        model_id: model.to_owned(),
        seeds: seeds.to_vec(),
        episodes: plan.episodes,
        steps_per_episode: environment.steps_per_episode(),
        records,
        max_precedent_tokens: longest,
        max_situation_tokens: situation,
        precedent_length: length(longest),
        situation_length: length(situation),
    }))
}
