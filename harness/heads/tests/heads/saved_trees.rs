//! The tree that is saved beside a ledger: the next head is made of the records that follow it, and whatever else stands in
//! its place changes no head.

use std::fs::{self, File};
use std::path::PathBuf;

use axilog::hash::{Hash, sha256};
use axilog_heads::{Checkpoint, RecordDifference, SavedTreeCheck, SignedHead};
use axilog_ledger::audit::held_head::HeldHead;
use axilog_ledger::audit::{
    AuditCheck, AuditExpectations, CheckResult, SAVED_TREE, audit_with_heads,
};
use axilog_ledger::encoding::hex;

use crate::plant::Plant;
use crate::reference;

fn tree(plant: &Plant) -> PathBuf {
    plant.dir.path().join("ledger.jsonl.tree")
}

/// Signs the first `size` records, and saves their tree.
fn sign_and_save(plant: &Plant, size: usize) -> Checkpoint {
    let signed = plant.try_to_sign(&plant.first(size), None).unwrap();
    signed.save_tree(&plant.ledger()).unwrap();
    signed.checkpoint
}

/// Signs all records after an earlier checkpoint, of a ledger in which a record before that is damaged: only who does not
/// read it signs.
fn sign_unread(plant: &Plant, earlier: &Checkpoint) -> Option<SignedHead> {
    let mut lines = plant.lines.clone();
    let damaged = lines[8].iter().position(|byte| *byte == b'1').unwrap();
    lines[8][damaged] = b'2';
    plant.try_to_sign(&lines.concat(), Some(earlier)).ok()
}

/// Signs all records after an earlier checkpoint, which must give the head that they have.
fn sign_all(plant: &Plant, earlier: &Checkpoint) {
    let all = plant.lines.len();
    let signed = plant.try_to_sign(&plant.first(all), Some(earlier)).unwrap();
    assert_eq!(signed.checkpoint.size(), all as u64);
    assert_eq!(
        signed.checkpoint.root(),
        reference::root(&plant.commits(all))
    );
}

/// Writes a tree with other words in it, and a right hash.
fn forge(plant: &Plant, from: &str, to: &str) {
    let text = fs::read_to_string(tree(plant)).unwrap();
    let (_, json) = text.split_once('\n').unwrap();
    assert_eq!(json.matches(from).count(), 1, "{from} in {json}");
    let json = json.replace(from, to);
    let hash = hex(&sha256(json.as_bytes()));
    fs::write(tree(plant), format!("axilog tree 1 {hash}\n{json}")).unwrap();
}

/// The check of the saved tree in the audit of the ledger with these bytes.
fn audit(plant: &Plant, ledger: &[u8]) -> Option<AuditCheck> {
    let path = plant.dir.path().join("audited.jsonl");
    fs::write(&path, ledger).unwrap();
    let check = SavedTreeCheck::of_ledger(&plant.ledger());
    let mut heads: Vec<Box<dyn HeldHead>> = check
        .map(|check| Box::new(check) as Box<dyn HeldHead>)
        .into_iter()
        .collect();
    let expected = AuditExpectations::default();
    let file = File::open(&path).unwrap();
    let audited = audit_with_heads(file, &plant.ledger(), &expected, &mut heads).unwrap();
    let mut checks = audited.checks.into_iter();
    checks.find(|check| check.subject == SAVED_TREE)
}

#[test]
fn the_next_head_is_made_of_the_records_that_follow() {
    let plant = Plant::with_answers(1..24);
    let all = plant.lines.len();
    for size in 10..=all {
        let earlier = sign_and_save(&plant, size);
        let signed = sign_unread(&plant, &earlier).unwrap();
        let root = reference::root(&plant.commits(all));
        assert_eq!(signed.checkpoint.root(), root, "{size}");
        assert_eq!(signed.is_new, size < all);
        // Its own tree is the one that a reader of the whole ledger saves.
        signed.save_tree(&plant.ledger()).unwrap();
        let grown = fs::read(tree(&plant)).unwrap();
        sign_and_save(&plant, all);
        assert_eq!(fs::read(tree(&plant)).unwrap(), grown);
    }
    assert!(all > 70, "{all}");
}

