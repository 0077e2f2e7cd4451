//! A session on a disk that fails at every byte and at every operation, then goes on.
//!
//! No fault loses an acknowledged record, none makes an altered one acceptable, and the session
//! ends with the bytes it would have ended with.

mod disk;
mod run;

use axilog_harness::error::Error;
use disk::{Crash, Disk, Fault};
use run::{Run, STEPS, whole};

const CRASHES: [Crash; 3] = [Crash::AllLost, Crash::AllKept, Crash::Cut];

/// After a fault: what the process sees without a power failure is `AllKept`.
fn survives(run: &Run, fault: Fault, most: usize) -> u64 {
    let disk = Disk::new(b"", fault, most);
    let (acknowledged, failed) = run.go(&disk);
    let injected = disk.injected();
    if injected == 0 {
        assert!(failed.is_none(), "{fault:?}");
        assert_eq!(disk.now(), run.whole);
        return 0;
    }
    let told = failed.expect("a fault shows").to_string();
    for crash in CRASHES {
        let left = disk.after(crash);
        assert!(left.starts_with(&acknowledged), "{fault:?} {crash:?}");
        if told.contains("nothing was recorded") {
            assert_eq!(left, acknowledged, "{fault:?} {crash:?}");
        }
        run.goes_on_from(&left);
    }
    injected
}

#[test]
fn every_operation_fails_once_or_for_good() {
    let run = whole();
    let mut injected = 0;
    for most in [usize::MAX, 300] {
        let disk = Disk::new(b"", Fault::None, most);
        run.go(&disk);
        for n in 0..disk.operations() {
            for fault in [Fault::Once(n), Fault::FromThenOn(n)] {
                let count = survives(&run, fault, most);
                assert!(count > 0);
                injected += count;
            }
        }
    }
    println!("{injected} faults injected in operations, 3 crashes after each run");
    assert!(injected > 4 * STEPS as u64);
}

#[test]
fn the_disk_is_full_behind_every_byte() {
    let run = whole();
    let mut injected = 0;
    for n in 0..run.whole.len() as u64 {
        injected += survives(&run, Fault::Byte(n), usize::MAX);
    }
    println!("{injected} faults injected in bytes, 3 crashes after each run");
    assert!(injected >= run.whole.len() as u64);
}

#[test]
fn the_power_goes_behind_every_byte() {
    let run = whole();
    let mut torn = 0;
    for n in 0..run.whole.len() {
        torn += run.opens_from(n);
        if run.is_edge(n as u64) || n % 97 == 0 {
            run.goes_on_from(&run.whole[..n]);
        }
    }
    println!(
        "{} power failures injected, {torn} torn lines moved aside",
        run.whole.len()
    );
    assert!(torn > 1000);
}

#[test]
fn moving_a_torn_line_aside_fails_at_every_operation() {
    let run = whole();
    let mut injected = 0;
    for cut in [40, run.whole.len() / 2, run.whole.len() - 1] {
        let left = &run.whole[..cut];
        let lines = left
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at + 1);
        let mut n = 0;
        loop {
            let disk = Disk::new(left, Fault::FromThenOn(n), usize::MAX);
            let opened = run.open(&disk);
            if disk.injected() == 0 {
                break;
            }
            assert!(matches!(opened, Err(Error::Io { .. })));
            injected += 1;
            for crash in CRASHES {
                let after = disk.after(crash);
                // The torn bytes are where they were, or kept, or both.
                let kept = disk.torn().contains(&left[lines..].to_vec());
                assert!(kept || after == left, "{n} {crash:?}");
                assert!(after.starts_with(&left[..lines]));
                run.goes_on_from(&after);
            }
            n += 1;
        }
        assert!(n >= 3);
    }
    println!("{injected} faults injected in moving a torn line aside");
}

#[test]
fn an_altered_byte_is_never_accepted() {
    let run = whole();
    let mut altered = 0;
    // Without its line feed the last line is torn, which is another matter.
    for n in (0..run.whole.len() - 1).step_by(7) {
        let mut bytes = run.whole.clone();
        bytes[n] ^= 1;
        let disk = Disk::new(&bytes, Fault::None, usize::MAX);
        match run.open(&disk) {
            Err(Error::Damaged { .. }) => {}
            Err(other) => panic!("byte {n}: {other}"),
            Ok(_) => panic!("byte {n}: accepted"),
        }
        assert_eq!(disk.now(), bytes);
        assert!(disk.torn().is_empty());
        altered += 1;
    }
    println!("{altered} altered bytes refused");
}
