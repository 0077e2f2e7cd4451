//! A ledger with an open session in a temporary directory, and the question that the tests ask.

use std::fs;
use std::path::PathBuf;

use axilog::evidence::observation::Params;
use axilog_ledger::rules::{RuleSet, load_builtin_policies};
use axilog_ledger::session::Session;
use axilog_oracle::{Consultation, Oracle, OracleError, Question, ScriptedOracle, consult_oracle};
use tempfile::TempDir;

/// A ledger with an open session.
pub struct TestLedger {
    pub dir: TempDir,
    pub session: Session,
}

impl TestLedger {
    pub fn new() -> TestLedger {
        let dir = tempfile::tempdir().unwrap();
        let rules = RuleSet::new(load_builtin_policies().unwrap(), false, false);
        let (session, _) = Session::create(&dir.path().join("ledger.jsonl"), rules, 1).unwrap();
        TestLedger { dir, session }
    }

    /// The path of the ledger.
    pub fn path(&self) -> PathBuf {
        self.dir.path().join("ledger.jsonl")
    }

    pub fn ask(&mut self, endpoint: &mut Oracle, user: &str) -> Result<Consultation, OracleError> {
        consult_oracle(&mut self.session, endpoint, "llm", &question(user))
    }

    /// Opens an endpoint for a script of these lines.
    pub fn open_script(&self, lines: &str) -> Result<Oracle, OracleError> {
        let path = self.dir.path().join("script.jsonl");
        fs::write(&path, lines).unwrap();
        ScriptedOracle::open(&path).map(Oracle::Scripted)
    }
}

pub fn question(user: &str) -> Question {
    let params = Params {
        max_tokens: Some(2048),
        temperature: Some(0),
        ..Params::NULL
    };
    Question::new("model-1", "Answer in JSON.", user, params)
}
