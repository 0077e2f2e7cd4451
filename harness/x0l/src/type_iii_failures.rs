//! What the gates refused in the cycles with a Type III refusal, which a person must look at (Q16).

use std::collections::BTreeMap;

use super::kernel::GateFailure;
use super::log::Cycle;
use super::taxonomy::RefusalType;

/// The failures of each cycle with a Type III refusal.
#[derive(Debug, Default)]
pub struct TypeIiiFailures {
    /// By the number of the cycle: each failure once, in the order of the verdicts.
    cycles: BTreeMap<u64, Vec<GateFailure>>,
}

impl TypeIiiFailures {
    /// Takes the failures of a cycle, if it is a Type III refusal.
    pub(super) fn add_cycle(&mut self, cycle: &Cycle) {
        if cycle.refusal_type != Some(RefusalType::III) {
            return;
        }
        let known = self.cycles.entry(cycle.number).or_default();
        let verdicts = &cycle.decision.verdicts;
        for failure in verdicts.iter().filter_map(|verdict| verdict.failure) {
            if !known.contains(&failure) {
                known.push(failure);
            }
        }
    }

    /// Whether the cycle of this number is a Type III refusal.
    #[must_use]
    pub fn has_cycle(&self, number: u64) -> bool {
        self.cycles.contains_key(&number)
    }

    /// What the gates refused in the cycle, each once.
    #[must_use]
    pub fn list_failures(&self, number: u64) -> &[GateFailure] {
        self.cycles.get(&number).map_or(&[], Vec::as_slice)
    }

    /// Names the gates that refused a candidate of the cycle, and their codes, each list joined by `separator`.
    /// Of an action, which is the other thing that a person must look at, the first says that all were passed.
    #[must_use]
    pub fn name_failures(&self, number: u64, separator: &str) -> (String, String) {
        let Some(failures) = self.cycles.get(&number) else {
            return ("passed all".to_owned(), String::new());
        };
        let gates: Vec<&str> = failures.iter().map(|it| it.gate.as_str()).collect();
        let codes: Vec<&str> = failures.iter().map(|it| it.code.as_str()).collect();
        (gates.join(separator), codes.join(separator))
    }
}
