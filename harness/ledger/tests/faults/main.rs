//! A session on a disk that fails at every byte and at every operation, then goes on.
//!
//! No fault loses a record that was acknowledged as durable, none makes an altered one acceptable,
//! and the session ends with the bytes it would have ended with.

mod content;
mod disk;
mod late;
mod run;

use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axilog::ledger::{LedgerSink, genesis_entry};
use axilog_ledger::error::LedgerError;
use axilog_ledger::file::LedgerFile;
use axilog_ledger::file::batch::Batch;
use axilog_ledger::file::durability::Durability;
use content::CRASHES;
use disk::{Disk, Fault, Left};
use run::{Run, STEPS, torn_line};

/// So many records, and no time that passes in a test.
fn every(records: u64) -> Durability {
    Durability::Interval {
        records: NonZeroU64::new(records).unwrap(),
        within: Duration::from_secs(3600),
    }
}

fn durabilities() -> [Durability; 4] {
    [Durability::Record, Durability::Step, every(7), every(1000)]
}

/// Says how many faults a test injected; the last of these lines has the total.
fn tell(injected: u64, how: &str) {
    static TOTAL: AtomicU64 = AtomicU64::new(0);
    let total = TOTAL.fetch_add(injected, Ordering::Relaxed) + injected;
    println!("{injected} faults injected: {how}; {total} so far");
}

/// Runs with a fault, lets the power go in every way, and goes on. How many faults that were.
fn survives(run: &Run, disk: &Disk, fault: Fault) -> u64 {
    let reached = run.go(disk);
    let injected = disk.injected();
    if injected == 0 {
        assert!(reached.failed.is_none(), "{fault:?}");
        assert_eq!(disk.now(), run.whole);
        return 0;
    }
    let Some(failed) = reached.failed else {
        panic!("{fault:?}: a fault shows");
    };
    let told = failed.to_string();
    let now = disk.now().ledger;
    if told.contains("nothing was recorded") {
        assert_eq!(now, reached.acknowledged, "{fault:?}");
        assert_eq!(reached.durable, reached.acknowledged, "{fault:?}");
    }
    for crash in CRASHES {
        let left = disk.after(crash);
        assert!(
            left.ledger.starts_with(&reached.durable),
            "{fault:?} {crash:?}"
        );
        if told.contains("nothing was recorded") {
            assert_eq!(left.ledger, reached.acknowledged, "{fault:?} {crash:?}");
        }
        run.goes_on_after(crash, &left);
    }
    injected + CRASHES.len() as u64
}

#[test]
fn every_operation_fails_once_or_for_good() {
    for durability in durabilities() {
        let run = Run::new(durability);
        let mut injected = 0;
        for most in [usize::MAX, 300] {
            let disk = Disk::new(&Left::default(), Fault::None, most);
            run.go(&disk);
            for n in 0..disk.operations() {
                for fault in [Fault::Once(n), Fault::FromThenOn(n)] {
                    let disk = Disk::new(&Left::default(), fault, most);
                    let count = survives(&run, &disk, fault);
                    assert!(count > 0);
                    injected += count;
                    // The power stays, and another process goes on: what it finds need not be
                    // durable yet.
                    let healed = disk.healed();
                    assert!(run.go(&healed).failed.is_none(), "{fault:?}");
                    assert_eq!(healed.now().ledger, run.whole.ledger, "{fault:?}");
                }
            }
        }
        tell(injected, &format!("operations and power, {durability:?}"));
        assert!(injected > 4 * STEPS as u64);
    }
}

#[test]
fn the_disk_is_full_behind_every_byte() {
    for durability in durabilities() {
        let run = Run::new(durability);
        let files = run.whole.files.values().map(|bytes| bytes.len());
        let bytes = run.whole.ledger.len() + files.sum::<usize>();
        // Where durability differs only in syncs, some bytes will do.
        let step = if durability == Durability::Step {
            1
        } else {
            11
        };
        let mut injected = 0;
        for n in (0..bytes as u64).step_by(step) {
            let fault = Fault::Byte(n);
            let disk = Disk::new(&Left::default(), fault, usize::MAX);
            let count = survives(&run, &disk, fault);
            assert!(count > 0);
            injected += count;
        }
        tell(injected, &format!("full disk and power, {durability:?}"));
    }
}

#[test]
fn the_power_goes_behind_every_byte() {
    let run = Run::new(Durability::Step);
    let mut torn = 0;
    let bytes = run.whole.ledger.len();
    for n in 0..bytes {
        torn += run.opens_from(n);
        if run.is_edge(n as u64) || n % 97 == 0 {
            run.goes_on_from(&run.cut(n));
        }
    }
    tell(
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
        let left = run.cut(cut);
        let torn = torn_line(&left.ledger);
        let lines = cut - torn.len();
        let operations = (0..).flat_map(|n| [Fault::Once(n), Fault::FromThenOn(n)]);
        let bytes = (0..torn.len() as u64).map(Fault::Byte);
        let mut survived = 0;
        for fault in bytes.chain(operations) {
            let disk = Disk::new(&left, fault, 50);
            let opened = run.open(&disk);
            if disk.injected() == 0 {
                break;
            }
            assert!(opened.is_err(), "{fault:?}");
            drop(opened);
            for crash in CRASHES {
                let after = disk.after(crash);
                // The torn bytes are where they were, or kept, or both.
                let kept = after.files.values().any(|bytes| bytes == torn);
                assert!(kept || after.ledger == left.ledger, "{fault:?} {crash:?}");
                assert!(after.ledger.starts_with(&left.ledger[..lines]));
                run.goes_on_after(crash, &after);
            }
            survived += 1 + CRASHES.len() as u64;
        }
        assert!(survived > torn.len() as u64 + 12);
        injected += survived;
    }
    tell(injected, "moving a torn line aside");
}

#[test]
fn what_could_not_be_taken_back_is_not_written_over() {
    let mut batch = Batch::with_genesis();
    // The write is cut short, and so is what would take it back.
    let disk = Disk::new(&Left::default(), Fault::FromThenOn(1), 50);
    let volume = Arc::new(disk.clone());
    let mut file = LedgerFile::over(Path::new("under-test.jsonl"), disk.ledger(), volume).unwrap();
    let told = file.append(&batch).unwrap_err().to_string();
    assert!(told.contains("the next opening shows"), "{told}");
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
    tell(disk.injected(), "taking back");
}

#[test]
fn an_altered_byte_is_never_accepted() {
    let run = Run::new(Durability::Step);
    let mut altered = 0;
    // Without its line feed the last line is torn, which is another matter.
    for n in (0..run.whole.ledger.len() - 1).step_by(7) {
        let mut left = run.whole.clone();
        left.ledger[n] ^= 1;
        let disk = Disk::new(&left, Fault::None, usize::MAX);
        match run.open(&disk) {
            Err(LedgerError::Damaged { .. }) => {}
            Err(other) => panic!("byte {n}: {other}"),
            Ok(_) => panic!("byte {n}: accepted"),
        }
        assert_eq!(disk.now(), left);
        altered += 1;
    }
    tell(altered, "altered bytes, all refused");
}
