//! The strict reader of `AX:OBS:v1`: exactly the canonical bytes of one profile, or an error.
//!
//! formats.md §3; c-abi.md `ax_obs_parse`. Determinism: D1.

use super::observation::{
    Completion, Failure, MAX_ID_BYTES, MAX_RECORD_BYTES, Params, hash_of_parts, is_consistent,
};
use super::reader::Reader;
use crate::fault::Error;
use crate::hash::Hash;
use crate::json::escaped::EscapedText;
use crate::profile::Profile;
use crate::search::run;
use crate::text;

/// The longest record that deployed gateways wrote, under profiles 1 and 2.
pub const MAX_GATEWAY_RECORD_BYTES: usize = 131_072;

/// A verified `AX:OBS:v1`, borrowed from its record.
#[derive(Clone, Copy)]
pub struct ObservationView<'a> {
    /// Whether the answer is whole.
    pub completion: Completion,
    /// How the oracle failed, if it did.
    pub failure: Option<Failure>,
    /// SHA-256 of the canonical input.
    pub input_hash: Hash,
    /// Position in the ledger.
    pub ledger_seq: u64,
    /// The versioned model identity, as escaped in the record.
    pub model_id: EscapedText<'a>,
    /// The record's own hash, recomputed and found equal.
    pub obs_hash: Hash,
    /// The identity of the oracle, as escaped in the record.
    pub oracle_id: EscapedText<'a>,
    /// The output, as escaped in the record.
    pub output: EscapedText<'a>,
    /// Bytes of the whole answer.
    pub output_size: u64,
    /// Bytes of the output in the record, without escapes: fewer than `output_size` where the answer
    /// was cut.
    pub output_held: u64,
    /// Sampling parameters.
    pub params: Params,
    /// The profile whose bytes these are; the lowest where several would be equal.
    pub profile: Profile,
    /// Whether only a deployed gateway can have written this: a record over 65536 bytes, or an
    /// error that kept its output. Never so under profile 0.
    pub gateway: bool,
}

impl<'a> ObservationView<'a> {
    /// Reads `record`.
    ///
    /// # Errors
    /// [`Error::Size`] for a record longer than its profile allows, [`Error::Encoding`] for text
    /// that is not admissible, [`Error::Hash`] where every byte is canonical but `obs_hash` is not
    /// the record's, [`Error::Schema`] for anything else.
    pub fn parse(record: &'a [u8]) -> Result<ObservationView<'a>, Error> {
        UnverifiedObservation::read(record)?.verify(None)
    }
}

/// An `AX:OBS:v1` in canonical form, whose `obs_hash` has not been compared with its bytes.
pub(crate) struct UnverifiedObservation<'a> {
    /// The view that it will be, but for the profile.
    view: ObservationView<'a>,
    line_ends: LineEnds,
    /// Whether it is an error that kept its output.
    kept_output: bool,
    /// The bytes of the record around the digits of `obs_hash`.
    around_hash: [&'a [u8]; 2],
}

impl<'a> UnverifiedObservation<'a> {
    /// Reads `record`.
    ///
    /// # Errors
    /// As [`ObservationView::parse`], but for [`Error::Hash`] and what is known only with the profile.
    pub(crate) fn read(record: &'a [u8]) -> Result<UnverifiedObservation<'a>, Error> {
        if record.len() > MAX_GATEWAY_RECORD_BYTES {
            return Err(Error::Size);
        }
        let mut reader = Reader::new(record);
        reader.literal(b"{\"completion_state\":")?;
        let completion = reader.one_of(&[
            ("\"COMPLETE\"", Completion::Complete),
            ("\"TRUNCATED\"", Completion::Truncated),
            ("\"ERROR\"", Completion::Error),
        ])?;
        reader.literal(b",\"failure_type\":")?;
        let failure = reader.one_of(&[
            ("null", None),
            ("\"TIMEOUT\"", Some(Failure::Timeout)),
            ("\"INVALID_OUTPUT\"", Some(Failure::InvalidOutput)),
            ("\"TRANSPORT_ERROR\"", Some(Failure::TransportError)),
        ])?;
        reader.literal(b",\"input_hash\":")?;
        let input_hash = reader.hash()?;
        reader.literal(b",\"ledger_seq\":")?;
        let ledger_seq = reader.u64()?;
        reader.literal(b",\"model_id\":")?;
        let model_id = identity(&mut reader)?;
        reader.literal(b",\"obs_hash\":")?;
        let before_hash = record
            .len()
            .saturating_sub(reader.rest().len())
            .saturating_add(1);
        let obs_hash = reader.hash()?;
        reader.literal(b",\"oracle_id\":")?;
        let oracle_id = identity(&mut reader)?;
        reader.literal(b",\"output\":")?;
        let output = string(&mut reader, true)?;
        reader.literal(b",\"output_size\":")?;
        let output_size = reader.u64()?;
        reader.literal(b",\"params\":{\"max_tokens\":")?;
        let max_tokens = reader.i32_or_null()?;
        reader.literal(b",\"seed\":")?;
        let seed = reader.i64_or_null()?;
        reader.literal(b",\"temperature\":")?;
        let temperature = reader.i32_or_null()?;
        reader.literal(b",\"top_p\":")?;
        let top_p = reader.i32_or_null()?;
        reader.literal(b"},\"schema_version\":\"AX:OBS:v1\"}")?;
        reader.end()?;
        let params = Params {
            max_tokens,
            seed,
            temperature,
            top_p,
        };

        let kept_output = completion == Completion::Error && output.len > 0;
        let gateway = kept_output || record.len() > MAX_RECORD_BYTES;
        let size_fits = match completion {
            Completion::Complete => output_size == output.len,
            Completion::Truncated => output_size >= output.len,
            Completion::Error => kept_output || output_size == 0,
        };
        if !params.is_valid() || !size_fits || !is_consistent(completion, failure, false) {
            return Err(Error::Schema);
        }

        let head = record.get(..before_hash).ok_or(Error::Schema)?;
        let tail = record
            .get(before_hash.saturating_add(64)..)
            .ok_or(Error::Schema)?;
        Ok(UnverifiedObservation {
            view: ObservationView {
                completion,
                failure,
                input_hash,
                ledger_seq,
                model_id,
                obs_hash,
                oracle_id,
                output: output.text,
                output_size,
                output_held: output.len,
                params,
                profile: Profile::Rfc8785,
                gateway,
            },
            line_ends: output.line_ends,
            kept_output,
            around_hash: [head, tail],
        })
    }

    /// The parts of the message whose digest [`UnverifiedObservation::verify`] can take.
    #[cfg(not(target_os = "none"))]
    pub(crate) fn plain_parts(&self) -> &[&'a [u8]; 2] {
        &self.around_hash
    }

    /// Compares `obs_hash` with the bytes. `plain_digest` is the digest of [`UnverifiedObservation::plain_parts`], for
    /// callers that have it already.
    ///
    /// # Errors
    /// As [`ObservationView::parse`].
    pub(crate) fn verify(self, plain_digest: Option<&Hash>) -> Result<ObservationView<'a>, Error> {
        let [head, tail] = self.around_hash;
        let view = self.view;
        let written_as = |profile: &Profile| {
            let plain_digest = plain_digest.filter(|_| !profile.tagged_hash());
            self.line_ends.allows(*profile)
                && match plain_digest {
                    Some(digest) => *digest == view.obs_hash,
                    None => hash_of_parts(*profile, head, tail) == view.obs_hash,
                }
        };
        let mut profiles = Profile::ALL.into_iter().filter(written_as).peekable();
        profiles.peek().ok_or(Error::Hash)?;
        let profile = profiles
            .find(|&profile| !(view.gateway && profile == Profile::Rfc8785))
            .ok_or(if self.kept_output {
                Error::Schema
            } else {
                Error::Size
            })?;
        Ok(ObservationView { profile, ..view })
    }
}

/// How the line feeds of a string are written, which tells the profiles apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineEnds {
    None,
    Short,
    Long,
}

