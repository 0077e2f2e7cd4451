//! `AX:OBS:v1`: what an oracle was asked and what it answered.
//!
//! formats.md §3; SRS-004 §5 and §6 (SHALL-006, SHALL-035, SHALL-036, SHALL-046, SHALL-047,
//! SHALL-048). Determinism: D1.

use crate::fault::Error;
use crate::hash::{Hash, Hasher, HexHash, Tag, hex};
use crate::json::escaped::EscapedText;
use crate::json::writer;
use crate::profile::Profile;
use crate::sink::{Buffer, Counter, Sink, shared};
use crate::text::{self, Text};

/// The largest record in bytes (SRS-004-SHALL-048).
pub const MAX_RECORD_BYTES: usize = 65_536;

/// The longest `oracle_id` or `model_id` in bytes.
pub const MAX_ID_BYTES: usize = 256;

/// Whether an answer was fully received (SRS-004 §2.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// The whole answer is in the record.
    Complete,
    /// The answer was longer than the record may be; the record holds a prefix.
    Truncated,
    /// There is no answer, or none that is admissible.
    Error,
}

impl Completion {
    /// Every state.
    pub const ALL: [Completion; 3] = [
        Completion::Complete,
        Completion::Truncated,
        Completion::Error,
    ];

    /// The text in the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Completion::Complete => "COMPLETE",
            Completion::Truncated => "TRUNCATED",
            Completion::Error => "ERROR",
        }
    }
}

/// How an oracle failed (SRS-004 §2.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// No answer in time.
    Timeout,
    /// An answer that is not admissible.
    InvalidOutput,
    /// The network or the protocol failed.
    TransportError,
}

impl Failure {
    /// Every failure.
    pub const ALL: [Failure; 3] = [
        Failure::Timeout,
        Failure::InvalidOutput,
        Failure::TransportError,
    ];

    /// The text in the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Failure::Timeout => "TIMEOUT",
            Failure::InvalidOutput => "INVALID_OUTPUT",
            Failure::TransportError => "TRANSPORT_ERROR",
        }
    }
}

/// Sampling parameters (SRS-004 §5.4); `None` is written as `null`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Params {
    /// The most tokens the oracle may answer, from 0.
    pub max_tokens: Option<i32>,
    /// The random seed, from 0.
    pub seed: Option<i64>,
    /// Raw Q16.16, from 0.
    pub temperature: Option<i32>,
    /// Raw Q16.16, from 0 to 65536 (1.0).
    pub top_p: Option<i32>,
}

impl Params {
    /// No parameter known.
    pub const NULL: Params = Params {
        max_tokens: None,
        seed: None,
        temperature: None,
        top_p: None,
    };

    /// Whether every parameter is in its range.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.max_tokens.is_none_or(|n| n >= 0)
            && self.seed.is_none_or(|n| n >= 0)
            && self.temperature.is_none_or(|n| n >= 0)
            && self
                .top_p
                .is_none_or(|n| (0..=crate::q16::ONE).contains(&n))
    }

    /// Writes the canonical object.
    pub fn write(&self, out: &mut (impl Sink + ?Sized)) {
        out.put(b"{\"max_tokens\":");
        writer::i64_or_null(self.max_tokens.map(i64::from), out);
        out.put(b",\"seed\":");
        writer::i64_or_null(self.seed, out);
        out.put(b",\"temperature\":");
        writer::i64_or_null(self.temperature.map(i64::from), out);
        out.put(b",\"top_p\":");
        writer::i64_or_null(self.top_p.map(i64::from), out);
        out.put(b"}");
    }
}

/// Whether `id` may be an `oracle_id` or a `model_id`: 1 to 256 bytes of UTF-8 in NFC without
/// U+0000 to U+001F (formats.md §3, Admission 3).
#[must_use]
pub fn is_valid_id(id: &[u8]) -> bool {
    !id.is_empty() && id.len() <= MAX_ID_BYTES && text::check_piece(id)
}

/// Whether the three go together: an error has a failure and no output, an answer has no failure.
#[must_use]
pub fn is_consistent(completion: Completion, failure: Option<Failure>, has_output: bool) -> bool {
    match completion {
        Completion::Error => failure.is_some() && !has_output,
        Completion::Complete | Completion::Truncated => failure.is_none(),
    }
}

/// The fields of an `AX:OBS:v1`, without the `obs_hash` that follows from them.
#[derive(Clone, Copy)]
pub struct Observation<'a> {
    /// Whether the answer is whole.
    pub completion: Completion,
    /// How the oracle failed, if it did.
    pub failure: Option<Failure>,
    /// SHA-256 of the canonical input.
    pub input_hash: Hash,
    /// Position in the ledger; increases strictly from one observation to the next.
    pub ledger_seq: u64,
    /// Versioned model identity; satisfies [`is_valid_id`].
    pub model_id: &'a [u8],
    /// Identity of the oracle; satisfies [`is_valid_id`].
    pub oracle_id: &'a [u8],
    /// The answer, or the prefix of it that fits.
    pub output: Text<'a>,
    /// Bytes of the whole answer.
    pub output_size: u64,
    /// Sampling parameters.
    pub params: Params,
}

impl<'a> Observation<'a> {
    /// Writes the canonical record, with `obs_hash` or with the empty string in its place.
    pub fn write(
        &self,
        profile: Profile,
        obs_hash: Option<&HexHash>,
        out: &mut (impl Sink + ?Sized),
    ) {
        self.write_before_hash(profile, out);
        if let Some(digits) = obs_hash {
            out.put(digits);
        }
        self.write_before_output(profile, out);
        for run in self.output.runs() {
            writer::escape(run, profile, out);
        }
        self.write_after_output(out);
    }

