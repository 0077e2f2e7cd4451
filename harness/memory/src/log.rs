//! The log: canonical bodies in a hash chain (document, section 2).
//!
//! The chain value of an entry is `axilog::hash::chain` of two values: the chain value of the entry before,
//! and the commitment, under the tag `AX:MEMORY:v1`, to the canonical `{"body":…,"id":…,"seq":…}`.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use axilog::hash::{Hash, chain, commit, unhex};
use axilog_ledger::encoding::hex;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, params};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::canonical::CanonicalJson;
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};

const TAG: &[u8] = b"AX:MEMORY:v1";

/// The end of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogHead {
    /// The number of the last entry; 0 where the log is empty.
    pub seq: u64,
    /// The chain value of the last entry.
    pub chain: Option<Hash>,
}

/// As a head is noted: the number, a colon, the chain value in hexadecimal digits.
impl fmt::Display for LogHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chain = self.chain.as_ref().map(hex).unwrap_or_default();
        write!(f, "{}:{chain}", self.seq)
    }
}

impl FromStr for LogHead {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<LogHead, String> {
        let read = || {
            let (seq, chain) = text.split_once(':')?;
            let chain = unhex(chain.as_bytes().try_into().ok()?)?;
            Some(LogHead {
                seq: seq.parse().ok()?,
                chain: Some(chain),
            })
        };
        let expected = "expected the number of an entry, a colon and 64 hexadecimal digits";
        read().ok_or_else(|| format!("found {text:?}, {expected}"))
    }
}

/// An entry of the log.
#[derive(Clone, Debug)]
pub struct LogEntry {
    /// The number of the entry, from 1 on.
    pub seq: u64,
    /// What the entry records.
    pub kind: EntryKind,
    /// The body.
    pub body: Value,
}

/// Reads where the log ends.
pub(crate) fn read_head(conn: &Connection) -> rusqlite::Result<LogHead> {
    let mut last = conn.prepare_cached("SELECT seq, chain FROM log ORDER BY seq DESC LIMIT 1")?;
    let head = last
        .query_row(params![], |row| {
            Ok(LogHead {
                seq: row.get(0)?,
                chain: Some(row.get(1)?),
            })
        })
        .optional()?;
    Ok(head.unwrap_or(LogHead {
        seq: 0,
        chain: None,
    }))
}

/// The chain value of the entry after `head`.
fn chain_value(head: &LogHead, id: &str, body: &[u8]) -> Hash {
    let mut entry = Vec::with_capacity(body.len() + 48);
    entry.extend_from_slice(b"{\"body\":");
    entry.extend_from_slice(body);
    entry.extend_from_slice(format!(",\"id\":\"{id}\",\"seq\":{}}}", head.seq + 1).as_bytes());
    chain(head.chain.as_ref(), &commit(TAG, &entry))
}

/// Appends an entry after `head`, and moves `head` to the new end.
pub(crate) fn append(
    conn: &Connection,
    head: &mut LogHead,
    kind: EntryKind,
    body: &CanonicalJson,
) -> rusqlite::Result<()> {
    let link = chain_value(head, kind.as_str(), body.bytes());
    let seq = head.seq + 1;
    conn.prepare_cached("INSERT INTO log (seq, id, body, chain) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![seq, kind.as_str(), body.bytes(), link])?;
    *head = LogHead {
        seq,
        chain: Some(link),
    };
    Ok(())
}

/// Hands every entry from the first on to `visit`, in order, once the chain value is checked.
///
/// # Errors
/// [`MemoryError::Damaged`] at the first entry that differs from what was appended; errors of `visit`.
pub(crate) fn for_each_entry(
    conn: &Connection,
    path: &Path,
    visit: &mut dyn FnMut(LogEntry) -> Result<()>,
) -> Result<LogHead> {
    let failed = || MemoryError::sqlite(path, "read the log");
    let damaged = |seq, reason: String| MemoryError::Damaged {
        path: path.to_owned(),
        seq,
        reason,
    };
    let mut head = LogHead {
        seq: 0,
        chain: None,
    };
    let mut all = conn
        .prepare_cached("SELECT seq, id, body, chain FROM log ORDER BY seq")
        .map_err(failed())?;
    let mut rows = all.query(params![]).map_err(failed())?;
    while let Some(row) = rows.next().map_err(failed())? {
        let seq: u64 = row.get(0).map_err(failed())?;
        let expected = head.seq + 1;
        if seq != expected {
            return Err(damaged(
                expected,
                format!("it is missing; the next there is {seq}"),
            ));
        }
        let id = row
            .get_ref(1)
            .and_then(|v| Ok(v.as_str()?))
            .map_err(failed())?;
        let body = row
            .get_ref(2)
            .and_then(|v| Ok(v.as_blob()?))
            .map_err(failed())?;
        let stored: Hash = row.get(3).map_err(failed())?;
        let link = chain_value(&head, id, body);
        if link != stored {
            return Err(damaged(
                seq,
                "its chain value is not that of its bytes".to_owned(),
            ));
        }
        let kind = EntryKind::from_id(id).map_err(|error| damaged(seq, error.to_string()))?;
        let body = serde_json::from_slice(body).map_err(|error| damaged(seq, error.to_string()))?;
        head = LogHead {
            seq,
            chain: Some(link),
        };
        visit(LogEntry { seq, kind, body })?;
    }
    Ok(head)
}

/// Reads the body of the entry `seq`.
pub(crate) fn read_body<T: DeserializeOwned>(conn: &Connection, seq: u64) -> rusqlite::Result<T> {
    let mut find = conn.prepare_cached("SELECT body FROM log WHERE seq = ?1")?;
    find.query_row(params![seq], |row| {
        serde_json::from_slice(row.get_ref(0)?.as_blob()?).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(0, Type::Blob, Box::new(error))
        })
    })
}
