//! Making ledgers: answers, the records that come of them, and chains over records of one's own.

use axilog::admission::{Answer, InputKind, Limits, admit};
use axilog::evidence::observation::{Completion, Failure, Params};
use axilog::hash::{Hash, Tag, chain, commit};
use axilog::json::writer::Sink;
use axilog::ledger::{Entry, LedgerSink, SinkFailed, genesis_entry};
use axilog::ledger_line;
use axilog::policy::{Comparison, Policy, Rules};
use axilog::replay::{Replay, Verdict};

#[derive(Default)]
pub struct Bytes(pub Vec<u8>);

impl Sink for Bytes {
    fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

/// What `write` writes.
pub fn written(write: impl FnOnce(&mut Bytes)) -> Vec<u8> {
    let mut bytes = Bytes::default();
    write(&mut bytes);
    bytes.0
}

/// One record: its tag and its bytes.
pub type Record = (Tag, Vec<u8>);

/// Keeps what a ledger commits, until the record numbered `fails_at` from 0.
#[derive(Default, Clone)]
pub struct Store {
    pub records: Vec<Record>,
    pub lines: Vec<u8>,
    pub fails_at: Option<usize>,
}

impl LedgerSink for Store {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        if self.fails_at == Some(self.records.len()) {
            return Err(SinkFailed);
        }
        self.records.push((entry.tag, entry.payload.to_vec()));
        self.lines
            .extend(written(|out| ledger_line::write(entry, out)));
        Ok(())
    }
}

impl Store {
    /// The records from `first` on as text, each after its tag's.
    pub fn texts(&self, first: usize) -> Vec<String> {
        self.records[first..]
            .iter()
            .map(|(tag, payload)| {
                let text = std::str::from_utf8(payload).unwrap();
                format!("{} {text}", tag.as_str())
            })
            .collect()
    }
}

/// The records of a ledger file, the genesis included.
pub fn records_of(file: &[u8]) -> Vec<Record> {
    file.split_inclusive(|&b| b == b'\n')
        .map(|line| {
            let entry = ledger_line::parse(line).unwrap();
            (entry.tag, entry.payload.to_vec())
        })
        .collect()
}

/// The lines of a consistent chain over `records`, and its head.
pub fn chained(records: &[Record]) -> (Vec<Vec<u8>>, Hash) {
    let mut head = None;
    let mut lines = Vec::new();
    for (sequence, (tag, payload)) in (0u64..).zip(records) {
        let commit = commit(tag.as_str().as_bytes(), payload);
        let value = chain(head.as_ref(), &commit);
        let entry = Entry {
            tag: *tag,
            payload,
            sequence,
            commit,
            chain: value,
        };
        lines.push(written(|out| ledger_line::write(&entry, out)));
        head = Some(value);
    }
    (lines, head.unwrap_or_default())
}

/// The genesis as a record.
pub fn genesis() -> Record {
    (Tag::State, genesis_entry().payload.to_vec())
}

/// A whole answer of the oracle `llm`, sequence 1, to the input `ask`.
pub fn answer(output: &[u8]) -> Answer<'_> {
    Answer {
        completion: Completion::Complete,
        failure: None,
        input: b"ask",
        input_kind: InputKind::Text,
        ledger_seq: 1,
        model_id: b"model-1",
        oracle_id: b"llm",
        output,
        params: Params::NULL,
    }
}

/// A call that failed.
pub fn failed(failure: Failure) -> Answer<'static> {
    Answer {
        completion: Completion::Error,
        failure: Some(failure),
        ..answer(b"")
    }
}

/// An answer of a reserved oracle.
pub fn reserved<'a>(oracle: &'a str, output: &'a [u8]) -> Answer<'a> {
    Answer {
        input: b"",
        model_id: oracle.as_bytes(),
        oracle_id: oracle.as_bytes(),
        ..answer(output)
    }
}

/// The record that admission under `limits` makes of `answer`.
pub fn record_under(answer: &Answer<'_>, limits: &Limits) -> Vec<u8> {
    let (observation, _) = admit(answer, None, limits).unwrap();
    let mut buffer = vec![0; 140_000];
    observation
        .seal(limits.profile, &mut buffer)
        .unwrap()
        .record
        .to_vec()
}

/// The record of `answer` as the library writes it.
pub fn record(answer: &Answer<'_>) -> Vec<u8> {
    record_under(answer, &Limits::DEFAULT)
}

/// An enabled policy on the selector `value`.
pub fn policy<'a>(id: &'a str, comparison: Comparison, threshold: i32) -> Policy<'a> {
    Policy {
        id,
        threshold,
        comparison,
        enabled: true,
        selector: "value",
    }
}

/// `vectors/breach-alarm-recover.jsonl`.
pub fn golden() -> Vec<u8> {
    crate::vectors::vector("breach-alarm-recover.jsonl").into_bytes()
}

/// Lends the rules under which that ledger was made.
pub fn with_golden_rules<R>(call: impl FnOnce(&Rules<'_>) -> R) -> R {
    let registry = [policy("POL-001-MAX-VELOCITY", Comparison::Gt, 4_587_520)];
    call(&Rules {
        registry: &registry,
        permit_truncated: false,
        stop_on_invalid: false,
        manifest: None,
    })
}

/// Feeds the lines of a file to `replay`, as any reader of files does.
pub fn feed(replay: &mut Replay, file: &[u8], rules: Option<&Rules<'_>>) -> Verdict {
    let mut verdict = Verdict::Ok;
    for line in file.split_inclusive(|&b| b == b'\n') {
        verdict = match ledger_line::parse(line) {
            _ if !line.ends_with(b"\n") => replay.refuse(Verdict::Torn),
            Ok(entry) => replay.feed(&entry, rules),
            Err(_) => replay.refuse(Verdict::NonCanonical),
        };
        if verdict != Verdict::Ok {
            break;
        }
    }
    verdict
}
