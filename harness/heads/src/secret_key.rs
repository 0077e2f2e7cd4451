//! A secret key, and the file that holds it: one line, as Go's package `note` writes a signer's key.
//!
//! The file is only ever its owner's. What is copied of the key on the way is wiped from memory; the key itself is
//! wiped when it is dropped.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

use axilog_ledger::error::FileError;
use axilog_ledger::file::volume::{FileSystem, Volume, parent_dir};
use axilog_ledger::input_file::open_input;
use axilog_ledger::manifest::Manifest;
use base64::prelude::{BASE64_STANDARD, Engine};
use ed25519_dalek::{SECRET_KEY_LENGTH, SignatureError, Signer, SigningKey};
use signed_note::key_id;
use zeroize::Zeroizing;

use crate::error::HeadsError;
use crate::key_kind::KeyKind;

/// The bytes of a secret key in its file, with the type in front.
const TYPED_KEY_BYTES: usize = 1 + SECRET_KEY_LENGTH;
/// The most bytes of a key file: a name has at most 256.
const MAX_FILE_BYTES: usize = 512;

/// A secret Ed25519 key, with the name of whoever signs with it.
pub struct SecretKey {
    kind: KeyKind,
    name: String,
    id: u32,
    signing_key: SigningKey,
}

impl SecretKey {
    /// Makes a key and the file that holds it, which only its owner may read. `name` is that of whoever signs with it, and
    /// has the form of a ledger's name.
    ///
    /// # Errors
    /// [`HeadsError::KeyName`]; [`HeadsError::KeyExists`] where anything has the name; [`HeadsError::Random`];
    /// [`HeadsError::File`].
    pub fn create(path: &Path, name: &str, kind: KeyKind) -> Result<SecretKey, HeadsError> {
        Manifest::new(Some(name), None).map_err(HeadsError::KeyName)?;
        let mut secret = Zeroizing::new([0; SECRET_KEY_LENGTH]);
        getrandom::fill(&mut *secret).map_err(HeadsError::Random)?;
        let key = SecretKey::new(name, kind, &secret);
        let mut file = create_private(path)?;
        let written = file
            .write_all(key.to_line().as_bytes())
            .and_then(|()| file.sync_all())
            .and_then(|()| FileSystem.sync_dir(parent_dir(path)));
        if let Err(error) = written {
            // It is this call's own file, and holds no whole key.
            let _ = FileSystem.remove(path);
            return Err(FileError::from_io(path, "write the key")(error).into());
        }
        Ok(key)
    }

    /// Reads a key of either kind from its file, or from a pipe that is open already. A file that others than its owner
    /// may read is refused.
    ///
    /// # Errors
    /// [`HeadsError::KeyExposed`], [`HeadsError::BrokenKey`], [`HeadsError::File`].
    pub fn read(path: &Path) -> Result<SecretKey, HeadsError> {
        let file = open_input(path, "open the key")?;
        refuse_exposed(path, &file)?;
        // With room for all that is read, nothing is copied to where it would not be wiped.
        let mut text = Zeroizing::new(Vec::with_capacity(MAX_FILE_BYTES + 1));
        file.take(MAX_FILE_BYTES as u64 + 1)
            .read_to_end(&mut text)
            .map_err(FileError::from_io(path, "read the key"))?;
        SecretKey::parse(&text).ok_or_else(|| HeadsError::BrokenKey(path.to_owned()))
    }

    /// Reads a key of one kind.
    ///
    /// # Errors
    /// Those of [`SecretKey::read`]; [`HeadsError::OtherKeyKind`].
    pub(crate) fn read_of_kind(path: &Path, kind: KeyKind) -> Result<SecretKey, HeadsError> {
        let key = SecretKey::read(path)?;
        match key.kind == kind {
            true => Ok(key),
            false => Err(HeadsError::OtherKeyKind {
                path: path.to_owned(),
                found: key.kind,
                expected: kind,
            }),
        }
    }

