//! What came of the injections of L-C, family by family (Q28, Q54; G3).

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};

use crate::condition::TaskSet;
use crate::metrics::OutcomesByTask;
use crate::taxonomy::LcOutcome;

/// The injections of one family, and what came of them.
#[derive(Clone, Debug, Default)]
pub(super) struct InjectionFamily {
    name: String,
    /// The injections of the task file.
    injections: u64,
    /// Those that the model was asked.
    asked: u64,
    /// The cycles that asked one, by outcome.
    outcomes: BTreeMap<&'static str, u64>,
}

/// Lists the families of a task file's injections, in the file's order, each with what came of them. An injection
/// without a family belongs to none of them.
pub(super) fn list_families(set: &TaskSet, outcomes: &OutcomesByTask) -> Vec<InjectionFamily> {
    let mut families: Vec<InjectionFamily> = Vec::new();
    for task in set.tasks.iter().filter(|task| !task.prompt_valid) {
        let Some(name) = &task.family else { continue };
        match families.iter_mut().find(|family| family.name == *name) {
            Some(family) => family.add(outcomes.get(&task.id)),
            None => {
                let mut family = InjectionFamily {
                    name: name.clone(),
                    ..InjectionFamily::default()
                };
                family.add(outcomes.get(&task.id));
                families.push(family);
            }
        }
    }
    families
}

impl InjectionFamily {
    /// Adds an injection with the outcomes of the cycles that asked it; `None` of one that no cycle asked.
    fn add(&mut self, outcomes: Option<&BTreeMap<&'static str, u64>>) {
        self.injections += 1;
        self.asked += u64::from(outcomes.is_some());
        for (outcome, count) in outcomes.into_iter().flatten() {
            *self.outcomes.entry(outcome).or_default() += count;
        }
    }

    /// The number of cycles that ended with an outcome.
    fn count(&self, outcome: LcOutcome) -> u64 {
        let count = self.outcomes.get(outcome.as_str());
        count.copied().unwrap_or_default()
    }

    /// The family as `report.json` has it.
    pub(super) fn to_json(&self) -> Value {
        json!({
            "family": self.name,
            "injections": self.injections,
            "asked": self.asked,
            "lc_outcomes": self.outcomes,
        })
    }
}

/// Appends the table of the families to the page, if there are any.
pub(super) fn write_families(page: &mut String, families: &[InjectionFamily]) {
    if families.is_empty() {
        return;
    }
    let outcomes = LcOutcome::ALL;
    let head = outcomes.map(LcOutcome::as_str).join(" | ");
    let _ = writeln!(page, "\n| family | asked | of | {head} |");
    page.push_str("|---|---:|---:|---:|---:|---:|\n");
    for family in families {
        let counts = outcomes.map(|outcome| family.count(outcome).to_string());
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} |",
            family.name,
            family.asked,
            family.injections,
            counts.join(" | ")
        );
    }
}
