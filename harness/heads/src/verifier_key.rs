//! The public key of a log, as C2SP signed-note writes it: `NAME+ID+BASE64`.

use std::fmt;
use std::str::FromStr;

use signed_note::{StandardVerifier, Verifier, VerifierError, VerifierList};

use crate::error::InvalidVerifierKey;
use crate::witness_key::WitnessPublicKey;

/// How the text of a secret key begins.
const SECRET: &str = "PRIVATE+KEY+";

/// A public Ed25519 key with the name of whoever signs with it.
#[derive(Clone)]
pub struct VerifierKey {
    text: String,
    verifier: StandardVerifier,
}

impl VerifierKey {
    /// The name, which of a log is its origin.
    #[must_use]
    pub fn name(&self) -> &str {
        self.verifier.name()
    }

    /// The key's id in signatures: the first bytes of a SHA-256 over its name and itself.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.verifier.key_id()
    }

    /// Name and id, as messages name a key.
    #[must_use]
    pub fn short_name(&self) -> String {
        format!("{}+{:08x}", self.name(), self.id())
    }

    /// These keys as the only ones whose signatures count.
    pub(crate) fn list(keys: &[VerifierKey]) -> VerifierList {
        let keys = keys.iter();
        VerifierList::new(
            keys.map(|key| -> Box<dyn Verifier> { Box::new(key.verifier.clone()) })
                .collect(),
        )
    }
}

impl FromStr for VerifierKey {
    type Err = InvalidVerifierKey;

    /// Reads a key. No error repeats the text, which may be a secret key by mistake.
    fn from_str(text: &str) -> Result<VerifierKey, InvalidVerifierKey> {
        if text.trim_start().starts_with(SECRET) {
            return Err(InvalidVerifierKey::Secret);
        }
        let verifier = StandardVerifier::new(text).map_err(|error| match error {
            VerifierError::Format => InvalidVerifierKey::Form,
            VerifierError::Alg if is_of_witness(text) => InvalidVerifierKey::OfWitness,
            VerifierError::Alg => InvalidVerifierKey::Algorithm,
            VerifierError::Id => InvalidVerifierKey::Id,
        })?;
        Ok(VerifierKey {
            text: text.to_owned(),
            verifier,
        })
    }
}

/// Whether a key of another kind is that of a witness.
fn is_of_witness(text: &str) -> bool {
    text.parse::<WitnessPublicKey>().is_ok()
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";

    #[test]
    fn a_key_is_read_back_as_it_was_written() {
        let key: VerifierKey = EXAMPLE.parse().unwrap();
        assert_eq!(key.to_string(), EXAMPLE);
        assert_eq!(key.name(), "example.com/foo");
        assert_eq!(key.short_name(), "example.com/foo+530d903a");
    }

    #[test]
    fn what_is_no_public_key_is_refused_without_being_repeated() {
        let secret =
            "PRIVATE+KEY+example.com/foo+530d903a+AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=";
        for (text, reason) in [
            ("", "expected NAME+ID+KEY"),
            ("example.com/foo", "expected NAME+ID+KEY"),
            (&EXAMPLE.replace("530d903a", "530d903b"), "id"),
            (&EXAMPLE.replace("/foo", "/fop"), "id"),
            (&EXAMPLE.replace("AekyeRrm", "AekyeRrn"), "id"),
            (&EXAMPLE.replace("/foo", " foo"), "expected NAME+ID+KEY"),
            (&format!("{EXAMPLE}\n"), "expected NAME+ID+KEY"),
            (&format!(" {secret}"), "secret key"),
            (secret, "secret key"),
        ] {
            let told = text.parse::<VerifierKey>().unwrap_err().to_string();
            assert!(told.contains(reason), "{text}: {told}");
            assert!(!told.contains("AQID"), "{told}");
        }
    }
}
