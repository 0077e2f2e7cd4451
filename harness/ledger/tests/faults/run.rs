//! The session that is interrupted: what it is given, what was acknowledged, how it goes on.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use axilog::admission::InputKind;
use axilog::agent::state::InputClass;
use axilog::evidence::observation::{Failure, Params};
use axilog::evidence::view::ObservationView;
use axilog::hash::{Tag, sha256};
use axilog::ledger_line;
use axilog_ledger::error::LedgerError;
use axilog_ledger::file::durability::{Checkpoint, Durability};
use axilog_ledger::file::{LedgerFile, hex};
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::{Call, Reply, Session};

use crate::content::Crash;
use crate::disk::{Disk, Fault, Left};

pub const START: u64 = 1000;
/// Beside it nothing exists: what belongs there is on the disk under test.
const PATH: &str = "under-test.jsonl";
const INVALID: &[u8] = b"{\"value\": 5\xff}";

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
    Step::Answer(INVALID),
    Step::Silence,
    Step::Control(InputClass::FaultSignal),
    Step::Time(START + 20),
];

/// The uninterrupted run.
pub struct Run {
    /// What is on the disk at the end.
    pub whole: Left,
    durability: Durability,
    /// What it was found to go on from.
    gone_on: RefCell<HashSet<Left>>,
}

/// How far a run came.
#[derive(Default)]
pub struct Reached {
    /// The bytes of the ledger that were acknowledged.
    pub acknowledged: Vec<u8>,
    /// Those of them that were said to be durable.
    pub durable: Vec<u8>,
    /// What ended it early.
    pub failed: Option<LedgerError>,
}

impl Reached {
    fn note(&mut self, session: &Session, disk: &Disk) {
        self.acknowledged = disk.now().ledger;
        self.durable = bytes_of(&self.acknowledged, &session.durable());
        let left = disk.after(Crash::AllLost);
        assert!(left.ledger.starts_with(&self.durable));
        assert_blobs_are_whole(&left);
    }
}

impl Run {
    pub fn new(durability: Durability) -> Run {
        let mut run = Run {
            whole: Left::default(),
            durability,
            gone_on: RefCell::default(),
        };
        let disk = Disk::new(&Left::default(), Fault::None, usize::MAX);
        let reached = run.go(&disk);
        assert!(reached.failed.is_none());
        run.whole = disk.now();
        assert_eq!(reached.acknowledged, run.whole.ledger);
        assert_eq!(reached.durable, run.whole.ledger);
        assert_eq!(run.whole.files.len(), 3);
        run
    }

    pub fn open(&self, disk: &Disk) -> Result<Session, LedgerError> {
        let volume = Arc::new(disk.clone());
        let mut file = LedgerFile::over(Path::new(PATH), disk.ledger(), volume)?;
        file.set_durability(self.durability)?;
        Session::open_or_begin_in(file, None, START).map(|(session, _)| session)
    }

    /// Opens what is on the disk and gives it every step that it lacks, until one fails.
    pub fn go(&self, disk: &Disk) -> Reached {
        let mut reached = Reached::default();
        reached.failed = self.go_on(disk, &mut reached).err();
        reached
    }

    fn go_on(&self, disk: &Disk, reached: &mut Reached) -> Result<(), LedgerError> {
        let mut session = self.open(disk)?;
        reached.note(&session, disk);
        assert_eq!(reached.durable, reached.acknowledged, "opening syncs");
        for step in &SCRIPT[observations(&reached.acknowledged)..] {
            if let Err(error) = give(&mut session, *step) {
                let before = disk.now();
                // What may be ahead of its ledger acts no more, whatever it is asked.
                if session.agent().ledger.failed {
                    assert!(session.time(START + 99, true).is_err());
                    assert!(session.sync().is_err() || disk.now() == before);
                }
                reached.durable = bytes_of(&before.ledger, &session.durable());
                return Err(error);
            }
            reached.note(&session, disk);
            match self.durability {
                Durability::Interval { .. } => {}
                _ => assert_eq!(reached.durable, reached.acknowledged),
            }
        }
        let synced = session.sync();
        reached.note(&session, disk);
        synced.map(|_| ())
    }

