//! The report of a verification, and what each line adds to it: the state after it, or the fault. Determinism: D2.

use axilog::evidence::view::ObservationView;
use axilog::ledger::Entry;
use axilog::policy::Rules;
use axilog::replay::{CheckedEntry, Replay, Verdict};

use super::deployed::{ChainBehind, DeployedRecords, note_profile};
use super::examined_line::ExaminedLine;
use super::oracle_models::OracleModels;
use super::terms::find_model_mismatch;
use super::verdicts::describe_verdict;
use crate::error::LedgerFault;
use crate::file::beginning::begins_as_ledger;
use crate::file::genesis_line;
use crate::file::lines::MAX_LINE_BYTES;

/// The most characters that are shown of a file that is no ledger.
const SHOWN_CHARACTERS: usize = 24;

/// The result of a verification.
pub struct VerificationReport {
    /// The state of the chain and of the agent after the last good record.
    pub replay: Replay,
    /// The first fault; `None` in a good ledger.
    pub fault: Option<LedgerFault>,
    /// Whether any observation is written in each profile, in the order of [`Profile::ALL`](axilog::profile::Profile::ALL).
    pub profiles: [bool; 3],
    /// The records that deployed code wrote, and that SRS-004 or this library does not have.
    pub deployed: DeployedRecords,
    /// The chain after the first of them that no reader takes; `None` where readers take them all.
    pub chain_behind: Option<ChainBehind>,
    /// The models of the oracles that the core has no room for.
    models: OracleModels,
}

impl VerificationReport {
    /// Begins a verification of which nothing has been read.
    pub(crate) fn new() -> VerificationReport {
        VerificationReport {
            replay: Replay::new(),
            fault: None,
            profiles: [false; 3],
            deployed: DeployedRecords::default(),
            chain_behind: None,
            models: OracleModels::default(),
        }
    }

    /// The rows that tell of records that deployed code wrote, if there is any.
    #[must_use]
    pub fn describe_deployed(&self) -> Vec<(&'static str, String)> {
        let mut rows = self.deployed.describe();
        rows.extend(self.chain_behind.iter().flat_map(ChainBehind::describe));
        rows
    }

    /// The verdict of the verification.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.fault.as_ref().map_or(Verdict::Ok, |f| f.verdict)
    }

    /// Whether the last step lacks decisions, which only a replay shows.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        matches!(self.replay.resume(), Ok((_, Some(_))))
    }

    /// What a writer at work could be the reason of, for [`look_until_settled`](super::look_until_settled): a fault, or a last step that lacks
    /// records.
    #[must_use]
    pub fn describe_doubt(&self) -> Option<String> {
        let fault = self.fault.as_ref().map(ToString::to_string);
        let is_unfinished = self.is_interrupted() || self.replay.awaits_raw_answer();
        let entries = self.replay.entries();
        fault.or_else(|| is_unfinished.then(|| format!("interrupted after {entries} records")))
    }
}

/// A visitor of the good records of a ledger, called with each one in order.
pub type RecordVisitor<'s> = &'s mut dyn FnMut(&VerifiedRecord<'_>);

/// A record that was verified.
pub struct VerifiedRecord<'a> {
    /// The record with its place in the chain.
    pub entry: Entry<'a>,
    /// The offset of its line in the file, in bytes.
    pub offset: u64,
    /// The parsed observation, where the record is one.
    pub observation: Option<ObservationView<'a>>,
}

/// Tells whether a file with these first bytes is a ledger, were it damaged or cut off.
pub(crate) fn may_begin_ledger(beginning: &[u8]) -> bool {
    begins_as_ledger(beginning) || genesis_line().starts_with(beginning)
}

/// Says of a file with these first bytes that it is no ledger.
pub(crate) fn describe_other_file(beginning: &[u8]) -> String {
    let found = String::from_utf8_lossy(beginning);
    let found: String = found.chars().take(SHOWN_CHARACTERS).collect();
    format!(
        "the file is no ledger: it begins with {found:?}, and a ledger with {{\"chain\":\"; name a file that axilog has written"
    )
}

/// Takes the next line and gives the verdict and reason where it is bad.
pub(crate) fn take_line(
    checked: &mut VerificationReport,
    line: &ExaminedLine<'_>,
    offset: u64,
    rules: Option<&Rules<'_>>,
    pins: &[(Vec<u8>, Vec<u8>)],
    see: RecordVisitor<'_>,
) -> Option<(Verdict, String)> {
    match line {
        ExaminedLine::Record(examined) => take_record(checked, examined, offset, rules, pins, see),
        ExaminedLine::NotALine => Some((
            Verdict::NonCanonical,
            "the line is not a ledger line in canonical form".to_owned(),
        )),
        ExaminedLine::Torn(bytes) => Some((
            Verdict::Torn,
            format!(
                "the last line is incomplete: {bytes} bytes without a line feed. Its write was interrupted, or the end was cut off; every line before is whole. Unless they follow a seal or were never a ledger, the next command that writes moves these bytes aside, to a file FILE.torn-N"
            ),
        )),
        ExaminedLine::TooLong => Some((
            Verdict::NonCanonical,
            format!("the line is longer than {MAX_LINE_BYTES} bytes, the most there can be"),
        )),
    }
}

/// Replays the next record and gives the verdict and reason where it is bad.
fn take_record(
    checked: &mut VerificationReport,
    examined: &CheckedEntry<'_>,
    offset: u64,
    rules: Option<&Rules<'_>>,
    pins: &[(Vec<u8>, Vec<u8>)],
    see: RecordVisitor<'_>,
) -> Option<(Verdict, String)> {
    let entry = *examined.entry();
    let expected = checked.replay.entries();
    let sealed = checked.replay.ledger().sealed;
    let verdict = checked.replay.take(examined, rules);
    if verdict != Verdict::Ok {
        let reason = match verdict {
            Verdict::Reordered if sealed => "a record after the seal".to_owned(),
            Verdict::Reordered if entry.sequence != expected => format!(
                "found the sequence number {}, expected {expected}",
                entry.sequence
            ),
            _ => describe_verdict(verdict).to_owned(),
        };
        return Some((verdict, reason));
    }
    let observation = examined.observation().copied();
    if let Some(view) = &observation {
        if let Some(reason) = find_model_mismatch(view, pins) {
            return Some((Verdict::ModelMismatch, reason));
        }
        if checked.replay.lost_track_of_models()
            && let Err(reason) = checked.models.check(view)
        {
            return Some((Verdict::ModelMismatch, reason));
        }
        note_profile(&mut checked.profiles, view.profile);
        checked.deployed.take_good(examined);
    }
    see(&VerifiedRecord {
        entry,
        offset,
        observation,
    });
    None
}
