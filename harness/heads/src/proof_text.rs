//! What the texts of proofs have in common: lines, a number, hashes in base64, and after an empty line the checkpoint.

use tlog_tiles::Hash;

use crate::bounds::MAX_PROOF_BYTES;
use crate::checkpoint::Checkpoint;
use crate::error::{InvalidCheckpoint, InvalidProof};

/// The most hashes of a proof: a tree of 2^63 leaves needs no more.
const MAX_HASHES: usize = 63;

/// How the proof of a record begins.
pub(crate) const RECORD_PROOF: &str = "c2sp.org/tlog-proof@v1";

/// How the proof of an extension begins.
pub(crate) const OLD_SIZE: &str = "old ";

/// What a file that was handed over claims to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofKind {
    /// The proof of one record.
    Record,
    /// The proof that a ledger extends an older checkpoint.
    Extension,
    /// Neither; it may be a checkpoint.
    Other,
}

impl ProofKind {
    /// The kind that the first bytes of a file show.
    #[must_use]
    pub fn of(bytes: &[u8]) -> ProofKind {
        if bytes.starts_with(b"c2sp.org/tlog-proof@") {
            ProofKind::Record
        } else if bytes.starts_with(OLD_SIZE.as_bytes()) {
            ProofKind::Extension
        } else {
            ProofKind::Other
        }
    }
}

/// Splits a proof into the lines before its first empty line, and the checkpoint after it.
///
/// # Errors
/// [`InvalidProof`].
pub(crate) fn split_proof(
    bytes: &[u8],
    parse_checkpoint: fn(&[u8]) -> Result<Checkpoint, InvalidCheckpoint>,
) -> Result<(Vec<&str>, Checkpoint), InvalidProof> {
    if bytes.len() as u64 > MAX_PROOF_BYTES {
        return Err(InvalidProof::TooLong);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| InvalidProof::NoText)?;
    if text.contains('\r') {
        return Err(InvalidProof::CarriageReturn);
    }
    let (lines, checkpoint) = text.split_once("\n\n").ok_or(InvalidProof::NoEmptyLine)?;
    let checkpoint = parse_checkpoint(checkpoint.as_bytes()).map_err(InvalidProof::Checkpoint)?;
    Ok((lines.split('\n').collect(), checkpoint))
}

/// Reads a decimal as it is written: without a sign and without leading zeros.
pub(crate) fn parse_decimal(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// Reads the hashes of a proof, a line each.
///
/// # Errors
/// [`InvalidProof`].
pub(crate) fn parse_hashes<'l>(
    lines: impl Iterator<Item = &'l str>,
) -> Result<Vec<Hash>, InvalidProof> {
    let hashes = lines
        .take(MAX_HASHES + 1)
        .map(|line| Hash::parse_hash(line).map_err(|_| InvalidProof::NoHash(line.to_owned())))
        .collect::<Result<Vec<Hash>, _>>()?;
    match hashes.len() {
        0..=MAX_HASHES => Ok(hashes),
        _ => Err(InvalidProof::TooManyHashes),
    }
}

/// Writes a proof: its first lines, its hashes, an empty line, and the checkpoint.
pub(crate) fn join_proof(mut first: String, hashes: &[Hash], checkpoint: &Checkpoint) -> Vec<u8> {
    for hash in hashes {
        first.push_str(&format!("{hash}\n"));
    }
    first.push('\n');
    let mut bytes = first.into_bytes();
    bytes.extend(checkpoint.to_bytes());
    bytes
}
