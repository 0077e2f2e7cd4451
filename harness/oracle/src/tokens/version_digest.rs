//! The digest of the file that describes a tokenizer, in the version under which runs record it.

/// What stands in a version before the digest of the file.
const DIGEST: &str = ", sha256 ";

/// The version of a tokenizer that a file with this digest describes and `code` applies.
#[cfg(feature = "tokenizer-json")]
pub(super) fn version_with_digest(code: &str, digest: &str) -> String {
    format!("{code}{DIGEST}{digest}")
}

/// Finds the SHA-256 of the file that describes a tokenizer of this version, in hexadecimal. `None` for a vocabulary
/// that is built in.
#[must_use]
pub fn digest_in_version(version: &str) -> Option<&str> {
    version.split_once(DIGEST).map(|(_, digest)| digest)
}
