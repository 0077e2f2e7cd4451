//! What can go wrong with keys, checkpoints and proofs: where, what was found, what was expected, what to do.

use std::path::PathBuf;

use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::manifest::InvalidManifest;

use crate::bounds::{MAX_CHECKPOINT_BYTES, MAX_PROOF_BYTES};
use crate::invalid_verifier_key::InvalidVerifierKey;
use crate::key_kind::KeyKind;
use crate::policy_error::InvalidPolicy;
use crate::record_difference::RecordDifference;

/// Why a head was not signed, or a proof not made.
#[derive(Debug, thiserror::Error)]
pub enum HeadsError {
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),

    /// The ledger cannot be used.
    #[error(transparent)]
    Ledger(LedgerError),

    /// The name for a key cannot be a ledger's.
    #[error("the name for the key is refused: {0}; nothing was made")]
    KeyName(InvalidManifest),

    /// The file for a new key exists.
    #[error("{path}: already exists, and no key is ever overwritten; name another file", path = .0.display())]
    KeyExists(PathBuf),

    /// Others than its owner may read or write the file of a secret key.
    #[error(
        "{path}: others than its owner may read or change this secret key: its mode is {mode:04o}, expected 0600; if nobody has read it, chmod 600 {path}; else make a new key",
        path = path.display()
    )]
    KeyExposed {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },

    /// A file that holds no secret key.
    #[error(
        "{path}: is no secret key: expected one line PRIVATE+KEY+NAME+ID+KEY, with an Ed25519 key whose id is that; name the file that `axilog key new` made",
        path = .0.display()
    )]
    BrokenKey(PathBuf),

    /// A key of another kind.
    #[error("{path}: is {found}, expected {expected}; name the other one", path = path.display())]
    OtherKeyKind {
        /// The file.
        path: PathBuf,
        /// What the key signs.
        found: KeyKind,
        /// What it should sign.
        expected: KeyKind,
    },

    /// A text that was given as a public key is not one.
    #[error("the public key is refused: {0}")]
    VerifierKey(InvalidVerifierKey),

    /// The system gives no random numbers.
    #[error("cannot make a key: the system gives no random numbers: {0}")]
    Random(getrandom::Error),

    /// A ledger without a name of its own.
    #[error(
        "{ledger}: was begun without a name, so nothing in it says that it is the log {key_name}; if this key signs no other ledger, give --origin {key_name}, or while it is recorded --checkpoint-origin {key_name}; the next ledger begins with `axilog init --name NAME`",
        ledger = ledger.display()
    )]
    NoName {
        /// The ledger.
        ledger: PathBuf,
        /// The name of the key.
        key_name: String,
    },

    /// A ledger whose name, or the origin that was given for it, is not the key's.
    #[error(
        "{ledger}: {whose} is {name:?}, and the key is that of {key_name:?}; name the key that was made with `--name {name}`",
        ledger = ledger.display()
    )]
    OtherName {
        /// The ledger.
        ledger: PathBuf,
        /// What has the name.
        whose: &'static str,
        /// The name.
        name: String,
        /// The name of the key.
        key_name: String,
    },

    /// The name of a ledger cannot be read.
    #[error(
        "{ledger}: the name of this ledger cannot be read: its {what} {blob} {reason}; put the file back",
        ledger = ledger.display(), blob = blob.display()
    )]
    NameUnknown {
        /// The ledger.
        ledger: PathBuf,
        /// Which document cannot be read.
        what: &'static str,
        /// The blob that should hold it.
        blob: PathBuf,
        /// What is wrong with it.
        reason: String,
    },

    /// A ledger that lacks records which its session has called durable.
    #[error(
        "{ledger}: holds {found} good records, and its session has called {expected} durable: something else has written to the file; audit it (axilog audit), and go on in a new ledger where it fails",
        ledger = ledger.display()
    )]
    NotDurable {
        /// The ledger.
        ledger: PathBuf,
        /// The number of records that were found good.
        found: u64,
        /// The number of records that are said to be durable.
        expected: u64,
    },

    /// There is no file with the checkpoint.
    #[error("{path}: there is no checkpoint here; sign the ledger's head first (axilog checkpoint LEDGER --key FILE), or name the file that has it", path = .0.display())]
    MissingCheckpoint(PathBuf),

    /// A file that holds no checkpoint.
    #[error("{path}: is no checkpoint: {reason}", path = path.display())]
    NoCheckpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: InvalidCheckpoint,
    },

    /// A file that holds no policy of witnesses.
    #[error("{path}: is no policy of witnesses: {reason}", path = path.display())]
    NoPolicy {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: InvalidPolicy,
    },

    /// An earlier checkpoint that this key did not sign.
    #[error(
        "the checkpoint that is there is not one of this key: {0}; name another file for the new one, or move the old one away"
    )]
    ForeignCheckpoint(Unproven),

    /// The ledger has other records than were signed.
    #[error("{ledger}: {difference}; look for the ledger that has them", ledger = ledger.display())]
    OtherRecords {
        /// The ledger.
        ledger: PathBuf,
        /// How they differ.
        difference: RecordDifference,
    },

    /// A proof of a record that the checkpoint does not cover.
    #[error(
        "{ledger}: record {sequence} is not among the {size} of the checkpoint, 0 to {last}; sign the ledger's head anew (axilog checkpoint), or name a record up to {last}",
        ledger = ledger.display(), last = size.saturating_sub(1)
    )]
    NoSuchRecord {
        /// The ledger.
        ledger: PathBuf,
        /// The record's sequence.
        sequence: u64,
        /// The number of records of the checkpoint, at least 1.
        size: u64,
    },

    /// Checkpoints of two logs.
    #[error(
        "the older checkpoint is of {old:?}, and the newer one of {new:?}; name two checkpoints of one ledger"
    )]
    OtherLedgers {
        /// The origin of the older one.
        old: String,
        /// The origin of the newer one.
        new: String,
    },

    /// An older checkpoint that has more records than the newer one.
    #[error(
        "the older checkpoint has {old_size} records, and the newer one {size}; exchange them, or sign the ledger's head anew (axilog checkpoint)"
    )]
    NotOlder {
        /// The number of the older one's records.
        old_size: u64,
        /// The number of the newer one's.
        size: u64,
    },

    /// A head that cannot be written as a signed note.
    #[error("the head cannot be signed: {0}")]
    Unsigned(String),

    /// The tree refuses a computation.
    #[error("cannot compute the tree: {0}")]
    Tree(tlog_tiles::Error),
}

