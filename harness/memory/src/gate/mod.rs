//! The gates G1 to G7 (document, section 10): what each checks, and what it found.

mod backflow;
mod ban_scan;
mod cold_boot;
mod compactions;
mod leak;
mod pins;
mod recall;

use std::path::PathBuf;

use rusqlite::params;

use super::canonical::Handle;
use super::error::Result;
use super::lens::{Audience, Lens};
use super::mask::OutputClass;
use super::store::Store;
use super::working_set::Query;

/// One of the gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gate {
    /// ORC-COLD-BOOT
    G1,
    /// ORC-PRECISION-LEAK
    G2,
    /// ORC-RECALL-RR002
    G3,
    /// ORC-COMPACTION-REPRO
    G4,
    /// ORC-NO-BACKFLOW
    G5,
    /// ORC-PIN-ASSERT
    G6,
    /// UI-BAN-SCAN and IMG-BAN-SCAN
    G7,
}

impl Gate {
    /// All there are.
    pub const ALL: [Gate; 7] = [
        Gate::G1,
        Gate::G2,
        Gate::G3,
        Gate::G4,
        Gate::G5,
        Gate::G6,
        Gate::G7,
    ];

    /// Its number and the document's name for it.
    #[must_use]
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Gate::G1 => ("G1", "ORC-COLD-BOOT"),
            Gate::G2 => ("G2", "ORC-PRECISION-LEAK"),
            Gate::G3 => ("G3", "ORC-RECALL-RR002"),
            Gate::G4 => ("G4", "ORC-COMPACTION-REPRO"),
            Gate::G5 => ("G5", "ORC-NO-BACKFLOW"),
            Gate::G6 => ("G6", "ORC-PIN-ASSERT"),
            Gate::G7 => ("G7", "UI-BAN-SCAN, IMG-BAN-SCAN"),
        }
    }
}

/// What the gates are given besides the memory.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// G1: the `working_set_id` that is expected of [`canonical_query`].
    pub golden: Option<Handle>,
    /// G6: what the pins are on this machine; name and value.
    pub pins: Vec<(String, String)>,
    /// G7: the trees to scan.
    pub sources: Vec<PathBuf>,
    /// G7: the patterns, where they are not the built-in ones.
    pub patterns: Option<PathBuf>,
}

/// What a gate found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which.
    pub gate: Gate,
    /// What was checked, a line each.
    pub checked: Vec<String>,
    /// What is wrong, a line each; none where the gate is passed.
    pub faults: Vec<String>,
}

impl Finding {
    fn new(gate: Gate) -> Finding {
        Finding {
            gate,
            checked: Vec::new(),
            faults: Vec::new(),
        }
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.faults.is_empty()
    }
}

/// Runs one gate. The memory is as before, whatever it finds.
///
/// # Errors
/// [`MemoryError::Damaged`](super::MemoryError::Damaged) where the log itself is not good; where
/// something cannot be read.
pub fn run(store: &mut Store, gate: Gate, given: &Given) -> Result<Finding> {
    let mut finding = Finding::new(gate);
    match gate {
        Gate::G1 => cold_boot::check(store, given.golden, &mut finding)?,
        Gate::G2 => leak::check(store.lens(), &mut finding)?,
        Gate::G3 => recall::check(store.lens(), &mut finding)?,
        Gate::G4 => compactions::check(store.lens(), &mut finding)?,
        Gate::G5 => backflow::check(store, &mut finding)?,
        Gate::G6 => pins::check(store.lens(), &given.pins, &mut finding)?,
        Gate::G7 => ban_scan::check(given, &mut finding)?,
    }
    Ok(finding)
}

/// The query whose working set G1 compares with a golden hash: all that is public, 8000 tokens.
#[must_use]
pub fn canonical_query() -> Query {
    Query {
        audience: Audience {
            class: OutputClass::WorkingSet,
            viewers: Vec::new(),
        },
        kinds: Vec::new(),
        purposes: Vec::new(),
        budget: 8000,
    }
}

/// Queries for every output class: for nobody, for each player that a mask names (the first 32), and
/// for all of these; with every compaction there is.
fn queries(lens: &Lens) -> Result<Vec<Query>> {
    let column = |text: &str| {
        let mut all = lens.conn.prepare(text)?;
        let texts = all.query_map(params![], |row| row.get::<_, String>(0))?;
        texts.collect::<rusqlite::Result<Vec<String>>>()
    };
    let players = column(
        "SELECT DISTINCT substr(audience, 8) FROM shown WHERE audience >= 'PLAYER:' AND audience < 'PLAYER;' ORDER BY 1 LIMIT 32",
    )
    .map_err(lens.failed())?;
    let purposes =
        column("SELECT DISTINCT purpose FROM compaction ORDER BY 1").map_err(lens.failed())?;
    let mut audiences: Vec<Vec<String>> = vec![Vec::new()];
    audiences.extend(players.iter().map(|player| vec![player.clone()]));
    if players.len() > 1 {
        audiences.push(players);
    }
    let mut queries = Vec::new();
    for class in OutputClass::ALL {
        for viewers in &audiences {
            queries.push(Query {
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
