//! What somebody tries who can write the ledger, a checkpoint or a proof.

use std::io::Cursor;

use axilog::ledger_line;
use axilog_heads::{
    Checkpoint, ExtensionProof, HeadsError, LogKey, RecordDifference, RecordProof, SigningRequest,
    Unproven, find_ledger_name, prove_record, sign_ledger,
};
use axilog_ledger::error::LedgerError;
use axilog_ledger::file::blobs::BlobStore;

use crate::plant::{NAME, Plant};

/// A proof of record 20 among 30, whose text is to be changed.
fn record_proof(plant: &Plant) -> String {
    let proof = plant.prove_record(&plant.first(40), 20, plant.sign(30));
    String::from_utf8(proof.unwrap().to_bytes()).unwrap()
}

/// A proof that 40 records extend 30.
fn extension_proof(plant: &Plant) -> String {
    let proof = plant.prove_extension(&plant.first(50), &plant.sign(30), plant.sign(40));
    String::from_utf8(proof.unwrap().to_bytes()).unwrap()
}

/// How a ledger differs from what was signed, as the error says.
fn difference(error: &HeadsError) -> &RecordDifference {
    match error {
        HeadsError::OtherRecords { difference, .. } => difference,
        error => panic!("{error}"),
    }
}

/// Whether a text is a proof of record 20 that holds.
fn shows_record(plant: &Plant, text: &[u8]) -> bool {
    let Ok(proof) = RecordProof::parse(text) else {
        return false;
    };
    let line = proof.record_line().unwrap_or(&plant.lines[20]);
    proof.check(line, plant.public()).is_ok()
}

fn shows_extension(plant: &Plant, text: &[u8]) -> bool {
    let proof = ExtensionProof::parse(text);
    proof.is_ok_and(|proof| proof.check(&plant.sign(30), plant.public()).is_ok())
}

#[test]
fn a_ledger_that_was_written_anew_is_not_signed_and_proves_nothing() {
    let plant = Plant::with_answers([1, 2, 3]);
    let all = plant.lines.len();
    let held = plant.sign(all);
    // The same ledger with another second answer, and a right chain.
    let forged = Plant::with_answers([1, 7, 3, 4]).lines.concat();
    for error in [
        plant.try_to_sign(&forged, Some(&held)).unwrap_err(),
        plant.prove_record(&forged, 5, plant.sign(all)).unwrap_err(),
    ] {
        let told = error.to_string();
        assert!(
            matches!(difference(&error), RecordDifference::Others { .. }),
            "{told}"
        );
        let expected = format!("records 0 to {} are not those", all - 1);
        assert!(told.contains(&expected), "{told}");
        assert!(told.contains(&held.root_text()), "{told}");
    }
    // A log that signs the forgery all the same cannot join it to what is held.
    let new = plant.try_to_sign(&forged, None).unwrap().checkpoint;
    for ledger in [&forged, &plant.lines.concat()] {
        let new = Checkpoint::parse(&new.to_bytes()).unwrap();
        let error = plant.prove_extension(ledger, &held, new).unwrap_err();
        difference(&error);
    }
}

#[test]
fn a_cut_tail_is_not_signed_and_proves_nothing() {
    let shared = Plant::shared();
    let plant = &*shared;
    let held = plant.sign(40);
    let cut = plant.first(39);
    let error = plant.try_to_sign(&cut, Some(&held)).unwrap_err();
    let told = error.to_string();
    assert!(
        told.contains("has 39 records, and the checkpoint was made of 40"),
        "{told}"
    );
    for error in [
        plant.prove_record(&cut, 5, plant.sign(40)).unwrap_err(),
        plant
            .prove_extension(&cut, &plant.sign(30), plant.sign(40))
            .unwrap_err(),
    ] {
        assert!(
            matches!(difference(&error), RecordDifference::Fewer { .. }),
            "{error}"
        );
    }
}

#[test]
fn a_ledger_that_is_not_good_is_not_signed() {
    let shared = Plant::shared();
    let plant = &*shared;
    let mut damaged = plant.first(40);
    let at = plant.first(30).len() + 100;
    damaged[at] = match damaged[at] {
        b'0' => b'1',
        _ => b'0',
    };
    let mut torn = plant.first(40);
    torn.pop();
    for ledger in [&damaged, &torn] {
        let error = plant.try_to_sign(ledger, None).unwrap_err();
        let is_damaged = matches!(error, HeadsError::Ledger(LedgerError::Damaged { .. }));
        assert!(is_damaged, "{error}");
    }
    // A proof of what stands before the damage holds, and is made.
    for (ledger, good) in [(damaged, 30), (torn, 39)] {
        let checkpoint = plant.sign(good);
        let ledger = &mut Cursor::new(ledger);
        let proven = prove_record(ledger, &plant.ledger(), 7, checkpoint).unwrap();
        assert_eq!(proven.later_fault.unwrap().sequence, good as u64);
        let error = prove_record(ledger, &plant.ledger(), 7, plant.sign(good + 1));
        let error = error.unwrap_err();
        let is_damaged = matches!(error, HeadsError::Ledger(LedgerError::Damaged { .. }));
        assert!(is_damaged, "{error}");
    }
}

