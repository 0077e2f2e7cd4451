//! Two writers: each file has one at a time, and the one whose file lost its name stops.

use std::fs;

use axilog_ledger::error::LedgerError;
use axilog_ledger::file::lock_holder::LockHolder;
use axilog_ledger::session::Session;

use crate::attack::Attack;
use crate::{Running, START, displacement, observe};

#[test]
fn the_writer_of_a_replaced_ledger_acknowledges_nothing_more() {
    for attack in [
        Attack::ReplaceByCopy,
        Attack::Recreate,
        Attack::Rename,
        Attack::Unlink,
    ] {
        let mut running = Running::begin();
        let path = running.ledger();
        attack.carry_out(&path);
        // The name leads to another file, which nobody has locked.
        let (mut second, _) = Session::open_or_create(&path, None, START).unwrap();
        second.observe_time(START + 1, false).unwrap();
        displacement(observe(&mut running.session, "?", b"{\"value\":2}"), &path);
        // The first writer's end does not take the second one's announcement along.
        drop(running.session);
        let holder = LockHolder::read_process_id(&path);
        assert_eq!(holder, Some(std::process::id()), "{attack:?}");
        second.observe_time(START + 2, false).unwrap();
        drop(second);
        assert_eq!(LockHolder::read_process_id(&path), None);
        Session::open(&path, None).unwrap();
    }
}

#[test]
fn without_its_lock_file_a_ledger_is_locked_all_the_same() {
    let mut running = Running::begin();
    let path = running.ledger();
    let lock = running.path("ledger.jsonl.lock");
    for content in [None, Some("axilog 4294967295\n"), Some("something else")] {
        fs::remove_file(&lock).unwrap();
        if let Some(content) = content {
            fs::write(&lock, content).unwrap();
        }
        let refused = Session::open(&path, None).err();
        let Some(LedgerError::Locked { holder, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(
            holder,
            content.and_then(|text| text[7..].trim().parse().ok())
        );
        fs::write(&lock, "").unwrap();
    }
    running.session.observe_time(START + 1, false).unwrap();
    drop(running.session);
    // The file of this name is not the one that the session made.
    assert!(lock.exists());
    let session = Session::open(&path, None).unwrap();
    assert_eq!(LockHolder::read_process_id(&path), Some(std::process::id()));
    drop(session);
    assert!(!lock.exists());
}
