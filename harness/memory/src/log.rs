//! The log: canonical bodies in a hash chain (document, section 2).
//!
//! The chain value of an entry is `axilog::hash::chain` of the one before and of the commitment,
//! under the tag `AX:MEMORY:v1`, to the canonical `{"body":…,"id":…,"seq":…}`.

use std::path::Path;

use axilog::hash::{Hash, chain, commit};
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use super::canonical::Canonical;
use super::error::{MemoryError, Result};
use super::id::Id;

const TAG: &[u8] = b"AX:MEMORY:v1";

/// Where the log ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The last entry; 0 where there is none.
    pub seq: u64,
    /// Its chain value.
    pub chain: Option<Hash>,
}

/// An entry of the log.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its number, from 1 on.
    pub seq: u64,
    /// What it records.
    pub id: Id,
    /// What it says.
    pub body: Value,
}

pub(super) fn head(conn: &Connection) -> rusqlite::Result<Head> {
    let mut last = conn.prepare_cached("SELECT seq, chain FROM log ORDER BY seq DESC LIMIT 1")?;
    let head = last
        .query_row(params![], |row| {
            Ok(Head {
                seq: row.get(0)?,
                chain: Some(row.get(1)?),
            })
        })
        .optional()?;
    Ok(head.unwrap_or(Head {
        seq: 0,
        chain: None,
    }))
}

/// The chain value of the entry behind `head`.
pub(super) fn link(head: &Head, id: &str, body: &[u8]) -> Hash {
    let mut entry = Vec::with_capacity(body.len() + 48);
    entry.extend_from_slice(b"{\"body\":");
    entry.extend_from_slice(body);
    entry.extend_from_slice(format!(",\"id\":\"{id}\",\"seq\":{}}}", head.seq + 1).as_bytes());
    chain(head.chain.as_ref(), &commit(TAG, &entry))
}

/// Appends behind `head`, which moves on.
pub(super) fn append(
    conn: &Connection,
    head: &mut Head,
    id: Id,
    body: &Canonical,
) -> rusqlite::Result<()> {
    let link = link(head, id.as_str(), body.bytes());
    let seq = head.seq + 1;
    conn.prepare_cached("INSERT INTO log (seq, id, body, chain) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![seq, id.as_str(), body.bytes(), link])?;
    *head = Head {
        seq,
        chain: Some(link),
    };
    Ok(())
}

/// Hands `found` every entry from `first` on, in order. The chain of each is checked before.
///
/// # Errors
/// [`MemoryError::Damaged`] at the first entry that is not what was appended, and what `found` gives.
pub(super) fn each(
    conn: &Connection,
    path: &Path,
    found: &mut dyn FnMut(Entry) -> Result<()>,
) -> Result<Head> {
    let failed = || MemoryError::sqlite(path, "read the log");
    let damaged = |seq, reason: String| MemoryError::Damaged {
        path: path.to_owned(),
        seq,
        reason,
    };
    let mut head = Head {
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
        let kept: Hash = row.get(3).map_err(failed())?;
        let link = link(&head, id, body);
        if link != kept {
            return Err(damaged(
                seq,
                "its chain value is not that of its bytes".to_owned(),
            ));
        }
        let id = Id::parse(id).map_err(|error| damaged(seq, error.to_string()))?;
        let body = serde_json::from_slice(body).map_err(|error| damaged(seq, error.to_string()))?;
        head = Head {
            seq,
            chain: Some(link),
        };
        found(Entry { seq, id, body })?;
    }
    Ok(head)
}

/// The body of one entry.
pub(super) fn body(conn: &Connection, seq: u64) -> rusqlite::Result<Value> {
    let mut one = conn.prepare_cached("SELECT body FROM log WHERE seq = ?1")?;
    one.query_row(params![seq], |row| {
        let bytes = row.get_ref(0)?.as_blob()?;
        // What was appended was canonical JSON; what is not shows in the chain.
        Ok(serde_json::from_slice(bytes).unwrap_or_default())
    })
}
