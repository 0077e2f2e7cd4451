//! Each mutant of the memory fails at least one gate; the page has the table.

use axilog_memory::gate::{Gate, GateInputs, run_gate};
use axilog_memory::mutants::{Mutant, run_with};

use crate::campaign::Campaign;

const GATES: [Gate; 6] = [Gate::G1, Gate::G2, Gate::G3, Gate::G4, Gate::G5, Gate::G6];

/// Plays a campaign and runs the gates; says for each whether it found a fault. An error is one.
fn run_gates() -> Vec<(Gate, Option<String>)> {
    let mut campaign = match Campaign::play() {
        Ok(campaign) => campaign,
        Err(error) => panic!("the campaign cannot be played: {error}"),
    };
    let inputs = GateInputs::default();
    let run = |gate| match run_gate(&mut campaign.store, gate, &inputs) {
        Ok(report) => (gate, report.faults.first().cloned()),
        Err(error) => (gate, Some(format!("error: {error}"))),
    };
    GATES.into_iter().map(run).collect()
}

#[test]
fn a_campaign_without_defects_passes_the_gates() {
    for (gate, fault) in run_gates() {
        assert_eq!(fault, None, "{gate}");
    }
}

#[test]
fn every_mutant_is_found_by_a_gate() {
    let mut table =
        String::from("| defect | G1 | G2 | G3 | G4 | G5 | G6 |\n|---|---|---|---|---|---|---|\n");
    let mut survivors = Vec::new();
    for mutant in Mutant::ALL {
        let faults = run_with(mutant, run_gates);
        let cells = faults
            .iter()
            .map(|(_, fault)| if fault.is_some() { " x |" } else { "  |" });
        table.push_str(&format!("| {mutant} |{}\n", cells.collect::<String>()));
        for (gate, fault) in &faults {
            if let Some(fault) = fault {
                println!(
                    "{mutant}: {gate}: {}",
                    fault.chars().take(300).collect::<String>()
                );
            }
        }
        if faults.iter().all(|(_, fault)| fault.is_none()) {
            survivors.push(mutant.as_str());
        }
    }
    assert!(survivors.is_empty(), "no gate finds these: {survivors:#?}");
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/memory.md");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(
        page.contains(&table),
        "the page has another table than this:\n{table}"
    );
}
