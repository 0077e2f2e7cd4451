//! The keys of a witness (C2SP tlog-cosignature, Ed25519): the secret one, which signs heads with the time, and the public
//! one.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use base64::prelude::{BASE64_STANDARD, Engine};
use ed25519_dalek::{SIGNATURE_LENGTH, SignatureError, VerifyingKey};
use signed_note::{
    NoteError, Signature, Signer, Verifier, VerifierList, is_key_name_valid, key_id,
};

use crate::error::{HeadsError, InvalidVerifierKey};
use crate::key_kind::KeyKind;
use crate::secret_key::SecretKey;

/// How the text of a secret key begins.
const SECRET: &str = "PRIVATE+KEY+";

/// The bytes of the time in front of a signature.
const TIME_BYTES: usize = 8;

/// A secret Ed25519 key, with the name of the witness that signs with it.
pub struct WitnessKey {
    secret: SecretKey,
    public: WitnessPublicKey,
}

impl WitnessKey {
    /// Makes a key and the file that holds it. `name` is the witness's.
    ///
    /// # Errors
    /// Those of [`SecretKey::create`].
    pub fn create(path: &Path, name: &str) -> Result<WitnessKey, HeadsError> {
        WitnessKey::new(SecretKey::create(path, name, KeyKind::Witness)?)
    }

    /// Reads a key as [`SecretKey::read`] does.
    ///
    /// # Errors
    /// Those of [`SecretKey::read`]; [`HeadsError::OtherKeyKind`] for the key of a ledger.
    pub fn read(path: &Path) -> Result<WitnessKey, HeadsError> {
        WitnessKey::new(SecretKey::read_of_kind(path, KeyKind::Witness)?)
    }

    /// The public key.
    #[must_use]
    pub fn public_key(&self) -> &WitnessPublicKey {
        &self.public
    }

    /// The signature of the text of a checkpoint at a time, in seconds since 1970.
    pub(crate) fn sign(&self, time: u64, text: &[u8]) -> Result<Signature, NoteError> {
        let signature = self.secret.sign(&message(time, text))?;
        let timed = [&time.to_be_bytes()[..], &signature].concat();
        Signature::new(self.secret.name().to_owned(), self.secret.id(), timed)
    }

    fn new(secret: SecretKey) -> Result<WitnessKey, HeadsError> {
        let public = secret.public_key().parse();
        Ok(WitnessKey {
            public: public.map_err(HeadsError::VerifierKey)?,
            secret,
        })
    }
}

impl fmt::Debug for WitnessKey {
    /// Writes the public key alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.secret.fmt(f)
    }
}

/// A signature that is made already, for a note that takes signers alone.
pub(crate) struct MadeSignature(pub(crate) Signature);

impl Signer for MadeSignature {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn key_id(&self) -> u32 {
        self.0.id()
    }

    fn sign(&self, _: &[u8]) -> Result<Vec<u8>, SignatureError> {
        Ok(self.0.signature().to_vec())
    }
}

/// The public Ed25519 key of a witness, `NAME+ID+BASE64`.
#[derive(Clone)]
pub struct WitnessPublicKey {
    text: String,
    name: String,
    id: u32,
    key: VerifyingKey,
}

impl WitnessPublicKey {
    /// The name of the witness.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Name and id, as messages name a key.
    #[must_use]
    pub fn short_name(&self) -> String {
        format!("{}+{:08x}", self.name, self.id)
    }

    /// This key as the only one whose signatures count.
    pub(crate) fn alone(&self) -> VerifierList {
        VerifierList::new(vec![Box::new(self.clone())])
    }
}

impl Verifier for WitnessPublicKey {
    fn name(&self) -> &str {
        &self.name
    }

    fn key_id(&self) -> u32 {
        self.id
    }

    fn verify(&self, text: &[u8], signature: &[u8]) -> bool {
        let Some((time, signature)) = signature.split_first_chunk::<TIME_BYTES>() else {
            return false;
        };
        let Ok(signature) = <&[u8; SIGNATURE_LENGTH]>::try_from(signature) else {
            return false;
        };
        let message = message(u64::from_be_bytes(*time), text);
        let signature = ed25519_dalek::Signature::from_bytes(signature);
        self.key.verify_strict(&message, &signature).is_ok()
    }
}

impl FromStr for WitnessPublicKey {
    type Err = InvalidVerifierKey;

    /// Reads a key. No error repeats the text, which may be a secret key by mistake.
    fn from_str(text: &str) -> Result<WitnessPublicKey, InvalidVerifierKey> {
        if text.trim_start().starts_with(SECRET) {
            return Err(InvalidVerifierKey::Secret);
        }
        let split = text.split_once('+').and_then(|(name, rest)| {
            let (id, key) = rest.split_once('+')?;
            Some((name, id, BASE64_STANDARD.decode(key).ok()?))
        });
        let (name, id, typed) = split.ok_or(InvalidVerifierKey::Form)?;
        if !is_key_name_valid(name) {
            return Err(InvalidVerifierKey::Form);
        }
        let (&kind, key) = typed.split_first().ok_or(InvalidVerifierKey::Form)?;
        match KeyKind::from_number(kind) {
            Some(KeyKind::Witness) => {}
            Some(KeyKind::Log) => return Err(InvalidVerifierKey::OfLog),
            None => return Err(InvalidVerifierKey::Algorithm),
        }
        let own_id = key_id(name, &typed);
        if id != format!("{own_id:08x}") {
            return Err(InvalidVerifierKey::Id);
        }
        let key = key.try_into().map_err(|_| InvalidVerifierKey::Form)?;
        let key = VerifyingKey::from_bytes(key).map_err(|_| InvalidVerifierKey::Form)?;
        Ok(WitnessPublicKey {
            text: text.to_owned(),
            name: name.to_owned(),
            id: own_id,
            key,
        })
    }
}

impl fmt::Display for WitnessPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for WitnessPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What a witness signs: the time, and the text of a checkpoint.
fn message(time: u64, text: &[u8]) -> Vec<u8> {
    let head = format!("cosignature/v1\ntime {time}\n");
    [head.as_bytes(), text].concat()
}

/// The time of a cosignature, in seconds since 1970.
pub(crate) fn time_of(signature: &[u8]) -> Option<u64> {
    let (time, _) = signature.split_first_chunk::<TIME_BYTES>()?;
    Some(u64::from_be_bytes(*time))
}