impl From<LedgerError> for HeadsError {
    fn from(error: LedgerError) -> HeadsError {
        match error {
            LedgerError::File(error) => HeadsError::File(error),
            error => HeadsError::Ledger(error),
        }
    }
}

/// Why a text is no checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCheckpoint {
    /// The text is longer than any checkpoint.
    #[error(
        "it is longer than {} bytes; name a file that `axilog checkpoint` wrote",
        MAX_CHECKPOINT_BYTES
    )]
    TooLong,
    /// The text has line ends of another system.
    #[error("it has carriage returns, expected line feeds alone; copy the file byte by byte")]
    CarriageReturn,
    /// The text is no signed note.
    #[error(
        "it is no signed note: expected lines, an empty line, and signature lines \"— NAME BASE64\" up to its end; copy the file whole"
    )]
    NoNote,
    /// The note does not say what a checkpoint says.
    #[error(
        "what is signed is no head: expected the lines origin, size and root; copy the file whole"
    )]
    NoHead,
    /// There are further lines.
    #[error("it has lines after its root, expected none; no log of axilog signs such a head")]
    Extension,
    /// The tree is empty, which no ledger's is.
    #[error("its size is 0, and every ledger has a record")]
    Empty,
    /// The tree is larger than any.
    #[error("its size is {0}, and no ledger has as many records")]
    TooLarge(u64),
}

