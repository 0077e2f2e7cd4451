//! Handles: the ids of facts, details, compactions and assets, which are hashes of their bytes.

use std::fmt;

use axilog::hash::{Hash, sha256, unhex};
use axilog_ledger::encoding::hex;
use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::words::deserialize_text;

/// The id of a fact, a detail, a compaction or an asset: the SHA-256 of canonical bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub Hash);

impl Handle {
    /// The handle of canonical bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Handle {
        Handle(sha256(bytes))
    }

    /// Reads 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Handle> {
        unhex(text.as_bytes().try_into().ok()?).map(Handle)
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Handle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Handle {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Handle, D::Error> {
        let expected = "a handle of 64 lower-case hexadecimal digits";
        deserialize_text(deserializer, &expected, Handle::parse)
    }
}

impl ToSql for Handle {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Blob(&self.0)))
    }
}

impl FromSql for Handle {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Handle> {
        Hash::column_result(value).map(Handle)
    }
}
