//! The gates G1 to G7 (document, section 10): what each checks, and its report.

mod backflow;
mod ban_scan;
mod cold_boot;
mod compactions;
mod leak;
mod pins;
mod recall_audit;

use std::path::PathBuf;

use rusqlite::params;

use crate::audience::Audience;
use crate::error::Result;
use crate::handle::Handle;
use crate::mask::OutputClass;
use crate::query::WorkingSetQuery;
use crate::reader::MemoryReader;
use crate::store::MemoryStore;
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
    /// G1: the `working_set_id` that is expected of [`canonical_query`].
    pub golden: Option<Handle>,
    /// G6: the pins on this machine, by name and value.
    pub pins: Vec<(String, String)>,
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
    fn new(gate: Gate) -> GateReport {
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

/// Runs one gate, which leaves the memory as it was.
///
/// # Errors
/// [`MemoryError::Damaged`](crate::MemoryError::Damaged) where the log is not as it was appended; the
/// errors of files and SQLite.
pub fn run_gate(store: &mut MemoryStore, gate: Gate, inputs: &GateInputs) -> Result<GateReport> {
    let mut report = GateReport::new(gate);
    match gate {
        Gate::G1 => cold_boot::check(store, inputs.golden, &mut report)?,
        Gate::G2 => leak::check(store.reader(), &mut report)?,
        Gate::G3 => recall_audit::check(store.reader(), &mut report)?,
        Gate::G4 => compactions::check(store.reader(), &mut report)?,
        Gate::G5 => backflow::check(store, &mut report)?,
        Gate::G6 => pins::check(store.reader(), &inputs.pins, &mut report)?,
        Gate::G7 => ban_scan::check(inputs, &mut report)?,
    }
    Ok(report)
}

/// The query whose working set G1 compares with a golden hash: all that is public, 8000 tokens.
#[must_use]
pub fn canonical_query() -> WorkingSetQuery {
    let audience = Audience {
        class: OutputClass::WorkingSet,
        viewers: Vec::new(),
    };
    WorkingSetQuery::new(audience, 8000)
}

/// Queries for every output class: without viewers, for each player that a mask names (the first 32), and
/// for all of these players; with every compaction there is.
fn output_queries(reader: &MemoryReader) -> Result<Vec<WorkingSetQuery>> {
    let column = |text: &str| {
        let mut all = reader.conn.prepare(text)?;
        let texts = all.query_map(params![], |row| row.get::<_, String>(0))?;
        texts.collect::<rusqlite::Result<Vec<String>>>()
    };
    let players = column(
        "SELECT DISTINCT substr(audience, 8) FROM shown WHERE audience >= 'PLAYER:' AND audience < 'PLAYER;' ORDER BY 1 LIMIT 32",
    )
    .map_err(reader.read_error())?;
    let purposes = column("SELECT DISTINCT purpose FROM compaction ORDER BY 1")
        .map_err(reader.read_error())?;
    let mut audiences: Vec<Vec<String>> = vec![Vec::new()];
    audiences.extend(players.iter().map(|player| vec![player.clone()]));
    if players.len() > 1 {
        audiences.push(players);
    }
    let mut queries = Vec::new();
    for class in OutputClass::ALL {
        for viewers in &audiences {
            queries.push(WorkingSetQuery {
                audience: Audience {
                    class,
                    viewers: viewers.clone(),
                },
                purposes: purposes.clone(),
                ..canonical_query()
            });
        }
    }
    Ok(queries)
}
