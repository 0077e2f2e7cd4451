//! Syncs that no call waits for: in time when nothing else happens, and failing behind its back.

use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use axilog_ledger::error::LedgerError;
use axilog_ledger::file::durability::Durability;
use axilog_ledger::session::Session;

use crate::content::Crash;
use crate::disk::{Disk, Fault, Left};
use crate::run::{Run, START};
use crate::{every, tell};

const SOON: Durability = Durability::Interval {
    records: NonZeroU64::MAX,
    within: Duration::from_millis(2),
};

/// A begun session with one more step, and the disk it is on.
fn stepped(durability: Durability, fault: Fault) -> (Session, Disk) {
    let disk = Disk::new(&Left::default(), fault, usize::MAX);
    let mut session = Run::new(Durability::Step).open(&disk).unwrap();
    session.set_durability(durability).unwrap();
    session.time(START + 1, false).unwrap();
    (session, disk)
}

/// How many operations a session has behind it whose step is written and not yet synced.
fn before_the_sync() -> u64 {
    stepped(every(1000), Fault::None).1.operations()
}

/// Waits for the thread that syncs; it takes milliseconds, and a minute means that it does not come.
fn wait_for(happened: impl Fn() -> bool) {
    let begun = Instant::now();
    while !happened() {
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_step_becomes_durable_in_time_when_no_other_comes() {
    let (mut session, disk) = stepped(SOON, Fault::None);
    for n in 2..5 {
        let entries = session.agent().ledger.sequence + 1;
        wait_for(|| session.durable().entries == entries);
        assert_eq!(session.durable().head, session.agent().ledger.head);
        assert_eq!(disk.after(Crash::AllLost), disk.now());
        session.time(START + n, false).unwrap();
    }
}

#[test]
fn records_are_counted_and_nothing_is_synced_before() {
    // The beginning has five records, a step of the time two.
    let (mut session, disk) = stepped(every(5), Fault::None);
    let begun = session.durable().entries;
    session.time(START + 2, false).unwrap();
    assert_eq!(session.durable().entries, begun);
    assert_ne!(disk.after(Crash::AllLost), disk.now());
    session.time(START + 3, false).unwrap();
    assert_eq!(session.durable().entries, begun + 6);
    assert_eq!(disk.after(Crash::AllLost), disk.now());
    // A choice that syncs more often begins with everything durable, and so does an end.
    session.time(START + 4, false).unwrap();
    session.set_durability(Durability::Step).unwrap();
    assert_eq!(disk.after(Crash::AllLost), disk.now());
    session.set_durability(every(1000)).unwrap();
    session.time(START + 5, false).unwrap();
    assert_ne!(disk.after(Crash::AllLost), disk.now());
    drop(session);
    assert_eq!(disk.after(Crash::AllLost), disk.now());
}

#[test]
fn a_seal_is_durable() {
    let (mut session, disk) = stepped(every(1000), Fault::None);
    session.seal().unwrap();
    assert_eq!(disk.after(Crash::AllLost), disk.now());
}

#[test]
fn a_late_sync_that_fails_ends_the_session() {
    let mut injected = 0;
    for fault in [Fault::Once, Fault::FromThenOn] {
        let (mut session, disk) = stepped(SOON, fault(before_the_sync()));
        let begun = session.durable();
        wait_for(|| disk.injected() > 0);
        let left = disk.now();
        // Whatever it is asked, and also where the next sync would be said to work.
        for _ in 0..2 {
            let failed = [
                session.time(START + 2, false).map(|_| ()),
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
        assert_eq!(session.durable(), begun);
        drop(session);
        assert_eq!(disk.now(), left);
        assert_eq!(disk.injected(), 1);
        injected += disk.injected();
    }
    tell(injected, "late syncs");
}
