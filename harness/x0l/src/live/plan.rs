//! The plan of a session: the settings with every file read, frozen before the first call.

use std::path::{Path, PathBuf};

use axilog::admission::InputKind;
use axilog::hash::sha256;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::input_file::{MAX_INPUT_BYTES, read_input};
use axilog_ledger::session::check_identities;
use axilog_oracle::OracleKind;

use super::calibrate::MAX_TOKENS;
use super::committed_plan::CommittedPlan;
use super::corrected_run::read_corrected_run;
use super::error::{LiveError, input_error};
use super::examples;
use super::settings::SessionSettings;
use super::weights::freeze_weights;
use crate::condition::{Condition, Task, TaskSet, corpus_name};
use crate::document::to_text;
use crate::erratum;
use crate::error::X0lError;
use crate::frozen_code::{canonicalizer_hashes, kernel_hashes};
use crate::kernel::Constitution;
use crate::log::witness::MODEL_ORACLE;
use crate::log::{
    AttemptLog, FrozenCondition, FrozenSentinels, FrozenSettings, InputFile, RunDirectory,
    RunFormat, Temperature,
};
use crate::schedule::{order_seed, schedule};
use crate::sentinel;
use crate::template::{self, CyclePrompt, Template, initial_observations};

/// The most cycles of one session.
const MAX_CYCLES: u64 = 1_000_000;

/// Everything that is frozen for a session.
#[derive(Debug)]
pub struct SessionPlan {
    /// What a person chose.
    pub settings: SessionSettings,
    /// The constitution.
    pub constitution: Constitution,
    /// The template, with the erratum applied if there is one.
    pub template: Template,
    /// The conditions, in the order they run in.
    pub conditions: Vec<PlannedCondition>,
    /// All of it as the metadata record it.
    pub frozen: FrozenSettings,
    /// The files of `inputs/`, by their names there.
    pub(super) inputs: Vec<(String, Vec<u8>)>,
    /// The committed plan under which the session is an attempt.
    pub(super) committed: Option<CommittedPlan>,
    /// The corrections of the run that the erratum corrects.
    pub(super) corrections: Option<AttemptLog>,
}

/// A condition and its cycles.
#[derive(Debug)]
pub struct PlannedCondition {
    /// The condition's tasks.
    pub set: TaskSet,
    /// The index of each cycle's task.
    pub order: Vec<usize>,
}

impl PlannedCondition {
    /// The task of each cycle, in order.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.order
            .iter()
            .filter_map(|index| self.set.tasks.get(*index))
    }
}

impl SessionPlan {
    /// Reads every file that `settings` names.
    ///
    /// # Errors
    /// [`FileError::Io`](axilog_ledger::error::FileError::Io); [`X0lError::Live`] for files that cannot be read as what they are named for and for
    /// settings that contradict each other; [`axilog_ledger::error::LedgerError::InvalidIdentity`] for a model id
    /// that no record may hold.
    pub fn read(settings: SessionSettings) -> Result<SessionPlan, X0lError> {
        check_identities(MODEL_ORACLE, &settings.model)?;
        check_settings(&settings)?;
        let mut inputs = Vec::new();
        let (constitution, file) = read_constitution(&settings, &mut inputs)?;
        let (template, base_template) = read_template(&settings, &mut inputs)?;
        let mut conditions = Vec::new();
        let mut frozen_conditions = Vec::new();
        for condition in Condition::ALL {
            if settings.conditions.contains(&condition) {
                let (planned, frozen) = plan_condition(&settings, condition, &mut inputs)?;
                conditions.push(planned);
                frozen_conditions.push(frozen);
            }
        }
        let is_http = settings.oracle.is_server();
        let mut frozen = FrozenSettings {
            format: RunFormat::V2,
            temperature: Temperature::Zero,
            axilog: env!("CARGO_PKG_VERSION").to_owned(),
            model: settings.model.clone(),
            oracle: name_oracle(&settings.oracle),
            base_url: is_http.then(|| settings.base_url.clone()),
            transport: settings.transport.clone().filter(|_| is_http),
            weights: settings
                .weights
                .as_deref()
                .map(freeze_weights)
                .transpose()?,
            context_window_size: settings.context_window,
            max_tokens: u64::from(MAX_TOKENS.unsigned_abs()),
            sentinels: is_http.then(freeze_sentinels).transpose()?,
            seed: None,
            b1: constitution.limits.max_total_tokens_per_cycle,
            b2: settings.b2,
            token_source: settings.token_counter.source(),
            prompt_count: None,
            cycles: settings.cycles,
            conditions: frozen_conditions,
            constitution: file,
            template: InputFile {
                name: TEMPLATE.to_owned(),
                sha256: template.hash,
            },
            erratum: settings.erratum.as_ref().map(|_| template.hash),
            corrects: None,
            base_template,
            canonicalizer: canonicalizer_hashes(),
            kernel: kernel_hashes(),
            started: settings.started,
            plan: None,
            correction: None,
        };
        let mut corrections = None;
        if let Some(path) = &settings.corrects {
            let head = read_corrected_run(path, &frozen)?;
            frozen.corrects = Some(head);
            corrections = Some(AttemptLog::new(path.join(RunDirectory::CORRECTIONS), head));
        }
        let committed = settings.plan.as_deref().map(CommittedPlan::read);
        let committed = committed.transpose()?;
        if let Some(committed) = &committed {
            committed.check(&frozen)?;
        }
        // The frozen settings go into the ledger, which takes text in NFC alone.
        let recorded = to_text(&frozen);
        CanonicalInput::new(recorded.as_bytes(), InputKind::Json).map_err(|reason| {
            LiveError::Settings(format!(
                "the settings cannot be recorded: {reason}; give the files other names"
            ))
        })?;
        Ok(SessionPlan {
            settings,
            constitution,
            template,
            conditions,
            frozen,
            inputs,
            committed,
            corrections,
        })
    }

