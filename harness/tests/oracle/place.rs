//! A directory with a session in it, and what the tests ask.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axilog::evidence::observation::Params;
use axilog_harness::error::Error;
use axilog_harness::oracle::{
    ApiKey, Consultation, Endpoint, Limits, OpenAi, Question, Scripted, consult,
};
use axilog_harness::rules::{RuleSet, builtin_policies};
use axilog_harness::session::Session;
use tempfile::TempDir;

pub const KEY: &str = "sk-test-0123456789abcdef";

pub struct Place {
    pub dir: TempDir,
    pub session: Session,
}

impl Place {
    pub fn new() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let rules = RuleSet::new(builtin_policies().unwrap(), false, false);
        let (session, _) = Session::begin(&dir.path().join("ledger.jsonl"), rules, 1).unwrap();
        Place { dir, session }
    }

    pub fn ledger(&self) -> PathBuf {
        self.dir.path().join("ledger.jsonl")
    }

    pub fn ask(&mut self, endpoint: &mut Endpoint, user: &str) -> Result<Consultation, Error> {
        consult(&mut self.session, endpoint, "llm", &question(user))
    }

    /// A script with these lines.
    pub fn script(&self, lines: &str) -> Result<Endpoint, Error> {
        let path = self.dir.path().join("script.jsonl");
        fs::write(&path, lines).unwrap();
        Scripted::read(&path).map(Endpoint::Scripted)
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

/// A client with the key that waits no longer than it must.
pub fn client(base_url: &str, timeout: Duration) -> Endpoint {
    let limits = Limits {
        timeout,
        backoff: vec![Duration::from_millis(1); 3],
        max_response_bytes: 1 << 16,
    };
    let key = ApiKey::new(KEY.to_owned()).unwrap();
    Endpoint::OpenAi(Box::new(OpenAi::new(base_url, Some(key), limits).unwrap()))
}

/// Every file below `dir`, with its bytes.
pub fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    all
}
