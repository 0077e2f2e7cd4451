//! `axilog memory gate`: runs the gates G1 to G7.

use std::path::PathBuf;

use axilog_memory::MemoryStore;
use axilog_memory::gate::{Gate, GateInputs, GateReport, run_gate};
use serde::Serialize;

use super::options::{ExpectedHead, HandleArgument, PinsHere};
use crate::Failure;
use crate::output::Report;

/// Run gates: checks of the whole memory. Print what each gate checked; exit 1 where one is not passed.
///
/// G1 derives every table from the log again and compares; G2 searches every output for locked exact
/// strings; G3 checks that every recall is logged whole; G4 makes every compaction again; G5 tries to
/// write from the model's side; G6 asserts the pins; G7 scans source trees. A gate changes nothing.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    pub(super) db: PathBuf,
    /// The gates to run.
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    gate: Vec<GateName>,
    /// Run all of the gates.
    #[arg(long)]
    all: bool,
    /// G1: the expected bytes_hash of the canonical working set.
    #[arg(long, value_name = "HASH")]
    golden: Option<HandleArgument>,
    #[command(flatten)]
    pins: PinsHere,
    /// G7: a tree to scan; may be given several times; the current directory where absent.
    #[arg(long, value_name = "DIR")]
    source: Vec<PathBuf>,
    /// G7: a file of patterns that replaces the built-in patterns, or adds to them with a line `built-in`.
    #[arg(long, value_name = "FILE")]
    patterns: Option<PathBuf>,
    #[command(flatten)]
    expected: ExpectedHead,
}

#[derive(Clone, Copy, clap::ValueEnum)]
#[value(rename_all = "UPPER")]
enum GateName {
    G1,
    G2,
    G3,
    G4,
    G5,
    G6,
    G7,
}

impl From<GateName> for Gate {
    fn from(name: GateName) -> Gate {
        match name {
            GateName::G1 => Gate::G1,
            GateName::G2 => Gate::G2,
            GateName::G3 => Gate::G3,
            GateName::G4 => Gate::G4,
            GateName::G5 => Gate::G5,
            GateName::G6 => Gate::G6,
            GateName::G7 => Gate::G7,
        }
    }
}

/// What the gates checked and found.
#[derive(Serialize)]
struct GatesResult<'a> {
    /// Whether every gate is passed.
    ok: bool,
    gates: Vec<GateResult<'a>>,
}

/// What one gate checked and found.
#[derive(Serialize)]
struct GateResult<'a> {
    gate: Gate,
    name: &'static str,
    passed: bool,
    /// What it checked, a line each.
    checked: &'a [String],
    /// What is wrong, a line each.
    faults: &'a [String],
}

impl GateResult<'_> {
    fn new(report: &GateReport) -> GateResult<'_> {
        GateResult {
            gate: report.gate,
            name: report.gate.title(),
            passed: report.passed(),
            checked: &report.checked,
            faults: &report.faults,
        }
    }
}

/// How many faults of one gate are printed; every fault is counted.
const MAX_FAULTS: usize = 20;

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let mut inputs = GateInputs {
        golden: args.golden.map(|argument| argument.0),
        pins: args.pins.to_machine_pins(),
        sources: args.source.clone(),
        patterns: args.patterns.clone(),
    };
    if inputs.sources.is_empty() {
        inputs.sources.push(PathBuf::from("."));
    }
    let mut store = MemoryStore::open(&args.db)?;
    args.expected.assert(store.reader())?;
    let gates: Vec<Gate> = match args.all {
        true => Gate::ALL.to_vec(),
        false => args.gate.iter().map(|name| Gate::from(*name)).collect(),
    };
    let mut reports = Vec::new();
    for gate in gates {
        reports.push(run_gate(&mut store, gate, &inputs)?);
    }
    let fine = reports.iter().all(GateReport::passed);
    let result = GatesResult {
        ok: fine,
        gates: reports.iter().map(GateResult::new).collect(),
    };
    let text = reports.iter().map(to_text).collect();
    Ok(Report::new(fine, text, &result))
}

fn to_text(report: &GateReport) -> String {
    let (number, name) = (report.gate, report.gate.title());
    let verdict = if report.passed() {
        "passed"
    } else {
        "NOT PASSED"
    };
    let mut text = format!("{number} {name}: {verdict}\n");
    for line in &report.checked {
        text.push_str(&format!("   {line}\n"));
    }
    for fault in report.faults.iter().take(MAX_FAULTS) {
        text.push_str(&format!(" ! {fault}\n"));
    }
    if report.faults.len() > MAX_FAULTS {
        text.push_str(&format!(
            " ! and {} more\n",
            report.faults.len() - MAX_FAULTS
        ));
    }
    text
}
