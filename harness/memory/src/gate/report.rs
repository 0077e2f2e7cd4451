//! The gates by name, what they need, and the report of one.

use std::path::PathBuf;

use crate::handle::Handle;
use crate::pinned::MachinePins;
use crate::words::words;

words! {
    /// A gate, by its number.
    pub enum Gate {
        /// ORC-COLD-BOOT
        G1 = "G1",
        /// ORC-PRECISION-LEAK
        G2 = "G2",
        /// ORC-RECALL-RR002
        G3 = "G3",
        /// ORC-COMPACTION-REPRO
        G4 = "G4",
        /// ORC-NO-BACKFLOW
        G5 = "G5",
        /// ORC-PIN-ASSERT
        G6 = "G6",
        /// UI-BAN-SCAN and IMG-BAN-SCAN
        G7 = "G7",
    }
}

impl Gate {
    /// The document's name for the gate.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Gate::G1 => "ORC-COLD-BOOT",
            Gate::G2 => "ORC-PRECISION-LEAK",
            Gate::G3 => "ORC-RECALL-RR002",
            Gate::G4 => "ORC-COMPACTION-REPRO",
            Gate::G5 => "ORC-NO-BACKFLOW",
            Gate::G6 => "ORC-PIN-ASSERT",
            Gate::G7 => "UI-BAN-SCAN, IMG-BAN-SCAN",
        }
    }
}

/// What the gates need besides the memory.
#[derive(Clone, Debug, Default)]
pub struct GateInputs {
    /// G1: the `working_set_id` that is expected of [`canonical_query`](super::canonical_query).
    pub golden: Option<Handle>,
    /// G6: what this machine has of what is pinned.
    pub pins: MachinePins,
    /// G7: the source trees to scan.
    pub sources: Vec<PathBuf>,
    /// G7: the file of patterns; the built-in patterns where there is none.
    pub patterns: Option<PathBuf>,
}

/// The report of a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateReport {
    /// The gate.
    pub gate: Gate,
    /// What was checked, a line each.
    pub checked: Vec<String>,
    /// What is wrong, a line each; empty where the gate is passed.
    pub faults: Vec<String>,
}

impl GateReport {
    pub(super) fn new(gate: Gate) -> GateReport {
        GateReport {
            gate,
            checked: Vec::new(),
            faults: Vec::new(),
        }
    }

    /// Whether the gate is passed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.faults.is_empty()
    }
}
