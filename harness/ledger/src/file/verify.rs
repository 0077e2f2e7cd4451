//! Streaming verification of a ledger file, in constant memory and on every core.
//!
//! formats.md §6 (Verification verdicts); SRS-004 §7.2 and §13 (SHALL-008, SHALL-017, SHALL-018). Every verdict is the core's; this module adds what only a reader of files can see,
//! torn and over-long lines, and says where. Determinism: D2.

use std::io::{self, Read};
use std::ops::ControlFlow;

use axilog::evidence::view::ObservationView;
use axilog::hash::Hash;
use axilog::json::writer;
use axilog::ledger::Entry;
use axilog::policy::Rules;
use axilog::profile::Profile;
use axilog::replay::{Examined, Replay, Verdict};

use super::examine::{Found, each_line};
use super::reader::MAX_LINE_BYTES;
use super::{LineBytes, hex};
use crate::error::Fault;

/// What the caller knows about the ledger from elsewhere. An unkeyed chain cannot say it itself:
/// whoever can write the file can write it anew, or cut its end off.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// How many records it has, genesis included, a seal not counted.
    pub entries: Option<u64>,
    /// The chain value of its last record, a seal counted or not.
    pub head: Option<Hash>,
    /// Which model an oracle has, by id.
    pub models: Vec<(String, String)>,
}

/// What was found in a ledger file.
pub struct Checked {
    /// The chain and the agent, as far as they are good.
    pub replay: Replay,
    /// The first thing that is wrong.
    pub fault: Option<Fault>,
    /// Which profiles its observations are written in, in the order of [`Profile::ALL`].
    pub profiles: [bool; 3],
}

impl Checked {
    /// The verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.fault.as_ref().map_or(Verdict::Ok, |f| f.verdict)
    }
}

/// Sees every record that was found good, in order.
pub type See<'s> = &'s mut dyn FnMut(&Record<'_>);

/// A record that was found good, as readers of ledgers see it.
pub struct Record<'a> {
    /// The record with its place in the chain.
    pub entry: Entry<'a>,
    /// Where its line begins, in bytes.
    pub offset: u64,
    /// What it says, where it is an observation.
    pub observation: Option<ObservationView<'a>>,
}

/// Checks the ledger that `source` gives: hashes, chain, form, order, witnesses and models, and
/// with `rules` every decision too.
///
/// # Errors
/// What reading gives.
pub fn check(
    source: impl Read,
    rules: Option<&Rules<'_>>,
    expected: &Expected,
    see: See<'_>,
) -> io::Result<Checked> {
    let mut checked = Checked {
        replay: Replay::new(),
        fault: None,
        profiles: [false; 3],
    };
    let pins: Vec<(Vec<u8>, Vec<u8>)> = expected
        .models
        .iter()
        .map(|(oracle, model)| (escaped(oracle), escaped(model)))
        .collect();
    // Where the record behind the expected last one, the last one, and the one with the expected
    // head begin.
    let (mut surplus, mut last, mut head_at) = (0, 0, None);
    let end = each_line(source, &mut |offset, found| {
        let sequence = checked.replay.entries();
        let refusal = match found {
            Found::Record(examined) => {
                if expected.entries == Some(sequence) {
                    surplus = offset;
                }
                last = offset;
                if expected.head == Some(examined.entry().chain) {
                    head_at = Some(sequence);
                }
                take(&mut checked, examined, offset, rules, &pins, see)
            }
            Found::NotALine => Some((
                Verdict::NonCanonical,
                "the line is not a ledger line in canonical form".to_owned(),
            )),
            Found::Torn(bytes) => Some((
                Verdict::Torn,
                format!(
                    "the last line is incomplete: {bytes} bytes without a line feed. Its write was interrupted, or the end was cut off; every line before is whole. Unless they stand behind a seal or were never a ledger, the next command that writes moves these bytes aside, to a file FILE.torn-N"
                ),
            )),
            Found::TooLong => Some((
                Verdict::NonCanonical,
                format!("the line is longer than {MAX_LINE_BYTES} bytes, the most there can be"),
            )),
        };
        let Some((verdict, reason)) = refusal else {
            return ControlFlow::Continue(());
        };
        checked.replay.refuse(verdict);
        checked.fault = Some(Fault {
            verdict,
            sequence,
            offset,
            reason,
        });
        ControlFlow::Break(())
    })?;
    if checked.fault.is_some() {
        return Ok(checked);
    }

    let verdict = checked
        .replay
        .finish(expected.entries, expected.head.as_ref());
    if verdict != Verdict::Ok {
        let entries = checked.replay.entries();
        let too_long = expected.entries.filter(|&n| n < entries);
        let (sequence, offset) = match (verdict, too_long) {
            (Verdict::Truncated, _) => (entries, end),
            (_, Some(expected)) if surplus > 0 => (expected, surplus),
            _ => (entries.saturating_sub(1), last),
        };
        checked.fault = Some(Fault {
            verdict,
            sequence,
            offset,
            reason: unexpected(&checked.replay, expected, head_at),
        });
    }
    Ok(checked)
}