/// Why a text is no proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidProof {
    /// The text is longer than any proof.
    #[error(
        "it is longer than {} bytes; name a file that `axilog prove` wrote",
        MAX_PROOF_BYTES
    )]
    TooLong,
    /// The bytes are no text.
    #[error("it is not UTF-8; copy the file byte by byte")]
    NoText,
    /// The text has line ends of another system.
    #[error("it has carriage returns, expected line feeds alone; copy the file byte by byte")]
    CarriageReturn,
    /// Nothing separates the proof from its checkpoint.
    #[error("it has no empty line, after which its checkpoint would be; copy the file whole")]
    NoEmptyLine,
    /// The first line is that of a later version, or of none.
    #[error("its first line is not c2sp.org/tlog-proof@v1; use an axilog that knows it")]
    OtherVersion,
    /// The line `extra` is not base64.
    #[error("its line \"extra\" is not base64; copy the file byte by byte")]
    NoExtra,
    /// There is no line with the record's sequence.
    #[error(
        "it has no line \"index N\" with a decimal number before its hashes; copy the file whole"
    )]
    NoIndex,
    /// The first line has no number.
    #[error("its first line is not \"old N\" with a decimal number; copy the file whole")]
    NoOldSize,
    /// A line that should be a hash.
    #[error("found the line {0:?}, expected the base64 of a SHA-256; copy the file byte by byte")]
    NoHash(String),
    /// There are more hashes than a proof can have.
    #[error("it has more than 63 hashes, and no proof needs as many")]
    TooManyHashes,
    /// The checkpoint in the proof is refused.
    #[error("its checkpoint is refused: {0}")]
    Checkpoint(InvalidCheckpoint),
}

/// Why a checkpoint or a proof shows nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unproven {
    /// The checkpoint is of another log.
    #[error("the checkpoint is of {found:?}, and the key is that of {expected:?}")]
    OtherOrigin {
        /// The origin of the checkpoint.
        found: String,
        /// The name of the key.
        expected: String,
    },
    /// The key has not signed the checkpoint.
    #[error("the checkpoint has no signature of {0}")]
    NotSigned(String),
    /// The key's signature is of another text.
    #[error(
        "the signature of {0} does not hold: the checkpoint was changed after it was signed, or the signature was"
    )]
    BadSignature(String),
    /// Too few witnesses have signed the checkpoint, or the signature of one does not hold.
    #[error("the witnesses of the policy who signed the checkpoint are not enough: {0}")]
    NoQuorum(String),
    /// The older checkpoint shows nothing.
    #[error("of the older checkpoint: {0}")]
    Older(Box<Unproven>),
    /// The record is no line of a ledger.
    #[error("the record is not one line of a ledger file")]
    NoLedgerLine,
    /// The record is another one.
    #[error("the record is number {found} of its ledger, and the proof is of number {expected}")]
    OtherRecord {
        /// The sequence of the record.
        found: u64,
        /// The proof's index.
        expected: u64,
    },
    /// The record does not have the commit that its line says.
    #[error(
        "the commit in the line of record {0} is not that of the record: one of them was changed"
    )]
    OtherCommit(u64),
    /// The proof's index lies outside of its tree.
    #[error(
        "the proof is of record {index}, and its checkpoint covers the {size} records before it"
    )]
    BeyondCheckpoint {
        /// The proof's index.
        index: u64,
        /// The number of records of the checkpoint.
        size: u64,
    },
    /// The hashes do not lead from the record to the root.
    #[error(
        "record {index} is not among the {size} records that were signed: the hashes of the proof do not lead from it to the signed root"
    )]
    NotInTree {
        /// The proof's index.
        index: u64,
        /// The number of records of the checkpoint.
        size: u64,
    },
    /// The proof is about another older checkpoint.
    #[error("the proof begins with {found} records, and the older checkpoint has {expected}")]
    OtherOldSize {
        /// The number in the proof.
        found: u64,
        /// The number of the older checkpoint.
        expected: u64,
    },
    /// The hashes do not lead from the older root to the newer one.
    #[error(
        "the {size} records that were signed do not begin with the {old_size} of the older checkpoint: the hashes of the proof do not lead from one root to the other"
    )]
    NotExtended {
        /// The number of records of the older checkpoint.
        old_size: u64,
        /// The number of the newer one.
        size: u64,
    },
}
