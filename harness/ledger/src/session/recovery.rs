//! What opening a ledger does with what an interruption left: a torn last line, an answer that its RAW record does
//! not bind yet, a step without its last records, blobs that no record names.
//!
//! formats.md §6 (Ledger file, Blobs, Raw answers).

use std::collections::HashMap;
use std::io::{ErrorKind, Read};
use std::path::Path;

use axilog::evidence::proof::RawAnswer;
use axilog::evidence::view::ObservationView;
use axilog::fault::{Error as CoreError, Faults};
use axilog::hash::{Hash, Tag, sha256};
use axilog::ledger_line;
use axilog::replay::{Replay, Verdict};
use axilog_policyc::PolicySet;

use crate::admission::{AnswerFit, AnswerText, compare_answer, may_lack_answer};
use crate::decision::StepRecorder;
use crate::durability::LedgerPosition;
use crate::encoding::unescape;
use crate::error::{FileError, LedgerError};
use crate::file::LedgerFile;
use crate::file::blobs::BlobStore;
use crate::input_file::MAX_INPUT_BYTES;
use crate::named_blobs::{NamedBlobs, read_raw_answer};
use crate::replay::{ReplayReport, replay_ledger};
use crate::rules::{ExpectedRules, RuleSet};
use crate::verify::{LedgerExpectations, VerifiedRecord};

/// A ledger that was replayed, with its torn last line moved aside.
pub(super) struct ReplayedLedger {
    pub(super) rules: RuleSet,
    pub(super) replay: Replay,
    /// The model of each oracle, by oracle id.
    pub(super) models: HashMap<String, String>,
    named: NamedBlobs,
    /// The last record, if it is an observation that does not hold its answer.
    unheld: Option<Vec<u8>>,
    /// The torn last line.
    torn: Vec<u8>,
}

/// Replays the ledger, moves a torn last line aside, and makes durable what the ledger holds.
pub(super) fn replay_and_move_torn_line(
    file: &mut LedgerFile,
    policies: Option<&PolicySet>,
) -> Result<ReplayedLedger, LedgerError> {
    let path = file.path().to_owned();
    let mut read = RecordReader::default();
    let mut replayed = read.replay(file, policies)?;
    let mut torn = Vec::new();
    // A torn line behind a seal is no trace of an interruption: nothing is written after a seal.
    if let Some(fault) = &replayed.verification.fault
        && fault.verdict == Verdict::Torn
        && fault.sequence > 0
        && !replayed.verification.replay.ledger().sealed
    {
        torn = file.move_torn_line_aside(fault.offset)?;
        read = RecordReader::default();
        replayed = read.replay(file, policies)?;
    }
    if let Some(fault) = replayed.verification.fault {
        return Err(LedgerError::Damaged { path, fault });
    }
    let replay = replayed.verification.replay;
    if !replay.ledger().sealed {
        file.sync_recovered(LedgerPosition {
            entries: replay.entries(),
            head: replay.ledger().head,
        })?;
    }
    let no_rules = || LedgerError::Core {
        path: path.clone(),
        source: CoreError::Protocol,
    };
    let (rules, _) = replayed.rules.ok_or_else(no_rules)?;
    Ok(ReplayedLedger {
        rules,
        replay,
        models: read.models,
        named: read.named,
        unheld: read.unheld,
        torn,
    })
}

/// What a replay notes of the records.
#[derive(Default)]
struct RecordReader {
    models: HashMap<String, String>,
    named: NamedBlobs,
    unheld: Option<Vec<u8>>,
}

impl RecordReader {
    fn replay(
        &mut self,
        file: &LedgerFile,
        policies: Option<&PolicySet>,
    ) -> Result<ReplayReport, LedgerError> {
        let rules = ExpectedRules {
            policies,
            switches: None,
        };
        let expected = LedgerExpectations::default();
        replay_ledger(file.bytes(), file.path(), rules, &expected, &mut |record| {
            self.take(record);
        })
    }

    fn take(&mut self, record: &VerifiedRecord<'_>) {
        let view = record.observation.as_ref();
        self.named.take_record(&record.entry, view);
        self.unheld = None;
        let Some(view) = view else {
            return;
        };
        self.models
            .entry(unescape(view.oracle_id))
            .or_insert_with(|| unescape(view.model_id));
        if may_lack_answer(view) {
            self.unheld = Some(record.entry.payload.to_owned());
        }
    }
}