    /// Bytes of the canonical record, `obs_hash` included.
    #[must_use]
    pub fn len(&self, profile: Profile) -> usize {
        let mut counter = Counter::default();
        self.write(profile, Some(&[b'0'; 64]), shared(&mut counter));
        counter.len
    }

    /// The hash of §5.8 in the way of `profile`, without a buffer.
    #[must_use]
    pub fn obs_hash(&self, profile: Profile) -> Hash {
        let mut hasher = if profile.tagged_hash() {
            let mut counter = Counter::default();
            self.write(profile, None, shared(&mut counter));
            Hasher::commitment(Tag::Obs.as_str().as_bytes(), counter.len as u64)
        } else {
            Hasher::new()
        };
        self.write(profile, None, shared(&mut hasher));
        hasher.finish()
    }

    /// Checks the fields against one another and against the hash that the record claims.
    ///
    /// # Errors
    /// [`Error::Schema`] for identities, parameters, states or sizes that do not fit,
    /// [`Error::Size`] for a record longer than [`MAX_RECORD_BYTES`], [`Error::Hash`] where
    /// `obs_hash` is absent or not the record's under any profile.
    pub fn verify(&self, obs_hash: Option<&Hash>) -> Result<Profile, Error> {
        let output = self.output.len() as u64;
        let size_fits = match self.completion {
            Completion::Complete => self.output_size == output,
            Completion::Truncated => self.output_size >= output,
            Completion::Error => self.output_size == 0,
        };
        if !size_fits
            || !is_valid_id(self.oracle_id)
            || !is_valid_id(self.model_id)
            || !self.params.is_valid()
            || !is_consistent(self.completion, self.failure, output > 0)
        {
            return Err(Error::Schema);
        }
        let profile = Profile::ALL
            .into_iter()
            .find(|&profile| obs_hash == Some(&self.obs_hash(profile)))
            .ok_or(Error::Hash)?;
        if self.len(profile) > MAX_RECORD_BYTES {
            Err(Error::Size)
        } else {
            Ok(profile)
        }
    }

    /// Writes the finished record into `buffer`: the text once, the hash over it where it stands.
    ///
    /// # Errors
    /// [`Error::Buffer`] where the record does not fit; `buffer` is then unspecified.
    pub fn seal<'b>(
        &self,
        profile: Profile,
        buffer: &'b mut [u8],
    ) -> Result<SealedObservation<'b>, Error> {
        let (mut before_hash, mut before_output) = (Counter::default(), Counter::default());
        let mut after_output = Counter::default();
        self.write_before_hash(profile, shared(&mut before_hash));
        self.write_before_output(profile, shared(&mut before_output));
        self.write_after_output(shared(&mut after_output));

        let mut out = Buffer::new(buffer);
        self.write(profile, Some(&[b'0'; 64]), shared(&mut out));
        let record = out.finish().ok_or(Error::Buffer)?;
        let (head, rest) = record
            .split_at_mut_checked(before_hash.len)
            .ok_or(Error::Buffer)?;
        let (digits, tail) = rest.split_first_chunk_mut::<64>().ok_or(Error::Buffer)?;
        let obs_hash = hash_of_parts(profile, head, tail);
        *digits = hex(&obs_hash);

        let record: &'b [u8] = record;
        let start = before_hash
            .len
            .saturating_add(64)
            .saturating_add(before_output.len);
        let end = record.len().saturating_sub(after_output.len);
        let output = record
            .get(start..end)
            .map(EscapedText::new)
            .ok_or(Error::Buffer)?;
        Ok(SealedObservation {
            record,
            obs_hash,
            output,
        })
    }

    fn write_before_hash(&self, profile: Profile, out: &mut (impl Sink + ?Sized)) {
        out.put(b"{\"completion_state\":\"");
        out.put(self.completion.as_str().as_bytes());
        out.put(b"\",\"failure_type\":");
        match self.failure {
            Some(failure) => writer::string(failure.as_str().as_bytes(), profile, out),
            None => out.put(b"null"),
        }
        out.put(b",\"input_hash\":");
        writer::hash(&self.input_hash, out);
        out.put(b",\"ledger_seq\":");
        writer::u64(self.ledger_seq, out);
        out.put(b",\"model_id\":");
        writer::string(self.model_id, profile, out);
        out.put(b",\"obs_hash\":\"");
    }

    fn write_before_output(&self, profile: Profile, out: &mut (impl Sink + ?Sized)) {
        out.put(b"\",\"oracle_id\":");
        writer::string(self.oracle_id, profile, out);
        out.put(b",\"output\":\"");
    }

    fn write_after_output(&self, out: &mut (impl Sink + ?Sized)) {
        out.put(b"\",\"output_size\":");
        writer::u64(self.output_size, out);
        out.put(b",\"params\":");
        self.params.write(out);
        out.put(b",\"schema_version\":\"AX:OBS:v1\"}");
    }
}

/// The finished record of an observation.
#[derive(Clone, Copy)]
pub struct SealedObservation<'b> {
    /// The canonical bytes of the record.
    pub record: &'b [u8],
    /// The `obs_hash` in the record.
    pub obs_hash: Hash,
    /// The output as it stands in the record.
    pub output: EscapedText<'b>,
}

/// The `obs_hash` of a record whose bytes around the 64 digits are `head` and `tail`.
pub(crate) fn hash_of_parts(profile: Profile, head: &[u8], tail: &[u8]) -> Hash {
    let mut hasher = if profile.tagged_hash() {
        let len = head.len().saturating_add(tail.len());
        Hasher::commitment(Tag::Obs.as_str().as_bytes(), len as u64)
    } else {
        Hasher::new()
    };
    hasher.update(head);
    hasher.update(tail);
    hasher.finish()
}
