//! Ledgers of any length, written by an agent straight into a file: without a session's lock, blobs and syncs.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use axilog::admission::{Answer, InputKind};
use axilog::agent::Agent;
use axilog::agent::state::InputClass;
use axilog::evidence::observation::{Completion, Params};
use axilog::fault::Faults;
use axilog::json::writer::Sink;
use axilog::ledger::{Entry, LedgerSink, SinkFailed, genesis_entry};
use axilog::ledger_line;
use axilog::policy::{Rules, builtin::BUILTIN};

/// The oracle that answers in these ledgers.
pub const ORACLE: &str = "oracle-1";

/// Its model.
pub const MODEL: &str = "model-1";

/// A ledger sink that writes lines to a file and counts them and their bytes.
struct LineWriter {
    file: BufWriter<File>,
    records: u64,
    bytes: u64,
}

impl Sink for LineWriter {
    fn put(&mut self, bytes: &[u8]) {
        self.file.write_all(bytes).unwrap();
        self.bytes += bytes.len() as u64;
    }
}

impl LedgerSink for LineWriter {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        ledger_line::write(entry, self);
        self.records += 1;
        Ok(())
    }
}

/// Writes a ledger under the built-in policy, with `answer(n)` as answer n to `question`, until `is_long_enough` says so
/// of the number of its records and of its bytes.
pub fn write_ledger(
    path: &Path,
    question: &[u8],
    answer: impl Fn(u64) -> String,
    is_long_enough: impl Fn(u64, u64) -> bool,
) {
    let rules = Rules {
        registry: &BUILTIN,
        permit_truncated: false,
        stop_on_invalid: false,
        manifest: None,
    };
    let mut sink = LineWriter {
        file: BufWriter::new(File::create(path).unwrap()),
        records: 0,
        bytes: 0,
    };
    sink.append(&genesis_entry()).unwrap();
    let (mut agent, mut work, mut faults) = (Agent::new(), vec![0u8; 1 << 16], Faults::NONE);
    let reset = InputClass::ResetRequest;
    agent
        .observe_control(reset, &rules, &mut work, &mut sink, &mut faults)
        .unwrap();
    agent
        .observe_time(1, &rules, &mut work, &mut sink, &mut faults)
        .unwrap();
    for number in 0.. {
        if is_long_enough(sink.records, sink.bytes) {
            break;
        }
        let output = answer(number);
        let answer = Answer {
            completion: Completion::Complete,
            failure: None,
            input: question,
            input_kind: InputKind::Text,
            ledger_seq: 0,
            model_id: MODEL.as_bytes(),
            oracle_id: ORACLE.as_bytes(),
            output: output.as_bytes(),
            params: Params::NULL,
        };
        agent
            .observe(&answer, &rules, &mut work, &mut sink, &mut faults)
            .unwrap();
    }
    sink.file.into_inner().unwrap().sync_all().unwrap();
}
