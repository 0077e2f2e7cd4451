//! The tree over a ledger's records (RFC 6962): its right edge as it grows, and the hashes that a proof is made of.
//!
//! Leaf n is the commit of record n. The arithmetic is `tlog_tiles`'; it asks for hashes by their places in the order in
//! which a log stores them, and this file keeps of all hashes only those that it will ask for.

use std::cell::RefCell;
use std::collections::BTreeMap;

use axilog::hash::Hash;
use tlog_tiles::{
    Error, HashReader, record_hash, stored_hash_index, stored_hashes_for_record_hash, tlog,
    tree_hash,
};

use crate::bounds::MAX_TREE_SIZE;
use crate::error::HeadsError;

/// The right edge of a growing tree: the roots of the full subtrees that it falls into, at most one for each bit of its
/// size. It is all that further leaves and the root are made of.
#[derive(Clone, Debug, Default)]
pub struct TreeEdge {
    size: u64,
    /// The largest subtree first.
    subtrees: Vec<StoredHash>,
}

/// A hash, and its place in the order in which a log stores its hashes.
#[derive(Clone, Copy, Debug)]
struct StoredHash {
    place: u64,
    hash: tlog::Hash,
}

impl TreeEdge {
    /// The edge of the empty tree.
    #[must_use]
    pub fn new() -> TreeEdge {
        TreeEdge::default()
    }

    /// The edge of a tree with `size` leaves whose subtrees have these roots, the largest first; `None` where such a tree
    /// has more or fewer.
    #[must_use]
    pub fn from_roots(size: u64, roots: &[Hash]) -> Option<TreeEdge> {
        let is_right_number = usize::try_from(size.count_ones()) == Ok(roots.len());
        if size > MAX_TREE_SIZE || !is_right_number {
            return None;
        }
        let mut subtrees = Vec::new();
        let mut leaves_before = 0_u64;
        let levels = (0..u64::BITS).rev().filter(|level| size >> level & 1 == 1);
        for (level, root) in levels.zip(roots) {
            // A subtree begins at a multiple of its own length.
            let place = stored_hash_index(u8::try_from(level).ok()?, leaves_before >> level);
            let hash = tlog::Hash(*root);
            subtrees.push(StoredHash { place, hash });
            leaves_before = leaves_before.saturating_add(1 << level);
        }
        Some(TreeEdge { size, subtrees })
    }

    /// The roots of the subtrees, the largest first.
    pub fn roots(&self) -> impl Iterator<Item = Hash> {
        self.subtrees.iter().map(|subtree| subtree.hash.0)
    }

    /// The number of leaves.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Appends the record with this commit.
    ///
    /// # Errors
    /// [`HeadsError::Tree`].
    pub fn append(&mut self, commit: &Hash) -> Result<(), HeadsError> {
        self.append_and_show(commit, &mut |_, _| {})
    }

    /// The root of the tree.
    ///
    /// # Errors
    /// [`HeadsError::Tree`].
    pub fn root(&self) -> Result<Hash, HeadsError> {
        Ok(tree_hash(self.size, self).map_err(HeadsError::Tree)?.0)
    }

    /// Appends the record with this commit, and shows each hash that the tree has because of it.
    pub(crate) fn append_and_show(
        &mut self,
        commit: &Hash,
        show: &mut dyn FnMut(u64, tlog::Hash),
    ) -> Result<(), HeadsError> {
        let leaf = record_hash(commit);
        let hashes =
            stored_hashes_for_record_hash(self.size, leaf, self).map_err(HeadsError::Tree)?;
        let first = stored_hash_index(0, self.size);
        let mut last = None;
        for (place, hash) in (first..).zip(hashes) {
            show(place, hash);
            // Every hash above the leaf's is that of a subtree which was in the edge, joined with the one before.
            if last.replace(StoredHash { place, hash }).is_some() {
                self.subtrees.pop();
            }
        }
        self.subtrees.extend(last);
        self.size = self.size.saturating_add(1);
        Ok(())
    }
}

impl HashReader for TreeEdge {
    fn read_hashes(&self, places: &[u64]) -> Result<Vec<tlog::Hash>, Error> {
        let find = |place: &u64| {
            let mut subtrees = self.subtrees.iter();
            let found = subtrees.find(|subtree| subtree.place == *place);
            found
                .map(|subtree| subtree.hash)
                .ok_or(Error::IndexesNotInTree)
        };
        places.iter().map(find).collect()
    }
}

/// The hashes that proofs are made of: named before the tree is read, and kept while it grows.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProofHashes(BTreeMap<u64, Option<tlog::Hash>>);

impl ProofHashes {
    /// The hashes, still unknown, that `prove` asks its reader for.
    ///
    /// # Errors
    /// [`HeadsError::Tree`] where there is no such proof.
    pub(crate) fn that<T>(
        prove: impl FnOnce(&PlaceCollector) -> Result<T, Error>,
    ) -> Result<ProofHashes, HeadsError> {
        let collector = PlaceCollector::default();
        // What is proven with hashes that nobody knows yet is of no use.
        prove(&collector).map_err(HeadsError::Tree)?;
        let places = collector.0.into_inner();
        Ok(ProofHashes::at(places))
    }

    /// The hashes, still unknown, at these places.
    pub(crate) fn at(places: impl IntoIterator<Item = u64>) -> ProofHashes {
        ProofHashes(places.into_iter().map(|place| (place, None)).collect())
    }

    /// Keeps a hash of the tree where a proof needs it.
    pub(crate) fn take(&mut self, place: u64, hash: tlog::Hash) {
        if let Some(kept) = self.0.get_mut(&place) {
            *kept = Some(hash);
        }
    }
}

impl HashReader for ProofHashes {
    fn read_hashes(&self, places: &[u64]) -> Result<Vec<tlog::Hash>, Error> {
        let find = |place| self.0.get(place).copied().flatten();
        let found = places.iter().map(find).collect::<Option<Vec<_>>>();
        found.ok_or(Error::IndexesNotInTree)
    }
}

/// A reader that has no hashes, and notes which ones it is asked for.
#[derive(Default)]
pub(crate) struct PlaceCollector(RefCell<Vec<u64>>);

impl HashReader for PlaceCollector {
    fn read_hashes(&self, places: &[u64]) -> Result<Vec<tlog::Hash>, Error> {
        self.0.borrow_mut().extend(places);
        Ok(vec![tlog::Hash::default(); places.len()])
    }
}
