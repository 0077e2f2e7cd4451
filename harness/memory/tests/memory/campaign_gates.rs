//! A campaign passes each gate. `cargo xtask mutants` runs these tests on the memory with one defect at a time, which
//! the gates that the defect's patch names must find.

use axilog_memory::MachinePins;
use axilog_memory::gate::{Gate, GateInputs, run_gate};

use crate::campaign::Campaign;

#[track_caller]
fn assert_campaign_passes(gate: Gate) {
    let mut campaign = Campaign::play().unwrap();
    let inputs = GateInputs {
        pins: MachinePins {
            values: vec![("llm".to_owned(), "model-2".to_owned())],
            absent: Vec::new(),
        },
        ..GateInputs::default()
    };
    let report = run_gate(&mut campaign.store, gate, &inputs).unwrap();
    assert!(report.passed(), "{report:?}");
}

#[test]
fn the_campaign_passes_g1() {
    assert_campaign_passes(Gate::G1);
}

#[test]
fn the_campaign_passes_g2() {
    assert_campaign_passes(Gate::G2);
}

#[test]
fn the_campaign_passes_g3() {
    assert_campaign_passes(Gate::G3);
}

#[test]
fn the_campaign_passes_g4() {
    assert_campaign_passes(Gate::G4);
}

#[test]
fn the_campaign_passes_g5() {
    assert_campaign_passes(Gate::G5);
}

#[test]
fn the_campaign_passes_g6() {
    assert_campaign_passes(Gate::G6);
}
