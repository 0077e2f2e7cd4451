//! The session that the tests interrupt: its steps, what it has acknowledged, and how it continues.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axilog::admission::InputKind;
use axilog::agent::state::InputClass;
use axilog::evidence::observation::{Failure, Params};
use axilog::evidence::view::ObservationView;
use axilog::hash::{Tag, sha256};
use axilog::ledger_line;
use axilog_ledger::durability::{Durability, LedgerPosition};
use axilog_ledger::encoding::hex;
use axilog_ledger::error::LedgerError;
use axilog_ledger::file::LedgerFile;
use axilog_ledger::file::storage::append_suffix;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::{Opening, OracleCall, OracleReply, Session};

use crate::content::Crash;
use crate::disk::{Disk, DiskState, Fault, PATH};

pub const START: u64 = 1000;
const INVALID: &[u8] = b"{\"value\": 5\xff}";

/// A step of the session; each makes one observation.
#[derive(Clone, Copy)]
enum Step {
    Answer(&'static [u8]),
    Failure,
    Control(InputClass),
    Time(u64),
}

/// The number of steps, the two of the beginning included.
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
    Step::Failure,
    Step::Control(InputClass::FaultSignal),
    Step::Time(START + 20),
];

/// A session without faults, which others are compared with.
pub struct Run {
    /// The files at its end.
    pub whole: DiskState,
    durability: Durability,
    /// Whether sessions save their state after each step.
    saves_state: bool,
    /// The number of sessions that went on from a saved state.
    pub resumed: Cell<u64>,
    /// The states from which a session was continued already.
    continued_from: RefCell<HashSet<DiskState>>,
}

/// How far a session came.
#[derive(Default)]
pub struct Progress {
    /// The bytes of the ledger that the session has acknowledged.
    pub acknowledged: Vec<u8>,
    /// The bytes that it has acknowledged as durable.
    pub durable: Vec<u8>,
    /// The error that ended it early.
    pub failed: Option<LedgerError>,
}

impl Progress {
    fn update(&mut self, session: &Session, disk: &Disk) {
        self.acknowledged = disk.now().ledger;
        self.durable = bytes_up_to(&self.acknowledged, &session.durable_position());
        let state = disk.after(Crash::AllLost);
        assert!(state.ledger.starts_with(&self.durable));
        assert_blobs_are_whole(&state);
    }
}

impl Run {
    pub fn new(durability: Durability) -> Run {
        Run::of_sessions(durability, false)
    }

    /// A run whose sessions save their state after each step.
    pub fn with_saved_states(durability: Durability) -> Run {
        Run::of_sessions(durability, true)
    }

    fn of_sessions(durability: Durability, saves_state: bool) -> Run {
        let mut run = Run {
            whole: DiskState::default(),
            durability,
            saves_state,
            resumed: Cell::new(0),
            continued_from: RefCell::default(),
        };
        let disk = Disk::new(&DiskState::default(), Fault::None, usize::MAX);
        let progress = run.run_on(&disk);
        assert!(progress.failed.is_none());
        run.whole = disk.now();
        assert_eq!(progress.acknowledged, run.whole.ledger);
        assert_eq!(progress.durable, run.whole.ledger);
        assert_eq!(run.whole.files.len(), 3 + usize::from(saves_state));
        run
    }

    pub fn open(&self, disk: &Disk) -> Result<Session, LedgerError> {
        let volume = Arc::new(disk.clone());
        let mut file = LedgerFile::with_storage(Path::new(PATH), disk.ledger(), volume)?;
        file.set_durability(self.durability)?;
        let (session, _) = Session::open_or_create_in(file, None, START)?;
        if matches!(session.opening(), Opening::Resumed { .. }) {
            self.resumed.update(|resumed| resumed + 1);
        }
        Ok(session)
    }

    /// Opens the ledger on the disk and runs the missing steps until one fails.
    pub fn run_on(&self, disk: &Disk) -> Progress {
        let mut progress = Progress::default();
        progress.failed = self.run_steps(disk, &mut progress).err();
        progress
    }

