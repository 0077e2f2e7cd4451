//! The open readers of this process. Emits no header.

use std::ptr;
use std::sync::{Mutex, PoisonError};

use axilog::hash::{Hash, sha256};
use axilog_ledger::admission::may_lack_answer;
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::input_file::MAX_INPUT_BYTES;
use axilog_ledger::reader::{LedgerReader, ReadRecord};
use axilog_ledger::record_contents::RecordContents;

use crate::columns::{ColumnBuffers, axh_columns_t};
use crate::error::{HandleOf, HostError};
use crate::handle::OpenValues;
use crate::pointer::invalid;
use crate::record::{RecordTexts, axh_record_t};
use crate::record_filter::axh_reader_t;

/// A reader, and what it has given to C.
pub(crate) struct OpenReader {
    pub(crate) ledger: LedgerReader,
    blobs: BlobStore,
    texts: RecordTexts,
    columns: ColumnBuffers,
    last: LastRecord,
    question: Vec<u8>,
    answer: Vec<u8>,
}

/// What the bytes beside the last record are named by.
#[derive(Clone, Copy, Default)]
struct LastRecord {
    sequence: u64,
    question: Option<Hash>,
    raw_answer: Option<Hash>,
    /// Whether the record is an observation that holds its whole answer.
    is_whole: bool,
}

static OPEN: OpenValues<Mutex<Option<OpenReader>>> = OpenValues::new(HandleOf {
    what: "reader",
    given_by: "axh_reader_open",
});

/// Keeps a reader and gives its handle.
pub(crate) fn keep(ledger: LedgerReader) -> *mut axh_reader_t {
    let path = ledger.path().to_owned();
    let reader = OpenReader {
        blobs: BlobStore::of_ledger(&path),
        ledger,
        texts: RecordTexts::default(),
        columns: ColumnBuffers::default(),
        last: LastRecord::default(),
        question: Vec::new(),
        answer: Vec::new(),
    };
    ptr::without_provenance_mut(OPEN.keep(&path, Mutex::new(Some(reader))))
}

/// Calls `act` with the reader, once the calls before it have returned.
pub(crate) fn with_reader<T>(
    handle: *const axh_reader_t,
    act: impl FnOnce(&mut OpenReader) -> Result<T, HostError>,
) -> Result<T, HostError> {
    let opened = OPEN.find(handle.addr())?;
    let Ok(mut reader) = opened.value.lock() else {
        return Err(HostError::Defect(
            "an earlier call panicked in the middle of reading".to_owned(),
        ));
    };
    act(reader.as_mut().ok_or_else(|| OPEN.closed())?)
}

/// Closes a reader, once the calls before have returned.
pub(crate) fn close(handle: *const axh_reader_t) -> Result<(), HostError> {
    let opened = OPEN.remove(handle.addr())?;
    let mut reader = opened.value.lock().unwrap_or_else(PoisonError::into_inner);
    reader.take().map(drop).ok_or_else(|| OPEN.closed())
}

impl OpenReader {
    /// Reads the next record; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<axh_record_t>, HostError> {
        let texts = &mut self.texts;
        self.last = LastRecord::default();
        let read = self
            .ledger
            .read_next(|read| (LastRecord::of(read), texts.copy(read)))?;
        Ok(read.map(|(last, record)| {
            self.last = last;
            record
        }))
    }

    /// Reads up to so many records; `None` at the end.
    pub(crate) fn next_columns(&mut self, most: usize) -> Result<Option<axh_columns_t>, HostError> {
        let columns = &mut self.columns;
        self.last = LastRecord::default();
        columns.clear();
        while columns.len() < most && !columns.is_full() {
            match self.ledger.read_next(|read| columns.push(read)) {
                Ok(Some(())) => {}
                Ok(None) => break,
                // The next call meets it again.
                Err(_) if columns.len() > 0 => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok((columns.len() > 0).then(|| columns.columns()))
    }

    /// The canonical question of the observation that was read last.
    pub(crate) fn question(&mut self) -> Result<&[u8], HostError> {
        let Some(hash) = self.last.question else {
            return Err(invalid(
                "the record that was read last is no observation, and has no question: call this after an AXH_RECORD_OBSERVATION",
            ));
        };
        self.question = read_blob(&self.blobs, &hash, self.last.sequence)?;
        Ok(&self.question)
    }

    /// The whole answer of the record that was read last.
    pub(crate) fn raw_answer(&mut self) -> Result<&[u8], HostError> {
        match self.last.raw_answer {
            Some(hash) => {
                self.answer = read_blob(&self.blobs, &hash, self.last.sequence)?;
                Ok(&self.answer)
            }
            None if self.last.is_whole => Ok(self.texts.output()),
            None => Err(invalid(
                "the record that was read last does not lead to a whole answer: call this after an AXH_RECORD_RAW_ANSWER, or an AXH_RECORD_OBSERVATION that holds its answer",
            )),
        }
    }
}

impl LastRecord {
    fn of(read: &ReadRecord<'_>) -> LastRecord {
        let sequence = read.verified.entry.sequence;
        match &read.contents {
            RecordContents::Observation(view) => LastRecord {
                sequence,
                question: Some(view.input_hash),
                raw_answer: None,
                is_whole: view.failure.is_none() && !may_lack_answer(view),
            },
            RecordContents::RawAnswer(raw) => LastRecord {
                sequence,
                raw_answer: Some(raw.sha256),
                ..LastRecord::default()
            },
            _ => LastRecord::default(),
        }
    }
}

/// Reads a blob that record `sequence` names, and compares it with its hash.
fn read_blob(blobs: &BlobStore, hash: &Hash, sequence: u64) -> Result<Vec<u8>, HostError> {
    if *hash == sha256(b"") {
        return Ok(Vec::new());
    }
    let wrong = |found| HostError::Blob {
        path: blobs.path(hash).into(),
        sequence,
        found,
    };
    // One byte more than the longest shows that there are more.
    let read = blobs.read(hash, MAX_INPUT_BYTES.saturating_add(1))?;
    let bytes = read.ok_or_else(|| wrong("found no file"))?;
    match sha256(&bytes) == *hash {
        true => Ok(bytes),
        false => Err(wrong("found other bytes, or more than 64 MiB")),
    }
}
