//! What a verdict rests on: who answered, how many cycles, and which inputs are not the shipped ones.

use std::collections::BTreeSet;

use axilog::hash::{Hash, sha256};
use axilog_ledger::encoding::hex;
use serde_json::{Value, json};

use super::families::{InjectionFamily, list_families};
use super::verdict::{AddReason, Closure};
use crate::condition::TaskSet;
use crate::document::to_value;
use crate::frozen_code::{canonicalizer_hashes, kernel_hashes};
use crate::kernel::Constitution;
use crate::live::examples;
use crate::log::{
    Condition, FrozenCondition, FrozenSettings, FrozenWeights, InputFile, RunDirectory,
    SessionMetadata, read_file,
};
use crate::metrics::Metrics;
use crate::replay::{RunReplay, SentinelReplay};
use crate::template;

/// The fewest cycles per condition of a session that closes positive (Q30).
pub(super) const FEWEST_CYCLES: u64 = 100;

/// The oracle that is a model, asked by this session.
const MODEL_ORACLE: &str = "openai";

/// An input of the session beside the shipped one.
#[derive(Clone, Debug)]
struct InputEvidence {
    name: String,
    found: Hash,
    shipped: Option<Hash>,
}

impl InputEvidence {
    fn new(name: impl Into<String>, found: Hash, shipped: Option<&str>) -> InputEvidence {
        let shipped = shipped.map(|text| sha256(text.as_bytes()));
        InputEvidence {
            name: name.into(),
            found,
            shipped,
        }
    }

    fn is_customised(&self) -> bool {
        self.shipped != Some(self.found)
    }

    /// The name with the beginnings of both hashes.
    fn describe(&self) -> String {
        let begin = |hash: &Hash| format!("{:.12}", hex(hash));
        let shipped = self.shipped.as_ref().map_or("nothing".to_owned(), begin);
        format!("{} ({}, shipped {shipped})", self.name, begin(&self.found))
    }
}

/// The tasks of a condition beside the shipped ones: in L-C the injections, elsewhere the valid tasks.
#[derive(Clone, Debug)]
struct TaskEvidence {
    condition: Condition,
    cycles: u64,
    different: u64,
    shipped: u64,
}

impl TaskEvidence {
    fn kind(&self) -> &'static str {
        match self.condition {
            Condition::C => "injections",
            _ => "tasks",
        }
    }
}

/// What a verdict on a session rests on.
#[derive(Clone, Debug)]
pub struct SessionEvidence {
    oracle: String,
    model: String,
    base_url: Option<String>,
    weights: Option<FrozenWeights>,
    sentinels: Option<SentinelReplay>,
    answered_by: Option<String>,
    planned_cycles: u64,
    tasks: Vec<TaskEvidence>,
    pub(super) families: Vec<InjectionFamily>,
    inputs: Vec<InputEvidence>,
    /// How the constitution's limits and roots differ from the shipped ones; `None` where they are equal, or the
    /// constitution cannot be read, which replay finds.
    other_limits: Option<String>,
}

impl SessionEvidence {
    /// Gathers the evidence of a run.
    pub(super) fn gather(
        run: &RunDirectory,
        metadata: &SessionMetadata,
        replay: &RunReplay,
        metrics: &Metrics,
        constitution: Option<&Constitution>,
    ) -> SessionEvidence {
        let frozen = &metadata.frozen;
        let calibration = metadata.calibration.as_ref();
        let mut families = Vec::new();
        let mut tasks = Vec::new();
        for condition in &frozen.conditions {
            let counted = metrics.conditions.get(&condition.id);
            let set = read_tasks(run, condition);
            if let (Some(set), Some(counted)) = (&set, counted) {
                families.extend(list_families(set, &counted.lc_outcomes_by_task));
            }
            tasks.push(TaskEvidence {
                condition: condition.id,
                cycles: counted.map_or(0, |it| it.cycles),
                different: count_tasks(set),
                shipped: count_tasks(read_shipped_tasks(condition.id)),
            });
        }
        SessionEvidence {
            oracle: frozen.oracle.clone(),
            model: frozen.model.clone(),
            base_url: frozen.base_url.clone(),
            weights: frozen.weights.clone(),
            sentinels: replay.sentinels.clone(),
            answered_by: calibration.and_then(|it| it.answered_by.clone()),
            planned_cycles: frozen.cycles,
            tasks,
            families,
            inputs: list_inputs(frozen),
            other_limits: constitution.and_then(describe_other_limits),
        }
    }

