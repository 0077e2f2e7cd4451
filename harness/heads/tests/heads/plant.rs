//! A ledger with a key, as the tests use them.

use std::fs;
use std::io::Cursor;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use axilog::admission::InputKind;
use axilog::evidence::observation::Params;
use axilog::hash::Hash;
use axilog::ledger_line;
use axilog_heads::{
    Checkpoint, ExtensionProof, HeadsError, LogKey, RecordProof, SignedHead, SigningRequest,
    VerifierKey, prove_extension, prove_record, sign_ledger,
};
use axilog_ledger::durability::Durability;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::manifest::Manifest;
use axilog_ledger::rules::{RuleSet, load_builtin_policies};
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use tempfile::TempDir;

pub const NAME: &str = "example.com/plant";

/// A directory with a ledger and the key of its name. The bytes of the ledger that a test signs and proves from are given
/// to each call, so that a test may change them.
pub struct Plant {
    pub dir: TempDir,
    pub key: LogKey,
    /// The lines of the ledger, with their line feeds.
    pub lines: Vec<Vec<u8>>,
}

impl Plant {
    /// A plant whose ledger holds `answers`.
    pub fn with_answers(answers: impl IntoIterator<Item = u32>) -> Plant {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ledger.jsonl");
        let rules = RuleSet::new(load_builtin_policies().unwrap(), false, false);
        let manifest = Manifest::new(Some(NAME), None).unwrap();
        let mut session = Session::create_with_manifest(&path, &rules, &manifest, 1)
            .unwrap()
            .0;
        for answer in answers {
            let answer = format!("{{\"value\": {answer}}}");
            Plant::observe(&mut session, answer.as_bytes());
        }
        drop(session);
        let bytes = fs::read(&path).unwrap();
        let lines = bytes.split_inclusive(|&byte| byte == b'\n');
        Plant {
            lines: lines.map(<[u8]>::to_vec).collect(),
            key: LogKey::create(&dir.path().join("plant.key"), NAME).unwrap(),
            dir,
        }
    }

    /// Records one answer more.
    pub fn observe(session: &mut Session, answer: &[u8]) {
        let call = OracleCall {
            oracle_id: "llm".to_owned(),
            model_id: "model-1".to_owned(),
            params: Params::NULL,
            input: CanonicalInput::new(b"How fast?", InputKind::Text).unwrap(),
        };
        session.observe(&call, OracleReply::Answer(answer)).unwrap();
    }

    /// Opens the ledger again, to be written without a sync after each step.
    pub fn continue_unsynced(&self) -> Session {
        let mut session = Session::open(&self.ledger(), None).unwrap();
        let durability = Durability::Interval {
            records: NonZeroU64::MAX,
            within: Duration::from_secs(3600),
        };
        session.set_durability(durability).unwrap();
        session
    }

    /// One plant of more than 70 records for all tests that only read. Its directory goes with the last of them.
    pub fn shared() -> Arc<Plant> {
        static PLANT: Mutex<Weak<Plant>> = Mutex::new(Weak::new());
        let mut shared = PLANT.lock().unwrap();
        shared.upgrade().unwrap_or_else(|| {
            let plant = Arc::new(Plant::with_answers(1..24));
            assert!(plant.lines.len() > 70, "{}", plant.lines.len());
            *shared = Arc::downgrade(&plant);
            plant
        })
    }

    pub fn ledger(&self) -> PathBuf {
        self.dir.path().join("ledger.jsonl")
    }

    pub fn public(&self) -> &VerifierKey {
        self.key.verifier_key()
    }

    /// The first `size` records as a file has them.
    pub fn first(&self, size: usize) -> Vec<u8> {
        self.lines[..size].concat()
    }

    /// The commits of the first `size` records.
    pub fn commits(&self, size: usize) -> Vec<Hash> {
        let lines = self.lines[..size].iter();
        lines
            .map(|line| ledger_line::parse(line).unwrap().commit)
            .collect()
    }

    pub fn try_to_sign(
        &self,
        ledger: &[u8],
        earlier: Option<&Checkpoint>,
    ) -> Result<SignedHead, HeadsError> {
        let request = SigningRequest {
            ledger: &self.ledger(),
            key: &self.key,
            origin: None,
            earlier,
        };
        sign_ledger(&mut Cursor::new(ledger), &request)
    }

    /// The checkpoint of the first `size` records, which are more than the ledger's beginning.
    pub fn sign(&self, size: usize) -> Checkpoint {
        self.try_to_sign(&self.first(size), None)
            .unwrap()
            .checkpoint
    }

    pub fn prove_record(
        &self,
        ledger: &[u8],
        sequence: u64,
        checkpoint: Checkpoint,
    ) -> Result<RecordProof, HeadsError> {
        let proven = prove_record(
            &mut Cursor::new(ledger),
            &self.ledger(),
            sequence,
            checkpoint,
        );
        proven.map(|proven| proven.proof)
    }

    pub fn prove_extension(
        &self,
        ledger: &[u8],
        old: &Checkpoint,
        new: Checkpoint,
    ) -> Result<ExtensionProof, HeadsError> {
        let proven = prove_extension(&mut Cursor::new(ledger), &self.ledger(), old, new);
        proven.map(|proven| proven.proof)
    }
}
