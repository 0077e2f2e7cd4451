//! Admission: an oracle's answer becomes an observation, or nothing does.
//!
//! formats.md §3, Admission; SRS-004 §4 to §9 (SHALL-003, SHALL-005, SHALL-010, SHALL-012,
//! SHALL-020, SHALL-022, SHALL-037, SHALL-038, SHALL-040, SHALL-042, SHALL-043, SHALL-048).
//! Determinism: D3 at its entry, D1 from its result on.

#![forbid(unsafe_code)]

use crate::evidence::observation::{
    Completion, Failure, MAX_RECORD_BYTES, Observation, Params, is_consistent, is_valid_id,
};
use crate::fault::Error;
use crate::hash::{Hash, Hasher, HexHash, sha256};
use crate::json::canonical::is_canonical_json;
use crate::profile::Profile;
use crate::text::Text;

/// The declared schema of an input (decision D20).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputKind {
    /// Any admissible text.
    #[default]
    Text,
    /// Canonical JSON.
    Json,
}

/// One call of an oracle: its input and its raw answer.
#[derive(Clone, Copy)]
pub struct Answer<'a> {
    /// The completion state as the caller saw it; admission may make it worse, never better.
    pub completion: Completion,
    /// With [`Completion::Error`] only.
    pub failure: Option<Failure>,
    /// The exact input of the call.
    pub input: &'a [u8],
    /// The declared schema of the input.
    pub input_kind: InputKind,
    /// The observation's position; must exceed the last admitted one.
    pub ledger_seq: u64,
    /// Versioned model identity.
    pub model_id: &'a [u8],
    /// Identity of the oracle.
    pub oracle_id: &'a [u8],
    /// The exact output of the call.
    pub output: &'a [u8],
    /// Sampling parameters of the call.
    pub params: Params,
}

/// The limits an answer is admitted under.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How the record will be written.
    pub profile: Profile,
    /// The longest record in bytes.
    pub max_record: usize,
    /// The longest raw output in bytes, if there is such a cap.
    pub max_output: Option<usize>,
    /// Whether U+007F is a forbidden control character.
    pub reject_del: bool,
}

impl Limits {
    /// The library's own: profile 0 and the record limit of SRS-004-SHALL-048.
    pub const DEFAULT: Limits = Limits {
        profile: Profile::Rfc8785,
        max_record: MAX_RECORD_BYTES,
        max_output: None,
        reject_del: false,
    };
}

/// The change that admission made to an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdmissionOutcome {
    /// Nothing: the record says what the caller said.
    AsGiven,
    /// It was too long and is TRUNCATED.
    Cut,
    /// The input or the answer was not admissible and the record is ERROR / INVALID_OUTPUT.
    Invalid,
}

/// Makes the observation of `answer`. `last_seq` is the last admitted sequence, `None` before the
/// first; moving it is the caller's business, after the record is safe.
///
/// # Errors
/// Nothing is admitted with [`Error::Ordering`] for a sequence that does not increase,
/// [`Error::Schema`] for identities, parameters or states that are the caller's mistake, and
/// [`Error::Buffer`] where not even the record with an empty output fits.
pub fn admit<'a>(
    answer: &Answer<'a>,
    last_seq: Option<u64>,
    limits: &Limits,
) -> Result<(Observation<'a>, AdmissionOutcome), Error> {
    if last_seq.is_some_and(|last| answer.ledger_seq <= last) {
        return Err(Error::Ordering);
    }
    let has_output = !answer.output.is_empty();
    if !is_valid_id(answer.oracle_id)
        || !is_valid_id(answer.model_id)
        || !answer.params.is_valid()
        || !is_consistent(answer.completion, answer.failure, has_output)
    {
        return Err(Error::Schema);
    }

    let input = input_hash(answer.input, answer.input_kind);
    let output = Text::check(answer.output, limits.reject_del);
    let (Ok(input_hash), Ok(output)) = (input, output) else {
        let input_hash = input.unwrap_or_else(|_| sha256(answer.input));
        return check_fits(invalid_observation(answer, input_hash), limits)
            .map(|obs| (obs, AdmissionOutcome::Invalid));
    };

    let whole = Observation {
        completion: answer.completion,
        failure: answer.failure,
        input_hash,
        ledger_seq: answer.ledger_seq,
        model_id: answer.model_id,
        oracle_id: answer.oracle_id,
        output,
        output_size: output.len() as u64,
        params: answer.params,
    };
    let capped = limits.max_output.filter(|&cap| answer.output.len() > cap);
    if let Some(cap) = capped {
        let cut = Observation {
            completion: Completion::Truncated,
            output: output.prefix(cap),
            output_size: answer.output.len() as u64,
            ..whole
        };
        return truncate(cut, limits).map(|obs| (obs, AdmissionOutcome::Cut));
    }
    if fits(&whole, limits) {
        return Ok((whole, AdmissionOutcome::AsGiven));
    }
    let cut = Observation {
        completion: Completion::Truncated,
        ..whole
    };
    truncate(cut, limits).map(|obs| (obs, AdmissionOutcome::Cut))
}

