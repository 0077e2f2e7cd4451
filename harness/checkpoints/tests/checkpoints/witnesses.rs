//! Witnesses that are asked while a session writes: they hold up nothing, whatever they do, and what enough of them have
//! signed is kept.

use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use axilog_checkpoints::{CheckpointSettings, CheckpointSigner, NotWitnessed};
use axilog_heads::{Checkpoint, WitnessKey, WitnessPolicy};

use crate::bench::{Bench, observe, wait_until};
use crate::submissions::{http, serve_bytes};

/// Waits until enough witnesses have signed a head of at least `entries` records.
fn wait_until_held(signer: &CheckpointSigner, entries: u64) {
    wait_until(signer, |status| {
        status
            .held
            .as_ref()
            .is_some_and(|held| held.size >= entries)
    });
}

/// Asserts that the policy is satisfied with a checkpoint.
fn assert_enough(policy: &str, checkpoint: &Checkpoint) {
    let policy = WitnessPolicy::parse(policy).unwrap();
    policy.require(checkpoint).unwrap();
}

#[test]
fn witnesses_sign_one_head_after_the_other() {
    let bench = Bench::new();
    let other = bench.another_witness();
    let (first, second) = (bench.serve(), other.serve());
    let policy = format!(
        "{}{}group both all north south\nquorum both\n",
        bench.line("north", first.address),
        other.line("south", second.address)
    );
    for round in 0..3 {
        let mut session = bench.session();
        let signer = bench.sign(&mut session, 1, &policy);
        let mut entries = 0;
        for value in 0..10 {
            entries = observe(&mut session, 10 * round + value);
        }
        wait_until_held(&signer, entries);
        // Once both have it, one head after the other is proven from the one before, without the ledger.
        for value in 0..5 {
            let entries = observe(&mut session, value);
            wait_until_held(&signer, entries);
        }
        entries = observe(&mut session, 60);
        drop(session);
        let status = signer.finish();
        let held = status.held.clone().unwrap();
        assert_eq!((held.size, status.signed), (entries, entries), "{status}");
        let names: Vec<&str> = held.witnesses.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["north", "south"]);
        assert_eq!(
            status.to_string(),
            format!("the head of {entries} records is signed; held by north, south")
        );
        for suffix in ["checkpoint", "witnessed"] {
            let checkpoint = bench.checkpoint(suffix).unwrap();
            assert_eq!(checkpoint.size(), entries, "{suffix}");
            assert_enough(&policy, &checkpoint);
        }
    }
    assert!(bench.lines.lock().unwrap().is_empty());
}

#[test]
fn a_witness_that_is_away_holds_up_nothing_and_is_asked_until_it_comes_back() {
    let bench = Bench::new();
    let address = bench.serve().address;
    // It has gone again.
    let policy = format!("{}quorum north\n", bench.line("north", address));
    let mut session = bench.session();
    let signer = bench.sign(&mut session, 1, &policy);
    let mut entries = 0;
    for value in 0..20 {
        entries = observe(&mut session, value);
    }
    wait_until(&signer, |status| {
        let away = |witness: &axilog_checkpoints::WitnessStatus| {
            matches!(witness.problem, Some(NotWitnessed::Away(_)))
        };
        status.signed == entries && status.witnesses.iter().all(away)
    });
    assert_eq!(signer.status().held, None);
    assert!(bench.checkpoint("witnessed").is_none());
    let told = signer.status().to_string();
    assert!(
        told.contains("; nobody else holds one; north: it is away: "),
        "{told}"
    );

    let _back = bench.serve_at(address);
    wait_until_held(&signer, entries);
    assert_eq!(signer.status().witnesses[0].problem, None);
    assert_enough(&policy, &bench.checkpoint("witnessed").unwrap());
    drop(session);
    let _ = signer.finish();
    assert_eq!(bench.count_reported("has not signed the head"), 1);
    assert_eq!(bench.count_reported("signs again"), 1);
}

/// A server that takes connections and answers none, until the test ends.
fn serve_nobody() -> TcpListener {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.try_clone().unwrap();
    thread::spawn(move || {
        let mut open = Vec::new();
        while let Ok((mut stream, _)) = taken.accept() {
            let _ = stream.read(&mut [0; 4096]);
            open.push(stream);
        }
    });
    listener
}

fn give_little_time_at_the_end(settings: &mut CheckpointSettings) {
    settings.patience.answer = Duration::from_secs(3600);
    settings.patience.end = Duration::from_millis(10);
}

