//! A session with every file read: what is frozen before the first call.

use std::fs;
use std::path::{Path, PathBuf};

use axilog::admission::InputKind;
use axilog::hash::sha256;
use axilog_ledger::error::FileError;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::check_identities;
use axilog_oracle::Kind;
use axilog_oracle::canonicalizer;

use super::calibrate::MAX_TOKENS;
use super::{LiveError, Settings, shipped};
use crate::X0lError;
use crate::condition::{Condition, Task, TaskSet, corpus_name};
use crate::document::to_text;
use crate::erratum;
use crate::kernel::Constitution;
use crate::log::{
    CanonicalizerHashes, FrozenCondition, FrozenSettings, InputFile, RunFormat, Temperature,
};
use crate::schedule::{order_seed, schedule};
use crate::template::{self, Prompt, Template, initial_observations};

/// The id of the model in the ledger.
pub(super) const ORACLE: &str = "llm";

/// More cycles in one session are not run.
const MAX_CYCLES: u64 = 1_000_000;

/// Everything that is frozen for a session.
#[derive(Debug)]
pub struct Plan {
    /// What was chosen.
    pub settings: Settings,
    /// The constitution.
    pub constitution: Constitution,
    /// The template, after the erratum if there is one.
    pub template: Template,
    /// The conditions, in the order they run in.
    pub conditions: Vec<Planned>,
    /// What the metadata says of all that.
    pub frozen: FrozenSettings,
    /// The files of `inputs/`, by their names there.
    pub(super) inputs: Vec<(String, Vec<u8>)>,
}

/// A condition and its cycles.
#[derive(Debug)]
pub struct Planned {
    /// Its tasks.
    pub set: TaskSet,
    /// Which of them each cycle has.
    pub order: Vec<usize>,
}

impl Planned {
    /// The task of each cycle.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.order
            .iter()
            .filter_map(|place| self.set.tasks.get(*place))
    }
}

impl Plan {
    /// Reads every file that `settings` names.
    ///
    /// # Errors
    /// [`FileError::Io`]; [`X0lError::Live`] for files that are not what they should be and for settings that
    /// contradict each other; [`LedgerError::Identity`] for a model id that no record may hold.
    pub fn read(settings: Settings) -> Result<Plan, X0lError> {
        check_identities(ORACLE, &settings.model)?;
        check(&settings)?;
        let mut inputs = Vec::new();
        let (constitution, file) = constitution(&settings, &mut inputs)?;
        let template = template(&settings, &mut inputs)?;
        let mut conditions = Vec::new();
        let mut frozen_conditions = Vec::new();
        for condition in Condition::ALL {
            if settings.conditions.contains(&condition) {
                let (planned, frozen) = planned(&settings, condition, &mut inputs)?;
                conditions.push(planned);
                frozen_conditions.push(frozen);
            }
        }
        let is_http = settings.oracle == Kind::OpenAi;
        let frozen = FrozenSettings {
            format: RunFormat::V1,
            temperature: Temperature::Zero,
            axilog: env!("CARGO_PKG_VERSION").to_owned(),
            model: settings.model.clone(),
            oracle: named(&settings.oracle),
            base_url: is_http.then(|| settings.base_url.clone()),
            context_window_size: settings.context_window,
            max_tokens: u64::from(MAX_TOKENS.unsigned_abs()),
            seed: None,
            b1: constitution.limits.max_total_tokens_per_cycle,
            b2: settings.b2,
            token_source: settings.ruler.source(),
            cycles: settings.cycles,
            conditions: frozen_conditions,
            constitution: file,
            template: InputFile {
                name: TEMPLATE.to_owned(),
                sha256: template.hash,
            },
            erratum: settings.erratum.as_ref().map(|_| template.hash),
            canonicalizer: CanonicalizerHashes {
                source_hash: canonicalizer::source_hash(),
                self_test_hash: canonicalizer::self_test_hash(),
            },
            started: settings.started,
        };
        // It goes into the ledger, which takes no text that is not in NFC.
        let recorded = to_text(&frozen);
        CanonicalInput::new(recorded.as_bytes(), InputKind::Json).map_err(|reason| {
            LiveError::Settings(format!(
                "what is chosen cannot be recorded: {reason}; name the files otherwise"
            ))
        })?;
        Ok(Plan {
            settings,
            constitution,
            template,
            conditions,
            frozen,
            inputs,
        })
    }

    /// Every cycle's task with its condition, in order.
    pub fn cycles(&self) -> impl Iterator<Item = (Condition, &Task)> {
        self.conditions
            .iter()
            .flat_map(|planned| planned.tasks().map(|task| (planned.set.condition, task)))
    }

    /// The prompt of the session's cycle `number`, from 1, with this task.
    #[must_use]
    pub fn prompt(&self, task: &Task, number: u64) -> Prompt {
        let known = initial_observations(&task.prompt, self.settings.started, number);
        self.template.fill(&self.constitution, &known, &task.prompt)
    }
}

const TEMPLATE: &str = "template.txt";

fn named(kind: &Kind) -> String {
    match kind {
        Kind::OpenAi => "openai".to_owned(),
        Kind::Scripted(path) => format!("scripted:{}", path.display()),
        Kind::Recorded(path) => format!("recorded:{}", path.display()),
    }
}

