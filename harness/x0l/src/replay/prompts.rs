//! The prompts, made again from `inputs/`: which task a cycle has, and what the model was asked.

use std::collections::BTreeMap;

use axilog::hash::Hash;

use super::Finding;
use crate::budget::PromptTokens;
use crate::condition::{Task, TaskSet};
use crate::erratum;
use crate::kernel::{Constitution, Observation};
use crate::log::{Condition, FrozenSettings, InputFile, RunDirectory};
use crate::schedule::schedule;
use crate::template::{BASE, Template, initial_observations};

/// The bytes of the inputs that are as they should be, by name.
pub(super) type Inputs = BTreeMap<String, Vec<u8>>;

/// More cycles of a condition than any run has; a frozen number beyond is somebody's mistake.
const MOST_CYCLES: u64 = 1 << 20;

/// Everything that prompts are made of.
pub(super) struct Prompts {
    pub(super) constitution: Constitution,
    template: Option<Template>,
    tasks: BTreeMap<Condition, (TaskSet, Vec<usize>)>,
    started: u64,
}

/// A cycle's task and what it makes of the prompt.
pub(super) struct Asked<'p> {
    pub(super) task: &'p Task,
    pub(super) known: [Observation; 2],
    /// `None` where there is no template; so below.
    pub(super) input_hash: Option<Hash>,
    /// What can be said of the prompt's tokens without a tokenizer.
    pub(super) tokens: Option<PromptTokens>,
}

impl Prompts {
    /// Reads the inputs; what is wrong with them is a finding. `None` without a constitution.
    pub(super) fn read(
        frozen: &FrozenSettings,
        inputs: &Inputs,
        findings: &mut Vec<Finding>,
    ) -> Option<Prompts> {
        let text = |file: &InputFile| -> Option<&str> {
            std::str::from_utf8(inputs.get(&file.name)?).ok()
        };
        let mut wrong = |file: &InputFile, reason: String, expected: &str| {
            let name = format!("{}/{}", RunDirectory::INPUTS, file.name);
            findings.push(Finding::new(name, "", reason, expected));
        };
        let mut tasks = BTreeMap::new();
        for condition in &frozen.conditions {
            let corpus = condition.corpus.as_ref();
            let (Some(set), Some(corpus)) = (
                text(&condition.tasks),
                corpus.map_or(Some(None), |file| text(file).map(Some)),
            ) else {
                continue;
            };
            match TaskSet::parse(condition.id, set, corpus) {
                Ok(set) => {
                    let order =
                        schedule(&set, condition.order_seed, frozen.cycles.min(MOST_CYCLES));
                    tasks.insert(condition.id, (set, order));
                }
                Err(error) => wrong(&condition.tasks, error.to_string(), "the condition's tasks"),
            }
        }
        let template = text(&frozen.template).and_then(|text| {
            let read = template(frozen, text);
            read.map_err(|(reason, expected)| wrong(&frozen.template, reason, expected))
                .ok()
        });
        let constitution = text(&frozen.constitution)?;
        match Constitution::parse(constitution) {
            Ok(constitution) => {
                let limit = constitution.limits.max_total_tokens_per_cycle;
                if frozen.b1 != limit {
                    findings.push(Finding::new(
                        RunDirectory::METADATA,
                        "frozen.b1",
                        frozen.b1.to_string(),
                        format!("{limit}, the constitution's limit"),
                    ));
                }
                Some(Prompts {
                    constitution,
                    template,
                    tasks,
                    started: frozen.started,
                })
            }
            Err(error) => {
                wrong(&frozen.constitution, error.to_string(), "a constitution");
                None
            }
        }
    }

    /// The task of a cycle; `None` where the condition's tasks cannot be read.
    pub(super) fn asked(&self, condition: Condition, cycle: u64, number: u64) -> Option<Asked<'_>> {
        let (set, order) = self.tasks.get(&condition)?;
        let place = usize::try_from(cycle.checked_sub(1)?).ok()?;
        let task = set.tasks.get(*order.get(place)?)?;
        let known = initial_observations(&task.prompt, self.started, number);
        let template = self.template.as_ref();
        let prompt = template.map(|one| one.fill(&self.constitution, &known, &task.prompt));
        Some(Asked {
            task,
            known,
            tokens: prompt.as_ref().map(PromptTokens::estimate),
            input_hash: prompt.and_then(|prompt| Some(prompt.input().ok()?.hash())),
        })
    }
}

/// The template: the shipped one, or an erratum of it. What another version of axilog shipped is not
/// known here.
fn template(frozen: &FrozenSettings, text: &str) -> Result<Template, (String, &'static str)> {
    let same_version = frozen.axilog == env!("CARGO_PKG_VERSION");
    match &frozen.erratum {
        None if same_version && text != BASE => {
            return Err((
                "another template".to_owned(),
                "the shipped one, since there is no erratum",
            ));
        }
        Some(erratum) if *erratum != frozen.template.sha256 => {
            return Err((
                "a template that is not the erratum".to_owned(),
                "the erratum",
            ));
        }
        _ => {}
    }
    let expected = "a template that differs from the shipped one in form alone";
    if frozen.erratum.is_some() && same_version {
        let base = Template::parse(BASE).map_err(|error| (error.to_string(), "a template"))?;
        erratum::apply(&base, text).map_err(|error| (error.to_string(), expected))
    } else {
        Template::parse(text).map_err(|error| (error.to_string(), "a template"))
    }
}
