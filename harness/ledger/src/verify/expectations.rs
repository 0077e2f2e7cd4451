//! What the caller of a verification knows about a ledger from elsewhere, and how it is written.

use std::str::FromStr;

use axilog::hash::{Hash, HexHash, unhex};

/// Facts about a ledger that the caller knows from elsewhere and wants checked. The chain has no key and
/// cannot prove them: whoever can write the file can rewrite it or cut off its end.
#[derive(Clone, Debug, Default)]
pub struct LedgerExpectations {
    /// The number of records, genesis included, a seal not counted.
    pub entries: Option<u64>,
    /// The chain value of the last record: of the seal, or of the one before it.
    pub head: Option<Hash>,
    /// Pairs of an oracle id and the model id that the oracle must have.
    pub models: Vec<(String, String)>,
    /// Heads that were noted while the ledger was shorter, or as long as it is.
    pub earlier_heads: Vec<EarlierHead>,
}

/// A head that somebody noted: a ledger that only grew since still has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierHead {
    /// The number of records at that time, genesis included, at least 1; a seal counts as a record.
    pub entries: u64,
    /// The chain value of the last of them.
    pub head: Hash,
}

impl FromStr for EarlierHead {
    type Err = String;

    /// Reads `N:HEAD`, as `axilog head` prints it.
    fn from_str(text: &str) -> Result<EarlierHead, String> {
        let expected = "expected N:HEAD, a number of at least 1 and 64 hexadecimal digits";
        let (entries, head) = text.split_once(':').ok_or(expected)?;
        match (entries.parse(), parse_head(head)) {
            (Ok(entries @ 1..), Ok(head)) => Ok(EarlierHead { entries, head }),
            _ => Err(expected.to_owned()),
        }
    }
}

/// Reads a chain value, in digits of either case.
///
/// # Errors
/// What was expected.
pub fn parse_head(text: &str) -> Result<Hash, String> {
    let digits = text.to_ascii_lowercase();
    HexHash::try_from(digits.as_bytes())
        .ok()
        .and_then(|digits| unhex(&digits))
        .ok_or_else(|| "expected 64 hexadecimal digits".to_owned())
}

/// Reads the model that an oracle must have, `ORACLE=MODEL`.
///
/// # Errors
/// What was expected.
pub fn parse_oracle_model(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((oracle, model)) if !oracle.is_empty() && !model.is_empty() => {
            Ok((oracle.to_owned(), model.to_owned()))
        }
        _ => Err("expected ORACLE=MODEL".to_owned()),
    }
}
