//! The calls that a ledger of the gateway holds, to be answered again without the provider.

use axilog_exchange::{FACTS_ORACLE, Interface, READER_MODEL, read_kept_bytes};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use axilog::agent::state::Health;
use axilog::evidence::observation::Failure;
use axilog::evidence::view::ObservationView;
use axilog::hash::{Hash, sha256};
use axilog_ledger::encoding::unescape;
use axilog_ledger::error::LedgerError;
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::reader::{LedgerReader, ReadRecord, RecordFilter};
use axilog_ledger::record_contents::RecordContents;
use axilog_ledger::running_values::is_running_value_id;
use axilog_ledger::tool_calls::TOOL_PREFIX;
use axilog_oracle::describe_nearest;
use serde_json::Value;

/// The most bytes of a response that is read, in the form in which it is kept.
const MAX_RESPONSE_BYTES: u64 = 128 << 20;

/// The calls of a ledger.
pub(crate) struct Recording {
    blobs: BlobStore,
    calls: Mutex<HashMap<(Interface, Hash), Queue>>,
    /// The models that were asked for.
    pub(crate) models: BTreeSet<String>,
}

/// The answers to one question.
#[derive(Default)]
struct Queue {
    /// Those that were not given yet, oldest first.
    unused: VecDeque<RecordedReply>,
    recorded: usize,
}

/// What a ledger holds of one call.
#[derive(Clone, Debug)]
pub(crate) struct RecordedReply {
    response: Hash,
    pub(crate) ledger_seq: u64,
    pub(crate) head: Hash,
    pub(crate) health: Health,
    /// Whether everything that was recorded of the answer may be acted on.
    pub(crate) may_act: bool,
    /// The oracle's failure, in place of an answer.
    pub(crate) failure: Option<Failure>,
    /// The number of tool calls that were recorded.
    pub(crate) tool_calls: usize,
}

/// Why there is no recorded answer.
#[derive(Debug)]
pub(crate) enum Unrecorded {
    /// The question was never asked.
    Missing,
    /// Each of its answers was given.
    Exhausted(usize),
}

impl Recording {
    /// Reads and verifies a ledger.
    ///
    /// # Errors
    /// [`LedgerError::Damaged`], [`FileError::Io`](axilog_ledger::error::FileError::Io).
    pub(crate) fn read(path: &Path) -> Result<Recording, LedgerError> {
        let mut calls = Calls::default();
        let mut reader = LedgerReader::open(path, RecordFilter::default())?;
        while reader.read_next(|record| calls.add(record))?.is_some() {}
        calls.finish_call();
        Ok(Recording {
            blobs: BlobStore::of_ledger(path),
            calls: Mutex::new(calls.queues),
            models: calls.models,
        })
    }

    /// Gives the next recorded answer to a question.
    pub(crate) fn take(
        &self,
        interface: Interface,
        question: &CanonicalInput,
    ) -> Result<RecordedReply, Unrecorded> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = calls.get_mut(&(interface, question.hash()));
        let queue = queue.ok_or(Unrecorded::Missing)?;
        let reply = queue.unused.pop_front();
        reply.ok_or(Unrecorded::Exhausted(queue.recorded))
    }

    /// The bytes of a recorded response, as the provider sent them; `None` where they are not kept, or damaged.
    pub(crate) fn read_response(
        &self,
        reply: &RecordedReply,
    ) -> Result<Option<Vec<u8>>, LedgerError> {
        let kept = self.blobs.read(&reply.response, MAX_RESPONSE_BYTES)?;
        let kept = kept.filter(|bytes| sha256(bytes) == reply.response);
        Ok(kept.map(read_kept_bytes))
    }

    /// Describes the recorded question that is most like one that is missing.
    pub(crate) fn describe_nearest(
        &self,
        interface: Interface,
        question: &CanonicalInput,
    ) -> Result<String, LedgerError> {
        let hashes: BTreeSet<Hash> = {
            let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
            let of_interface = calls.keys().filter(|(own, _)| *own == interface);
            of_interface.map(|(_, hash)| *hash).collect()
        };
        match hashes.is_empty() {
            true => Ok(format!("it holds no call of /v1/{}", interface.path())),
            false => describe_nearest(&self.blobs, &hashes, question),
        }
    }
}

/// The calls that were read so far.
#[derive(Default)]
struct Calls {
    queues: HashMap<(Interface, Hash), Queue>,
    models: BTreeSet<String>,
    /// The call whose records are read.
    open: Option<OpenCall>,
}

/// A call from its facts on.
struct OpenCall {
    interface: Interface,
    /// The question of its answers; `None` before the first.
    question: Option<Hash>,
    reply: RecordedReply,
}

impl Calls {
    fn add(&mut self, record: &ReadRecord<'_>) {
        match &record.contents {
            RecordContents::Observation(view) => self.add_observation(view),
            RecordContents::Policy(_) | RecordContents::Transition(_) => {
                if let Some(open) = &mut self.open {
                    open.reply.may_act &= !record.contents.is_breach();
                }
            }
            _ => {}
        }
        let Some(open) = &mut self.open else {
            return;
        };
        if let RecordContents::Transition(transition) = &record.contents {
            open.reply.health = transition.next_state;
            open.reply.may_act &= transition.next_state == Health::Enabled;
        }
        open.reply.head = record.verified.entry.chain;
    }

    fn add_observation(&mut self, view: &ObservationView<'_>) {
        let oracle = unescape(view.oracle_id);
        let is_facts = oracle == FACTS_ORACLE && unescape(view.model_id) == READER_MODEL;
        if is_facts {
            self.finish_call();
            self.open = read_interface(&unescape(view.output)).map(|interface| OpenCall {
                interface,
                question: None,
                reply: RecordedReply {
                    response: view.input_hash,
                    ledger_seq: view.ledger_seq,
                    head: Hash::default(),
                    health: Health::Enabled,
                    may_act: true,
                    failure: None,
                    tool_calls: 0,
                },
            });
            return;
        }
        let Some(open) = &mut self.open else {
            return;
        };
        // The decision on it is one on the answer before it.
        if is_running_value_id(&oracle) {
            return;
        }
        // Another program may have recorded something between two calls.
        if *open.question.get_or_insert(view.input_hash) != view.input_hash {
            self.finish_call();
            return;
        }
        open.reply.ledger_seq = view.ledger_seq;
        open.reply.failure = open.reply.failure.or(view.failure);
        match oracle.starts_with(TOOL_PREFIX) {
            true => open.reply.tool_calls = open.reply.tool_calls.saturating_add(1),
            false => {
                self.models.insert(unescape(view.model_id));
            }
        }
    }

    /// Keeps the call whose records have ended, where it has an answer.
    fn finish_call(&mut self) {
        if let Some(OpenCall {
            interface,
            question: Some(question),
            reply,
        }) = self.open.take()
        {
            let queue = self.queues.entry((interface, question)).or_default();
            queue.unused.push_back(reply);
            queue.recorded = queue.recorded.saturating_add(1);
        }
    }
}

/// The interface that facts name; `None` where they are about no answer.
fn read_interface(facts: &str) -> Option<Interface> {
    let facts: Value = serde_json::from_str(facts).ok()?;
    let has_answer = match facts.get("fault").map(Value::as_str) {
        Some(fault) => matches!(fault, Some("broken" | "timeout")),
        None => facts.get("status")?.as_u64()? / 100 == 2,
    };
    let path = facts.get("interface")?.as_str()?;
    Interface::at(path).filter(|_| has_answer)
}
