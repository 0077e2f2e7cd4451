//! The secret key of a log, and the file that holds it: one line, as Go's package `note` writes a signer's key.
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
use signed_note::new_ed25519_verifier_key;
use zeroize::Zeroizing;

use crate::error::HeadsError;
use crate::verifier_key::VerifierKey;

/// The type of Ed25519 keys, in front of their bytes.
const ED25519: u8 = 1;
/// The bytes of a secret key in its file, with the type in front.
const TYPED_KEY_BYTES: usize = 1 + SECRET_KEY_LENGTH;
/// The most bytes of a key file: a name has at most 256.
const MAX_FILE_BYTES: usize = 512;

/// A secret Ed25519 key, with the name of the log that signs with it.
pub struct LogKey {
    signing_key: SigningKey,
    verifier_key: VerifierKey,
}

impl LogKey {
    /// Makes a key and the file that holds it, which only its owner may read. `name` is the origin of the checkpoints
    /// that are signed with it, and has the form of a ledger's name.
    ///
    /// # Errors
    /// [`HeadsError::KeyName`]; [`HeadsError::KeyExists`] where anything has the name; [`HeadsError::Random`];
    /// [`HeadsError::File`].
    pub fn create(path: &Path, name: &str) -> Result<LogKey, HeadsError> {
        Manifest::new(Some(name), None).map_err(HeadsError::KeyName)?;
        let mut secret = Zeroizing::new([0; SECRET_KEY_LENGTH]);
        getrandom::fill(&mut *secret).map_err(HeadsError::Random)?;
        let key = LogKey::new(name, &secret)?;
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

    /// Reads a key from its file, or from a pipe that is open already. A file that others than its owner may read is
    /// refused.
    ///
    /// # Errors
    /// [`HeadsError::KeyExposed`], [`HeadsError::BrokenKey`], [`HeadsError::File`].
    pub fn read(path: &Path) -> Result<LogKey, HeadsError> {
        let file = open_input(path, "open the key")?;
        refuse_exposed(path, &file)?;
        // With room for all that is read, nothing is copied to where it would not be wiped.
        let mut text = Zeroizing::new(Vec::with_capacity(MAX_FILE_BYTES + 1));
        file.take(MAX_FILE_BYTES as u64 + 1)
            .read_to_end(&mut text)
            .map_err(FileError::from_io(path, "read the key"))?;
        LogKey::parse(&text).ok_or_else(|| HeadsError::BrokenKey(path.to_owned()))
    }

    /// The public key.
    #[must_use]
    pub fn verifier_key(&self) -> &VerifierKey {
        &self.verifier_key
    }

    fn new(name: &str, secret: &[u8; SECRET_KEY_LENGTH]) -> Result<LogKey, HeadsError> {
        let signing_key = SigningKey::from_bytes(secret);
        let verifier_key = new_ed25519_verifier_key(name, &signing_key.verifying_key());
        Ok(LogKey {
            signing_key,
            verifier_key: verifier_key.parse().map_err(HeadsError::VerifierKey)?,
        })
    }

    /// Reads the line of a key file.
    fn parse(text: &[u8]) -> Option<LogKey> {
        let line = std::str::from_utf8(text).ok()?.strip_suffix('\n')?;
        let (name, key) = line.strip_prefix("PRIVATE+KEY+")?.split_once('+')?;
        let (id, key) = key.split_once('+')?;
        let mut typed = Zeroizing::new([0; TYPED_KEY_BYTES]);
        let length = BASE64_STANDARD.decode_slice(key, &mut *typed).ok()?;
        let (&[kind], secret) = typed.split_first_chunk()?;
        if length != TYPED_KEY_BYTES || kind != ED25519 {
            return None;
        }
        let key = LogKey::new(name, secret.try_into().ok()?).ok()?;
        let is_own_id = id == format!("{:08x}", key.verifier_key.id());
        (is_own_id && Manifest::new(Some(name), None).is_ok()).then_some(key)
    }

    /// The line of a key file.
    fn to_line(&self) -> Zeroizing<String> {
        let mut typed = Zeroizing::new([ED25519; TYPED_KEY_BYTES]);
        if let Some((_, secret)) = typed.split_first_mut() {
            secret.copy_from_slice(self.signing_key.as_bytes());
        }
        let mut line = Zeroizing::new(String::with_capacity(MAX_FILE_BYTES));
        line.push_str("PRIVATE+KEY+");
        line.push_str(&self.verifier_key.short_name());
        line.push('+');
        BASE64_STANDARD.encode_string(typed.as_slice(), &mut line);
        line.push('\n');
        line
    }
}

impl signed_note::Signer for LogKey {
    fn name(&self) -> &str {
        self.verifier_key.name()
    }

    fn key_id(&self) -> u32 {
        self.verifier_key.id()
    }

    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, SignatureError> {
        Ok(self.signing_key.try_sign(message)?.to_vec())
    }
}

impl fmt::Debug for LogKey {
    /// Writes the public key alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the secret key of {}", self.verifier_key)
    }
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