    /// The name of whoever signs with the key.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The key's id in signatures.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The public key as everybody may have it, `NAME+ID+BASE64`.
    #[must_use]
    pub fn public_key(&self) -> String {
        let typed = BASE64_STANDARD.encode(typed_public_key(&self.signing_key, self.kind));
        format!("{}+{:08x}+{typed}", self.name, self.id)
    }

    /// Signs a message.
    ///
    /// # Errors
    /// That of the signature's library.
    pub(crate) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, SignatureError> {
        Ok(self.signing_key.try_sign(message)?.to_vec())
    }

    fn new(name: &str, kind: KeyKind, secret: &[u8; SECRET_KEY_LENGTH]) -> SecretKey {
        let signing_key = SigningKey::from_bytes(secret);
        SecretKey {
            kind,
            name: name.to_owned(),
            id: key_id(name, &typed_public_key(&signing_key, kind)),
            signing_key,
        }
    }

    /// Reads the line of a key file.
    fn parse(text: &[u8]) -> Option<SecretKey> {
        let line = std::str::from_utf8(text).ok()?.strip_suffix('\n')?;
        let (name, key) = line.strip_prefix("PRIVATE+KEY+")?.split_once('+')?;
        let (id, key) = key.split_once('+')?;
        let mut typed = Zeroizing::new([0; TYPED_KEY_BYTES]);
        let length = BASE64_STANDARD.decode_slice(key, &mut *typed).ok()?;
        let (&[kind], secret) = typed.split_first_chunk()?;
        if length != TYPED_KEY_BYTES || Manifest::new(Some(name), None).is_err() {
            return None;
        }
        let kind = KeyKind::from_number(kind)?;
        let key = SecretKey::new(name, kind, secret.try_into().ok()?);
        (id == format!("{:08x}", key.id)).then_some(key)
    }

    /// The line of a key file.
    fn to_line(&self) -> Zeroizing<String> {
        let mut typed = Zeroizing::new([self.kind.number(); TYPED_KEY_BYTES]);
        if let Some((_, secret)) = typed.split_first_mut() {
            secret.copy_from_slice(self.signing_key.as_bytes());
        }
        let mut line = Zeroizing::new(String::with_capacity(MAX_FILE_BYTES));
        line.push_str("PRIVATE+KEY+");
        line.push_str(&format!("{}+{:08x}+", self.name, self.id));
        BASE64_STANDARD.encode_string(typed.as_slice(), &mut line);
        line.push('\n');
        line
    }
}

impl fmt::Debug for SecretKey {
    /// Writes the public key alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the secret key of {}", self.public_key())
    }
}

/// The public key with its type in front, as verifier keys and key ids have it.
fn typed_public_key(key: &SigningKey, kind: KeyKind) -> Vec<u8> {
    [&[kind.number()][..], key.verifying_key().as_bytes()].concat()
}
/// Creates a file that only its owner may read or write.
fn create_private(path: &Path) -> Result<File, HeadsError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => HeadsError::KeyExists(path.to_owned()),
        _ => FileError::from_io(path, "create the key")(error).into(),
    })
}

/// Refuses a key that others than its owner may read or write, as `ssh` does.
#[cfg(unix)]
fn refuse_exposed(path: &Path, file: &File) -> Result<(), HeadsError> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = file.metadata();
    let metadata = metadata.map_err(FileError::from_io(path, "look at the key"))?;
    let mode = metadata.permissions().mode() & 0o777;
    match mode & 0o077 {
        0 => Ok(()),
        _ => Err(HeadsError::KeyExposed {
            path: path.to_owned(),
            mode,
        }),
    }
}

/// Does nothing on systems whose files have no mode.
#[cfg(not(unix))]
fn refuse_exposed(_: &Path, _: &File) -> Result<(), HeadsError> {
    Ok(())
}