#[test]
fn a_log_signs_the_next_head_and_the_same_head_again() {
    let shared = Plant::shared();
    let plant = &*shared;
    let earlier = plant.sign(30);
    for (size, is_new) in [(30, false), (31, true), (70, true)] {
        let signed = plant.try_to_sign(&plant.first(size), Some(&earlier));
        let signed = signed.unwrap();
        assert_eq!(signed.is_new, is_new);
        assert_eq!(signed.checkpoint.size(), size as u64);
    }
}

#[test]
fn no_line_of_a_proof_can_be_changed_removed_or_doubled() {
    let shared = Plant::shared();
    let plant = &*shared;
    for (proof, is_of_record) in [(record_proof(plant), true), (extension_proof(plant), false)] {
        let shows = match is_of_record {
            true => shows_record,
            false => shows_extension,
        };
        assert!(shows(plant, proof.as_bytes()));
        let lines: Vec<&str> = proof.lines().collect();
        let join = |lines: &[&str]| format!("{}\n", lines.join("\n"));
        assert_eq!(join(&lines), proof);
        for at in 0..lines.len() {
            // What came with the proof and is not proven may be left out, and the record given otherwise.
            if lines[at].starts_with("extra ") {
                continue;
            }
            let mut changed = lines.clone();
            changed.remove(at);
            assert!(!shows(plant, join(&changed).as_bytes()), "without {at}");
            let mut changed = lines.clone();
            changed.insert(at, lines[at]);
            let holds = shows(plant, join(&changed).as_bytes());
            // The same signature twice is one.
            let is_signature = lines[at].starts_with('\u{2014}');
            assert_eq!(holds, is_signature, "{at} twice: {}", lines[at]);
        }
        // Every byte, the line ends too.
        for at in 0..proof.len() {
            let mut changed = proof.clone().into_bytes();
            for other in [changed[at] ^ 1, b'A', b'\n', b'\r', b' ', 0xff] {
                let before = std::mem::replace(&mut changed[at], other);
                let is_other = before != other;
                let before_it = proof.as_bytes()[..at].iter();
                let line = before_it.filter(|byte| **byte == b'\n').count();
                let is_in_line = lines[line].starts_with("extra ");
                if is_other && !is_in_line {
                    assert!(!shows(plant, &changed), "byte {at}: {before} to {other}");
                }
                changed[at] = before;
            }
        }
        for changed in [
            proof.replace('\n', "\r\n"),
            format!("{proof}\n"),
            format!("\n{proof}"),
            format!("{proof}more\n"),
            format!("\u{feff}{proof}"),
            proof.trim_end().to_owned(),
        ] {
            assert!(!shows(plant, changed.as_bytes()), "{changed:.80}");
        }
    }
}

/// Of the record that a proof brings with it, everything counts but the chain value, which the leaf does not bind.
#[test]
fn the_record_that_came_with_a_proof_is_bound_by_it() {
    let shared = Plant::shared();
    let plant = &*shared;
    let proof = RecordProof::parse(record_proof(plant).as_bytes()).unwrap();
    let line = proof.record_line().unwrap();
    let chain = br#"{"chain":""#.len()..br#"{"chain":""#.len() + 64;
    for at in 0..line.len() - 1 {
        let mut changed = line.to_vec();
        changed[at] = match changed[at] {
            b'0' => b'1',
            _ => b'0',
        };
        let checked = proof.check(&changed, plant.public());
        assert_eq!(checked.is_ok(), chain.contains(&at), "byte {at}");
    }
    for (other, expected) in [
        (&b"no record\n"[..], Unproven::NoLedgerLine),
        (b"", Unproven::NoLedgerLine),
        (
            &plant.lines[19],
            Unproven::OtherRecord {
                found: 19,
                expected: 20,
            },
        ),
    ] {
        assert_eq!(proof.check(other, plant.public()).err().unwrap(), expected);
    }
    let two = plant.lines[20..22].concat();
    assert!(proof.check(&two, plant.public()).is_err());
    let entry = proof.check(line, plant.public()).unwrap();
    assert_eq!(entry.sequence, 20);
    assert_eq!(entry.payload, ledger_line::parse(line).unwrap().payload);
}

#[test]
fn an_index_outside_of_the_tree_is_refused() {
    let shared = Plant::shared();
    let plant = &*shared;
    for sequence in [30, 31, u64::MAX] {
        let error = plant.prove_record(&plant.first(40), sequence, plant.sign(30));
        let told = error.unwrap_err().to_string();
        let expected = format!("record {sequence} is not among the 30 of the checkpoint, 0 to 29");
        assert!(told.contains(&expected), "{told}");
    }
    let proof = record_proof(plant);
    for (line, index) in [("index 30", 30), ("index 18446744073709551615", u64::MAX)] {
        let proof = RecordProof::parse(proof.replace("index 20", line).as_bytes()).unwrap();
        assert_eq!(proof.index(), index);
        // The record of that number, if the ledger has it, is not covered either.
        let other = plant.lines[30].clone();
        assert!(proof.check(&other, plant.public()).is_err());
    }
    for line in [
        "index 020",
        "index +20",
        "index -1",
        "index 18446744073709551616",
        "index",
        "index  20",
    ] {
        let changed = proof.replace("index 20", line);
        assert!(RecordProof::parse(changed.as_bytes()).is_err(), "{line}");
    }
}

