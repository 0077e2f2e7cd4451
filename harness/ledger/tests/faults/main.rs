//! Sessions on a simulated disk that fails at every byte and at every operation, then continue.
//!
//! No fault loses a record that was acknowledged as durable, none makes an altered record pass verification,
//! and each session ends with the bytes of a session without faults.

mod content;
mod disk;
mod late;
mod run;
mod saved_state;
mod shared;

use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axilog::ledger::{LedgerSink, genesis_entry};
use axilog_ledger::durability::Durability;
use axilog_ledger::error::LedgerError;
use axilog_ledger::file::LedgerFile;
use axilog_ledger::file::batch::Batch;
use content::CRASHES;
use disk::{Disk, DiskState, Fault};
use run::{Run, STEPS, torn_line};

/// Syncs every `records` records, and after a time that no test waits for.
fn sync_every(records: u64) -> Durability {
    Durability::Interval {
        records: NonZeroU64::new(records).unwrap(),
        within: Duration::from_secs(3600),
    }
}

fn durabilities() -> [Durability; 4] {
    [
        Durability::Record,
        Durability::Step,
        sync_every(7),
        sync_every(1000),
    ]
}

/// Prints how many faults a test injected, and the total so far.
fn print_faults(injected: u64, how: &str) {
    static TOTAL: AtomicU64 = AtomicU64::new(0);
    let total = TOTAL.fetch_add(injected, Ordering::Relaxed) + injected;
    println!("{injected} faults injected: {how}; {total} so far");
}

/// Runs a session on a disk with a fault, continues it after each kind of power failure, and gives the number
/// of injected faults.
fn test_fault(run: &Run, disk: &Disk, fault: Fault) -> u64 {
    let progress = run.run_on(disk);
    let injected = disk.injected();
    if injected == 0 {
        assert!(progress.failed.is_none(), "{fault:?}");
        assert_eq!(disk.now(), run.whole);
        return 0;
    }
    let Some(failed) = progress.failed else {
        panic!("{fault:?}: the session reported no error");
    };
    let message = failed.to_string();
    let now = disk.now().ledger;
    if message.contains("nothing was recorded") {
        assert_eq!(now, progress.acknowledged, "{fault:?}");
        assert_eq!(progress.durable, progress.acknowledged, "{fault:?}");
    }
    for crash in CRASHES {
        let state = disk.after(crash);
        assert!(
            state.ledger.starts_with(&progress.durable),
            "{fault:?} {crash:?}"
        );
        if message.contains("nothing was recorded") {
            assert_eq!(state.ledger, progress.acknowledged, "{fault:?} {crash:?}");
        }
        run.assert_continues_after(crash, &state);
    }
    injected + CRASHES.len() as u64
}

#[test]
fn every_operation_fails_once_or_for_good() {
    for durability in durabilities() {
        let run = Run::new(durability);
        let mut injected = 0;
        for max_write in [usize::MAX, 300] {
            let disk = Disk::new(&DiskState::default(), Fault::None, max_write);
            run.run_on(&disk);
            for n in 0..disk.operations() {
                for fault in [Fault::Once(n), Fault::FromThenOn(n)] {
                    let disk = Disk::new(&DiskState::default(), fault, max_write);
                    let count = test_fault(&run, &disk, fault);
                    assert!(count > 0);
                    injected += count;
                    // Another process continues without a power failure: the files it finds may not be
                    // durable yet.
                    let repaired = disk.without_faults();
                    let from = repaired.now();
                    assert!(run.run_on(&repaired).failed.is_none(), "{fault:?}");
                    run.assert_same_end(&from, &repaired.now());
                }
            }
        }
        print_faults(injected, &format!("operations and power, {durability:?}"));
        assert!(injected > 4 * STEPS as u64);
    }
}

#[test]
fn the_disk_is_full_behind_every_byte() {
    for durability in durabilities() {
        let run = Run::new(durability);
        let files = run.whole.files.values().map(|bytes| bytes.len());
        let bytes = run.whole.ledger.len() + files.sum::<usize>();
        // Modes that differ only in syncs need fewer cases.
        let step = if durability == Durability::Step {
            1
        } else {
            11
        };
        let mut injected = 0;
        for n in (0..bytes as u64).step_by(step) {
            let fault = Fault::Byte(n);
            let disk = Disk::new(&DiskState::default(), fault, usize::MAX);
            let count = test_fault(&run, &disk, fault);
            assert!(count > 0);
            injected += count;
        }
        print_faults(injected, &format!("full disk and power, {durability:?}"));
    }
}