impl ReplayedLedger {
    /// Binds the answer of the last observation, where an interruption kept its RAW record from being written and the
    /// answer is found among the blobs: in the torn line's record, or as the only one that can be meant. An answer that
    /// is not found stays unbound.
    pub(super) fn bind_interrupted_answer(
        &mut self,
        file: &LedgerFile,
        recorder: &mut StepRecorder,
    ) -> Result<(), LedgerError> {
        if !self.replay.awaits_raw_answer() {
            return Ok(());
        }
        let Some(record) = self.unheld.take() else {
            return Ok(());
        };
        let core_error = |source| LedgerError::Core {
            path: file.path().to_owned(),
            source,
        };
        let view = ObservationView::parse(&record).map_err(core_error)?;
        // The manifest and its schemas are no answers.
        self.name_bound_documents(file)?;
        let mut found = Vec::new();
        for candidate in file.list_unnamed_files(&|hash| self.named.contains(hash))? {
            let Some(hash) = candidate.hash else {
                continue;
            };
            if let Some(raw) = self.read_candidate(file, &candidate.path, &hash, &view)? {
                found.push(self.write_raw_record(&raw).map_err(core_error)?);
            }
        }
        found.retain(|step| step.batch.lines().starts_with(&self.torn));
        let (Some(step), true) = (found.pop(), found.is_empty()) else {
            return Ok(());
        };
        let entry = ledger_line::parse(step.batch.lines()).map_err(core_error)?;
        let rules = self.rules.rules();
        if self.replay.feed(&entry, Some(&rules)) != Verdict::Ok {
            return Err(core_error(CoreError::Ledger));
        }
        if let Some(raw) = read_raw_answer(&entry) {
            self.named.add(raw.sha256);
        }
        *recorder = step;
        Ok(())
    }

    /// Reads a blob that no record names, and gives its binding where it can be the answer of the observation.
    fn read_candidate(
        &self,
        file: &LedgerFile,
        path: &Path,
        hash: &Hash,
        view: &ObservationView<'_>,
    ) -> Result<Option<RawAnswer>, LedgerError> {
        let mut answer = Vec::new();
        let read = file.volume().read(path).and_then(|source| {
            source
                .take(MAX_INPUT_BYTES.saturating_add(1))
                .read_to_end(&mut answer)
        });
        match read {
            // What is no regular file is no blob.
            Err(error) if error.kind() == ErrorKind::InvalidInput => return Ok(None),
            read => read.map_err(FileError::from_io(path, "read the blob"))?,
        };
        let may_be_refused_by_schema = self.rules.manifest().is_some();
        let fits = match compare_answer(view, AnswerText::of(&answer), &answer) {
            AnswerFit::Recorded => true,
            AnswerFit::Admissible => may_be_refused_by_schema,
            AnswerFit::Differs(_) => false,
        };
        let is_whole = sha256(&answer) == *hash;
        Ok((fits && is_whole).then(|| RawAnswer::of(view.ledger_seq, &answer)))
    }

    fn write_raw_record(&self, raw: &RawAnswer) -> Result<StepRecorder, CoreError> {
        let mut step = StepRecorder::default();
        let mut ledger = self.replay.ledger().clone();
        let mut faults = Faults::NONE;
        ledger.record_written(Tag::Proof, |out| raw.write(out), &mut step, &mut faults)?;
        Ok(step)
    }

    /// Moves the files among the blobs that no record names out of them. Where the manifest is missing, nobody knows
    /// which schemas it declares, and nothing is moved.
    pub(super) fn move_left_behind_aside(
        &mut self,
        file: &mut LedgerFile,
    ) -> Result<(), LedgerError> {
        match self.name_bound_documents(file)? {
            true => move_unnamed_aside(file, &self.named),
            false => Ok(()),
        }
    }

    /// Counts the manifest and the schemas that it declares among the blobs that the ledger names. Gives whether all of
    /// them are known.
    fn name_bound_documents(&mut self, file: &LedgerFile) -> Result<bool, LedgerError> {
        let store = BlobStore::of_ledger(file.path());
        let found = self.named.find_bound_documents(&store)?;
        for hash in found.hashes {
            self.named.add(hash);
        }
        Ok(!found.lacks_manifest)
    }
}

/// Moves the files among the blobs that `named` does not know out of them.
pub(super) fn move_unnamed_aside(
    file: &mut LedgerFile,
    named: &NamedBlobs,
) -> Result<(), LedgerError> {
    let unnamed = file.list_unnamed_files(&|hash| named.contains(hash))?;
    file.move_left_behind_aside(&unnamed)
}
