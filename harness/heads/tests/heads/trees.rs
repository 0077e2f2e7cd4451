//! Trees of all sizes up to 70, and random ones: roots and proofs are those of RFC 6962, and no other proof holds.

use axilog_heads::{Checkpoint, ExtensionProof, RecordProof, TreeEdge, Unproven};
use base64::prelude::{BASE64_STANDARD, Engine};
use proptest::prelude::*;

use crate::plant::Plant;
use crate::reference::{self, Hash};

const SIZES: usize = 70;

fn root_of(commits: &[Hash]) -> Hash {
    let mut edge = TreeEdge::new();
    for commit in commits {
        edge.append(commit).unwrap();
    }
    assert_eq!(edge.size(), commits.len() as u64);
    edge.root().unwrap()
}

/// The hashes in the text of a proof.
fn hashes_in(proof: &[u8]) -> Vec<Hash> {
    let text = String::from_utf8(proof.to_vec()).unwrap();
    let (lines, _) = text.split_once("\n\n").unwrap();
    let hashes = lines.lines().filter(|line| !line.contains(' '));
    hashes
        .filter(|line| !line.starts_with("c2sp"))
        .map(|line| BASE64_STANDARD.decode(line).unwrap().try_into().unwrap())
        .collect()
}

/// The head that a dishonest log signs, of any leaves.
fn sign_any(plant: &Plant, commits: &[Hash]) -> Checkpoint {
    Checkpoint::sign(commits.len() as u64, root_of(commits), &plant.key).unwrap()
}

#[test]
fn a_signed_head_has_the_root_of_its_records() {
    let shared = Plant::shared();
    let plant = &*shared;
    // The ledger's name stands in its first records.
    for size in 2..=SIZES {
        let checkpoint = plant.sign(size);
        assert_eq!(checkpoint.size(), size as u64);
        assert_eq!(checkpoint.root(), reference::root(&plant.commits(size)));
        checkpoint.verify(plant.public()).unwrap();
        let again = Checkpoint::parse(&checkpoint.to_bytes()).unwrap();
        assert_eq!(again.to_bytes(), checkpoint.to_bytes());
        again.verify(plant.public()).unwrap();
    }
}

#[test]
fn every_record_of_every_size_has_its_proof_and_no_other() {
    let shared = Plant::shared();
    let plant = &*shared;
    for size in 1..=SIZES {
        let commits = plant.commits(size);
        for index in 0..size {
            let checkpoint = sign_any(plant, &commits);
            let proof = plant
                .prove_record(&plant.first(SIZES), index as u64, checkpoint)
                .unwrap()
                .to_bytes();
            assert_eq!(hashes_in(&proof), reference::path(index, &commits));
            let proof = RecordProof::parse(&proof).unwrap();
            assert_eq!(proof.record_line(), Some(&plant.lines[index][..]));
            for other in [index.saturating_sub(1), index, index + 1] {
                let checked = proof.check(&plant.lines[other], plant.public());
                assert_eq!(checked.is_ok(), other == index, "{other} of {index} {size}");
            }
        }
    }
}

#[test]
fn every_size_extends_every_smaller_one() {
    let shared = Plant::shared();
    let plant = &*shared;
    let sizes = 1..=SIZES;
    let checkpoints: Vec<Checkpoint> = sizes
        .map(|size| sign_any(plant, &plant.commits(size)))
        .collect();
    for size in 1..=SIZES {
        let commits = plant.commits(size);
        for old_size in 1..=size {
            let old = &checkpoints[old_size - 1];
            let proof = plant
                .prove_extension(&plant.first(SIZES), old, sign_any(plant, &commits))
                .unwrap()
                .to_bytes();
            assert_eq!(hashes_in(&proof), reference::extension(old_size, &commits));
            let proof = ExtensionProof::parse(&proof).unwrap();
            proof.check(old, plant.public()).unwrap();
            // It is no proof about any other older head.
            for other in [old_size.saturating_sub(2), old_size % SIZES] {
                let other = &checkpoints[other];
                let checked = proof.check(other, plant.public());
                assert_eq!(checked.is_ok(), other.size() == old.size());
            }
        }
    }
}