#[test]
fn the_power_fails_behind_every_byte() {
    let run = Run::new(Durability::Step);
    let mut torn = 0;
    let bytes = run.whole.ledger.len();
    for n in 0..bytes {
        torn += run.assert_opens_cut_at(n);
        if run.is_near_line_end(n as u64) || n % 97 == 0 {
            run.assert_continues_from(&run.state_cut_at(n));
        }
    }
    print_faults(
        bytes as u64,
        &format!("power, {torn} torn lines moved aside"),
    );
    assert!(torn > 1000);
}

#[test]
fn moving_a_torn_line_aside_fails_at_every_operation_and_byte() {
    let run = Run::new(Durability::Step);
    let mut injected = 0;
    for cut in [40, run.whole.ledger.len() / 2, run.whole.ledger.len() - 1] {
        let state = run.state_cut_at(cut);
        let torn = torn_line(&state.ledger);
        let lines = cut - torn.len();
        let operations = (0..).flat_map(|n| [Fault::Once(n), Fault::FromThenOn(n)]);
        let bytes = (0..torn.len() as u64).map(Fault::Byte);
        let mut tested = 0;
        for fault in bytes.chain(operations) {
            let disk = Disk::new(&state, fault, 50);
            let opened = run.open(&disk);
            if disk.injected() == 0 {
                break;
            }
            assert!(opened.is_err(), "{fault:?}");
            drop(opened);
            for crash in CRASHES {
                let after = disk.after(crash);
                // The torn bytes are in the ledger, or in their own file, or in both.
                let moved = after.files.values().any(|bytes| bytes == torn);
                assert!(moved || after.ledger == state.ledger, "{fault:?} {crash:?}");
                assert!(after.ledger.starts_with(&state.ledger[..lines]));
                run.assert_continues_after(crash, &after);
            }
            tested += 1 + CRASHES.len() as u64;
        }
        assert!(tested > torn.len() as u64 + 12);
        injected += tested;
    }
    print_faults(injected, "moving a torn line aside");
}

#[test]
fn a_batch_that_cannot_be_rolled_back_is_not_overwritten() {
    let mut batch = Batch::with_genesis();
    // The write fails half-way, and so does the cut that would remove it.
    let disk = Disk::new(&DiskState::default(), Fault::FromThenOn(1), 50);
    let volume = Arc::new(disk.clone());
    let mut file =
        LedgerFile::with_storage(Path::new("under-test.jsonl"), disk.ledger(), volume).unwrap();
    let message = file.append(&batch).unwrap_err().to_string();
    assert!(message.contains("the next opening shows"), "{message}");
    batch.append(&genesis_entry()).unwrap();
    for _ in 0..2 {
        assert!(matches!(
            file.append(&batch),
            Err(LedgerError::NotDurable { .. })
        ));
        assert!(matches!(file.sync(), Err(LedgerError::NotDurable { .. })));
    }
    drop(file);
    assert_eq!(disk.operations(), 3, "the write, its rest, the cut");
    assert_eq!(disk.now().ledger.len(), 50);
    print_faults(disk.injected(), "roll back");
}

#[test]
fn an_altered_byte_is_never_accepted() {
    let run = Run::new(Durability::Step);
    let mut altered = 0;
    // The last line feed is left out: without it the last line is torn, which another test covers.
    for n in (0..run.whole.ledger.len() - 1).step_by(7) {
        let mut state = run.whole.clone();
        state.ledger[n] ^= 1;
        let disk = Disk::new(&state, Fault::None, usize::MAX);
        match run.open(&disk) {
            Err(LedgerError::Damaged { .. }) => {}
            Err(other) => panic!("byte {n}: {other}"),
            Ok(_) => panic!("byte {n}: accepted"),
        }
        assert_eq!(disk.now(), state);
        altered += 1;
    }
    print_faults(altered, "altered bytes, all refused");
}