    /// Every cycle's task with its condition, in order.
    pub fn cycles(&self) -> impl Iterator<Item = (Condition, &Task)> {
        self.conditions
            .iter()
            .flat_map(|planned| planned.tasks().map(|task| (planned.set.condition, task)))
    }

    /// Renders the prompt for `task` in the session's cycle `number`, from 1.
    #[must_use]
    pub fn render_prompt(&self, task: &Task, number: u64) -> CyclePrompt {
        let known = initial_observations(&task.prompt, self.settings.started, number);
        self.template.fill(&self.constitution, &known, &task.prompt)
    }
}

/// What is frozen of the sentinels.
fn freeze_sentinels() -> Result<FrozenSentinels, LiveError> {
    let inputs = sentinel::prompts();
    let inputs = inputs.iter().map(CyclePrompt::input);
    let hashes = inputs.map(|input| input.map(|input| input.hash()));
    Ok(FrozenSentinels {
        max_tokens: u64::from(sentinel::MAX_TOKENS.unsigned_abs()),
        prompts: hashes
            .collect::<Result<_, _>>()
            .map_err(LiveError::Settings)?,
    })
}

const TEMPLATE: &str = "template.txt";

/// The name of the template that an erratum corrects, where that is not the shipped one.
const BASE_TEMPLATE: &str = "base-template.txt";

/// The oracle as the metadata name it.
fn name_oracle(kind: &OracleKind) -> String {
    match kind {
        OracleKind::OpenAi => "openai".to_owned(),
        OracleKind::Anthropic => "anthropic".to_owned(),
        OracleKind::Scripted(path) => format!("scripted:{}", path.display()),
        OracleKind::Recorded(path) => format!("recorded:{}", path.display()),
    }
}

/// Checks what the settings alone can show to be wrong.
fn check_settings(settings: &SessionSettings) -> Result<(), LiveError> {
    let refused = |reason: String| Err(LiveError::Settings(reason));
    if settings.oracle == OracleKind::Anthropic {
        return refused(
            "the oracle anthropic: expected an OpenAI-compatible chat completion API (B1), as in openai".to_owned(),
        );
    }
    if settings.weights.is_some() && !settings.oracle.is_server() {
        return refused(
            "weights are named, and no server is asked; leave --weights out, or ask a server on this machine"
                .to_owned(),
        );
    }
    let count = |condition| {
        settings
            .conditions
            .iter()
            .filter(|c| **c == condition)
            .count()
    };
    if let Some(twice) = Condition::ALL.into_iter().find(|c| count(*c) > 1) {
        return refused(format!(
            "the condition {twice} is named twice; name each condition once"
        ));
    }
    if settings.conditions.is_empty() {
        return refused("no condition is named; expected some of A, B, C, D, E".to_owned());
    }
    if let Some(other) = settings.tasks.keys().find(|c| count(**c) == 0) {
        return refused(format!(
            "tasks are named for the condition {other}, which is not run; add the condition or leave the tasks out"
        ));
    }
    let total = settings
        .cycles
        .checked_mul(settings.conditions.len() as u64);
    if settings.cycles == 0 || total.is_none_or(|total| total > MAX_CYCLES) {
        return refused(format!(
            "{} cycles per condition: expected at least 1, and at most {MAX_CYCLES} of all conditions together",
            settings.cycles
        ));
    }
    if settings.context_window == 0 {
        return refused(
            "the context window has 0 tokens; expected the model's context length".to_owned(),
        );
    }
    if settings.started == 0 {
        return refused(
            "the session starts at 0, which would stop its agent; expected at least 1 second since 1970"
                .to_owned(),
        );
    }
    const MOST: u64 = (1 << 53) - 1;
    let numbers = [settings.context_window, settings.b2, settings.started];
    if let Some(number) = numbers.into_iter().find(|number| *number > MOST) {
        return refused(format!(
            "found the number {number}, expected at most 2^53-1, the largest that every JSON reader reads alike"
        ));
    }
    match (&settings.erratum, &settings.corrects) {
        (Some(_), None) => {
            return refused("an erratum corrects a run: name it with --corrects DIR".to_owned());
        }
        (None, Some(_)) => {
            return refused(
                "a run is corrected by an erratum: name it with --erratum FILE".to_owned(),
            );
        }
        _ => {}
    }
    if settings.erratum.is_some() && count(Condition::A) == 0 {
        return refused(
            "an erratum restarts L-A (Q30), which is not among the conditions; add A".to_owned(),
        );
    }
    Ok(())
}

