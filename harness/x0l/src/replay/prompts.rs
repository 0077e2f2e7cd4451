//! The prompts of a run, rendered from its `inputs/`: each cycle's task, and the hash of what was sent.

use std::collections::BTreeMap;

use axilog::hash::Hash;

use super::finding::ReplayFinding;
use crate::budget::PromptTokens;
use crate::condition::{Task, TaskSet};
use crate::erratum;
use crate::fields::FieldNames;
use crate::kernel::{Constitution, KernelObservation};
use crate::log::{Condition, FrozenSettings, InputFile, RunDirectory};
use crate::schedule::schedule;
use crate::template::{BASE, Template, initial_observations};

/// The bytes of the inputs whose hash is the recorded one, by name.
pub(super) type Inputs = BTreeMap<String, Vec<u8>>;

/// A bound on the cycles of a condition that are scheduled: a damaged number must not exhaust the memory.
const MOST_CYCLES: u64 = 1 << 20;

/// The inputs from which prompts are rendered.
pub(super) struct PromptInputs {
    pub(super) constitution: Constitution,
    template: Option<Template>,
    tasks: BTreeMap<Condition, (TaskSet, Vec<usize>)>,
    started: u64,
}

/// The prompt that a cycle should have sent.
pub(super) struct RenderedPrompt<'p> {
    pub(super) task: &'p Task,
    pub(super) observations: [KernelObservation; 2],
    /// The prompt's hash; `None` where the template could not be read.
    pub(super) input_hash: Option<Hash>,
    /// The bounds of the prompt's tokens that hold without a tokenizer; `None` as above.
    pub(super) tokens: Option<PromptTokens>,
}

impl PromptInputs {
    /// Reads the inputs and adds a finding for each unusable one. `None` without a constitution.
    pub(super) fn read(
        frozen: &FrozenSettings,
        inputs: &Inputs,
        findings: &mut Vec<ReplayFinding>,
    ) -> Option<PromptInputs> {
        let text = |file: &InputFile| -> Option<&str> {
            std::str::from_utf8(inputs.get(&file.name)?).ok()
        };
        let mut add_finding = |file: &InputFile, reason: String, expected: &str| {
            let name = format!("{}/{}", RunDirectory::INPUTS, file.name);
            findings.push(ReplayFinding::new(name, "", reason, expected));
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
                    let cycles = frozen.cycles.min(MOST_CYCLES);
                    let order = schedule(&set, condition.order_seed, cycles);
                    tasks.insert(condition.id, (set, order));
                }
                Err(error) => {
                    add_finding(&condition.tasks, error.to_string(), "the condition's tasks");
                }
            }
        }
        let base = match &frozen.base_template {
            None => Some(BASE),
            Some(file) => text(file),
        };
        let template = text(&frozen.template).zip(base).and_then(|(text, base)| {
            parse_template(frozen, text, base)
                .map_err(|(reason, expected)| add_finding(&frozen.template, reason, expected))
                .ok()
        });
        let constitution = match Constitution::parse(text(&frozen.constitution)?) {
            Ok(constitution) => constitution,
            Err(error) => {
                add_finding(&frozen.constitution, error.to_string(), "a constitution");
                return None;
            }
        };
        let limit = constitution.limits.max_total_tokens_per_cycle;
        if frozen.b1 != limit {
            findings.push(ReplayFinding::new(
                RunDirectory::METADATA,
                "frozen.b1",
                frozen.b1.to_string(),
                format!("{limit}, the constitution's limit"),
            ));
        }
        Some(PromptInputs {
            constitution,
            template,
            tasks,
            started: frozen.started,
        })
    }

    /// The names of the fields of an answer.
    pub(super) fn field_names(&self) -> &FieldNames {
        static KERNELS: FieldNames = FieldNames::of_the_kernel();
        let template = self.template.as_ref();
        template.map_or(&KERNELS, |template| &template.field_names)
    }

    /// Renders the prompt of a cycle; `None` where the condition's tasks could not be read.
    pub(super) fn render(
        &self,
        condition: Condition,
        cycle: u64,
        number: u64,
    ) -> Option<RenderedPrompt<'_>> {
        let (set, order) = self.tasks.get(&condition)?;
        let index = usize::try_from(cycle.checked_sub(1)?).ok()?;
        let task = set.tasks.get(*order.get(index)?)?;
        let observations = initial_observations(&task.prompt, self.started, number);
        let template = self.template.as_ref();
        let prompt =
            template.map(|template| template.fill(&self.constitution, &observations, &task.prompt));
        Some(RenderedPrompt {
            task,
            observations,
            tokens: prompt.as_ref().map(PromptTokens::estimate),
            input_hash: prompt.and_then(|prompt| Some(prompt.input().ok()?.hash())),
        })
    }
}

/// Parses the run's template, which must be its base template or an erratum of that. A run of another version
/// of axilog may have shipped another base, so that only the form is checked.
fn parse_template(
    frozen: &FrozenSettings,
    text: &str,
    base: &str,
) -> Result<Template, (String, &'static str)> {
    let is_known_base =
        frozen.base_template.is_some() || frozen.axilog == env!("CARGO_PKG_VERSION");
    match &frozen.erratum {
        None if is_known_base && text != base => {
            return Err((
                "another template".to_owned(),
                "the base template, since there is no erratum",
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
    if frozen.erratum.is_some() != frozen.corrects.is_some() {
        return Err((
            "an erratum or the run that it corrects, without the other".to_owned(),
            "both or neither",
        ));
    }
    let expected = "a template that differs from the base in form alone";
    if frozen.erratum.is_some() && is_known_base {
        let base = erratum::parse_base(base).map_err(|error| (error.to_string(), "a template"))?;
        erratum::apply(&base, text).map_err(|error| (error.to_string(), expected))
    } else {
        Template::parse(text).map_err(|error| (error.to_string(), "a template"))
    }
}