impl LineEnds {
    fn allows(self, profile: Profile) -> bool {
        match self {
            LineEnds::None => true,
            LineEnds::Short => profile.short_escapes(),
            LineEnds::Long => !profile.short_escapes(),
        }
    }
}

struct CanonicalString<'a> {
    text: EscapedText<'a>,
    /// Bytes of the unescaped text.
    len: u64,
    line_ends: LineEnds,
}

fn identity<'a>(reader: &mut Reader<'a>) -> Result<EscapedText<'a>, Error> {
    let id = string(reader, false)?;
    if id.len == 0 || id.len > MAX_ID_BYTES as u64 {
        return Err(Error::Schema);
    }
    Ok(id.text)
}

/// A quoted string of admissible text in canonical escapes. Quotes, backslashes and line feeds
/// compose with nothing, so the pieces between escapes can be checked one by one.
fn string<'a>(reader: &mut Reader<'a>, line_feeds: bool) -> Result<CanonicalString<'a>, Error> {
    reader.literal(b"\"")?;
    let start = *reader;
    let mut len = 0u64;
    let mut line_ends = LineEnds::None;
    loop {
        let plain = run(reader.rest(), |b| (b == b'"') | (b == b'\\'));
        let piece = reader.take(plain)?;
        if !text::check_piece(piece) {
            return Err(Error::Encoding);
        }
        len = len.saturating_add(piece.len() as u64);
        if reader.literal(b"\"").is_ok() {
            break;
        }
        let written = reader.one_of(&[
            ("\\\"", LineEnds::None),
            ("\\\\", LineEnds::None),
            ("\\n", LineEnds::Short),
            ("\\u000a", LineEnds::Long),
        ])?;
        if written != LineEnds::None {
            let mixed = line_ends != LineEnds::None && line_ends != written;
            if mixed || !line_feeds {
                return Err(Error::Schema);
            }
            line_ends = written;
        }
        len = len.saturating_add(1);
    }
    let raw_len = start
        .rest()
        .len()
        .saturating_sub(reader.rest().len())
        .saturating_sub(1);
    let raw = start.rest().get(..raw_len).ok_or(Error::Schema)?;
    Ok(CanonicalString {
        text: EscapedText::new(raw),
        len,
        line_ends,
    })
}
