//! The session that is interrupted: what it is given, what was acknowledged, how it goes on.

use axilog::admission::InputKind;
use axilog::agent::state::InputClass;
use axilog::evidence::observation::{Failure, Params};
use axilog::hash::Tag;
use axilog_harness::error::Error;
use axilog_harness::input::CanonicalInput;
use axilog_harness::ledger_file::LedgerFile;
use axilog_harness::session::{Call, Reply, Session};
use tempfile::TempDir;

use crate::disk::{Disk, Fault};

const START: u64 = 1000;

/// What follows the beginning; each gives one observation.
#[derive(Clone, Copy)]
enum Step {
    Answer(&'static [u8]),
    Silence,
    Control(InputClass),
    Time(u64),
}

/// The steps, the two of the beginning included.
pub const STEPS: usize = SCRIPT.len();

const SCRIPT: [Step; 11] = [
    Step::Control(InputClass::ResetRequest),
    Step::Time(START),
    Step::Answer(b"{\"value\": 1.5}"),
    Step::Answer(b"{\"value\": 9999, \"why\": \"\xc3\xa9\"}"),
    Step::Control(InputClass::PolicyTrigger),
    Step::Control(InputClass::ResetRequest),
    Step::Time(START + 10),
    Step::Answer(b"{\"value\": 5\xff}"),
    Step::Silence,
    Step::Control(InputClass::FaultSignal),
    Step::Time(START + 20),
];

/// The uninterrupted run.
pub struct Run {
    /// What its ledger holds at the end.
    pub whole: Vec<u8>,
    // The blobs are on a file system: the disk under test is the ledger's.
    dir: TempDir,
}

pub fn whole() -> Run {
    let mut run = Run {
        whole: Vec::new(),
        dir: tempfile::tempdir().unwrap(),
    };
    let disk = Disk::new(b"", Fault::None, usize::MAX);
    let (acknowledged, failed) = run.go(&disk);
    assert!(failed.is_none());
    assert_eq!(acknowledged, disk.now());
    run.whole = acknowledged;
    run
}

impl Run {
    pub fn open(&self, disk: &Disk) -> Result<Session, Error> {
        let path = self.dir.path().join("ledger.jsonl");
        let file = LedgerFile::over(&path, Box::new(disk.clone()))?;
        Session::open_or_begin_in(file, None, START).map(|(session, _)| session)
    }

    /// Opens what is on the disk and gives it every step that it lacks, until one fails. The
    /// bytes that were acknowledged, and the failure.
    pub fn go(&self, disk: &Disk) -> (Vec<u8>, Option<Error>) {
        let mut session = match self.open(disk) {
            Ok(session) => session,
            Err(error) => return (Vec::new(), Some(error)),
        };
        let mut acknowledged = disk.now();
        for step in &SCRIPT[observations(&acknowledged)..] {
            if let Err(error) = give(&mut session, *step) {
                // What failed acts no more, whatever it is asked.
                assert!(session.time(START + 99, true).is_err());
                return (acknowledged, Some(error));
            }
            acknowledged = disk.now();
        }
        (acknowledged, None)
    }

    /// Asserts that the session goes on from these bytes to the same end.
    pub fn goes_on_from(&self, left: &[u8]) {
        let disk = Disk::new(left, Fault::None, usize::MAX);
        let (end, failed) = self.go(&disk);
        assert!(failed.is_none(), "{failed:?}");
        assert!(end == self.whole, "from {} bytes", left.len());
    }

    /// Asserts that the first `n` bytes open with every whole line in place and the torn one, if
    /// there is one, kept; how many were.
    pub fn opens_from(&self, n: usize) -> usize {
        let left = &self.whole[..n];
        let lines = left
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at + 1);
        let disk = Disk::new(left, Fault::None, usize::MAX);
        let session = self.open(&disk).unwrap();
        let now = disk.now();
        assert!(self.whole.starts_with(&now) && now.len() >= lines, "{n}");
        let torn = &left[lines..];
        let expected = if torn.is_empty() {
            vec![]
        } else {
            vec![torn.to_vec()]
        };
        assert_eq!(disk.torn(), expected, "{n}");
        assert_eq!(
            session.torn().map_or(0, |t| t.bytes),
            torn.len() as u64,
            "{n}"
        );
        expected.len()
    }

    /// Whether the byte `n` is next to the end of a line.
    pub fn is_edge(&self, n: u64) -> bool {
        let n = n as usize;
        let near = n.saturating_sub(2)..(n + 2).min(self.whole.len());
        self.whole[near].contains(&b'\n')
    }
}

fn observations(ledger: &[u8]) -> usize {
    ledger
        .split_inclusive(|b| *b == b'\n')
        .filter(|line| axilog::ledger_line::parse(line).unwrap().tag == Tag::Obs)
        .count()
}

fn give(session: &mut Session, step: Step) -> Result<(), Error> {
    let call = Call {
        oracle_id: "o".to_owned(),
        model_id: "m".to_owned(),
        params: Params::NULL,
        input: CanonicalInput::new(b"which speed?", InputKind::Text).unwrap(),
    };
    match step {
        Step::Answer(bytes) => session.observe(&call, Reply::Answer(bytes)),
        Step::Silence => session.observe(&call, Reply::Failed(Failure::Timeout)),
        Step::Control(class) => session.control(class),
        Step::Time(time) => session.time(time, false),
    }
    .map(|_| ())
}
