//! A checkpoint (C2SP tlog-checkpoint): the size and the root of a log's tree under its origin, as a signed note.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::slice;

use axilog::hash::Hash;
use axilog_ledger::error::FileError;
use axilog_ledger::file::storage::append_suffix;
use axilog_ledger::file::volume::{FileSystem, Volume, parent_dir, replace_file};
use axilog_ledger::input_file::read_input;
use signed_note::{Note, NoteError, Signature};
use tlog_tiles::checkpoint::Checkpoint as TreeHead;

use crate::bounds::{MAX_CHECKPOINT_BYTES, MAX_TREE_SIZE};
use crate::error::{HeadsError, InvalidCheckpoint, Unproven};
use crate::log_key::LogKey;
use crate::record_difference::RecordDifference;
use crate::verifier_key::VerifierKey;
use crate::witness_key::{MadeSignature, WitnessKey, WitnessPublicKey, time_of};

/// A checkpoint with all its signatures, of which none was checked yet.
#[derive(Debug)]
pub struct Checkpoint {
    head: TreeHead,
    note: Note,
}

impl Checkpoint {
    /// Signs the head of a tree. The origin is the key's name.
    ///
    /// # Errors
    /// [`HeadsError::Unsigned`].
    pub fn sign(size: u64, root: Hash, key: &LogKey) -> Result<Checkpoint, HeadsError> {
        let origin = key.verifier_key().name();
        let head = TreeHead::new(origin, size, tlog_tiles::Hash(root), "")
            .map_err(|error| HeadsError::Unsigned(error.to_string()))?;
        let unsigned = |error: NoteError| HeadsError::Unsigned(error.to_string());
        let mut note = Note::new(&head.to_bytes(), &[]).map_err(unsigned)?;
        note.add_sigs(&[key]).map_err(unsigned)?;
        Ok(Checkpoint { head, note })
    }

    /// Reads a checkpoint, without looking at its signatures.
    ///
    /// # Errors
    /// [`InvalidCheckpoint`], also for extension lines, which no log of this library has.
    pub fn parse(bytes: &[u8]) -> Result<Checkpoint, InvalidCheckpoint> {
        let checkpoint = Checkpoint::parse_of_any_log(bytes)?;
        match checkpoint.size() {
            0 => Err(InvalidCheckpoint::Empty),
            _ => Ok(checkpoint),
        }
    }

    /// Reads a checkpoint as [`Checkpoint::parse`] does, also that of a log without records, which no ledger is.
    pub(crate) fn parse_of_any_log(bytes: &[u8]) -> Result<Checkpoint, InvalidCheckpoint> {
        if bytes.len() as u64 > MAX_CHECKPOINT_BYTES {
            return Err(InvalidCheckpoint::TooLong);
        }
        if bytes.contains(&b'\r') {
            return Err(InvalidCheckpoint::CarriageReturn);
        }
        let note = Note::from_bytes(bytes).map_err(|_| InvalidCheckpoint::NoNote)?;
        let head = TreeHead::from_bytes(note.text()).map_err(|_| InvalidCheckpoint::NoHead)?;
        if !head.extension().is_empty() {
            return Err(InvalidCheckpoint::Extension);
        }
        match head.size() {
            0..=MAX_TREE_SIZE => Ok(Checkpoint { head, note }),
            size => Err(InvalidCheckpoint::TooLarge(size)),
        }
    }

    /// Reads a checkpoint from a file, without looking at its signatures.
    ///
    /// # Errors
    /// [`HeadsError::MissingCheckpoint`], [`HeadsError::NoCheckpoint`], [`HeadsError::File`].
    pub fn read(path: &Path) -> Result<Checkpoint, HeadsError> {
        let bytes = match read_input(path, "read the checkpoint", MAX_CHECKPOINT_BYTES) {
            Err(FileError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
                return Err(HeadsError::MissingCheckpoint(path.to_owned()));
            }
            read => read?,
        };
        Checkpoint::parse(&bytes).map_err(|reason| HeadsError::NoCheckpoint {
            path: path.to_owned(),
            reason,
        })
    }

