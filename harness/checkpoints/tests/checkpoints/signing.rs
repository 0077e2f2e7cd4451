//! Heads that are signed while a session writes: of what is durable, and without holding it up.

use std::fs::{self, File};
use std::num::NonZeroU64;
use std::time::Duration;

use axilog::ledger_line;
use axilog_checkpoints::CheckpointSigner;
use axilog_heads::{SigningRequest, TreeEdge, sign_ledger};
use axilog_ledger::durability::Durability;
use axilog_ledger::session::Session;

use crate::bench::{Bench, NAME, observe, wait_until};

/// The checkpoint that a signer of the whole ledger makes.
fn sign_whole(bench: &Bench) -> Vec<u8> {
    let key = bench.log_key();
    let request = SigningRequest {
        ledger: &bench.ledger(),
        key: &key,
        origin: Some(NAME),
        earlier: None,
    };
    let mut source = File::open(bench.ledger()).unwrap();
    let signed = sign_ledger(&mut source, &request).unwrap();
    signed.checkpoint.to_bytes()
}

fn signed_bytes(bench: &Bench) -> Vec<u8> {
    bench.checkpoint("checkpoint").unwrap().to_bytes()
}

fn wait_until_signed(signer: &CheckpointSigner, entries: u64) {
    wait_until(signer, |status| status.signed >= entries);
}

/// Asserts that the checkpoint is that of the first `size` records.
fn assert_signed(bench: &Bench, size: u64) {
    let bytes = fs::read(bench.ledger()).unwrap();
    let mut edge = TreeEdge::new();
    for line in bytes
        .split_inclusive(|byte| *byte == b'\n')
        .take(size as usize)
    {
        edge.append(&ledger_line::parse(line).unwrap().commit)
            .unwrap();
    }
    let checkpoint = bench.checkpoint("checkpoint").unwrap();
    assert_eq!(checkpoint.size(), size);
    assert_eq!(checkpoint.root(), edge.root().unwrap());
}

#[test]
fn a_head_is_signed_after_so_many_records_and_at_the_end() {
    let bench = Bench::new();
    let mut session = bench.session();
    let signer = bench.sign(&mut session, 9, "");
    for round in 1..4 {
        let mut entries = 0;
        for value in 0..3 {
            entries = observe(&mut session, 10 * round + value);
        }
        // A head was due with the ninth record at the latest.
        wait_until(&signer, |status| status.signed + 9 > entries);
        assert_signed(&bench, signer.status().signed);
    }
    let entries = observe(&mut session, 60);
    drop(session);
    let status = signer.finish();
    assert_eq!(
        (status.signed, status.problem, status.held),
        (entries, None, None)
    );
    assert_signed(&bench, entries);

    // Fewer records than that are signed at the end alone.
    let mut session = bench.session();
    let signer = bench.sign(&mut session, 1000, "");
    let later = observe(&mut session, 61);
    assert_eq!(signer.status().signed, entries);
    drop(session);
    assert_eq!(signer.finish().signed, later);
    assert_eq!(signed_bytes(&bench), sign_whole(&bench));

    // The next session goes on from there.
    let mut session = bench.session();
    let signer = bench.sign(&mut session, 1, "");
    let entries = observe(&mut session, 61);
    wait_until_signed(&signer, entries);
    assert_eq!(signed_bytes(&bench), sign_whole(&bench));
    // Nothing is added, and nothing signed.
    let before = signed_bytes(&bench);
    drop(session);
    assert_eq!(signer.finish().signed, entries);
    assert_eq!(signed_bytes(&bench), before);
    assert!(bench.lines.lock().unwrap().is_empty());
}

#[test]
fn a_head_is_signed_after_so_much_time() {
    let bench = Bench::new();
    let mut session = bench.session();
    let signer = bench.sign_with(&mut session, 1000, "", |settings| {
        settings.interval.time = Some(Duration::from_millis(5));
    });
    for value in 0..3 {
        let entries = observe(&mut session, value);
        wait_until_signed(&signer, entries);
        assert_signed(&bench, entries);
    }
}

/// Without a tree, or with one that does not fit, the signer reads the ledger from its beginning.
#[test]
fn a_signer_without_a_tree_signs_the_same_head() {
    let bench = Bench::new();
    let tree = bench.path("ledger.jsonl.tree");
    for left in [None, Some(&b"axilog tree 1 "[..]), Some(b"")] {
        let mut session = bench.session();
        if let Some(bytes) = left {
            fs::write(&tree, bytes).unwrap();
        }
        let signer = bench.sign(&mut session, 1, "");
        let entries = observe(&mut session, 7);
        drop(session);
        assert_eq!(signer.finish().signed, entries);
        assert_eq!(signed_bytes(&bench), sign_whole(&bench));
    }
}

