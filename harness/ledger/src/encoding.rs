//! Bytes and text as ledger records write them.

use axilog::hash::Hash;
use axilog::json::escaped::EscapedText;
use axilog::json::writer::Sink;

/// A byte buffer that the core's writers write into.
#[derive(Clone, Debug, Default)]
pub struct ByteBuffer(pub Vec<u8>);

impl Sink for ByteBuffer {
    fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

/// Writes a digest as 64 lower-case hexadecimal digits.
#[must_use]
pub fn hex(hash: &Hash) -> String {
    axilog::hash::hex(hash)
        .iter()
        .copied()
        .map(char::from)
        .collect()
}

/// Reads the text of a string in a record, its escapes resolved.
#[must_use]
pub fn unescape(escaped: EscapedText<'_>) -> String {
    let mut bytes = Vec::new();
    escaped.unescape(&mut |run| bytes.extend_from_slice(run));
    String::from_utf8_lossy(&bytes).into_owned()
}
