//! A part of a text that says something else when it is decoded.

/// A part of a text, and what it says decoded.
#[derive(Debug)]
pub(crate) struct EncodedPart {
    /// The bytes of the part.
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) decoded: String,
}