#[test]
fn no_head_is_ahead_of_what_is_durable() {
    let bench = Bench::new();
    let mut session = bench.session();
    session
        .set_durability(Durability::Interval {
            records: NonZeroU64::MAX,
            within: Duration::from_secs(3600),
        })
        .unwrap();
    let durable = session.durable_position().entries;
    let signer = bench.sign(&mut session, 1, "");
    for value in 0..20 {
        assert!(observe(&mut session, value) > durable);
        assert!(signer.status().signed <= durable);
    }
    assert_eq!(session.durable_position().entries, durable);
    let synced = session.sync().unwrap();
    wait_until_signed(&signer, synced.entries);
    assert_eq!(signed_bytes(&bench), sign_whole(&bench));
    drop(session);
    assert_eq!(signer.finish().signed, synced.entries);
}

#[test]
fn a_ledger_that_does_not_extend_its_checkpoint_is_not_signed() {
    let bench = Bench::new();
    let mut session = bench.session();
    observe(&mut session, 1);
    drop(session);
    let held = sign_whole(&bench);
    for cut in [false, true] {
        fs::remove_file(bench.ledger()).unwrap();
        let _ = fs::remove_file(bench.path("ledger.jsonl.state"));
        let checkpoint = bench.path("ledger.jsonl.checkpoint");
        fs::write(&checkpoint, &held).unwrap();
        let mut session = bench.session();
        let signer = bench.sign(&mut session, 1, "");
        if !cut {
            observe(&mut session, 2);
        }
        drop(session);
        let status = signer.finish();
        let problem = status.problem.unwrap();
        let told = match cut {
            false => "records 0 to 7 are not those that were signed",
            true => "it has 5 records, and the checkpoint was made of 8",
        };
        assert!(problem.contains(told), "{problem}");
        assert_eq!(fs::read(&checkpoint).unwrap(), held);
        assert_eq!(bench.count_reported(told), 1);
    }
}

/// The session records on while the checkpoint cannot be written, and the head is signed once it can.
#[test]
fn a_disk_that_refuses_the_checkpoint_holds_up_nothing() {
    let bench = Bench::new();
    let mut session = bench.session();
    let signer = bench.sign(&mut session, 1, "");
    // What is in the ledger already is signed first. Then a directory is there, whose place nothing takes.
    wait_until(&signer, |status| status.signed > 0);
    let place = bench.path("ledger.jsonl.checkpoint");
    fs::remove_file(&place).unwrap();
    fs::create_dir(&place).unwrap();
    fs::write(place.join("file"), "").unwrap();
    observe(&mut session, 1);
    wait_until(&signer, |status| status.problem.is_some());
    let problem = signer.status().problem.unwrap();
    assert!(
        problem.contains("ledger.jsonl.checkpoint: cannot write the checkpoint"),
        "{problem}"
    );
    let entries = observe(&mut session, 2);
    fs::remove_dir_all(&place).unwrap();
    assert!(observe(&mut session, 3) > entries);
    wait_until(&signer, |status| {
        status.problem.is_none() && status.signed > entries
    });
    assert_eq!(signed_bytes(&bench), sign_whole(&bench));
    drop(session);
    assert_eq!(signer.finish().problem, None);
    assert_eq!(bench.count_reported("the head is not signed"), 1);
    assert_eq!(bench.count_reported("heads are signed again"), 1);
}

#[test]
fn a_key_of_another_name_and_a_foreign_checkpoint_are_refused_at_once() {
    let bench = Bench::new();
    let session = bench.session();
    drop(session);
    let other = Bench::new();
    fs::write(bench.path("ledger.jsonl.checkpoint"), sign_whole(&bench)).unwrap();
    fs::copy(other.path("plant.key"), bench.path("other.key")).unwrap();
    let open = |file: &str| {
        let key = axilog_heads::LogKey::read(&bench.path(file)).unwrap();
        let place = bench.path("ledger.jsonl.checkpoint");
        axilog_heads::GrowingLog::open(&bench.ledger(), key.into(), Some(NAME), &place)
    };
    assert!(open("plant.key").is_ok());
    let refused = open("other.key").unwrap_err().to_string();
    assert!(refused.contains("is not one of this key"), "{refused}");
    let key = bench.log_key();
    let place = bench.path("another");
    let unnamed = axilog_heads::GrowingLog::open(&bench.ledger(), key.into(), None, &place);
    let refused = unnamed.unwrap_err().to_string();
    assert!(refused.contains("was begun without a name"), "{refused}");
    let _: Session = bench.session();
}