    /// Adds the reasons for which the session is less than what a positive verdict says.
    pub(super) fn add_reasons(&self, add: AddReason<'_>) {
        if self.oracle != MODEL_ORACLE {
            let text = format!(
                "no model was asked: the answers are those of {}",
                self.oracle
            );
            add(Closure::Rehearsal, "NO_MODEL_ASKED", text);
        }
        if let Some(limits) = &self.other_limits {
            let text = format!("the kernel's limits are not the shipped ones: {limits}");
            add(Closure::Custom, "OTHER_LIMITS", text);
        }
        if self.planned_cycles < FEWEST_CYCLES {
            let text = format!(
                "{} cycles per condition were planned, and {FEWEST_CYCLES} are the least",
                self.planned_cycles
            );
            add(Closure::Pilot, "FEW_CYCLES", text);
        }
        for tasks in &self.tasks {
            if tasks.different < tasks.shipped {
                let code = match tasks.condition {
                    Condition::C => "FEW_INJECTIONS",
                    _ => "FEW_TASKS",
                };
                let text = format!(
                    "{} has {} different {}, and the shipped {} are the least",
                    tasks.condition,
                    tasks.different,
                    tasks.kind(),
                    tasks.shipped
                );
                add(Closure::Pilot, code, text);
            }
        }
    }

    /// The evidence as `report.json` has it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let inputs = self.inputs.iter().map(|input| {
            json!({
                "name": input.name,
                "sha256": hex(&input.found),
                "shipped_sha256": input.shipped.as_ref().map(hex),
                "customised": input.is_customised(),
            })
        });
        let tasks = self.tasks.iter().map(|tasks| {
            json!({
                "condition": tasks.condition,
                "cycles": tasks.cycles,
                "counted": tasks.kind(),
                "different": tasks.different,
                "shipped": tasks.shipped,
            })
        });
        let mut evidence = json!({
            "oracle": self.oracle,
            "model": self.model,
            "base_url": self.base_url,
            "answered_by": self.answered_by,
            "planned_cycles": self.planned_cycles,
            "tasks": tasks.collect::<Vec<_>>(),
            "families": self.families.iter().map(InjectionFamily::to_json).collect::<Vec<_>>(),
            "other_limits": self.other_limits,
            "inputs": inputs.collect::<Vec<_>>(),
        });
        // The report of a run without these is the one that it had before there were any.
        for (name, value) in [
            ("weights", self.weights.as_ref().map(to_value)),
            ("sentinels", self.sentinels.as_ref().map(to_value)),
        ] {
            if let (Some(members), Some(value)) = (evidence.as_object_mut(), value) {
                members.insert(name.to_owned(), value);
            }
        }
        evidence
    }

    /// The evidence in words, for people: each a name and what there is to say of it.
    #[must_use]
    pub fn describe(&self) -> Vec<(&'static str, String)> {
        let absent = |text: &Option<String>, otherwise: &str| {
            text.clone().unwrap_or_else(|| otherwise.to_owned())
        };
        let customised = self.inputs.iter().filter(|it| it.is_customised());
        let customised: Vec<String> = customised.map(InputEvidence::describe).collect();
        let cycles = self.tasks.iter();
        let cycles: Vec<String> = cycles
            .map(|it| format!("{} {}", it.condition, it.cycles))
            .collect();
        let tasks = self.tasks.iter();
        let tasks: Vec<String> = tasks
            .map(|it| match it.condition {
                Condition::C => format!("L-C {} injections", it.different),
                id => format!("{id} {}", it.different),
            })
            .collect();
        let customised = match customised.as_slice() {
            [] => "nothing".to_owned(),
            names => names.join(", "),
        };
        let mut rows = vec![
            ("customised", customised),
            ("limits", absent(&self.other_limits, "the shipped ones")),
            ("asked", format!("{} by {}", self.model, self.oracle)),
            ("at", absent(&self.base_url, "no URL")),
            ("answered", absent(&self.answered_by, "no model by name")),
            (
                "cycles",
                format!(
                    "{} planned per condition; {}",
                    self.planned_cycles,
                    cycles.join(", ")
                ),
            ),
            ("different tasks", tasks.join(", ")),
        ];
        if let Some(FrozenWeights { name, sha256, .. }) = &self.weights {
            rows.push(("weights", format!("{name}, SHA-256 {}", hex(sha256))));
        }
        if let Some(sentinels) = &self.sentinels {
            let drifts = match sentinels.drifts.as_slice() {
                [] => "none changed".to_owned(),
                drifts => {
                    let ids = drifts.iter().map(|drift| drift.condition.as_str());
                    format!("some changed during {}", ids.collect::<Vec<_>>().join(", "))
                }
            };
            let SentinelReplay {
                prompts,
                answers,
                unsteady,
                ..
            } = sentinels;
            let mut text = format!("{answers} answers to {prompts} prompts; {drifts}");
            if !unsteady.is_empty() {
                let numbers: Vec<String> = unsteady.iter().map(u64::to_string).collect();
                text = format!(
                    "{text}; not steady at temperature 0, and no evidence: sentinel {}",
                    numbers.join(", ")
                );
            }
            rows.push(("sentinels", text));
        }
        rows
    }
}

