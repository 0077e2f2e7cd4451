//! `AX:POLICY:v1`: what one policy said of one observation.
//!
//! formats.md §4; SRS-004-SHALL-044. Determinism: D1.

use super::reader::Reader;
use crate::fault::Error;
use crate::json::writer;
use crate::profile::Profile;
use crate::sink::Sink;

/// Room for any policy record, and a NUL: the longest has 218 bytes.
pub const MAX_POLICY_RECORD_BYTES: usize = 224;

/// The longest `policy_id` in bytes.
pub const MAX_ID_BYTES: usize = 64;

/// The decision of one policy, or of several together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyResult {
    /// The value is allowed.
    Permitted,
    /// The value is not allowed.
    Breach,
}

impl PolicyResult {
    /// The text in the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            PolicyResult::Permitted => "PERMITTED",
            PolicyResult::Breach => "BREACH",
        }
    }
}

/// The fields of an `AX:POLICY:v1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyRecord<'a> {
    /// The value that was compared, raw Q16.16; `i32::MIN` where there was none.
    pub actual: i32,
    /// Sequence of the record's step: the observation's (decision D10).
    pub ledger_seq: u64,
    /// `ledger_seq` of the observation this evaluates (SRS-004-SHALL-044).
    pub obs_ledger_seq: u64,
    /// The identity of the policy.
    pub policy_id: &'a [u8],
    /// The decision of the policy.
    pub result: PolicyResult,
    /// The limit that the value was compared with, raw Q16.16.
    pub threshold: i32,
}

impl<'a> PolicyRecord<'a> {
    /// Writes the canonical record.
    pub fn write(&self, out: &mut (impl Sink + ?Sized)) {
        out.put(b"{\"actual\":");
        writer::i64(i64::from(self.actual), out);
        out.put(b",\"ledger_seq\":");
        writer::u64(self.ledger_seq, out);
        out.put(b",\"obs_ledger_seq\":");
        writer::u64(self.obs_ledger_seq, out);
        out.put(b",\"policy_id\":");
        writer::string(self.policy_id, Profile::Rfc8785, out);
        out.put(b",\"result\":\"");
        out.put(self.result.as_str().as_bytes());
        out.put(b"\",\"threshold\":");
        writer::i64(i64::from(self.threshold), out);
        out.put(b"}");
    }

    /// Reads exactly the canonical bytes.
    ///
    /// # Errors
    /// [`Error::Schema`] for anything else.
    pub fn parse(record: &'a [u8]) -> Result<PolicyRecord<'a>, Error> {
        let mut reader = Reader::new(record);
        reader.literal(b"{\"actual\":")?;
        let actual = reader.i32()?;
        reader.literal(b",\"ledger_seq\":")?;
        let ledger_seq = reader.u64()?;
        reader.literal(b",\"obs_ledger_seq\":")?;
        let obs_ledger_seq = reader.u64()?;
        reader.literal(b",\"policy_id\":\"")?;
        let policy_id = reader.until_quote()?;
        if !is_valid_id(policy_id) {
            return Err(Error::Schema);
        }
        reader.literal(b",\"result\":")?;
        let result = reader.one_of(&[
            ("\"PERMITTED\"", PolicyResult::Permitted),
            ("\"BREACH\"", PolicyResult::Breach),
        ])?;
        reader.literal(b",\"threshold\":")?;
        let threshold = reader.i32()?;
        reader.literal(b"}")?;
        reader.end()?;
        Ok(PolicyRecord {
            actual,
            ledger_seq,
            obs_ledger_seq,
            policy_id,
            result,
            threshold,
        })
    }
}

/// Whether `id` is 1 to 64 of `A-Z a-z 0-9 - _ .`.
#[must_use]
pub fn is_valid_id(id: &[u8]) -> bool {
    (1..=MAX_ID_BYTES).contains(&id.len())
        && id
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}
