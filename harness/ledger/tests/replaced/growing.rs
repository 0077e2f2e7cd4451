//! Ledgers that a session writes while an audit reads them: what the reader saw of a step under way is no fault.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use axilog_ledger::audit::{AuditExpectations, AuditReport, AuditVerdict, audit_ledger};
use axilog_ledger::session::Session;

use crate::{Running, observe};

/// A ledger file of which a test decides what a reader sees.
struct WatchedFile<W> {
    file: File,
    /// Called with the number of bytes of each read and the position after them; gives how many the reader gets.
    watch: W,
}

impl<W: FnMut(usize, u64) -> usize> Read for WatchedFile<W> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(into)?;
        Ok((self.watch)(read, self.file.stream_position()?))
    }
}

impl<W> Seek for WatchedFile<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

fn audit_watched(path: &Path, watch: impl FnMut(usize, u64) -> usize) -> AuditReport {
    let file = File::open(path).unwrap();
    let expected = AuditExpectations::default();
    audit_ledger(WatchedFile { file, watch }, path, &expected).unwrap()
}

fn find_blobs(report: &AuditReport) -> &str {
    let check = report.checks.iter().find(|check| check.subject == "blobs");
    &check.unwrap().finding
}

/// The records are read before the blobs, so a step that is recorded in between has blobs that the records read do
/// not name.
#[test]
fn a_step_between_the_records_and_the_blobs_leaves_nothing_behind() {
    let mut running = Running::begin();
    let (path, mut ends) = (running.ledger(), 0u8);
    let report = audit_watched(&path, |read, _| {
        if read == 0 {
            // Each pass over the records sees the end of the file before the step.
            ends += 1;
            let answer = [b"\xff answer ".as_slice(), &[b'0' + ends]].concat();
            observe(&mut running.session, &format!("question {ends}"), &answer).unwrap();
        }
        read
    });
    assert!(ends > 0);
    assert_eq!(report.verdict(), AuditVerdict::Ok, "{:?}", report.checks);
    assert!(
        find_blobs(&report).ends_with(" 0 left behind"),
        "{:?}",
        report.checks
    );
}

/// A reader may see the beginning of a line whose end is being written, and then what follows it.
#[test]
fn half_a_line_is_looked_at_again() {
    let mut running = Running::begin();
    let path = running.ledger();
    let whole = std::fs::metadata(&path).unwrap().len();
    let mut passes = 0;
    audit_watched(&path, |read, position| {
        passes += u32::from(read > 0 && position == whole);
        read
    });
    let mut left = passes;
    let report = audit_watched(&path, |read, position| {
        left = left.saturating_sub(u32::from(read > 0 && position == whole));
        if left > 0 || position != whole || read < 40 {
            return read;
        }
        // The last pass verifies. Its reader misses the end of the last line.
        observe(&mut running.session, "another", b"{\"value\":2}").unwrap();
        read - 40
    });
    assert!(passes > 0 && left == 0, "the reader saw half a line");
    assert_eq!(report.verdict(), AuditVerdict::Ok, "{:?}", report.checks);
    assert_eq!(report.verification.replay.entries(), 11);
}

/// A torn line that stays is an interruption, and no failure, unless it follows a seal.
#[test]
fn a_torn_line_makes_an_audit_incomplete() {
    let mut running = Running::begin();
    let path = running.ledger();
    let audit = || audit_watched(&path, |read, _| read).verdict();
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    assert_eq!(audit(), AuditVerdict::Incomplete);
    std::fs::write(&path, &whole).unwrap();
    running.session.seal().unwrap();
    assert_eq!(audit(), AuditVerdict::Ok);
    let mut behind = std::fs::read(&path).unwrap();
    behind.push(b'{');
    std::fs::write(&path, &behind).unwrap();
    assert_eq!(audit(), AuditVerdict::Failed);
}

/// Sessions that come and go write one ledger while it is audited over and over.
#[test]
fn no_audit_beside_a_writer_fails() {
    const SESSIONS: u32 = 12;
    let running = Running::begin();
    let path = running.ledger();
    drop(running.session);
    let write = || {
        for number in 0..SESSIONS {
            let mut session = Session::open(&path, None).unwrap();
            for answer in ["{\"value\":1}", "{\"value\":2}\u{7}", "{\"value\":3}"] {
                let question = format!("question {number} {answer:?}");
                observe(&mut session, &question, answer.as_bytes()).unwrap();
            }
        }
    };
    let mut audits = 0;
    std::thread::scope(|scope| {
        let writer = scope.spawn(write);
        while !writer.is_finished() {
            let report = audit_watched(&path, |read, _| read);
            assert_ne!(
                report.verdict(),
                AuditVerdict::Failed,
                "{:?}",
                report.checks
            );
            audits += 1;
        }
    });
    println!("{audits} audits beside {SESSIONS} sessions");
    let report = audit_watched(&path, |read, _| read);
    assert_eq!(report.verdict(), AuditVerdict::Ok, "{:?}", report.checks);
    assert!(find_blobs(&report).ends_with(" 0 left behind"));
}