fn commits() -> impl Strategy<Value = Vec<Hash>> {
    prop::collection::vec(any::<Hash>(), 1..200)
}

proptest! {
    #[test]
    fn the_root_is_the_rfcs(commits in commits()) {
        prop_assert_eq!(root_of(&commits), reference::root(&commits));
    }

    #[test]
    fn a_changed_commit_changes_the_root(
        commits in commits(), at in any::<prop::sample::Index>(), bit in 0..256usize,
    ) {
        let mut changed = commits.clone();
        changed[at.index(commits.len())][bit / 8] ^= 1 << (bit % 8);
        prop_assert_ne!(root_of(&commits), root_of(&changed));
    }

    #[test]
    fn no_proof_joins_two_histories(
        old in commits(), more in commits(), at in any::<prop::sample::Index>(),
        hashes in prop::option::of(prop::collection::vec(any::<Hash>(), 0..9)),
    ) {
        let shared = Plant::shared();
        let plant = &*shared;
        let all = [&old[..], &more].concat();
        let mut forked = all.clone();
        forked[at.index(old.len())][0] ^= 1;
        // What a liar would hand over: the true proof of either history, or any hashes.
        for history in [&all, &forked] {
            let honest = reference::extension(old.len(), history);
            let hashes = hashes.as_ref().unwrap_or(&honest);
            let lines = hashes.iter().map(|hash| format!("{}\n", BASE64_STANDARD.encode(hash)));
            let mut text = format!("old {}\n{}\n", old.len(), lines.collect::<String>()).into_bytes();
            text.extend(sign_any(plant, &forked).to_bytes());
            let proof = ExtensionProof::parse(&text).unwrap();
            let checked = proof.check(&sign_any(plant, &old), plant.public());
            let is_refused = matches!(checked, Err(Unproven::NotExtended { .. }));
            prop_assert!(is_refused, "{:?}", checked);
        }
    }

    #[test]
    fn any_prefix_has_a_proof(old in commits(), more in commits()) {
        let shared = Plant::shared();
        let plant = &*shared;
        let all = [&old[..], &more].concat();
        let hashes = reference::extension(old.len(), &all);
        let lines = hashes.iter().map(|hash| format!("{}\n", BASE64_STANDARD.encode(hash)));
        let mut text = format!("old {}\n{}\n", old.len(), lines.collect::<String>()).into_bytes();
        text.extend(sign_any(plant, &all).to_bytes());
        let proof = ExtensionProof::parse(&text).unwrap();
        prop_assert_eq!(proof.check(&sign_any(plant, &old), plant.public()), Ok(()));
        prop_assert_eq!(proof.to_bytes(), text);
    }

    /// Sizes and numbers of hashes as nobody has them end in an error, and in no panic.
    #[test]
    fn hostile_sizes_are_refused(size in any::<u64>(), index in any::<u64>(), count in 0..70usize) {
        let shared = Plant::shared();
        let plant = &*shared;
        let size = size % (axilog_heads::MAX_TREE_SIZE + 2);
        let checkpoint = Checkpoint::sign(size, [7; 32], &plant.key).unwrap().to_bytes();
        let hash = format!("{}\n", BASE64_STANDARD.encode([1; 32])).repeat(count);
        let record = [
            format!("c2sp.org/tlog-proof@v1\nindex {index}\n{hash}\n").into_bytes(),
            checkpoint.clone(),
        ];
        if let Ok(proof) = RecordProof::parse(&record.concat()) {
            let line = &plant.lines[5];
            prop_assert!(proof.check(line, plant.public()).is_err());
        }
        let extension = [format!("old {index}\n{hash}\n").into_bytes(), checkpoint.clone()];
        if let Ok(proof) = ExtensionProof::parse(&extension.concat())
            && let Ok(old) = Checkpoint::sign(index, [8; 32], &plant.key)
        {
            prop_assert!(proof.check(&old, plant.public()).is_err());
        }
        if let Ok(checkpoint) = Checkpoint::parse(&checkpoint) {
            let sequence = index % checkpoint.size();
            let ledger = plant.first(SIZES);
            prop_assert!(plant.prove_record(&ledger, sequence, checkpoint).is_err());
        }
    }
}
