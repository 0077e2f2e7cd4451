//! Cosignatures: of which head and which key they are, and at which time.

use axilog_heads::{
    Checkpoint, HeadsError, InvalidVerifierKey, LogKey, Unproven, VerifierKey, WitnessKey,
    WitnessPublicKey,
};

use crate::bench::Bench;

fn cosignature(bench: &Bench, size: u64) -> String {
    let witness = bench.serve();
    let answer = witness.submit(bench.log("a").submission(0, size));
    answer.is(200, "");
    answer.body
}

#[test]
fn a_cosignature_holds_for_its_head_its_time_and_its_key_alone() {
    let bench = Bench::new();
    let key = bench.witness_key();
    let line = cosignature(&bench, 30);
    let head = |size| Checkpoint::parse(bench.log("a").head(size).as_bytes()).unwrap();
    let mut cosigned = head(30);
    assert!(matches!(
        cosigned.find_cosigned_time(&key),
        Err(Unproven::NotSigned(_))
    ));
    let time = cosigned.add_cosignature(line.as_bytes(), &key).unwrap();
    assert_eq!(cosigned.find_cosigned_time(&key), Ok(time));
    let read_back = Checkpoint::parse(&cosigned.to_bytes()).unwrap();
    assert_eq!(read_back.find_cosigned_time(&key), Ok(time));
    read_back.verify(bench.log("a").key.verifier_key()).unwrap();
    // Replayed on another head, and on one of another history.
    for mut other in [
        head(31),
        head(29),
        Checkpoint::parse(bench.log("b").head(30).as_bytes()).unwrap(),
    ] {
        let told = other.add_cosignature(line.as_bytes(), &key).unwrap_err();
        assert!(matches!(told, Unproven::BadSignature(_)), "{told}");
    }
    // With each of its characters changed: another key's, no signature, or a bad one.
    for at in line.find(' ').unwrap()..line.len() - 1 {
        let mut changed = line.clone().into_bytes();
        changed[at] ^= 1;
        assert!(head(30).add_cosignature(&changed, &key).is_err(), "{at}");
    }
    // Beside others it is found, and takes the place of an earlier one.
    let noise = "\u{2014} example.com/later AAAABgECAwQFBgc=\n";
    let again = format!("{noise}{line}{noise}");
    assert_eq!(cosigned.add_cosignature(again.as_bytes(), &key), Ok(time));
    let text = String::from_utf8(cosigned.to_bytes()).unwrap();
    assert_eq!(text.matches("example.com/witness").count(), 1, "{text}");
    assert!(!text.contains("later"), "{text}");
}

#[test]
fn keys_of_logs_and_of_witnesses_are_not_taken_for_one_another() {
    let bench = Bench::new();
    let (log, witness) = (bench.path("plant.key"), bench.path("witness.key"));
    for error in [
        LogKey::read(&witness).map(|_| ()).unwrap_err(),
        WitnessKey::read(&log).map(|_| ()).unwrap_err(),
    ] {
        assert!(matches!(error, HeadsError::OtherKeyKind { .. }), "{error}");
    }
    let public = bench.witness_key().to_string();
    let of_witness = public.parse::<VerifierKey>().unwrap_err();
    assert_eq!(of_witness, InvalidVerifierKey::OfWitness);
    let log_key = bench.log("a").key.verifier_key().to_string();
    let of_log = log_key.parse::<WitnessPublicKey>().unwrap_err();
    assert_eq!(of_log, InvalidVerifierKey::OfLog);
    for (text, reason) in [
        (
            public.replace("/witness", "/witless"),
            InvalidVerifierKey::Id,
        ),
        (format!("{public}A"), InvalidVerifierKey::Form),
        (public.replacen('+', " ", 1), InvalidVerifierKey::Form),
        ("PRIVATE+KEY+x".to_owned(), InvalidVerifierKey::Secret),
    ] {
        assert_eq!(
            text.parse::<WitnessPublicKey>().unwrap_err(),
            reason,
            "{text}"
        );
    }
    // The signature of a log is no cosignature, and the other way round.
    let own = bench.log("a").head(5);
    let (_, line) = own.split_once("\n\n").unwrap();
    let mut head = Checkpoint::parse(own.as_bytes()).unwrap();
    assert!(
        head.add_cosignature(line.as_bytes(), &bench.witness_key())
            .is_err()
    );
    let cosigned = cosignature(&bench, 5);
    let (text, _) = own.split_once("\n\n").unwrap();
    let alone = Checkpoint::parse(format!("{text}\n\n{cosigned}").as_bytes()).unwrap();
    let told = alone.verify(bench.log("a").key.verifier_key()).unwrap_err();
    assert!(matches!(told, Unproven::NotSigned(_)), "{told}");
    let old = "old 5\n\n";
    let witness = bench.serve();
    witness
        .submit(format!("{old}{text}\n\n{cosigned}"))
        .is(403, "has no signature of");
}
