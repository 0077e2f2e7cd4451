//! Inputs of oracles in canonical form (SRS-004 §8.1 and §8.3; formats.md §3, Admission 4).
//!
//! Callers canonicalize an input before they call the oracle (decision D19), so that an input without a
//! canonical form reaches neither the oracle nor the ledger. Determinism: D1.

use axilog::admission::{InputKind, input_hash};
use axilog::hash::Hash;
use axilog::json::writer;
use axilog::profile::Profile;
use axilog::text::{Text, runs};

use crate::encoding::ByteBuffer;

/// Replaces CR LF and CR by LF, as records do (SRS-004 §5.6).
#[must_use]
pub fn normalize_line_ends(text: &str) -> String {
    let bytes = runs(text.as_bytes()).flatten().copied().collect();
    // Cannot fail: runs begin and end at ASCII characters.
    String::from_utf8(bytes).unwrap_or_default()
}

/// An input in its canonical form: UTF-8 in NFC, line ends LF, no other control character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonicalInput {
    bytes: Vec<u8>,
    kind: InputKind,
    hash: Hash,
}

impl CanonicalInput {
    /// Creates an input from `raw`: normalises its line ends and checks everything else. With
    /// [`InputKind::Json`] the bytes must also be canonical JSON as they are.
    ///
    /// # Errors
    /// What makes the input inadmissible, and where, in words.
    pub fn new(raw: &[u8], kind: InputKind) -> Result<CanonicalInput, String> {
        let text = Text::check(raw, false).map_err(|_| describe_inadmissible(raw))?;
        let hash = input_hash(raw, kind)
            .map_err(|_| "it is not canonical JSON (RFC 8785) as it stands".to_owned())?;
        Ok(CanonicalInput {
            bytes: text.runs().flatten().copied().collect(),
            kind,
            hash,
        })
    }

    /// Creates the input of a chat from pairs of role and content: a canonical JSON array of
    /// `{"content","role"}`.
    ///
    /// # Errors
    /// A text that names a content that is not in NFC, and its place.
    pub fn from_chat<'m>(
        messages: impl IntoIterator<Item = (&'m str, &'m str)>,
    ) -> Result<CanonicalInput, String> {
        let mut out = ByteBuffer::default();
        for (role, content) in messages {
            let opening: &[u8] = if out.0.is_empty() { b"[" } else { b"," };
            out.0.extend_from_slice(opening);
            out.0.extend_from_slice(b"{\"content\":");
            writer::string(content.as_bytes(), Profile::Rfc8785, &mut out);
            out.0.extend_from_slice(b",\"role\":");
            writer::string(role.as_bytes(), Profile::Rfc8785, &mut out);
            out.0.push(b'}');
        }
        if out.0.is_empty() {
            out.0.push(b'[');
        }
        out.0.push(b']');
        CanonicalInput::new(&out.0, InputKind::Json)
    }

    /// The bytes in canonical form.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The kind that was declared.
    #[must_use]
    pub fn kind(&self) -> InputKind {
        self.kind
    }

    /// SHA-256 of the canonical bytes: the `input_hash` of the observation.
    #[must_use]
    pub fn hash(&self) -> Hash {
        self.hash
    }
}

/// Describes the first thing that makes `raw` inadmissible.
fn describe_inadmissible(raw: &[u8]) -> String {
    let text = match std::str::from_utf8(raw) {
        Ok(text) => text,
        Err(error) => return format!("it is not UTF-8 at byte {}", error.valid_up_to()),
    };
    let is_control = |&(_, c): &(usize, char)| c < ' ' && c != '\n' && c != '\r';
    match text.char_indices().find(is_control) {
        Some((at, c)) => format!(
            "control character U+{:04X} at byte {at}, where only line ends are allowed",
            u32::from(c)
        ),
        None => "it is not in Unicode normalisation form C, or has more than 30 combining marks in a row"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axilog::hash::sha256;

    #[test]
    fn the_hash_is_over_the_text_with_normalised_line_ends() {
        let input = CanonicalInput::new("a\r\nb\rc\né".as_bytes(), InputKind::Text).unwrap();
        assert_eq!(input.bytes(), "a\nb\nc\né".as_bytes());
        assert_eq!(input.hash(), sha256(input.bytes()));
    }

    #[test]
    fn errors_name_the_place() {
        let cases: [(&[u8], InputKind, &str); 4] = [
            (b"ab\xff", InputKind::Text, "not UTF-8 at byte 2"),
            (b"ab\tc", InputKind::Text, "U+0009 at byte 2"),
            (
                "e\u{301}".as_bytes(),
                InputKind::Text,
                "normalisation form C",
            ),
            (b"{ }", InputKind::Json, "not canonical JSON"),
        ];
        for (raw, kind, expected) in cases {
            let reason = CanonicalInput::new(raw, kind).unwrap_err();
            assert!(reason.contains(expected), "{reason}");
        }
        assert!(CanonicalInput::new(b"{}", InputKind::Json).is_ok());
    }
}
