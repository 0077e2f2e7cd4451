//! Sessions that save their state on a disk that fails, and openings from what is left of it: no step is lost, none is
//! refused, and every session comes to the same end.

use std::path::{Path, PathBuf};

use axilog_ledger::durability::Durability;
use axilog_ledger::file::storage::append_suffix;

use crate::content::CRASHES;
use crate::disk::{Disk, DiskState, Fault, PATH};
use crate::run::Run;
use crate::{print_faults, sync_every};

fn state_path() -> PathBuf {
    append_suffix(Path::new(PATH), ".state")
}

/// Runs a session on a disk with a fault and continues it after each kind of power failure. Gives the number of injected
/// faults.
fn test_fault(run: &Run, fault: Fault) -> u64 {
    let disk = Disk::new(&DiskState::default(), fault, usize::MAX);
    let progress = run.run_on(&disk);
    if progress.failed.is_none() {
        // The fault was the state's.
        assert_eq!(disk.now().ledger, run.whole.ledger, "{fault:?}");
    }
    if disk.injected() == 0 {
        return 0;
    }
    for crash in CRASHES {
        let state = disk.after(crash);
        assert!(state.ledger.starts_with(&progress.durable), "{fault:?}");
        run.assert_continues_after(crash, &state);
    }
    // And without a power failure.
    run.assert_continues_from(&disk.now());
    disk.injected() + CRASHES.len() as u64
}

#[test]
fn every_operation_of_sessions_that_save_their_state_fails() {
    for durability in [Durability::Step, sync_every(7)] {
        let run = Run::with_saved_states(durability);
        let disk = Disk::new(&DiskState::default(), Fault::None, usize::MAX);
        run.run_on(&disk);
        let faults = (0..disk.operations()).flat_map(|n| [Fault::Once(n), Fault::FromThenOn(n)]);
        let injected = faults.map(|fault| test_fault(&run, fault)).sum();
        let resumed = run.resumed.get();
        print_faults(
            injected,
            &format!("operations with saved states, {resumed} openings from one, {durability:?}"),
        );
        assert!(resumed > 5, "{resumed}");
    }
}

#[test]
fn the_disk_is_full_after_any_byte_of_sessions_that_save_their_state() {
    let run = Run::with_saved_states(Durability::Step);
    let step = match std::env::var_os("AXILOG_WIDE") {
        Some(_) => 1,
        None => 7,
    };
    let (mut injected, mut bytes) = (0, 0);
    loop {
        let count = test_fault(&run, Fault::Byte(bytes));
        if count == 0 {
            break;
        }
        injected += count;
        bytes += step;
    }
    let resumed = run.resumed.get();
    print_faults(
        injected,
        &format!("full disk with saved states, {bytes} bytes, {resumed} openings from one"),
    );
    assert!(bytes > 10_000 && resumed > 5, "{bytes} {resumed}");
}

/// A process that is killed leaves the beginning of the new state under its own name; a power failure leaves the beginning
/// of a state that was renamed, or bytes that are 0.
#[test]
fn what_is_left_of_a_state_at_every_byte_is_made_anew() {
    let run = Run::with_saved_states(Durability::Step);
    let whole = &run.whole.files[&state_path()];
    let mut left = 0;
    for length in 0..whole.len() {
        let cut = whole[..length].to_vec();
        let mut zeros = cut.clone();
        zeros.resize(whole.len(), 0);
        for (name, bytes) in [
            (append_suffix(&state_path(), ".new"), &cut),
            (state_path(), &cut),
            (state_path(), &zeros),
        ] {
            let mut files = run.whole.clone();
            files.files.insert(name, bytes.clone());
            let disk = Disk::new(&files, Fault::None, usize::MAX);
            let progress = run.run_on(&disk);
            assert!(progress.failed.is_none(), "{length}");
            assert_eq!(disk.now(), run.whole, "{length}");
            left += 1;
        }
    }
    print_faults(left, "what is left of a state");
    // Only the whole state, beside which the beginning of another lies, is gone on from.
    assert_eq!(run.resumed.get(), whole.len() as u64);
}
