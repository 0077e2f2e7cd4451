//! Syncs by the session's own thread: they come in time when no further step does, and their failure ends the
//! session.

use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use axilog_ledger::durability::Durability;
use axilog_ledger::error::LedgerError;
use axilog_ledger::session::Session;

use crate::content::Crash;
use crate::disk::{Disk, DiskState, Fault};
use crate::run::{Run, START};
use crate::{print_faults, sync_every};

const SYNC_SOON: Durability = Durability::Interval {
    records: NonZeroU64::MAX,
    within: Duration::from_millis(2),
};

/// A session with one step after its beginning, and its disk.
fn begin_with_one_step(durability: Durability, fault: Fault) -> (Session, Disk) {
    let disk = Disk::new(&DiskState::default(), fault, usize::MAX);
    let mut session = Run::new(Durability::Step).open(&disk).unwrap();
    session.set_durability(durability).unwrap();
    session.observe_time(START + 1, false).unwrap();
    (session, disk)
}

/// The number of operations of such a session before the sync of its step.
fn count_operations_before_sync() -> u64 {
    begin_with_one_step(sync_every(1000), Fault::None)
        .1
        .operations()
}

/// Waits for the thread that syncs. It takes milliseconds; after five minutes the test fails.
fn wait_until(condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(300));
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_step_becomes_durable_in_time_when_no_other_comes() {
    let (mut session, disk) = begin_with_one_step(SYNC_SOON, Fault::None);
    for n in 2..5 {
        let entries = session.agent().ledger.sequence + 1;
        wait_until(|| session.durable_position().entries == entries);
        assert_eq!(session.durable_position().head, session.agent().ledger.head);
        assert_eq!(disk.after(Crash::AllLost), disk.now());
        session.observe_time(START + n, false).unwrap();
    }
}

#[test]
fn a_sync_comes_when_enough_records_are_pending_and_not_before() {
    // The beginning has five records, a step with the time two.
    let (mut session, disk) = begin_with_one_step(sync_every(5), Fault::None);
    let begun = session.durable_position().entries;
    session.observe_time(START + 2, false).unwrap();
    assert_eq!(session.durable_position().entries, begun);
    assert_ne!(disk.after(Crash::AllLost), disk.now());
    session.observe_time(START + 3, false).unwrap();
    assert_eq!(session.durable_position().entries, begun + 6);
    assert_eq!(disk.after(Crash::AllLost), disk.now());
    // A change of the durability and the end of the session both sync everything.
    session.observe_time(START + 4, false).unwrap();
    session.set_durability(Durability::Step).unwrap();
    assert_eq!(disk.after(Crash::AllLost), disk.now());
    session.set_durability(sync_every(1000)).unwrap();
    session.observe_time(START + 5, false).unwrap();
    assert_ne!(disk.after(Crash::AllLost), disk.now());
    drop(session);
    assert_eq!(disk.after(Crash::AllLost), disk.now());
}

#[test]
fn a_seal_is_durable() {
    let (mut session, disk) = begin_with_one_step(sync_every(1000), Fault::None);
    session.seal().unwrap();
    assert_eq!(disk.after(Crash::AllLost), disk.now());
}

#[test]
fn a_late_sync_that_fails_ends_the_session() {
    let mut injected = 0;
    for fault in [Fault::Once, Fault::FromThenOn] {
        let (mut session, disk) =
            begin_with_one_step(SYNC_SOON, fault(count_operations_before_sync()));
        let begun = session.durable_position();
        wait_until(|| disk.injected() > 0);
        let state_left = disk.now();
        // Every further call fails, also where the disk would sync again.
        for _ in 0..2 {
            let failed = [
                session.observe_time(START + 2, false).map(|_| ()),
                session.sync().map(|_| ()),
                session.set_durability(Durability::Step),
                session.seal(),
            ];
            for failed in failed {
                let Err(LedgerError::NotDurable { durable, .. }) = failed else {
                    panic!("{failed:?}");
                };
                assert_eq!(durable, begun);
            }
        }
        assert_eq!(session.durable_position(), begun);
        drop(session);
        assert_eq!(disk.now(), state_left);
        assert_eq!(disk.injected(), 1);
        injected += disk.injected();
    }
    print_faults(injected, "late syncs");
}