    fn run_steps(&self, disk: &Disk, progress: &mut Progress) -> Result<(), LedgerError> {
        let mut session = self.open(disk)?;
        progress.update(&session, disk);
        assert_eq!(progress.durable, progress.acknowledged, "opening syncs");
        for step in &SCRIPT[count_observations(&progress.acknowledged)..] {
            if let Err(error) = run_step(&mut session, *step) {
                let before = disk.now();
                // An agent that may be ahead of its ledger refuses every further step.
                if session.agent().ledger.failed {
                    assert!(session.observe_time(START + 99, true).is_err());
                    assert!(session.sync().is_err() || disk.now() == before);
                }
                progress.durable = bytes_up_to(&before.ledger, &session.durable_position());
                return Err(error);
            }
            if self.saves_state {
                // A state that cannot be saved is no reason to stop.
                let _ = session.save_state();
            }
            progress.update(&session, disk);
            match self.durability {
                Durability::Interval { .. } => {}
                _ => assert_eq!(progress.durable, progress.acknowledged),
            }
        }
        let synced = session.sync();
        if self.saves_state {
            let _ = session.save_state();
        }
        progress.update(&session, disk);
        synced.map(|_| ())
    }

    /// Asserts that a session continues from `state` to the same end. A RAW record whose write the crash cut off binds
    /// bytes that no record holds; it is made again of the blob, which was durable before.
    pub fn assert_continues_from(&self, state: &DiskState) {
        if !self.continued_from.borrow_mut().insert(state.clone()) {
            return;
        }
        let disk = Disk::new(state, Fault::None, usize::MAX);
        let progress = self.run_on(&disk);
        assert!(progress.failed.is_none(), "{:?}", progress.failed);
        let end = disk.now();
        self.assert_same_end(state, &end);
        assert_blobs_are_whole(&end);
    }

    /// Asserts that a session that continued from `state` came to the end of the whole one, and that it left no blob
    /// among the others that no record names.
    pub fn assert_same_end(&self, state: &DiskState, end: &DiskState) {
        let from = state.ledger.len();
        assert!(end.ledger == self.whole.ledger, "from {from}");
        let left = append_suffix(Path::new(PATH), ".left-behind");
        let among_blobs = |path: &&PathBuf| {
            !path.starts_with(&left) && !is_torn_line(path) && !is_saved_state(path)
        };
        let blobs: Vec<_> = end.files.keys().filter(among_blobs).collect();
        let whole = self.whole.files.keys();
        let expected: Vec<_> = whole.filter(|path| !is_saved_state(path)).collect();
        assert_eq!(blobs, expected, "from {from}");
    }

    /// Asserts that a session continues after a crash. Where the crash has left a hole in unsynced bytes, the
    /// ledger may be refused instead as damaged, unchanged.
    pub fn assert_continues_after(&self, crash: Crash, state: &DiskState) {
        assert_blobs_are_whole(state);
        if !self.whole.ledger.starts_with(&state.ledger) {
            assert!(matches!(crash, Crash::Hole), "{crash:?}");
            let disk = Disk::new(state, Fault::None, usize::MAX);
            if let Err(refused) = self.open(&disk) {
                assert!(matches!(refused, LedgerError::Damaged { .. }), "{refused}");
                assert_eq!(disk.now(), *state);
                return;
            }
            // The hole is in a torn last line.
            assert_eq!(disk.torn(), [torn_line(&state.ledger)]);
        }
        self.assert_continues_from(state);
    }

