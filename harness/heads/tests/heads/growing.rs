//! Heads and proofs of a ledger that grows, each made of the records since the one before: they are those of the whole ledger.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use axilog::ledger_line;
use axilog_heads::{Checkpoint, ExtensionProof, GrowingLog, HeadsError, LogKey};
use axilog_ledger::durability::LedgerPosition;

use crate::plant::Plant;
use crate::reference;

fn open(plant: &Plant) -> GrowingLog {
    let key = LogKey::read(&plant.dir.path().join("plant.key")).unwrap();
    let file = plant.dir.path().join("ledger.jsonl.checkpoint");
    GrowingLog::open(&plant.ledger(), Arc::new(key), None, &file).unwrap()
}

/// The place after the first `size` records.
fn position(plant: &Plant, size: usize) -> LedgerPosition {
    LedgerPosition {
        entries: size as u64,
        head: ledger_line::parse(&plant.lines[size - 1]).unwrap().chain,
    }
}

#[test]
fn every_head_and_every_proof_is_that_of_the_whole_ledger() {
    let plant = Plant::with_answers(1..26);
    let mut log = open(&plant);
    let all = (1..=70).collect();
    for size in 1..=70 {
        log.sign(&position(&plant, size), &all).unwrap();
        let tree = log.latest().unwrap();
        let commits = plant.commits(size);
        let checkpoint = tree.to_checkpoint().unwrap();
        assert_eq!(checkpoint.root(), reference::root(&commits));
        for old_size in 1..=size {
            let body = log
                .write_submission(old_size as u64, &tree)
                .unwrap()
                .unwrap();
            let old_root = reference::root(&plant.commits(old_size));
            let old = Checkpoint::sign(old_size as u64, old_root, &plant.key).unwrap();
            let proof = ExtensionProof::parse(&body).unwrap();
            proof.check(&old, plant.public()).unwrap();
        }
        let first = log.write_submission(0, &tree).unwrap().unwrap();
        assert!(first.starts_with(b"old 0\n\n"));
    }
    // A proof to an older tree than the last one.
    let older = log.latest().unwrap();
    log.sign(&position(&plant, 73), &BTreeSet::from([33]))
        .unwrap();
    let body = log.write_submission(33, &older).unwrap().unwrap();
    let root = reference::root(&plant.commits(33));
    let old = Checkpoint::sign(33, root, &plant.key).unwrap();
    let proof = ExtensionProof::parse(&body).unwrap();
    proof.check(&old, plant.public()).unwrap();

    // Older heads are kept where they are asked for.
    for (size, is_kept) in [(33, true), (34, false), (73, true)] {
        let tree = log.latest().unwrap();
        let body = log.write_submission(size, &tree).unwrap();
        assert_eq!(body.is_some(), is_kept, "{size}");
    }
    // Another process goes on from the last one.
    drop(log);
    let mut log = open(&plant);
    assert_eq!(log.signed_size(), 73);
    log.sign(&position(&plant, 74), &BTreeSet::from([33, 73]))
        .unwrap();
    let tree = log.latest().unwrap();
    assert!(log.write_submission(73, &tree).unwrap().is_some());
    assert!(log.write_submission(33, &tree).unwrap().is_none());
    log.sign(&position(&plant, 75), &BTreeSet::new()).unwrap();
    let tree = log.latest().unwrap();
    assert!(log.write_submission(74, &tree).unwrap().is_some());
    assert!(log.write_submission(73, &tree).unwrap().is_none());
    // Without its saved tree, it reads the ledger, and keeps the tree that was signed.
    drop(log);
    fs::remove_file(plant.dir.path().join("ledger.jsonl.tree")).unwrap();
    let mut log = open(&plant);
    log.sign(&position(&plant, 76), &BTreeSet::from([75]))
        .unwrap();
    let tree = log.latest().unwrap();
    assert!(log.write_submission(75, &tree).unwrap().is_some());
}

#[test]
fn what_the_file_does_not_hold_is_not_signed() {
    let plant = Plant::with_answers(1..9);
    let all = plant.lines.len();
    let mut log = open(&plant);
    log.sign(&position(&plant, 20), &BTreeSet::new()).unwrap();
    let signed = fs::read(plant.dir.path().join("ledger.jsonl.checkpoint")).unwrap();
    let other_head = LedgerPosition {
        head: [7; 32],
        ..position(&plant, 23)
    };
    let later = LedgerPosition {
        entries: all as u64 + 1,
        head: [7; 32],
    };
    for durable in [other_head, later] {
        let refused = log.sign(&durable, &BTreeSet::new()).unwrap_err();
        assert!(
            matches!(refused, HeadsError::NotDurable { .. }),
            "{refused}"
        );
        let kept = fs::read(plant.dir.path().join("ledger.jsonl.checkpoint")).unwrap();
        assert_eq!(kept, signed);
    }
    let mut log = open(&plant);
    let mut lines = plant.lines.clone();
    lines[21][100] ^= 1;
    fs::write(plant.ledger(), lines.concat()).unwrap();
    let refused = log
        .sign(&position(&plant, all), &BTreeSet::new())
        .unwrap_err();
    assert!(
        matches!(refused, HeadsError::NotDurable { found: 21, .. }),
        "{refused}"
    );
    let mut log = open(&plant);
    let fewer = log
        .sign(&position(&plant, 19), &BTreeSet::new())
        .unwrap_err();
    assert!(matches!(fewer, HeadsError::OtherRecords { .. }), "{fewer}");
}
