//! Notes as other programs write them: several signatures, unknown ones, spoilt ones, and texts that are no checkpoints.

use axilog_heads::{Checkpoint, InvalidCheckpoint, LogKey, MAX_CHECKPOINT_BYTES, Unproven};
use signed_note::{Note, StandardVerifier, VerifierList};

use crate::plant::Plant;

/// C2SP's example of a note and its key.
const EXAMPLE_KEY: &str = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
const EXAMPLE_NOTE: &str = "This is an example message.\n\n\u{2014} example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";

#[test]
fn the_note_of_the_specification_holds_with_its_key() {
    let verifier = StandardVerifier::new(EXAMPLE_KEY).unwrap();
    let known = VerifierList::new(vec![Box::new(verifier)]);
    let note = Note::from_bytes(EXAMPLE_NOTE.as_bytes()).unwrap();
    let (verified, _) = note.verify(&known).unwrap();
    assert_eq!(verified.len(), 1);
    let changed = EXAMPLE_NOTE.replace("message", "massage");
    let note = Note::from_bytes(changed.as_bytes()).unwrap();
    assert!(note.verify(&known).is_err());
    // It is a note, and no checkpoint.
    let error = Checkpoint::parse(EXAMPLE_NOTE.as_bytes()).unwrap_err();
    assert_eq!(error, InvalidCheckpoint::NoHead);
}

/// The text of a checkpoint and its signature line.
fn parts(plant: &Plant) -> (String, String) {
    let text = String::from_utf8(plant.sign(30).to_bytes()).unwrap();
    let (head, signature) = text.split_once("\n\n").unwrap();
    (head.to_owned(), signature.to_owned())
}

fn verify(plant: &Plant, text: &str) -> Result<(), Unproven> {
    Checkpoint::parse(text.as_bytes())
        .unwrap()
        .verify(plant.public())
}

#[test]
fn unknown_signatures_are_ignored_and_a_spoilt_one_of_the_key_is_not() {
    let shared = Plant::shared();
    let plant = &*shared;
    let (head, own) = parts(plant);
    let witness =
        LogKey::create(&plant.dir.path().join("witness.key"), "example.com/plant").unwrap();
    let root = plant.sign(30).root();
    let cosigned = Checkpoint::sign(30, root, &witness).unwrap().to_bytes();
    let cosigned = String::from_utf8(cosigned).unwrap();
    let (_, unknown) = cosigned.split_once("\n\n").unwrap();
    let long = "\u{2014} example.com/later AAAABgECAwQFBgc=\n".repeat(20);
    for signatures in [
        format!("{unknown}{own}"),
        format!("{own}{unknown}"),
        format!("{long}{own}"),
    ] {
        let text = format!("{head}\n\n{signatures}");
        assert_eq!(verify(plant, &text), Ok(()), "{text}");
        // What is there is kept when a proof is made of it.
        let kept = Checkpoint::parse(text.as_bytes()).unwrap().to_bytes();
        assert_eq!(String::from_utf8(kept).unwrap(), text);
    }
    for signatures in [unknown, &long] {
        let told = verify(plant, &format!("{head}\n\n{signatures}")).unwrap_err();
        assert!(matches!(told, Unproven::NotSigned(_)), "{told}");
    }
    // A signature of the key that does not hold spoils the note, beside whichever others.
    let letter = own.len() - 10;
    let mut spoilt = own.clone();
    let other = if &spoilt[letter..=letter] == "A" {
        "B"
    } else {
        "A"
    };
    spoilt.replace_range(letter..=letter, other);
    for signatures in [
        spoilt.clone(),
        format!("{unknown}{spoilt}"),
        format!("{spoilt}{own}"),
    ] {
        let told = verify(plant, &format!("{head}\n\n{signatures}")).unwrap_err();
        assert!(matches!(told, Unproven::BadSignature(_)), "{told}");
    }
}

#[test]
fn texts_that_are_no_checkpoints_are_refused() {
    use InvalidCheckpoint::{CarriageReturn, Empty, Extension, NoHead, NoNote, TooLarge, TooLong};
    let shared = Plant::shared();
    let plant = &*shared;
    let (head, own) = parts(plant);
    let lines: Vec<&str> = head.lines().collect();
    let note = |head: &str| format!("{head}\n\n{own}");
    let [origin, size, root] = lines[..] else {
        panic!("{head}");
    };
    let long = format!("{}{own}", own.repeat(3000));
    for (text, expected) in [
        (String::new(), NoNote),
        (head.clone(), NoNote),
        (format!("{head}\n{own}"), NoNote),
        (format!("{}\n", note(&head)), NoNote),
        (note(&head).trim_end().to_owned(), NoNote),
        (note(&head).replace('\u{2014}', "-"), NoNote),
        (note(&head).replace('\n', "\r\n"), CarriageReturn),
        (note(&format!("{head}\t")), NoNote),
        (note(&format!("{origin}\n{size}")), NoHead),
        (note(&format!("\n{size}\n{root}")), NoHead),
        (note(&format!("{origin}\n0{size}\n{root}")), NoHead),
        (note(&format!("{origin}\n+{size}\n{root}")), NoHead),
        (note(&format!("{origin}\n-1\n{root}")), NoHead),
        (note(&format!("{origin}\n{size}\n{root}AA")), NoHead),
        (note(&format!("{origin}\n{size}\n{}", &root[..40])), NoHead),
        (note(&format!("{head}\nmore")), Extension),
        (note(&format!("{origin}\n0\n{root}")), Empty),
        (
            note(&format!("{origin}\n{}\n{root}", u64::MAX)),
            TooLarge(u64::MAX),
        ),
        (format!("{head}\n\n{long}"), TooLong),
    ] {
        let found = Checkpoint::parse(text.as_bytes()).unwrap_err();
        assert_eq!(found, expected, "{text:.200}");
    }
    assert!(long.len() as u64 > MAX_CHECKPOINT_BYTES);
    let mut bytes = note(&head).into_bytes();
    bytes[3] = 0xff;
    assert_eq!(Checkpoint::parse(&bytes).unwrap_err(), NoNote);
}
