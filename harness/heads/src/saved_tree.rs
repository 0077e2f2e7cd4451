//! The file `LEDGER.tree`, which keeps the right edge of a ledger's tree where a head was signed, so that the next head is
//! made of the records that follow.
//!
//! Nobody believes it: whoever signs goes on from it only where it has the root that the key signed before, and an audit
//! compares it with the records.

use std::io::{Read, Seek};
use std::path::Path;

use axilog::hash::{Hash, HexHash, unhex};
use axilog_ledger::encoding::hex;
use axilog_ledger::error::FileError;
use axilog_ledger::file::saved_file::{SavedKind, read_saved, write_saved};
use axilog_ledger::file::volume::FileSystem;
use serde::{Deserialize, Serialize};

use crate::checkpoint::Checkpoint;
use crate::tree::TreeEdge;
use crate::tree_place::TreePlace;

/// The kind of the file. An edge has at most 64 hashes.
pub(crate) const TREE: SavedKind = SavedKind::new("tree", 1, 1 << 14);

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedTree {
    /// The roots of the full subtrees, the largest first.
    edge: Vec<String>,
    ledger: SavedPlace,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedPlace {
    /// The length of the ledger up to the place, in bytes.
    bytes: u64,
    /// The number of records up to there.
    entries: u64,
    /// The chain value of the last of them.
    head: String,
    /// Whether that record is a seal.
    sealed: bool,
}

/// Reads the saved tree of a ledger. Its bytes are those of the ledger only where the ledger
/// [has](TreePlace::is_in) the place.
///
/// # Errors
/// Why it cannot be used, in words.
pub(crate) fn read_saved_tree(ledger: &Path) -> Result<TreePlace, String> {
    let json = read_saved(&FileSystem, ledger, &TREE)?;
    let saved: SavedTree = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
    let place = saved.to_place();
    place.ok_or_else(|| "it describes a tree that cannot be".to_owned())
}

/// Finds the place of the ledger whose tree `checkpoint` was signed of: the saved tree, grown by the records after it. `None`
/// where it does not grow to the root that was signed.
pub(crate) fn find_signed_place(
    source: &mut (impl Read + Seek),
    ledger: &Path,
    checkpoint: &Checkpoint,
) -> Option<TreePlace> {
    let mut place = read_saved_tree(ledger).ok()?;
    let size = checkpoint.size();
    let is_signed = place.edge.size() <= size
        && place.is_in(source).ok()?
        && place.grow(source, Some(size), &mut |_, _| {}).ok()?
        && place.edge.root().ok()? == checkpoint.root();
    is_signed.then_some(place)
}

/// Saves the tree of a ledger up to a place of it. Nothing is synced: what a power failure leaves of it has another hash.
///
/// # Errors
/// [`FileError::Io`]. The tree that was there is as it was.
pub(crate) fn save_tree(ledger: &Path, place: &TreePlace) -> Result<(), FileError> {
    let path = TREE.path_of(ledger);
    let failed = || FileError::from_io(&path, "write the tree");
    let saved = SavedTree {
        edge: place.edge.roots().map(|root| hex(&root)).collect(),
        ledger: SavedPlace {
            bytes: place.bytes,
            entries: place.edge.size(),
            head: hex(&place.head.unwrap_or_default()),
            sealed: place.is_sealed,
        },
    };
    let mut json = serde_json::to_vec(&saved).map_err(|error| failed()(error.into()))?;
    json.push(b'\n');
    write_saved(&FileSystem, ledger, &TREE, &json).map_err(failed())
}

impl SavedTree {
    fn to_place(&self) -> Option<TreePlace> {
        let roots = self.edge.iter().map(|root| parse_hash(root));
        let roots = roots.collect::<Option<Vec<Hash>>>()?;
        let place = &self.ledger;
        Some(TreePlace {
            edge: TreeEdge::from_roots(place.entries, &roots).filter(|edge| edge.size() > 0)?,
            bytes: place.bytes,
            head: Some(parse_hash(&place.head)?),
            is_sealed: place.sealed,
        })
    }
}

fn parse_hash(text: &str) -> Option<Hash> {
    unhex(&HexHash::try_from(text.as_bytes()).ok()?)
}
