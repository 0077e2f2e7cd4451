//! The secret key of a log.

use std::fmt;
use std::path::Path;

use ed25519_dalek::SignatureError;
use signed_note::Signer;

use crate::error::HeadsError;
use crate::key_kind::KeyKind;
use crate::secret_key::SecretKey;
use crate::verifier_key::VerifierKey;

/// A secret Ed25519 key, with the name of the log that signs with it.
pub struct LogKey {
    secret: SecretKey,
    verifier_key: VerifierKey,
}

impl LogKey {
    /// Makes a key and the file that holds it. `name` is the origin of the checkpoints that are signed with it.
    ///
    /// # Errors
    /// Those of [`SecretKey::create`].
    pub fn create(path: &Path, name: &str) -> Result<LogKey, HeadsError> {
        LogKey::new(SecretKey::create(path, name, KeyKind::Log)?)
    }

    /// Reads a key as [`SecretKey::read`] does.
    ///
    /// # Errors
    /// Those of [`SecretKey::read`]; [`HeadsError::OtherKeyKind`] for the key of a witness.
    pub fn read(path: &Path) -> Result<LogKey, HeadsError> {
        LogKey::new(SecretKey::read_of_kind(path, KeyKind::Log)?)
    }

    /// The public key.
    #[must_use]
    pub fn verifier_key(&self) -> &VerifierKey {
        &self.verifier_key
    }

    fn new(secret: SecretKey) -> Result<LogKey, HeadsError> {
        let verifier_key = secret.public_key().parse();
        Ok(LogKey {
            verifier_key: verifier_key.map_err(HeadsError::VerifierKey)?,
            secret,
        })
    }
}

impl Signer for LogKey {
    fn name(&self) -> &str {
        self.secret.name()
    }

    fn key_id(&self) -> u32 {
        self.secret.id()
    }

    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, SignatureError> {
        self.secret.sign(message)
    }
}

impl fmt::Debug for LogKey {
    /// Writes the public key alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.secret.fmt(f)
    }
}
