//! Streaming verification and replay of a ledger file: one line in memory at a time.
//!
//! formats.md §6 (Verification verdicts, Replay); SRS-004 §7.2 and §13 (SHALL-008, SHALL-017,
//! SHALL-018). Every verdict is the core's; this module adds what only a reader of files can see,
//! torn and over-long lines, and says where. Determinism: D2.

use std::io::{self, Read, Seek};
use std::path::Path;

use axilog::evidence::view::ObservationView;
use axilog::hash::{Hash, Tag};
use axilog::json::writer;
use axilog::ledger::Entry;
use axilog::ledger_line;
use axilog::policy::Rules;
use axilog::profile::Profile;
use axilog::replay::{Replay, Verdict};
use axilog_policyc::PolicySet;

use super::reader::{Line, Lines, MAX_LINE_BYTES};
use super::{LineBytes, blobs::Blobs, hex};
use crate::error::{Error, Fault};
use crate::rules::{self, Choice, Reset, RuleSet, Source};

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

/// Sees every observation that was found good.
pub type Watch<'w> = &'w mut dyn FnMut(&ObservationView<'_>);

/// A record that was found good, as readers of ledgers see it.
pub struct Record<'a> {
    /// The record with its place in the chain.
    pub entry: Entry<'a>,
    /// Where its line begins, in bytes.
    pub offset: u64,
    /// What it says, where it is an observation.
    pub observation: Option<ObservationView<'a>>,
}