    /// Writes the checkpoint durably to `path`, in place of what is there: the name leads to the old or the new one as a
    /// whole.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        replace_file(&FileSystem, path, &self.to_bytes())
            .and_then(|()| FileSystem.sync_dir(parent_dir(path)))
            .map_err(FileError::from_io(path, "write the checkpoint"))
    }

    /// The log that the checkpoint is of.
    #[must_use]
    pub fn origin(&self) -> &str {
        self.head.origin()
    }

    /// The number of leaves: of a ledger its records, genesis and seal included.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.head.size()
    }

    /// The root of the tree.
    #[must_use]
    pub fn root(&self) -> Hash {
        self.head.hash().0
    }

    /// The root in base64, as the checkpoint has it.
    #[must_use]
    pub fn root_text(&self) -> String {
        self.head.hash().to_string()
    }

    /// How a ledger of `entries` records differs from what was signed; `None` where it does not. `root` is that of as many
    /// of its records as the checkpoint has; `None` where it has fewer.
    pub(crate) fn find_difference(
        &self,
        entries: u64,
        root: Option<Hash>,
    ) -> Option<RecordDifference> {
        let size = self.size();
        match root {
            Some(root) if root == self.root() => None,
            Some(root) => Some(RecordDifference::Others {
                size,
                found: tlog_tiles::Hash(root).to_string(),
                expected: self.root_text(),
            }),
            None => Some(RecordDifference::Fewer {
                found: entries,
                expected: size,
            }),
        }
    }

    /// The checkpoint as it was read, with all its signatures.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.note.to_bytes()
    }

    /// Checks that the log signed this checkpoint with `key`, and that the key is the one of this origin. Signatures
    /// of other keys are ignored.
    ///
    /// # Errors
    /// [`Unproven`].
    pub fn verify(&self, key: &VerifierKey) -> Result<(), Unproven> {
        if self.origin() != key.name() {
            return Err(Unproven::OtherOrigin {
                found: self.origin().to_owned(),
                expected: key.name().to_owned(),
            });
        }
        match self.note.verify(&VerifierKey::list(slice::from_ref(key))) {
            Ok(_) => Ok(()),
            Err(NoteError::UnverifiedNote) => Err(Unproven::NotSigned(key.short_name())),
            Err(_) => Err(Unproven::BadSignature(key.short_name())),
        }
    }

    /// Checks that the log signed this checkpoint with one of its `keys`, and that the signature of none of them is bad.
    /// Drops all other signatures.
    ///
    /// # Errors
    /// [`Unproven::OtherOrigin`], [`Unproven::NotSigned`], [`Unproven::BadSignature`].
    pub fn keep_signatures_of(&mut self, keys: &[VerifierKey]) -> Result<(), Unproven> {
        if let Some(key) = keys.iter().find(|key| key.name() != self.origin()) {
            return Err(Unproven::OtherOrigin {
                found: self.origin().to_owned(),
                expected: key.name().to_owned(),
            });
        }
        let names = || {
            let names: Vec<String> = keys.iter().map(VerifierKey::short_name).collect();
            names.join(", ")
        };
        let kept = match self.note.verify(&VerifierKey::list(keys)) {
            Ok((kept, _)) => kept,
            Err(NoteError::UnverifiedNote) => return Err(Unproven::NotSigned(names())),
            Err(_) => return Err(Unproven::BadSignature(names())),
        };
        let note = Note::new(self.note.text(), &kept);
        self.note = note.map_err(|_| Unproven::NotSigned(names()))?;
        Ok(())
    }

    /// Signs the checkpoint as a witness that has seen it at `time`, in seconds since 1970. Gives the line of the
    /// signature, and has it among its own in place of an earlier one of the witness.
    ///
    /// # Errors
    /// [`HeadsError::Unsigned`].
    pub fn cosign(&mut self, key: &WitnessKey, time: u64) -> Result<Vec<u8>, HeadsError> {
        let unsigned = |error: NoteError| HeadsError::Unsigned(error.to_string());
        let signature = key.sign(time, self.note.text()).map_err(unsigned)?;
        let line = signature.to_bytes();
        let made = MadeSignature(signature);
        self.note.add_sigs(&[&made]).map_err(unsigned)?;
        Ok(line)
    }

    /// Adds the signature of a witness that is among `lines`, in place of an earlier one of it. Gives its time, in seconds
    /// since 1970.
    ///
    /// # Errors
    /// [`Unproven::NotSigned`], [`Unproven::BadSignature`].
    pub fn add_cosignature(
        &mut self,
        lines: &[u8],
        key: &WitnessPublicKey,
    ) -> Result<u64, Unproven> {
        let not_signed = || Unproven::NotSigned(key.short_name());
        let bytes = [self.note.text(), b"\n", lines].concat();
        let note = Note::from_bytes(&bytes).map_err(|_| not_signed())?;
        let (signature, time) = find_cosignature(&note, key)?;
        let made = MadeSignature(signature);
        self.note.add_sigs(&[&made]).map_err(|_| not_signed())?;
        Ok(time)
    }

    /// The time at which a witness signed this checkpoint, in seconds since 1970.
    ///
    /// # Errors
    /// [`Unproven::NotSigned`], [`Unproven::BadSignature`].
    pub fn find_cosigned_time(&self, key: &WitnessPublicKey) -> Result<u64, Unproven> {
        find_cosignature(&self.note, key).map(|(_, time)| time)
    }
}

/// Where the checkpoint of a ledger is kept that was signed last.
#[must_use]
pub fn checkpoint_of(ledger: &Path) -> PathBuf {
    append_suffix(ledger, ".checkpoint")
}

/// The signature of a witness on a note, and its time.
fn find_cosignature(note: &Note, key: &WitnessPublicKey) -> Result<(Signature, u64), Unproven> {
    let verified = match note.verify(&key.alone()) {
        Ok((verified, _)) => verified,
        Err(NoteError::UnverifiedNote) => return Err(Unproven::NotSigned(key.short_name())),
        Err(_) => return Err(Unproven::BadSignature(key.short_name())),
    };
    let signature = verified.into_iter().next();
    let timed = signature.and_then(|signature| {
        let time = time_of(signature.signature())?;
        Some((signature, time))
    });
    timed.ok_or_else(|| Unproven::NotSigned(key.short_name()))
}
