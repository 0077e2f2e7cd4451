//! Attacks on the files of a session while it runs: what was opened must still be what the path leads to, and
//! what lies beside a ledger is neither waited for nor written through. And attacks between two sessions: a saved state
//! makes the second go on as if it had read everything, or is not used.
#![cfg(unix)]

mod attack;
mod attacked_storage;
mod displaced;
mod growing;
mod planted;
mod same_session;
mod saved_state;
mod second_writer;

use std::path::{Path, PathBuf};

use axilog::admission::InputKind;
use axilog::evidence::observation::Params;
use axilog_ledger::decision::StepDecision;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::file::place::Displacement;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use tempfile::TempDir;

/// The time that sessions begin with.
const START: u64 = 1000;

/// A directory with the ledger of a session that runs.
struct Running {
    dir: TempDir,
    session: Session,
}

impl Running {
    /// Begins a ledger and records an answer in it.
    fn begin() -> Running {
        let dir = tempfile::tempdir().unwrap();
        let (mut session, _) =
            Session::open_or_create(&dir.path().join("ledger.jsonl"), None, START).unwrap();
        observe(&mut session, "which speed?", b"{\"value\":1}").unwrap();
        Running { dir, session }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn ledger(&self) -> PathBuf {
        self.path("ledger.jsonl")
    }
}

fn ask(input: &str) -> OracleCall {
    OracleCall {
        oracle_id: "o".to_owned(),
        model_id: "m".to_owned(),
        params: Params::NULL,
        input: CanonicalInput::new(input.as_bytes(), InputKind::Text).unwrap(),
    }
}

fn observe(session: &mut Session, input: &str, answer: &[u8]) -> Result<StepDecision, LedgerError> {
    session.observe(&ask(input), OracleReply::Answer(answer))
}

/// The displacement that ended a session; fails where it did not, or for another reason.
#[track_caller]
fn displacement<T>(result: Result<T, LedgerError>, path: &Path) -> Displacement {
    match result {
        Ok(_) => panic!("the step was acknowledged"),
        Err(error @ LedgerError::File(FileError::Displaced { .. })) => {
            let text = error.to_string();
            for part in [&*path.to_string_lossy(), "found", "expected"] {
                assert!(text.contains(part), "{part:?} in {text}");
            }
            match error {
                LedgerError::File(FileError::Displaced { displacement, .. }) => displacement,
                _ => unreachable!(),
            }
        }
        Err(other) => panic!("{other}"),
    }
}