    /// Asserts that the session goes on from what is left to the same end.
    pub fn goes_on_from(&self, left: &Left) {
        if !self.gone_on.borrow_mut().insert(left.clone()) {
            return;
        }
        let disk = Disk::new(left, Fault::None, usize::MAX);
        let reached = self.go(&disk);
        assert!(reached.failed.is_none(), "{:?}", reached.failed);
        let end = disk.now();
        assert!(
            end.ledger == self.whole.ledger,
            "from {}",
            left.ledger.len()
        );
        assert_blobs_are_whole(&end);
    }

    /// Asserts that what a crash left is gone on from, or refused where bytes that were never
    /// synced are not what was written: then by name, and without a change.
    pub fn goes_on_after(&self, crash: Crash, left: &Left) {
        assert_blobs_are_whole(left);
        if !self.whole.ledger.starts_with(&left.ledger) {
            assert!(matches!(crash, Crash::Hole), "{crash:?}");
            let disk = Disk::new(left, Fault::None, usize::MAX);
            if let Err(refused) = self.open(&disk) {
                assert!(matches!(refused, LedgerError::Damaged { .. }), "{refused}");
                assert_eq!(disk.now(), *left);
                return;
            }
            // The hole was in a torn last line.
            assert_eq!(disk.torn(), [torn_line(&left.ledger)]);
        }
        self.goes_on_from(left);
    }

    /// Asserts that the first `n` bytes open with every whole line in place and the torn one, if
    /// there is one, kept; how many were.
    pub fn opens_from(&self, n: usize) -> usize {
        let left = self.cut(n);
        let torn = torn_line(&left.ledger);
        let lines = n - torn.len();
        let disk = Disk::new(&left, Fault::None, usize::MAX);
        let session = self.open(&disk).unwrap();
        let now = disk.now().ledger;
        assert!(
            self.whole.ledger.starts_with(&now) && now.len() >= lines,
            "{n}"
        );
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

    /// The uninterrupted run, its ledger cut off behind `n` bytes.
    pub fn cut(&self, n: usize) -> Left {
        let mut left = self.whole.clone();
        left.ledger.truncate(n);
        left
    }

    /// Whether the byte `n` is next to the end of a line.
    pub fn is_edge(&self, n: u64) -> bool {
        let n = n as usize;
        let near = n.saturating_sub(2)..(n + 2).min(self.whole.ledger.len());
        self.whole.ledger[near].contains(&b'\n')
    }
}

fn observations(ledger: &[u8]) -> usize {
    ledger
        .split_inclusive(|b| *b == b'\n')
        .filter(|line| ledger_line::parse(line).unwrap().tag == Tag::Obs)
        .count()
}

/// The first bytes of a ledger, up to a place in it.
fn bytes_of(ledger: &[u8], checkpoint: &Checkpoint) -> Vec<u8> {
    let lines = ledger.split_inclusive(|b| *b == b'\n');
    let lines: Vec<&[u8]> = lines.take(checkpoint.entries as usize).collect();
    assert_eq!(lines.len() as u64, checkpoint.entries);
    if let Some(last) = lines.last() {
        let last = ledger_line::parse(last).unwrap();
        assert_eq!(last.chain, checkpoint.head);
    }
    lines.concat()
}

/// What is behind the last line feed.
pub fn torn_line(ledger: &[u8]) -> &[u8] {
    ledger.rsplit(|b| *b == b'\n').next().unwrap()
}

/// Asserts that every blob is what it is named by, and that every observation has those it needs.
pub fn assert_blobs_are_whole(left: &Left) {
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let blobs = left.files.iter().filter(|(path, _)| name(path).len() == 64);
    for (path, bytes) in blobs {
        assert_eq!(hex(&sha256(bytes)), name(path));
    }
    let kept = |hash: &[u8; 32]| left.files.keys().any(|path| name(path) == hex(hash));
    for line in left.ledger.split_inclusive(|b| *b == b'\n') {
        let Ok(entry) = ledger_line::parse(line) else {
            continue;
        };
        if entry.tag != Tag::Obs {
            continue;
        }
        let view = ObservationView::parse(entry.payload).unwrap();
        let hash = view.input_hash;
        assert!(hash == sha256(b"") || kept(&hash), "{}", entry.sequence);
        if view.failure == Some(Failure::InvalidOutput) {
            assert!(kept(&sha256(INVALID)), "{}", entry.sequence);
        }
    }
}

fn give(session: &mut Session, step: Step) -> Result<(), LedgerError> {
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
