//! `axilog memory gate`: the gates G1 to G7.

use std::path::PathBuf;

use axilog_memory::Store;
use axilog_memory::gate::{Finding, Gate, Given, run as run_gate};
use serde_json::{Value, json};

use super::super::Failure;
use super::super::output::{Report, escape_controls};
use super::options::{HandleArgument, Pin, pairs};

/// Run gates, and print what each checked. Exits 1 where one is not passed.
///
/// G1 derives everything anew and compares; G2 searches every output for locked exact strings; G3 walks
/// through the log for whole recalls; G4 makes compactions again; G5 tries to write from the model's
/// side; G6 asserts the pins; G7 scans source trees. The memory is as before.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    db: PathBuf,
    /// Which gates.
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    gate: Vec<Named>,
    /// All of them.
    #[arg(long)]
    all: bool,
    /// G1: the bytes_hash that is expected.
    #[arg(long, value_name = "HASH")]
    golden: Option<HandleArgument>,
    /// G6: what a pin is on this machine; may be given several times.
    #[arg(long, value_name = "NAME=VALUE")]
    pin: Vec<Pin>,
    /// G7: a tree to scan; may be given several times; absent: the current directory.
    #[arg(long, value_name = "DIR")]
    source: Vec<PathBuf>,
    /// G7: patterns instead of those built in.
    #[arg(long, value_name = "FILE")]
    patterns: Option<PathBuf>,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
#[value(rename_all = "UPPER")]
enum Named {
    G1,
    G2,
    G3,
    G4,
    G5,
    G6,
    G7,
}

impl From<Named> for Gate {
    fn from(named: Named) -> Gate {
        match named {
            Named::G1 => Gate::G1,
            Named::G2 => Gate::G2,
            Named::G3 => Gate::G3,
            Named::G4 => Gate::G4,
            Named::G5 => Gate::G5,
            Named::G6 => Gate::G6,
            Named::G7 => Gate::G7,
        }
    }
}

/// How many faults of one gate are shown; all are counted.
const SHOWN: usize = 20;

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let mut given = Given {
        golden: args.golden.map(|argument| argument.0),
        pins: pairs(&args.pin),
        sources: args.source.clone(),
        patterns: args.patterns.clone(),
    };
    if given.sources.is_empty() {
        given.sources.push(PathBuf::from("."));
    }
    let mut store = Store::open(&args.db)?;
    let gates: Vec<Gate> = match args.all {
        true => Gate::ALL.to_vec(),
        false => args.gate.iter().map(|named| Gate::from(*named)).collect(),
    };
    let mut findings = Vec::new();
    for gate in gates {
        findings.push(run_gate(&mut store, gate, &given)?);
    }
    let fine = findings.iter().all(Finding::passed);
    Ok(Report {
        passed: fine,
        text: findings.iter().map(text).collect(),
        json: json!({ "ok": fine, "gates": findings.iter().map(object).collect::<Vec<Value>>() }),
        notes: Vec::new(),
    })
}

fn text(finding: &Finding) -> String {
    let (number, name) = finding.gate.names();
    let verdict = if finding.passed() {
        "passed"
    } else {
        "NOT PASSED"
    };
    let mut text = format!("{number} {name}: {verdict}\n");
    for line in &finding.checked {
        text.push_str(&format!("   {}\n", escape_controls(line)));
    }
    for fault in finding.faults.iter().take(SHOWN) {
        text.push_str(&format!(" ! {}\n", escape_controls(fault)));
    }
    if finding.faults.len() > SHOWN {
        text.push_str(&format!(" ! and {} more\n", finding.faults.len() - SHOWN));
    }
    text
}

fn object(finding: &Finding) -> Value {
    let (number, name) = finding.gate.names();
    json!({
        "gate": number,
        "name": name,
        "passed": finding.passed(),
        "checked": finding.checked,
        "faults": finding.faults,
    })
}