/// Checks the ledger that `source` gives, as [`check`] does without rules, and shows every record
/// that is good, in order.
///
/// # Errors
/// What reading gives.
pub fn check_records(
    source: impl Read,
    expected: &Expected,
    see: &mut dyn FnMut(&Record<'_>),
) -> io::Result<Checked> {
    check_each(source, None, expected, see)
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
    watch: Watch<'_>,
) -> io::Result<Checked> {
    check_each(source, rules, expected, &mut |record| {
        if let Some(view) = &record.observation {
            watch(view);
        }
    })
}

fn check_each(
    source: impl Read,
    rules: Option<&Rules<'_>>,
    expected: &Expected,
    see: &mut dyn FnMut(&Record<'_>),
) -> io::Result<Checked> {
    let mut lines = Lines::new(source);
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
    while let Some((offset, line)) = lines.next_line()? {
        let sequence = checked.replay.entries();
        let refusal = match line {
            Line::Whole(line) => match ledger_line::parse(line) {
                Ok(entry) => {
                    if expected.entries == Some(sequence) {
                        surplus = offset;
                    }
                    last = offset;
                    if expected.head == Some(entry.chain) {
                        head_at = Some(sequence);
                    }
                    take(&mut checked, entry, offset, rules, &pins, see)
                }
                Err(_) => Some((
                    Verdict::NonCanonical,
                    "the line is not a ledger line in canonical form".to_owned(),
                )),
            },
            Line::Torn(bytes) => Some((
                Verdict::Torn,
                format!(
                    "the last line is incomplete: {} bytes without a line feed. Its write was interrupted, or the end was cut off; every line before is whole. Unless they stand behind a seal or were never a ledger, the next command that writes moves these bytes aside, to a file FILE.torn-N",
                    bytes.len()
                ),
            )),
            Line::TooLong => Some((
                Verdict::NonCanonical,
                format!("the line is longer than {MAX_LINE_BYTES} bytes, the most there can be"),
            )),
        };
        if let Some((verdict, reason)) = refusal {
            checked.replay.refuse(verdict);
            checked.fault = Some(Fault {
                verdict,
                sequence,
                offset,
                reason,
            });
            return Ok(checked);
        }
    }

    let verdict = checked
        .replay
        .finish(expected.entries, expected.head.as_ref());
    if verdict != Verdict::Ok {
        let entries = checked.replay.entries();
        let too_long = expected.entries.filter(|&n| n < entries);
        let (sequence, offset) = match (verdict, too_long) {
            (Verdict::Truncated, _) => (entries, lines.offset()),
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

/// Feeds one entry; what is wrong with it, if anything.
fn take(
    checked: &mut Checked,
    entry: Entry<'_>,
    offset: u64,
    rules: Option<&Rules<'_>>,
    pins: &[(Vec<u8>, Vec<u8>)],
    see: &mut dyn FnMut(&Record<'_>),
) -> Option<(Verdict, String)> {
    let expected = checked.replay.entries();
    let sealed = checked.replay.ledger().sealed;
    let verdict = checked.replay.feed(&entry, rules);
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
    if entry.tag != Tag::Obs {
        see(&Record {
            entry,
            offset,
            observation: None,
        });
        return None;
    }
    let view = ObservationView::parse(entry.payload).ok()?;
    let (oracle, model) = (view.oracle_id.bytes(), view.model_id.bytes());
    if let Some((_, wanted)) = pins.iter().find(|(o, m)| o == oracle && m != model) {
        let reason = format!(
            "the oracle \"{}\" has the model \"{}\", expected \"{}\"",
            oracle.escape_ascii(),
            model.escape_ascii(),
            wanted.escape_ascii()
        );
        return Some((Verdict::ModelMismatch, reason));
    }
    if let Some(seen) = Profile::ALL
        .iter()
        .position(|p| *p == view.profile)
        .and_then(|index| checked.profiles.get_mut(index))
    {
        *seen = true;
    }
    see(&Record {
        entry,
        offset,
        observation: Some(view),
    });
    None
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

/// A replayed ledger.
pub struct Replayed {
    /// What was found.
    pub checked: Checked,
    /// The rules it was replayed under and where they came from; `None` where they could not be
    /// had and `checked` is of a verification.
    pub rules: Option<(RuleSet, Source)>,
}

/// Replays the ledger that `source` gives, under the rules that it names (see [`rules::choose`]).
/// `path` is for messages.
///
/// # Errors
/// [`Error::Io`]; [`Error::ConfigurationMissing`] and [`Error::ConfigurationUnreadable`] where the
/// ledger is good but its rules cannot be had. Rules that are not the ledger's are a fault.
pub fn replay(
    mut source: impl Read + Seek,
    path: &Path,
    policies: Option<&PolicySet>,
    expected: &Expected,
    watch: Watch<'_>,
) -> Result<Replayed, Error> {
    let failed = || Error::io(path, "read the ledger");
    let blobs = Blobs::beside(path);
    source.rewind().map_err(failed())?;
    let reset = rules::first_reset(&mut source).map_err(failed())?;
    source.rewind().map_err(failed())?;
    let choice = rules::choose(reset.as_ref(), &blobs, policies);
    if let Ok(Choice::Use(rules, origin)) = choice {
        let checked = check(source, Some(&rules.rules()), expected, watch).map_err(failed())?;
        return Ok(Replayed {
            checked,
            rules: Some((rules, origin)),
        });
    }

    // What is wrong with the ledger itself matters more than its rules.
    let mut checked = check(source, None, expected, watch).map_err(failed())?;
    let others = matches!(choice, Ok(Choice::CallerDiffers | Choice::BlobDiffers));
    // A torn line ends a ledger that is good without it, which needs its rules all the same.
    let comes_first = |fault: &Fault| match others {
        true => reset.is_none_or(|reset| fault.sequence <= reset.sequence),
        false => fault.verdict != Verdict::Torn,
    };
    if checked.fault.as_ref().is_some_and(comes_first) {
        return Ok(Replayed {
            checked,
            rules: None,
        });
    }
    let hash = reset.map(|r| r.configuration).unwrap_or_default();
    let reason = match choice? {
        Choice::Missing => {
            return Err(Error::ConfigurationMissing {
                path: path.to_owned(),
                hash: hex(&hash),
                blob: blobs.path(&hash),
            });
        }
        Choice::BlobDiffers => format!("the bytes of {} are others", blobs.path(&hash).display()),
        _ => "the policies given are others".to_owned(),
    };
    let Reset {
        sequence, offset, ..
    } = reset.unwrap_or(Reset {
        configuration: hash,
        sequence: 0,
        offset: 0,
    });
    checked.fault = Some(Fault {
        verdict: Verdict::ConfigMismatch,
        sequence,
        offset,
        reason: format!(
            "the ledger was made under the configuration {}; {reason}",
            hex(&hash)
        ),
    });
    Ok(Replayed {
        checked,
        rules: None,
    })
}