/// Whether the settings make sense by themselves.
fn check(settings: &Settings) -> Result<(), LiveError> {
    let refused = |reason: String| Err(LiveError::Settings(reason));
    let count = |condition| {
        settings
            .conditions
            .iter()
            .filter(|c| **c == condition)
            .count()
    };
    if let Some(twice) = Condition::ALL.into_iter().find(|c| count(*c) > 1) {
        return refused(format!("the condition {twice} is named twice"));
    }
    if settings.conditions.is_empty() {
        return refused("no condition is named; expected some of A, B, C, D, E".to_owned());
    }
    if let Some(other) = settings.tasks.keys().find(|c| count(**c) == 0) {
        return refused(format!(
            "tasks are named for the condition {other}, which is not run"
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
        return refused("a context window of 0 tokens holds no prompt".to_owned());
    }
    if settings.started == 0 {
        return refused(
            "a session that starts at 0 would stop its agent, whose time begins behind 0; expected at least 1 second since 1970"
                .to_owned(),
        );
    }
    const MOST: u64 = (1 << 53) - 1;
    let numbers = [settings.context_window, settings.b2, settings.started];
    if let Some(number) = numbers.into_iter().find(|number| *number > MOST) {
        return refused(format!(
            "{number} is beyond 2^53-1, which not every JSON reader reads alike"
        ));
    }
    if settings.erratum.is_some() && count(Condition::A) == 0 {
        return refused(
            "an erratum restarts L-A (Q30), which is not among the conditions; add A".to_owned(),
        );
    }
    Ok(())
}

type Inputs = Vec<(String, Vec<u8>)>;

/// Keeps the text for `inputs/`.
fn keep(inputs: &mut Inputs, name: String, text: &str) -> InputFile {
    let sha256 = sha256(text.as_bytes());
    inputs.push((name.clone(), text.as_bytes().to_vec()));
    InputFile { name, sha256 }
}

fn read(path: &Path, action: &'static str) -> Result<String, X0lError> {
    let bytes = fs::read(path).map_err(FileError::at(path, action))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        input(path)(format!("is not UTF-8 at byte {at}")).into()
    })
}

fn input(path: &Path) -> impl FnOnce(String) -> LiveError {
    let path = path.to_owned();
    move |reason| LiveError::Input { path, reason }
}

fn constitution(
    settings: &Settings,
    inputs: &mut Inputs,
) -> Result<(Constitution, InputFile), X0lError> {
    let (path, text) = match &settings.constitution {
        Some(path) => (path.clone(), read(path, "read the constitution")?),
        None => (
            PathBuf::from("constitution.toml"),
            shipped::CONSTITUTION.to_owned(),
        ),
    };
    let read = Constitution::parse(&text).map_err(|error| input(&path)(error.to_string()))?;
    let form = if text.trim_start().starts_with('{') {
        "json"
    } else {
        "toml"
    };
    let file = keep(inputs, format!("constitution.{form}"), &text);
    Ok((read, file))
}

fn template(settings: &Settings, inputs: &mut Inputs) -> Result<Template, X0lError> {
    let wrong = |path: &Path, error: String| X0lError::from(input(path)(error));
    let shipped = Template::parse(template::BASE)
        .map_err(|error| wrong(Path::new(TEMPLATE), error.to_string()))?;
    let template = match &settings.erratum {
        None => shipped,
        Some(path) => {
            let text = read(path, "read the erratum")?;
            erratum::apply(&shipped, &text).map_err(|error| wrong(path, error.to_string()))?
        }
    };
    keep(inputs, TEMPLATE.to_owned(), &template.text);
    Ok(template)
}

fn planned(
    settings: &Settings,
    condition: Condition,
    inputs: &mut Inputs,
) -> Result<(Planned, FrozenCondition), X0lError> {
    let (path, text) = match settings.tasks.get(&condition) {
        Some(path) => (path.clone(), read(path, "read the tasks")?),
        None => {
            let name = format!("{}.toml", condition.as_str().to_lowercase());
            (name.into(), shipped::tasks(condition).to_owned())
        }
    };
    let wrong = |error: String| X0lError::from(input(&path)(error));
    let corpus = match corpus_name(&text).map_err(|error| wrong(error.to_string()))? {
        None => None,
        Some(_) if !settings.tasks.contains_key(&condition) => Some(shipped::CORPUS.to_owned()),
        Some(name) => Some(read(&path.with_file_name(name), "read the corpus")?),
    };
    let set = TaskSet::parse(condition, &text, corpus.as_deref())
        .map_err(|error| wrong(error.to_string()))?;
    let seed = order_seed(settings.order_seed, condition);
    let frozen = FrozenCondition {
        id: condition,
        tasks: keep(inputs, format!("{condition}.toml"), &text),
        corpus: corpus.map(|corpus| keep(inputs, format!("{condition}.corpus.txt"), &corpus)),
        order_seed: seed,
    };
    let order = schedule(&set, seed, settings.cycles);
    Ok((Planned { set, order }, frozen))
}