/// SHA-256 of the canonical form of an input.
///
/// # Errors
/// [`Error::Encoding`] where it has none: text that is not admissible, or with
/// [`InputKind::Json`] bytes that are not canonical JSON as they stand.
pub fn input_hash(input: &[u8], kind: InputKind) -> Result<Hash, Error> {
    let text = Text::check(input, false)?;
    if kind == InputKind::Json && !is_canonical_json(input) {
        return Err(Error::Encoding);
    }
    let mut hasher = Hasher::new();
    text.runs().for_each(|run| hasher.update(run));
    Ok(hasher.finish())
}

/// SHA-256 of a predecessor's `obs_hash` as 64 digits and the derivation bytes (SRS-004 §10.1).
#[must_use]
pub fn derivation_hash(obs_hash: &HexHash, derivation: &[u8]) -> Hash {
    let mut hasher = Hasher::new();
    hasher.update(obs_hash);
    hasher.update(derivation);
    hasher.finish()
}

fn invalid_observation<'a>(answer: &Answer<'a>, input_hash: Hash) -> Observation<'a> {
    Observation {
        completion: Completion::Error,
        failure: Some(Failure::InvalidOutput),
        input_hash,
        ledger_seq: answer.ledger_seq,
        model_id: answer.model_id,
        oracle_id: answer.oracle_id,
        output: Text::EMPTY,
        output_size: 0,
        params: answer.params,
    }
}

fn check_fits<'a>(observation: Observation<'a>, limits: &Limits) -> Result<Observation<'a>, Error> {
    if fits(&observation, limits) {
        Ok(observation)
    } else {
        Err(Error::Buffer)
    }
}

/// Cuts the output to the longest prefix whose record fits.
pub(crate) fn truncate<'a>(
    cut: Observation<'a>,
    limits: &Limits,
) -> Result<Observation<'a>, Error> {
    if fits(&cut, limits) {
        return Ok(cut);
    }
    let empty = Observation {
        output: Text::EMPTY,
        ..cut
    };
    let room = limits
        .max_record
        .checked_sub(empty.len(limits.profile))
        .ok_or(Error::Buffer)?;
    let output = cut
        .output
        .prefix(raw_len_within(cut.output.raw(), room, limits.profile));
    Ok(Observation { output, ..cut })
}

fn fits(observation: &Observation<'_>, limits: &Limits) -> bool {
    // Counting escapes costs a pass over the output. Most answers are short enough to fit even if
    // every byte of them were escaped.
    let longest_escape = if limits.profile.short_escapes() { 2 } else { 6 };
    let empty = Observation {
        output: Text::EMPTY,
        ..*observation
    }
    .len(limits.profile);
    let bound = observation
        .output
        .raw()
        .len()
        .saturating_mul(longest_escape)
        .saturating_add(empty);
    bound <= limits.max_record || observation.len(limits.profile) <= limits.max_record
}

/// The length of the longest prefix of admissible raw text, cut at a code point boundary, that is at
/// most `room` bytes long when normalised and escaped.
fn raw_len_within(raw: &[u8], room: usize, profile: Profile) -> usize {
    let line_feed = if profile.short_escapes() { 2 } else { 6 };
    let mut used = 0usize;
    let mut taken = 0usize;
    let mut rest = raw;
    while let Some((&byte, _)) = rest.split_first() {
        let (raw_len, escaped_len) = match byte {
            b'\r' if rest.starts_with(b"\r\n") => (2, line_feed),
            b'\r' | b'\n' => (1, line_feed),
            b'"' | b'\\' => (1, 2),
            0x00..=0x7F => (1, 1),
            0x80..=0xDF => (2, 2),
            0xE0..=0xEF => (3, 3),
            0xF0..=0xFF => (4, 4),
        };
        used = used.saturating_add(escaped_len);
        let (true, Some(tail)) = (used <= room, rest.get(raw_len..)) else {
            break;
        };
        taken = taken.saturating_add(raw_len);
        rest = tail;
    }
    taken
}