type Inputs = Vec<(String, Vec<u8>)>;

/// Adds a text to the files of `inputs/`.
fn add_input(inputs: &mut Inputs, name: String, text: &str) -> InputFile {
    let sha256 = sha256(text.as_bytes());
    inputs.push((name.clone(), text.as_bytes().to_vec()));
    InputFile { name, sha256 }
}

fn read_text(path: &Path, action: &'static str) -> Result<String, X0lError> {
    let bytes = read_input(path, action, MAX_INPUT_BYTES)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        input_error(path)(format!("is not UTF-8 at byte {at}")).into()
    })
}

fn read_constitution(
    settings: &SessionSettings,
    inputs: &mut Inputs,
) -> Result<(Constitution, InputFile), X0lError> {
    let (path, text) = match &settings.constitution {
        Some(path) => (path.clone(), read_text(path, "read the constitution")?),
        None => (
            PathBuf::from("constitution.toml"),
            examples::CONSTITUTION.to_owned(),
        ),
    };
    let constitution =
        Constitution::parse(&text).map_err(|error| input_error(&path)(error.to_string()))?;
    let form = if text.trim_start().starts_with('{') {
        "json"
    } else {
        "toml"
    };
    let file = add_input(inputs, format!("constitution.{form}"), &text);
    Ok((constitution, file))
}

/// Reads the template in force, and gives the file of the base template where that is not the shipped one.
fn read_template(
    settings: &SessionSettings,
    inputs: &mut Inputs,
) -> Result<(Template, Option<InputFile>), X0lError> {
    let wrong = |path: &Path, error: String| X0lError::from(input_error(path)(error));
    let (path, text) = match &settings.template {
        Some(path) => (path.clone(), read_text(path, "read the template")?),
        None => (PathBuf::from(TEMPLATE), template::BASE.to_owned()),
    };
    let base = erratum::parse_base(&text).map_err(|error| wrong(&path, error.to_string()))?;
    let is_own = base.text != template::BASE;
    let template = match &settings.erratum {
        None => base.clone(),
        Some(path) => {
            let text = read_text(path, "read the erratum")?;
            erratum::apply(&base, &text).map_err(|error| wrong(path, error.to_string()))?
        }
    };
    let in_force = add_input(inputs, TEMPLATE.to_owned(), &template.text);
    let base_file = match (is_own, &settings.erratum) {
        (false, _) => None,
        (true, None) => Some(in_force),
        (true, Some(_)) => Some(add_input(inputs, BASE_TEMPLATE.to_owned(), &base.text)),
    };
    Ok((template, base_file))
}

fn plan_condition(
    settings: &SessionSettings,
    condition: Condition,
    inputs: &mut Inputs,
) -> Result<(PlannedCondition, FrozenCondition), X0lError> {
    let (path, text) = match settings.tasks.get(&condition) {
        Some(path) => (path.clone(), read_text(path, "read the tasks")?),
        None => {
            let name = format!("{}.toml", condition.as_str().to_lowercase());
            (name.into(), examples::tasks(condition).to_owned())
        }
    };
    let wrong = |error: String| X0lError::from(input_error(&path)(error));
    let corpus = match corpus_name(&text).map_err(|error| wrong(error.to_string()))? {
        None => None,
        Some(_) if !settings.tasks.contains_key(&condition) => {
            let corpus = match condition {
                Condition::D => examples::LONG_CORPUS,
                _ => examples::CORPUS,
            };
            Some(corpus.to_owned())
        }
        Some(name) => Some(read_text(&path.with_file_name(name), "read the corpus")?),
    };
    let set = TaskSet::parse(condition, &text, corpus.as_deref())
        .map_err(|error| wrong(error.to_string()))?;
    let seed = order_seed(settings.order_seed, condition);
    let frozen = FrozenCondition {
        id: condition,
        tasks: add_input(inputs, format!("{condition}.toml"), &text),
        corpus: corpus.map(|corpus| add_input(inputs, format!("{condition}.corpus.txt"), &corpus)),
        order_seed: seed,
    };
    let order = schedule(&set, seed, settings.cycles);
    Ok((PlannedCondition { set, order }, frozen))
}
