//! Bytes in a form that a record's input may have, which is text in Unicode's normalization form C whose only control
//! characters are line feeds (formats.md §3). Bytes that are none stand in Base64, in the object with the one member
//! `base64`.

use axilog::admission::InputKind;
use axilog_ledger::input::CanonicalInput;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The input for canonical JSON.
///
/// # Errors
/// Why there is none, in words; in theory only, since Base64 is admissible.
pub fn keep_json(canonical: &[u8]) -> Result<CanonicalInput, String> {
    CanonicalInput::new(canonical, InputKind::Json).or_else(|_| keep_base64(canonical))
}

/// The input for any bytes.
///
/// # Errors
/// As [`keep_json`].
pub fn keep_bytes(bytes: &[u8]) -> Result<CanonicalInput, String> {
    match CanonicalInput::new(bytes, InputKind::Text) {
        // Other line ends would become line feeds.
        Ok(input) if input.bytes() == bytes => Ok(input),
        _ => keep_base64(bytes),
    }
}

fn keep_base64(bytes: &[u8]) -> Result<CanonicalInput, String> {
    let wrapped = format!("{{\"base64\":\"{}\"}}", STANDARD.encode(bytes));
    CanonicalInput::new(wrapped.as_bytes(), InputKind::Json)
}

/// The bytes of which a kept input was made.
pub fn read_kept_bytes(input: Vec<u8>) -> Vec<u8> {
    let encoded = input
        .strip_prefix(b"{\"base64\":\"")
        .and_then(|rest| rest.strip_suffix(b"\"}"));
    let decoded = encoded.and_then(|encoded| STANDARD.decode(encoded).ok());
    decoded.unwrap_or(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_kept_as_they_are_or_in_base64() {
        for (bytes, expected) in [
            (b"data: {}\n\n".as_slice(), "data: {}\n\n"),
            (b"", ""),
            (b"a\r\n", "{\"base64\":\"YQ0K\"}"),
            (b"\xff", "{\"base64\":\"/w==\"}"),
            ("e\u{301}".as_bytes(), "{\"base64\":\"ZcyB\"}"),
        ] {
            let kept = keep_bytes(bytes).unwrap();
            assert_eq!(kept.bytes(), expected.as_bytes());
            assert_eq!(read_kept_bytes(kept.bytes().to_vec()), bytes);
        }
        assert_eq!(keep_json(b"{}").unwrap().bytes(), b"{}");
        assert_eq!(
            keep_json("\"e\u{301}\"".as_bytes()).unwrap().bytes(),
            b"{\"base64\":\"ImXMgSI=\"}"
        );
    }
}