    /// Asserts that the first `n` bytes can be opened, that every whole line stays and that a torn one is moved
    /// aside. Gives the number of torn lines.
    pub fn assert_opens_cut_at(&self, n: usize) -> usize {
        let state = self.state_cut_at(n);
        let torn = torn_line(&state.ledger);
        let lines = n - torn.len();
        let disk = Disk::new(&state, Fault::None, usize::MAX);
        let session = self.open(&disk).unwrap();
        let now = disk.now().ledger;
        let kept = self.whole.ledger.starts_with(&now);
        assert!(kept && now.len() >= lines, "{n}");
        let expected = if torn.is_empty() {
            vec![]
        } else {
            vec![torn.to_vec()]
        };
        assert_eq!(disk.torn(), expected, "{n}");
        assert_eq!(
            session.torn_line().map_or(0, |t| t.bytes),
            torn.len() as u64,
            "{n}"
        );
        expected.len()
    }

    /// The files of the whole session, with the ledger cut off after `n` bytes.
    pub fn state_cut_at(&self, n: usize) -> DiskState {
        let mut state = self.whole.clone();
        state.ledger.truncate(n);
        state
    }

    /// Whether the byte `n` is within two bytes of a line feed.
    pub fn is_near_line_end(&self, n: u64) -> bool {
        let n = n as usize;
        let near = n.saturating_sub(2)..(n + 2).min(self.whole.ledger.len());
        self.whole.ledger[near].contains(&b'\n')
    }
}

fn is_saved_state(path: &Path) -> bool {
    path.to_string_lossy().contains(".jsonl.state")
}

fn is_torn_line(path: &Path) -> bool {
    path.to_string_lossy().contains(".torn-")
}

fn count_observations(ledger: &[u8]) -> usize {
    ledger
        .split_inclusive(|b| *b == b'\n')
        .filter(|line| ledger_line::parse(line).unwrap().tag == Tag::Obs)
        .count()
}

/// The bytes of a ledger up to a position.
fn bytes_up_to(ledger: &[u8], position: &LedgerPosition) -> Vec<u8> {
    let lines = ledger.split_inclusive(|b| *b == b'\n');
    let lines: Vec<&[u8]> = lines.take(position.entries as usize).collect();
    assert_eq!(lines.len() as u64, position.entries);
    if let Some(last) = lines.last() {
        let last = ledger_line::parse(last).unwrap();
        assert_eq!(last.chain, position.head);
    }
    lines.concat()
}

/// The bytes after the last line feed.
pub fn torn_line(ledger: &[u8]) -> &[u8] {
    ledger.rsplit(|b| *b == b'\n').next().unwrap()
}

/// Asserts that every blob has the hash in its name, and that every observation's blobs exist.
pub fn assert_blobs_are_whole(state: &DiskState) {
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let blobs = state
        .files
        .iter()
        .filter(|(path, _)| name(path).len() == 64);
    for (path, bytes) in blobs {
        assert_eq!(hex(&sha256(bytes)), name(path));
    }
    let has_blob = |hash: &[u8; 32]| state.files.keys().any(|path| name(path) == hex(hash));
    for line in state.ledger.split_inclusive(|b| *b == b'\n') {
        let Ok(entry) = ledger_line::parse(line) else {
            continue;
        };
        if entry.tag != Tag::Obs {
            continue;
        }
        let view = ObservationView::parse(entry.payload).unwrap();
        let hash = view.input_hash;
        assert!(hash == sha256(b"") || has_blob(&hash), "{}", entry.sequence);
        if view.failure == Some(Failure::InvalidOutput) {
            assert!(has_blob(&sha256(INVALID)), "{}", entry.sequence);
        }
    }
}

fn run_step(session: &mut Session, step: Step) -> Result<(), LedgerError> {
    let call = OracleCall {
        oracle_id: "o".to_owned(),
        model_id: "m".to_owned(),
        params: Params::NULL,
        input: CanonicalInput::new(b"which speed?", InputKind::Text).unwrap(),
    };
    match step {
        Step::Answer(bytes) => session.observe(&call, OracleReply::Answer(bytes)),
        Step::Failure => session.observe(&call, OracleReply::Failure(Failure::Timeout)),
        Step::Control(class) => session.observe_control(class),
        Step::Time(time) => session.observe_time(time, false),
    }
    .map(|_| ())
}