/// Lists what the session ran on, each beside the shipped one.
fn list_inputs(frozen: &FrozenSettings) -> Vec<InputEvidence> {
    let mut inputs = vec![
        InputEvidence::new(
            "constitution",
            frozen.constitution.sha256,
            Some(examples::CONSTITUTION),
        ),
        InputEvidence::new("template", frozen.template.sha256, Some(template::BASE)),
    ];
    for condition in &frozen.conditions {
        let id = condition.id;
        let tasks = Some(examples::tasks(id));
        inputs.push(InputEvidence::new(
            format!("tasks of {id}"),
            condition.tasks.sha256,
            tasks,
        ));
        if let Some(corpus) = &condition.corpus {
            let name = format!("corpus of {id}");
            let shipped = examples::corpus(id);
            inputs.push(InputEvidence::new(name, corpus.sha256, shipped));
        }
    }
    for (name, found, shipped) in [
        (
            "canonicalizer",
            frozen.canonicalizer,
            canonicalizer_hashes(),
        ),
        ("kernel", frozen.kernel, kernel_hashes()),
    ] {
        inputs.push(InputEvidence {
            name: name.to_owned(),
            found: found.source_hash,
            shipped: Some(shipped.source_hash),
        });
    }
    inputs
}

/// Reads the tasks of a condition from the run's inputs; `None` where they cannot be read, which replay finds.
fn read_tasks(run: &RunDirectory, condition: &FrozenCondition) -> Option<TaskSet> {
    let read = |input: &InputFile| {
        let bytes = read_file(&run.input(&input.name)).ok()?;
        String::from_utf8(bytes).ok()
    };
    let corpus = match &condition.corpus {
        None => None,
        Some(corpus) => Some(read(corpus)?),
    };
    TaskSet::parse(condition.id, &read(&condition.tasks)?, corpus.as_deref()).ok()
}

/// Reads the shipped tasks of a condition.
fn read_shipped_tasks(id: Condition) -> Option<TaskSet> {
    TaskSet::parse(id, examples::tasks(id), examples::corpus(id)).ok()
}

/// The number of tasks with different prompts: in L-C of the injections, elsewhere of the valid tasks.
fn count_tasks(set: Option<TaskSet>) -> u64 {
    let Some(set) = set else {
        return 0;
    };
    let valid = set.condition != Condition::C;
    let counted = set.tasks.iter().filter(|task| task.prompt_valid == valid);
    let different: BTreeSet<&str> = counted.map(|task| task.prompt.as_str()).collect();
    different.len() as u64
}

/// Describes the limits and roots of a constitution where they are not the shipped ones.
fn describe_other_limits(constitution: &Constitution) -> Option<String> {
    let shipped = Constitution::parse(examples::CONSTITUTION).ok()?;
    let (found, expected) = (&constitution.limits, &shipped.limits);
    let (roots, shipped_roots) = (&constitution.io_allowlist, &shipped.io_allowlist);
    let tokens = (
        found.max_total_tokens_per_cycle,
        expected.max_total_tokens_per_cycle,
    );
    let candidates = (found.max_candidates, expected.max_candidates);
    let mut others = Vec::new();
    for (name, (found, expected)) in [("B1", tokens), ("max_candidates", candidates)] {
        if found != expected {
            others.push(format!("{name} {found}, shipped {expected}"));
        }
    }
    for (name, found, expected) in [
        ("read roots", &roots.read, &shipped_roots.read),
        ("write roots", &roots.write, &shipped_roots.write),
    ] {
        if found != expected {
            others.push(format!("{name} {found:?}, shipped {expected:?}"));
        }
    }
    (!others.is_empty()).then(|| others.join("; "))
}

#[cfg(test)]
mod tests {
    use super::super::files::FORMAT;
    use super::*;

    /// A report compares its run with what the program ships, so that a program that ships something else writes
    /// another format of reports: it would not make the same report of an earlier run again.
    #[test]
    fn what_is_shipped_belongs_to_the_format_of_reports() {
        let mut shipped = vec![
            sha256(examples::CONSTITUTION.as_bytes()),
            sha256(template::BASE.as_bytes()),
            canonicalizer_hashes().source_hash,
            kernel_hashes().source_hash,
        ];
        for id in Condition::ALL {
            shipped.push(sha256(examples::tasks(id).as_bytes()));
            shipped.extend(examples::corpus(id).map(|text| sha256(text.as_bytes())));
        }
        let shipped = hex(&sha256(&shipped.concat()));
        let expected = "18f5c38b304fdc8d45829a0eff8be947f0e3ea61e5ebfae0a063b4a01442b9a7";
        assert_eq!((FORMAT, shipped.as_str()), ("X0L:REPORT:v5", expected));
    }
}
