//! A ledger with a key, and witnesses that run.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axilog::admission::InputKind;
use axilog::evidence::observation::Params;
use axilog_checkpoints::{
    CheckpointInterval, CheckpointSettings, CheckpointSigner, CheckpointStatus, Patience,
};
use axilog_heads::{Checkpoint, LogKey, WitnessKey, WitnessPolicy, WitnessPublicKey};
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use axilog_witness::{KnownLogs, Witness, create_state};
use tempfile::TempDir;

pub const NAME: &str = "example.com/plant";

/// A directory with the key of a ledger, and the key and the state of a witness that knows the ledger.
pub struct Bench {
    pub dir: TempDir,
    /// What was reported.
    pub lines: Arc<Mutex<Vec<String>>>,
}

impl Bench {
    pub fn new() -> Bench {
        let bench = Bench {
            dir: tempfile::tempdir().unwrap(),
            lines: Arc::default(),
        };
        let witness = WitnessKey::create(&bench.path("witness.key"), "example.com/witness");
        create_state(&bench.path("state"), witness.unwrap().public_key()).unwrap();
        let log = LogKey::create(&bench.path("plant.key"), NAME).unwrap();
        fs::write(bench.path("logs"), format!("{}\n", log.verifier_key())).unwrap();
        bench
    }

    /// Another witness of the same ledger.
    pub fn another_witness(&self) -> Bench {
        let another = Bench::new();
        fs::copy(self.path("logs"), another.path("logs")).unwrap();
        another
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn ledger(&self) -> PathBuf {
        self.path("ledger.jsonl")
    }

    pub fn log_key(&self) -> LogKey {
        LogKey::read(&self.path("plant.key")).unwrap()
    }

    pub fn witness_key(&self) -> WitnessPublicKey {
        let key = WitnessKey::read(&self.path("witness.key")).unwrap();
        key.public_key().clone()
    }

    /// The line of this witness in a policy.
    pub fn line(&self, name: &str, address: SocketAddr) -> String {
        format!("witness {name} {} http://{address}/\n", self.witness_key())
    }

    pub fn serve(&self) -> Running {
        self.serve_at("127.0.0.1:0".parse().unwrap())
    }

    pub fn serve_at(&self, address: SocketAddr) -> Running {
        let key = WitnessKey::read(&self.path("witness.key")).unwrap();
        let logs = KnownLogs::read(&self.path("logs")).unwrap();
        let witness = Witness::open(&self.path("state"), key, logs, address, 64).unwrap();
        let address = witness.address();
        let stop = Arc::new(AtomicBool::new(false));
        let seen = stop.clone();
        let thread = thread::spawn(move || witness.serve(move || seen.load(Ordering::Relaxed)));
        Running {
            address,
            stop,
            thread: Some(thread),
        }
    }

    pub fn session(&self) -> Session {
        Session::open_or_create(&self.ledger(), None, 1).unwrap().0
    }

    /// Begins to sign the heads that a session writes, after each `records` records.
    pub fn sign(&self, session: &mut Session, records: u64, policy: &str) -> CheckpointSigner {
        self.sign_with(session, records, policy, |_| {})
    }

    /// Does the same with other settings.
    pub fn sign_with(
        &self,
        session: &mut Session,
        records: u64,
        policy: &str,
        change: impl FnOnce(&mut CheckpointSettings),
    ) -> CheckpointSigner {
        let policy = match policy {
            "" => None,
            policy => Some(WitnessPolicy::parse(policy).unwrap()),
        };
        let lines = self.lines.clone();
        let patience = Patience {
            first_pause: Duration::from_millis(1),
            longest_pause: Duration::from_millis(20),
            answer: Duration::from_secs(60),
            end: Duration::from_secs(60),
        };
        let mut settings = CheckpointSettings {
            key: Arc::new(self.log_key()),
            origin: Some(NAME.to_owned()),
            interval: CheckpointInterval {
                records: records.try_into().ok(),
                time: None,
            },
            witnesses: policy,
            patience,
        };
        change(&mut settings);
        let report = Arc::new(move |line: &str| lines.lock().unwrap().push(line.to_owned()));
        let signer = CheckpointSigner::start(&self.ledger(), settings, report).unwrap();
        session.report_durable_to(signer.watch());
        signer
    }

    /// The checkpoint in a file beside the ledger, whose signature holds.
    pub fn checkpoint(&self, suffix: &str) -> Option<Checkpoint> {
        let path = self.path(&format!("ledger.jsonl.{suffix}"));
        let checkpoint = Checkpoint::read(&path).ok()?;
        checkpoint.verify(self.log_key().verifier_key()).unwrap();
        Some(checkpoint)
    }

    /// How many lines were reported with these words in them.
    pub fn count_reported(&self, words: &str) -> usize {
        let lines = self.lines.lock().unwrap();
        lines.iter().filter(|line| line.contains(words)).count()
    }
}

/// Records an answer; it is durable as the session says. Gives the number of records then.
pub fn observe(session: &mut Session, value: u32) -> u64 {
    let call = OracleCall {
        oracle_id: "llm".to_owned(),
        model_id: "model-1".to_owned(),
        params: Params::NULL,
        input: CanonicalInput::new(b"How fast?", InputKind::Text).unwrap(),
    };
    let answer = format!("{{\"value\": {value}}}");
    let reply = OracleReply::Answer(answer.as_bytes());
    session.observe(&call, reply).unwrap().entries
}

/// Waits until the status is as wanted.
pub fn wait_until(signer: &CheckpointSigner, is_so: impl Fn(&CheckpointStatus) -> bool) {
    while !is_so(&signer.status()) {
        thread::sleep(Duration::from_millis(1));
    }
}

/// A witness that answers until it is dropped.
pub struct Running {
    pub address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}
