//! A ledger whose oracle `o` has schemas.

use std::fs;
use std::path::PathBuf;

use axilog::admission::{Answer, InputKind};
use axilog::agent::Agent;
use axilog::evidence::observation::{Completion, Params};
use axilog::evidence::proof::{Proof, RawAnswer};
use axilog::fault::Faults;
use axilog::ledger::{Entry, Ledger, LedgerSink, SinkFailed, genesis_entry};
use axilog_ledger::audit::{AuditCheck, AuditExpectations, AuditReport, audit_ledger};
use axilog_ledger::decision::StepDecision;
use axilog_ledger::encoding::ByteBuffer;
use axilog_ledger::error::LedgerError;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::manifest::Manifest;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::schema::{DeclaredSchemas, Schema, SchemaSubject};
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use tempfile::TempDir;

/// The schema of the answers: an allow-list and a bounded speed.
pub const ANSWER: &str = r#"{
    "type": "object",
    "properties": {
        "pump": {"enum": ["inlet", "outlet"]},
        "speed": {"type": "number", "minimum": 0, "maximum": 60}
    },
    "required": ["pump", "speed"],
    "additionalProperties": false
}"#;

/// The schema of the questions.
pub const QUESTION: &str = r#"{"type":"object","required":["level"]}"#;

/// A directory with a ledger.
pub struct Place {
    pub dir: TempDir,
}

impl Place {
    /// Begins a ledger whose oracle `o` has both schemas, under rules without policies.
    pub fn with_schemas() -> (Place, Session) {
        let place = Place {
            dir: tempfile::tempdir().unwrap(),
        };
        let schemas = DeclaredSchemas::default()
            .with("o", SchemaSubject::Output, parse(ANSWER))
            .with("o", SchemaSubject::Input, parse(QUESTION));
        let rules = RuleSet::without_policies().unwrap();
        let manifest = Manifest::new(Some("plant/pump"), None).unwrap();
        let (session, _) =
            Session::create_with_schemas(&place.ledger(), &rules, &manifest, &schemas, 1).unwrap();
        (place, session)
    }

    pub fn ledger(&self) -> PathBuf {
        self.dir.path().join("ledger.jsonl")
    }

    pub fn open(&self) -> Result<Session, LedgerError> {
        Session::open(&self.ledger(), None)
    }

    pub fn audit(&self) -> AuditReport {
        let file = std::fs::File::open(self.ledger()).unwrap();
        audit_ledger(file, &self.ledger(), &AuditExpectations::default()).unwrap()
    }

    /// The check of the schemas.
    pub fn audit_schemas(&self) -> AuditCheck {
        let report = self.audit();
        let check = report.checks.iter().find(|c| c.subject == "schemas");
        check.unwrap().clone()
    }

    /// The path of the blob with these bytes.
    pub fn blob(&self, bytes: &[u8]) -> PathBuf {
        let blobs = axilog_ledger::file::blobs::BlobStore::of_ledger(&self.ledger());
        blobs.path(&axilog::hash::sha256(bytes))
    }
}

pub fn parse(text: &str) -> Schema {
    Schema::parse(text.as_bytes()).unwrap()
}

/// A call of the oracle `o` with a question that conforms.
pub fn call() -> OracleCall {
    ask(br#"{"level":3}"#)
}

/// A call of the oracle `o` with this question.
pub fn ask(question: &[u8]) -> OracleCall {
    OracleCall {
        oracle_id: "o".to_owned(),
        model_id: "m".to_owned(),
        params: Params::NULL,
        input: CanonicalInput::new(question, InputKind::Text).unwrap(),
    }
}

pub fn observe(session: &mut Session, answer: &[u8]) -> StepDecision {
    session
        .observe(&call(), OracleReply::Answer(answer))
        .unwrap()
}

/// Lines of a ledger file.
#[derive(Default)]
struct Lines(ByteBuffer);

impl LedgerSink for Lines {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        axilog::ledger_line::write(entry, &mut self.0);
        Ok(())
    }
}

/// A writer that records what it is told, under the rules of a ledger: it validates and computes nothing.
pub struct CarelessWriter<'p> {
    place: &'p Place,
    agent: Agent,
    rules: RuleSet,
    lines: Lines,
}

impl CarelessWriter<'_> {
    pub fn open(place: &Place) -> CarelessWriter<'_> {
        let session = place.open().unwrap();
        CarelessWriter {
            place,
            agent: session.agent().clone(),
            rules: session.rules().clone(),
            lines: Lines::default(),
        }
    }

    /// Records an answer, and keeps its question as a blob.
    pub fn observe(&mut self, oracle: &str, model: &str, question: &[u8], answer: &[u8]) {
        let given = Answer {
            completion: Completion::Complete,
            failure: None,
            input: question,
            input_kind: InputKind::Text,
            ledger_seq: 0,
            model_id: model.as_bytes(),
            oracle_id: oracle.as_bytes(),
            output: answer,
            params: Params::NULL,
        };
        let (mut work, mut faults) = (vec![0; 65536], Faults::NONE);
        let rules = self.rules.rules();
        self.agent
            .observe(&given, &rules, &mut work, &mut self.lines, &mut faults)
            .unwrap();
        self.keep(question);
    }

    fn keep(&self, bytes: &[u8]) {
        let blob = self.place.blob(bytes);
        fs::create_dir_all(blob.parent().unwrap()).unwrap();
        fs::write(blob, bytes).unwrap();
    }

    /// The lines of the records.
    pub fn lines(&self) -> &[u8] {
        &self.lines.0.0
    }

    /// Appends the records to the ledger.
    pub fn finish(self) {
        let mut file = fs::OpenOptions::new()
            .append(true)
            .open(self.place.ledger())
            .unwrap();
        std::io::Write::write_all(&mut file, self.lines()).unwrap();
    }
}

/// Appends what a writer records that validates nothing.
pub fn observe_without_validation(place: &Place, input: &[u8], answer: &[u8]) {
    let mut writer = CarelessWriter::open(place);
    writer.observe("o", "m", input, answer);
    if answer.len() > 65536 {
        writer.keep(answer);
    }
    writer.finish();
}

/// A ledger in which the RAW record binds other bytes, with commits and chain made anew.
pub fn rebind_raw_answer(ledger: &str, answer: &[u8]) -> Vec<u8> {
    let mut sink = Lines::default();
    sink.append(&genesis_entry()).unwrap();
    let (mut chain, mut faults) = (Ledger::genesis(), Faults::NONE);
    for line in ledger
        .as_bytes()
        .split_inclusive(|&byte| byte == b'\n')
        .skip(1)
    {
        let entry = axilog::ledger_line::parse(line).unwrap();
        let mut payload = ByteBuffer::default();
        match Proof::parse(entry.payload) {
            Ok(Proof::Raw(raw)) => RawAnswer::of(raw.ledger_seq, answer).write(&mut payload),
            _ => payload.0 = entry.payload.to_vec(),
        }
        chain
            .record(entry.tag, &payload.0, &mut sink, &mut faults)
            .unwrap();
    }
    sink.0.0
}
