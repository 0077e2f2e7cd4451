//! RFC 6962, section 2.1, as it stands there: slow, and written for these tests alone.

use sha2::{Digest, Sha256};

pub type Hash = [u8; 32];

fn sha256(parts: &[&[u8]]) -> Hash {
    let mut hasher = Sha256::new();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize().into()
}

/// The largest power of two smaller than `n`, which is at least 2.
fn split(n: usize) -> usize {
    n.next_power_of_two() / 2
}

/// The root of a tree, MTH in the RFC.
pub fn root(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => sha256(&[]),
        [leaf] => sha256(&[&[0], leaf]),
        _ => {
            let (left, right) = leaves.split_at(split(leaves.len()));
            sha256(&[&[1], &root(left), &root(right)])
        }
    }
}

/// The audit path of leaf `m`, PATH in the RFC.
pub fn path(m: usize, leaves: &[Hash]) -> Vec<Hash> {
    if leaves.len() < 2 {
        return Vec::new();
    }
    let k = split(leaves.len());
    let (left, right) = leaves.split_at(k);
    let (mut path, other) = match m < k {
        true => (path(m, left), root(right)),
        false => (path(m - k, right), root(left)),
    };
    path.push(other);
    path
}

/// The proof that the tree extends that of its first `m` leaves, PROOF in the RFC; `m` is at least 1.
pub fn extension(m: usize, leaves: &[Hash]) -> Vec<Hash> {
    subproof(m, leaves, true)
}

fn subproof(m: usize, leaves: &[Hash], is_old_tree: bool) -> Vec<Hash> {
    if m == leaves.len() {
        return match is_old_tree {
            true => Vec::new(),
            false => vec![root(leaves)],
        };
    }
    let k = split(leaves.len());
    let (left, right) = leaves.split_at(k);
    let (mut proof, other) = match m <= k {
        true => (subproof(m, left, is_old_tree), root(right)),
        false => (subproof(m - k, right, false), root(left)),
    };
    proof.push(other);
    proof
}

#[test]
fn the_roots_of_well_known_leaves_are_right() {
    // The empty tree's is in RFC 6962; that of one leaf and of two follows from SHA-256 alone.
    let hex = |hash: Hash| hash.map(|byte| format!("{byte:02x}")).concat();
    assert_eq!(
        hex(root(&[])),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
    let leaves = [[1; 32], [2; 32], [3; 32]];
    let pair = sha256(&[&[1], &root(&leaves[..1]), &root(&leaves[1..2])]);
    assert_eq!(root(&leaves[..2]), pair);
    assert_eq!(root(&leaves), sha256(&[&[1], &pair, &root(&leaves[2..])]));
    assert_eq!(path(2, &leaves), [pair]);
    assert_eq!(extension(2, &leaves), [root(&leaves[2..])]);
}