/// Takes the next record; what is wrong with it, if anything.
fn take(
    checked: &mut Checked,
    examined: &Examined<'_>,
    offset: u64,
    rules: Option<&Rules<'_>>,
    pins: &[(Vec<u8>, Vec<u8>)],
    see: See<'_>,
) -> Option<(Verdict, String)> {
    let entry = *examined.entry();
    let expected = checked.replay.entries();
    let sealed = checked.replay.ledger().sealed;
    let verdict = checked.replay.take(examined, rules);
    if verdict != Verdict::Ok {
        let reason = match verdict {
            Verdict::Reordered if sealed => "a record behind the seal".to_owned(),
            Verdict::Reordered if entry.sequence != expected => format!(
                "found the sequence number {}, expected {expected}",
                entry.sequence
            ),
            _ => meaning(verdict).to_owned(),
        };
        return Some((verdict, reason));
    }
    let observation = examined.observation().copied();
    if let Some(view) = &observation {
        if let Some(reason) = another_model(view, pins) {
            return Some((Verdict::ModelMismatch, reason));
        }
        let index = Profile::ALL.iter().position(|p| *p == view.profile);
        if let Some(seen) = index.and_then(|index| checked.profiles.get_mut(index)) {
            *seen = true;
        }
    }
    see(&Record {
        entry,
        offset,
        observation,
    });
    None
}

/// Why the observation is not of the model that its oracle is expected to have, if it is not.
fn another_model(view: &ObservationView<'_>, pins: &[(Vec<u8>, Vec<u8>)]) -> Option<String> {
    let (oracle, model) = (view.oracle_id.bytes(), view.model_id.bytes());
    let (_, wanted) = pins.iter().find(|(o, m)| o == oracle && m != model)?;
    Some(format!(
        "the oracle \"{}\" has the model \"{}\", expected \"{}\"",
        oracle.escape_ascii(),
        model.escape_ascii(),
        wanted.escape_ascii()
    ))
}

fn unexpected(replay: &Replay, expected: &Expected, head_at: Option<u64>) -> String {
    let entries = replay.entries();
    if entries == 0 {
        return "the file is empty, not even a genesis".to_owned();
    }
    let counted = entries.saturating_sub(u64::from(replay.ledger().sealed));
    match (expected.entries, expected.head) {
        (Some(wanted), _) if wanted != counted => {
            format!("the ledger has {counted} records, expected {wanted}")
        }
        (_, Some(head)) => {
            let wanted = hex(&head);
            let place = head_at.map_or("no record has".to_owned(), |n| {
                format!("the ledger goes on after record {n}, which has")
            });
            format!(
                "the head is {}; {place} the expected one, {wanted}",
                hex(&replay.ledger().head)
            )
        }
        _ => meaning(Verdict::Truncated).to_owned(),
    }
}

/// What a verdict says about the record it names.
#[must_use]
pub fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ok => "nothing is wrong",
        Verdict::Altered => "its bytes do not match its commit, its obs_hash or the chain",
        Verdict::Reordered => "it stands where it cannot stand",
        Verdict::Truncated => "records are missing behind it",
        Verdict::Torn => "the last line is incomplete",
        Verdict::NonCanonical => "the record is not in its canonical form",
        Verdict::Unwitnessed => "a decision without the observation or the policies it rests on",
        Verdict::Diverged => "replaying the observations gives another record here",
        Verdict::ConfigMismatch => "a reset under other rules than the ones given",
        Verdict::ModelMismatch => "its oracle has another model elsewhere in this ledger",
    }
}

/// An identity as it stands in a record; identities hold nothing that the profiles write unlike.
fn escaped(id: &str) -> Vec<u8> {
    let mut bytes = LineBytes::default();
    writer::escape(id.as_bytes(), Profile::Rfc8785, &mut bytes);
    bytes.0
}
