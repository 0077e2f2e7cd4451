//! What the proof is made of that a growing tree extends an older one: gathered while the tree grows, so that no record is
//! read a second time for it.

use tlog_tiles::{Error, HashReader, TreeProof, prove_tree, stored_hash_index, tlog};

use crate::error::HeadsError;
use crate::tree::{ProofHashes, TreeEdge};

/// The levels of the largest tree.
const LEVELS: u8 = 61;

/// The edge of an older tree, and the roots of the full subtrees that came beside the path from its last leaf upwards: at most
/// one on each level.
#[derive(Clone, Debug)]
pub(crate) struct Growth {
    old: TreeEdge,
    beside: ProofHashes,
}

impl Growth {
    /// Begins with an older tree, which has at least one leaf.
    pub(crate) fn from(old: TreeEdge) -> Growth {
        let last = old.size().saturating_sub(1);
        let places = (0..LEVELS)
            .map(|level| (level, last >> level))
            .filter(|(_, node)| node % 2 == 0)
            .map(|(level, node)| stored_hash_index(level, node + 1));
        Growth {
            beside: ProofHashes::at(places),
            old,
        }
    }

    /// Takes a hash that the tree has because of a new leaf.
    pub(crate) fn take(&mut self, place: u64, hash: tlog::Hash) {
        self.beside.take(place, hash);
    }

    /// Proves that the tree with this edge extends the older one. The tree has grown to it, or beyond.
    ///
    /// # Errors
    /// [`HeadsError::Tree`].
    pub(crate) fn prove(&self, new: &TreeEdge) -> Result<TreeProof, HeadsError> {
        let known = [
            &self.old as &dyn HashReader,
            new as &dyn HashReader,
            &self.beside,
        ];
        let (size, old_size) = (new.size(), self.old.size());
        prove_tree(size, old_size, &FirstOf(known)).map_err(HeadsError::Tree)
    }
}

/// Several readers, of which the first one that has a hash gives it.
struct FirstOf<'a>([&'a dyn HashReader; 3]);

impl HashReader for FirstOf<'_> {
    fn read_hashes(&self, places: &[u64]) -> Result<Vec<tlog::Hash>, Error> {
        let find = |place: &u64| {
            let found = (self.0.iter()).find_map(|reader| reader.read_hashes(&[*place]).ok());
            found.and_then(|hashes| hashes.first().copied())
        };
        let found = places.iter().map(find).collect::<Option<Vec<_>>>();
        found.ok_or(Error::IndexesNotInTree)
    }
}