/// A signer that is killed between the checkpoint and its tree leaves the tree of an older one.
#[test]
fn a_tree_that_is_older_than_the_checkpoint_is_gone_on_from_and_a_newer_one_is_not() {
    let plant = Plant::with_answers(1..9);
    let [older, earlier] = [20, 25].map(|size| sign_and_save(&plant, size));
    assert!(sign_unread(&plant, &older).is_none());
    sign_all(&plant, &older);
    sign_and_save(&plant, 20);
    assert!(sign_unread(&plant, &earlier).is_some());
    sign_all(&plant, &earlier);
}

#[test]
fn what_is_left_of_a_tree_at_every_byte_is_made_anew() {
    let plant = Plant::with_answers(1..9);
    let earlier = sign_and_save(&plant, 21);
    let whole = fs::read(tree(&plant)).unwrap();
    for length in 0..whole.len() {
        let cut = whole[..length].to_vec();
        let mut zeros = cut.clone();
        zeros.resize(whole.len(), 0);
        let mut altered = whole.clone();
        altered[length] ^= 1;
        for left in [cut, zeros, altered] {
            fs::write(tree(&plant), left).unwrap();
            assert!(sign_unread(&plant, &earlier).is_none(), "{length}");
            sign_all(&plant, &earlier);
            let check = audit(&plant, &plant.lines.concat()).unwrap();
            assert_eq!(check.result, CheckResult::Passed, "{length}");
            assert!(check.finding.starts_with("not used"), "{}", check.finding);
        }
    }
    // Beside the beginning of another one that a killed process left the whole one serves, and is replaced.
    fs::write(tree(&plant), &whole).unwrap();
    let new = plant.dir.path().join("ledger.jsonl.tree.new");
    for length in 0..whole.len() {
        fs::write(&new, &whole[..length]).unwrap();
        let signed = sign_unread(&plant, &earlier).unwrap();
        signed.save_tree(&plant.ledger()).unwrap();
        assert!(!new.exists());
        fs::write(tree(&plant), &whole).unwrap();
    }
    fs::remove_file(tree(&plant)).unwrap();
    assert!(sign_unread(&plant, &earlier).is_none());
    assert_eq!(audit(&plant, &plant.lines.concat()), None);
}

/// Whoever can write the tree gets no head signed but that of the records.
#[test]
fn a_forged_tree_is_not_gone_on_from_and_fails_the_audit() {
    let plant = Plant::with_answers(1..9);
    let earlier = sign_and_save(&plant, 21);
    let whole = fs::read_to_string(tree(&plant)).unwrap();
    let bytes = plant.first(21).len();
    let head = whole.split("\"head\":\"").nth(1).unwrap()[..64].to_owned();
    let edge = whole.split("\"edge\":[\"").nth(1).unwrap()[..64].to_owned();
    let other = hex(&Hash::default());
    let shorter = bytes - plant.lines[20].len();
    for (from, to, fails) in [
        (edge, other.clone(), true),
        (head, other, true),
        (
            format!("\"bytes\":{bytes}"),
            format!("\"bytes\":{shorter}"),
            false,
        ),
        (
            "\"sealed\":false".to_owned(),
            "\"sealed\":true".to_owned(),
            false,
        ),
        (
            "\"entries\":21".to_owned(),
            "\"entries\":22".to_owned(),
            true,
        ),
        (
            "\"entries\":21".to_owned(),
            format!("\"entries\":{}", u64::MAX),
            false,
        ),
    ] {
        fs::write(tree(&plant), &whole).unwrap();
        assert!(sign_unread(&plant, &earlier).is_some());
        forge(&plant, &from, &to);
        assert!(sign_unread(&plant, &earlier).is_none(), "{from}");
        sign_all(&plant, &earlier);
        let check = audit(&plant, &plant.lines.concat()).unwrap();
        let result = match fails {
            true => CheckResult::Failed,
            false => CheckResult::Passed,
        };
        assert_eq!(check.result, result, "{from}: {}", check.finding);
    }
}