#[test]
fn keys_and_origins_are_not_mistaken_for_others() {
    let shared = Plant::shared();
    let plant = &*shared;
    let other = LogKey::create(&plant.dir.path().join("other.key"), "example.com/other").unwrap();
    let same_name = LogKey::create(&plant.dir.path().join("same.key"), NAME).unwrap();
    let proof = RecordProof::parse(record_proof(plant).as_bytes()).unwrap();
    let line = &plant.lines[20];
    let refusal = |key: &LogKey| proof.check(line, key.verifier_key()).err().unwrap();
    assert!(matches!(refusal(&other), Unproven::OtherOrigin { .. }));
    assert!(matches!(refusal(&same_name), Unproven::NotSigned(_)));
    // The key of another log signs a head of this origin: the note is good, and the origin is not the key's.
    let text = String::from_utf8(plant.sign(30).to_bytes()).unwrap();
    let own = Checkpoint::sign(30, plant.sign(30).root(), &other).unwrap();
    let own = String::from_utf8(own.to_bytes()).unwrap();
    let mixed = own.replacen("example.com/other\n", "example.com/plant\n", 1);
    let mixed = Checkpoint::parse(mixed.as_bytes()).unwrap();
    for key in [&other, &plant.key] {
        assert!(mixed.verify(key.verifier_key()).is_err());
    }
    // A ledger of another name is not signed, nor one that has none, unless its origin is given.
    let request = SigningRequest {
        ledger: &plant.ledger(),
        key: &other,
        origin: None,
        earlier: None,
    };
    let ledger = &mut Cursor::new(plant.first(30));
    let error = sign_ledger(ledger, &request).unwrap_err();
    assert!(matches!(error, HeadsError::OtherName { .. }), "{error}");
    for origin in ["example.com/other", "example.com/more"] {
        let given = SigningRequest {
            origin: Some(origin),
            ..request
        };
        let error = sign_ledger(ledger, &given).unwrap_err();
        assert!(matches!(error, HeadsError::OtherName { .. }), "{error}");
    }
    // A checkpoint that another key signed is no earlier one of this key.
    let foreign = Checkpoint::parse(text.as_bytes()).unwrap();
    let given = SigningRequest {
        key: &same_name,
        earlier: Some(&foreign),
        ..request
    };
    let error = sign_ledger(ledger, &given).unwrap_err();
    assert!(matches!(error, HeadsError::ForeignCheckpoint(_)), "{error}");
}

#[test]
fn a_fork_shown_to_two_auditors_has_no_proof_between_them() {
    let plant = Plant::with_answers([1, 2, 3]);
    let forged = Plant::with_answers([1, 7, 3, 4]).lines.concat();
    let one = plant.sign(plant.lines.len());
    let other = plant.try_to_sign(&forged, None).unwrap().checkpoint;
    // Both heads are signed, and each auditor is content until they compare.
    for head in [&one, &other] {
        head.verify(plant.public()).unwrap();
    }
    for (old, new) in [(&one, &other), (&other, &one)] {
        for ledger in [&forged, &plant.lines.concat()] {
            let new = Checkpoint::parse(&new.to_bytes()).unwrap();
            assert!(plant.prove_extension(ledger, old, new).is_err());
        }
    }
}

#[test]
fn a_ledger_that_may_have_a_name_is_not_signed_without_it() {
    let plant = Plant::with_answers([1]);
    let ledger = plant.lines.concat();
    let name = find_ledger_name(&mut Cursor::new(&ledger), &plant.ledger());
    assert_eq!(name.unwrap().as_deref(), Some(NAME));
    // Each blob in turn is another, and then missing.
    let files = BlobStore::of_ledger(&plant.ledger()).list_files().unwrap();
    let mut refused = 0;
    for (path, _) in files {
        let bytes = std::fs::read(&path).unwrap();
        if !bytes.starts_with(b"{") {
            continue;
        }
        refused += 1;
        for (other, expected) in [
            (Some(b"{}"), "the name of this ledger cannot be read"),
            (None, "is missing"),
        ] {
            match other {
                Some(other) => std::fs::write(&path, other).unwrap(),
                None => std::fs::remove_file(&path).unwrap(),
            }
            let error = plant.try_to_sign(&ledger, None).unwrap_err();
            assert!(matches!(error, HeadsError::NameUnknown { .. }), "{error}");
            assert!(error.to_string().contains(expected), "{error}");
        }
        std::fs::write(&path, bytes).unwrap();
    }
    assert_eq!(refused, 2, "the configuration and the manifest");
    plant.try_to_sign(&ledger, None).unwrap();
}
