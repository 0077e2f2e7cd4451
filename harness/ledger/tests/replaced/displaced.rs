//! A ledger that is renamed, removed, replaced or cut off while a session has it open.

use std::fs;
use std::num::NonZeroU64;
use std::time::Duration;

use axilog::agent::state::Health;
use axilog_ledger::durability::Durability;
use axilog_ledger::file::place::Displacement;
use axilog_ledger::session::Session;

use crate::attack::{ATTACKS, Attack};
use crate::attacked_storage::create_ledger;
use crate::{Running, START, displacement, observe};

fn sync_every(records: u64, within: Duration) -> Durability {
    Durability::Interval {
        records: NonZeroU64::new(records).unwrap(),
        within,
    }
}

fn durabilities() -> [Durability; 4] {
    let late = Duration::from_secs(3600);
    [
        Durability::Record,
        Durability::Step,
        sync_every(1, late),
        sync_every(1000, late),
    ]
}

#[test]
fn no_step_is_acknowledged_into_a_ledger_that_is_not_where_it_was_opened() {
    for attack in ATTACKS {
        for durability in durabilities() {
            let mut running = Running::begin();
            let path = running.ledger();
            running.session.set_durability(durability).unwrap();
            running.session.observe_time(START + 1, false).unwrap();
            let acknowledged = fs::read(&path).unwrap();
            let durable = running.session.durable_position();
            let opened = attack.carry_out(&path);
            let left = fs::read(&opened).unwrap();

            let found = displacement(observe(&mut running.session, "?", b"{\"value\":2}"), &path);
            assert!(attack.is_found_as(&found), "{attack:?}: {found}");
            assert_eq!(running.session.durable_position(), durable);
            assert_eq!(running.session.agent().health, Health::Stopped);
            let now = fs::read(&opened).unwrap();
            if attack.changes_the_name() {
                assert_eq!(now, acknowledged, "{attack:?} {durability:?}: taken back");
            } else {
                // Bytes that something else has changed are left to whoever examines them, without a hole.
                assert!(now.starts_with(&left) && !now.contains(&0), "{attack:?}");
            }
            if attack == Attack::Recreate {
                assert_eq!(
                    fs::read(&path).unwrap(),
                    b"",
                    "the new file is not written to"
                );
            }

            // It stays so, for every call, also once the ledger is back in its place.
            if attack.changes_the_name() {
                fs::rename(&opened, &path).unwrap();
            }
            let before = fs::read(&path).unwrap();
            for _ in 0..2 {
                let session = &mut running.session;
                assert_eq!(displacement(session.sync(), &path), found);
                assert_eq!(
                    displacement(session.observe_time(START + 9, false), &path),
                    found
                );
                assert_eq!(
                    displacement(session.set_durability(Durability::Step), &path),
                    found
                );
                assert_eq!(displacement(session.seal(), &path), found);
            }
            drop(running.session);
            assert_eq!(
                fs::read(&path).unwrap(),
                before,
                "{attack:?} {durability:?}"
            );
            if attack.changes_the_name() {
                let session = Session::open(&path, None).unwrap();
                assert_eq!(session.agent().last_timestamp, START + 1);
            }
        }
    }
}

/// A sync acknowledges too: that steps are durable.
#[test]
fn a_sync_acknowledges_nothing_in_a_displaced_ledger() {
    for attack in ATTACKS {
        let mut running = Running::begin();
        let path = running.ledger();
        let late = sync_every(1000, Duration::from_secs(3600));
        running.session.set_durability(late).unwrap();
        let durable = running.session.durable_position();
        running.session.observe_time(START + 1, false).unwrap();
        attack.carry_out(&path);
        let found = displacement(running.session.sync(), &path);
        assert!(attack.is_found_as(&found), "{attack:?}: {found}");
        assert_eq!(running.session.durable_position(), durable);
    }
}

#[test]
fn the_thread_that_syncs_acknowledges_nothing_in_a_displaced_ledger() {
    for attack in [
        Attack::Rename,
        Attack::ReplaceByCopy,
        Attack::TruncateToNothing,
    ] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ledger.jsonl");
        let (file, plan) = create_ledger(&path);
        let (mut session, _) = Session::open_or_create_in(file, None, START).unwrap();
        let soon = sync_every(1000, Duration::from_millis(1));
        session.set_durability(soon).unwrap();
        let durable = session.durable_position();
        let attacked = plan.attack_next_sync(attack);
        session.observe_time(START + 1, false).unwrap();
        // Nothing but the thread syncs now. The attack comes when it does, however late that is.
        attacked.recv_timeout(Duration::from_secs(300)).unwrap();
        assert_eq!(session.durable_position(), durable, "{attack:?}");
        let call = session.check_call("o", "m");
        assert!(attack.is_found_as(&displacement(call, &path)), "{attack:?}");
    }
}

/// An opening that completes a step, moves a torn line aside or only reads is an acknowledgement as well.
#[test]
fn a_ledger_in_another_directory_of_the_same_name_is_another_ledger() {
    let mut running = Running::begin();
    let path = running.ledger();
    let inner = running.dir.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let inside = inner.join("ledger.jsonl");
    let (mut session, _) = Session::open_or_create(&inside, None, START).unwrap();
    // Directories are exchanged, and neither file is touched.
    fs::rename(&inner, running.dir.path().join("aside")).unwrap();
    fs::create_dir(&inner).unwrap();
    fs::copy(&path, &inside).unwrap();
    let found = displacement(session.observe_time(START + 1, false), &inside);
    assert!(matches!(found, Displacement::Replaced { .. }));
    running.session.observe_time(START + 1, false).unwrap();
}