/// A ledger that was written anew, or whose end was cut off, is not signed because of a tree that fits it, and an audit says
/// that the tree does not.
#[test]
fn a_ledger_that_was_written_anew_does_not_go_on_from_the_tree() {
    let plant = Plant::with_answers([1, 2, 3, 4, 5]);
    let forged = Plant::with_answers([1, 2, 7, 4, 5, 6]);
    let all = plant.lines.len();
    let earlier = sign_and_save(&plant, all);
    let check = audit(&plant, &plant.lines.concat()).unwrap();
    assert_eq!(check.result, CheckResult::Passed);
    assert_eq!(check.finding, format!("that of the first {all} records"));
    let anew = forged.lines.concat();
    let cut = plant.first(all - 1);
    for (ledger, finding) in [
        (&anew, "written anew after a head of them was signed"),
        (&cut, "its end was cut off after a head was signed"),
    ] {
        let refused = plant.try_to_sign(ledger, Some(&earlier)).unwrap_err();
        let is_other = matches!(
            &refused,
            axilog_heads::HeadsError::OtherRecords {
                difference: RecordDifference::Fewer { .. } | RecordDifference::Others { .. },
                ..
            }
        );
        assert!(is_other, "{refused}");
        let check = audit(&plant, ledger).unwrap();
        assert_eq!(check.result, CheckResult::Failed);
        assert!(check.finding.contains(finding), "{}", check.finding);
    }
    // The tree of the forged ledger, in place of the signed one's.
    let forged_tree = forged.try_to_sign(&forged.first(all), None).unwrap();
    forged_tree.save_tree(&plant.ledger()).unwrap();
    assert!(plant.try_to_sign(&anew, Some(&earlier)).is_err());
    let mut damaged = plant.lines.clone();
    let last = damaged.len() - 1;
    damaged[last][100] ^= 1;
    sign_and_save(&plant, all);
    let check = audit(&plant, &damaged.concat()).unwrap();
    assert_eq!(check.result, CheckResult::NotChecked, "{}", check.finding);
}

/// The records after the tree are looked at before their head is signed.
#[test]
fn records_after_the_tree_that_are_not_good_are_not_signed() {
    let plant = Plant::with_answers(1..9);
    let earlier = sign_and_save(&plant, 21);
    let good = &plant.lines;
    let mut altered = good.clone();
    altered[25][150] ^= 1;
    let mut missing = good.clone();
    missing.remove(25);
    let mut twice = good.clone();
    twice.insert(25, good[25].clone());
    let mut torn = good.clone();
    torn.last_mut().unwrap().pop();
    let mut other = good.clone();
    other.push(b"{}\n".to_vec());
    for (lines, name) in [
        (altered, "altered"),
        (missing, "missing"),
        (twice, "twice"),
        (torn, "torn"),
        (other, "other"),
    ] {
        let refused = plant.try_to_sign(&lines.concat(), Some(&earlier));
        assert!(refused.is_err(), "{name}");
    }
    sign_all(&plant, &earlier);
}

#[test]
fn what_has_the_name_of_a_tree_and_is_none_is_left_alone() {
    let plant = Plant::with_answers(1..5);
    fs::write(tree(&plant), "a file of somebody").unwrap();
    let signed = plant.try_to_sign(&plant.lines.concat(), None).unwrap();
    let refused = signed.save_tree(&plant.ledger()).unwrap_err().to_string();
    assert!(refused.contains("ledger.jsonl.tree"), "{refused}");
    assert_eq!(fs::read(tree(&plant)).unwrap(), b"a file of somebody");
    sign_all(&plant, &signed.checkpoint);
}

#[cfg(unix)]
#[test]
fn a_tree_has_the_rights_of_its_ledger_and_is_not_believed_with_more() {
    use std::os::unix::fs::PermissionsExt;
    let plant = Plant::with_answers(1..9);
    let set = |path: &PathBuf, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    set(&plant.ledger(), 0o640);
    let earlier = sign_and_save(&plant, 21);
    let mode = fs::metadata(tree(&plant)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert!(sign_unread(&plant, &earlier).is_some());
    set(&tree(&plant), 0o660);
    assert!(sign_unread(&plant, &earlier).is_none());
}