#[test]
fn the_last_heads_of_several_ledgers_are_signed_together() {
    let slow = serve_nobody();
    let benches = [Bench::new(), Bench::new(), Bench::new()];
    let mut signed = Vec::new();
    let signers = benches.iter().map(|bench| {
        let line = bench.line("slow", slow.local_addr().unwrap());
        let policy = format!("{line}quorum slow\n");
        let mut session = bench.session();
        let signer = bench.sign_with(&mut session, 1000, &policy, give_little_time_at_the_end);
        let answers = 1 + signed.len() as u32;
        signed.extend(
            (0..answers)
                .map(|value| observe(&mut session, value))
                .last(),
        );
        signer
    });
    let statuses = CheckpointSigner::finish_all(signers.collect());
    let found: Vec<u64> = statuses.iter().map(|status| status.signed).collect();
    assert_eq!(found, signed);
    for (bench, status) in benches.iter().zip(&statuses) {
        let checkpoint = bench.checkpoint("checkpoint").unwrap();
        assert_eq!(checkpoint.size(), status.signed);
        let told = status.to_string();
        assert!(told.ends_with("slow has not answered yet"), "{told}");
    }
}

#[test]
fn a_slow_witness_holds_up_neither_the_session_nor_the_others_nor_the_end() {
    let bench = Bench::new();
    let other = bench.another_witness();
    let slow = serve_nobody();
    let good = bench.serve();
    let policy = format!(
        "{}{}group one any slow good\nquorum one\n",
        other.line("slow", slow.local_addr().unwrap()),
        bench.line("good", good.address)
    );
    let mut session = bench.session();
    let signer = bench.sign_with(&mut session, 1, &policy, give_little_time_at_the_end);
    for value in 0..10 {
        let entries = observe(&mut session, value);
        wait_until_held(&signer, entries);
    }
    let entries = observe(&mut session, 60);
    wait_until_held(&signer, entries);
    drop(session);
    // An hour would pass if the end waited for it.
    let status = signer.finish();
    assert_eq!(status.held.clone().unwrap().size, entries);
    assert_eq!(status.witnesses[0].signed, None);
    assert!(
        status
            .to_string()
            .ends_with("held by good; slow has not answered yet"),
        "{status}"
    );
}

#[test]
fn a_witness_that_lies_is_believed_in_nothing() {
    let bench = Bench::new();
    let mut session = bench.session();
    let entries = observe(&mut session, 1);
    // The signature of a stranger, and one of another head.
    let stranger = WitnessKey::create(&bench.path("stranger.key"), "example.com/witness").unwrap();
    let own = WitnessKey::read(&bench.path("witness.key")).unwrap();
    let mut other = Checkpoint::sign(entries, [7; 32], &bench.log_key()).unwrap();
    let [strange, forged] = [&stranger, &own].map(|key| {
        let line = other.cosign(key, 7).unwrap();
        http("200 OK", &String::from_utf8(line).unwrap())
    });
    for (answer, told) in [
        (strange, "no signature of"),
        (forged, "signature"),
        (http("200 OK", ""), "no signature of"),
        (b"nonsense\r\n\r\n".to_vec(), "it is away"),
        (http("409 Conflict", "3\n"), "meanwhile"),
        (http("409 Conflict", "99\n"), "a head of 99 records already"),
        (http("422 Unprocessable", "no\n"), "it answered 422"),
    ] {
        let policy = format!("{}quorum north\n", bench.line("north", serve_bytes(answer)));
        let signer = bench.sign(&mut session, 1, &policy);
        wait_until(&signer, |status| status.witnesses[0].problem.is_some());
        let status = signer.finish();
        let problem = status.witnesses[0].problem.clone().unwrap().to_string();
        assert!(problem.contains(told), "{told}: {problem}");
        assert_eq!((status.held, status.signed), (None, entries));
        assert!(bench.checkpoint("witnessed").is_none());
        let signed = bench.checkpoint("checkpoint").unwrap();
        let text = String::from_utf8(signed.to_bytes()).unwrap();
        assert_eq!(text.matches('\u{2014}').count(), 1, "{text}");
    }
}

/// A ledger that is shorter than the head which a witness holds was cut off: it is told so.
#[test]
fn a_witness_that_holds_a_later_head_is_told() {
    let bench = Bench::new();
    let witness = bench.serve();
    let policy = format!("{}quorum north\n", bench.line("north", witness.address));
    let mut session = bench.session();
    let signer = bench.sign(&mut session, 1, &policy);
    observe(&mut session, 1);
    drop(session);
    assert!(signer.finish().held.is_some());
    let before = fs::read(bench.ledger()).unwrap();
    let [checkpoint, tree] =
        ["checkpoint", "tree"].map(|suffix| bench.path(&format!("ledger.jsonl.{suffix}")));
    let mut session = bench.session();
    let signer = bench.sign(&mut session, 1, &policy);
    let later = observe(&mut session, 2);
    drop(session);
    assert_eq!(signer.finish().held.unwrap().size, later);
    fs::write(bench.ledger(), before).unwrap();
    fs::remove_file(checkpoint).unwrap();
    fs::remove_file(tree).unwrap();
    let mut session = bench.session();
    let signer = bench.sign(&mut session, 1, &policy);
    drop(session);
    let status = signer.finish();
    assert_eq!(
        status.witnesses[0].problem,
        Some(NotWitnessed::Newer(later))
    );
    // What somebody else holds is said all the same.
    assert_eq!(status.held.unwrap().size, later);
}
