//! Generates the tables of `src/text/nfc.rs` from Unicode data.
//!
//! What is left out is what the check never asks: it compares a text with its normal form and never
//! builds one, so no composite and no singleton decomposition is stored, and Hangul is arithmetic.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Write};
use std::iter::once;

use unicode_normalization::char::{canonical_combining_class, compose, decompose_canonical};
use unicode_normalization::{IsNormalized, UNICODE_VERSION, is_nfc_quick};

/// Code points per leaf of the property trie, and leaves per branch, as powers of two.
const LEAF_BITS: u32 = 4;
const BRANCH_BITS: u32 = 4;

/// Bits of a property above the rank of the combining class.
const MAYBE: u8 = 0x40;
const NO: u8 = 0x80;

/// Bits of a code point; what is packed beside one in a `u32` sits above them.
const CHAR_BITS: u32 = 21;

/// The source text of `nfc_tables.rs`.
pub(crate) fn tables() -> String {
    let ranks = ranks();
    let splits = splits();
    let joins = joins(&splits);
    let mut out = String::new();
    let (major, minor, patch) = UNICODE_VERSION;
    let version = format!("{major}.{minor}.{patch}");
    let _ = writeln!(
        out,
        "/// The Unicode version of the tables.\n\
         pub const UNICODE_VERSION: &str = \"{version}\";\n\
         /// The same, for C.\n\
         pub const UNICODE_VERSION_C: &core::ffi::CStr = c\"{version}\";"
    );
    constant(&mut out, "LEAF_BITS", "u32", LEAF_BITS);
    constant(&mut out, "BRANCH_BITS", "u32", BRANCH_BITS);
    constant(&mut out, "MAYBE", "u8", MAYBE);
    constant(&mut out, "NO", "u8", NO);
    constant(&mut out, "CHAR_BITS", "u32", CHAR_BITS);

    let properties: Vec<u8> = (0..=u32::from(char::MAX))
        .map(|code| char::from_u32(code).map_or(0, |c| property(c, &ranks)))
        .collect();
    let (leaves, branches) = share(&properties, 1 << LEAF_BITS);
    let (branches, mut top) = share(&branches, 1 << BRANCH_BITS);
    while top.last() == Some(&0) {
        top.pop();
    }
    array(&mut out, "LEAVES", "u8", &leaves);
    array(&mut out, "BRANCHES", "u8", &branches);
    array(&mut out, "TOP", "u8", &top);

    let joiners: Vec<char> = joins.keys().copied().collect();
    let pairs: Vec<u32> = (0u32..)
        .zip(joins.values())
        .flat_map(|(index, bases)| bases.iter().map(move |&b| pack(index, b)))
        .collect();
    let joiners: Vec<u32> = joiners.into_iter().map(u32::from).collect();
    array(&mut out, "JOINERS", "u32", &joiners);
    array(&mut out, "PAIRS", "u32", &pairs);

    let splits: Vec<String> = splits
        .iter()
        .filter(|&(_, &split)| can_be_undone(split, &splits, &joins))
        .map(|(&composite, &(base, last))| {
            let rank = ranks[&canonical_combining_class(last)];
            format!("({}, {})", u32::from(composite), pack(rank.into(), base))
        })
        .collect();
    array(&mut out, "SPLITS", "(u32, u32)", &splits);
    out
}

fn constant(out: &mut String, name: &str, of: &str, value: impl Display) {
    let _ = writeln!(out, "pub const {name}: {of} = {value};");
}

fn array<T: Display>(out: &mut String, name: &str, of: &str, items: &[T]) {
    let list: Vec<String> = items.iter().map(T::to_string).collect();
    let (len, list) = (items.len(), list.join(","));
    let _ = writeln!(out, "pub static {name}: [{of}; {len}] = [{list}];");
}

fn pack(above: u32, c: char) -> u32 {
    above << CHAR_BITS | u32::from(c)
}

fn chars() -> impl Iterator<Item = char> {
    '\0'..=char::MAX
}

/// The combining classes in use, each with its place in their order. The check only ever compares
/// classes, so the places serve as well as the classes and fit in six bits.
fn ranks() -> BTreeMap<u8, u8> {
    let classes: BTreeSet<u8> = chars().map(canonical_combining_class).collect();
    assert!(classes.len() <= usize::from(MAYBE));
    classes.into_iter().zip(0..).collect()
}

fn property(c: char, ranks: &BTreeMap<u8, u8>) -> u8 {
    let quick = match is_nfc_quick(once(c)) {
        IsNormalized::Yes => 0,
        IsNormalized::Maybe => MAYBE,
        IsNormalized::No => NO,
    };
    quick | ranks[&canonical_combining_class(c)]
}

fn is_hangul_syllable(c: char) -> bool {
    ('\u{AC00}'..='\u{D7A3}').contains(&c)
}

fn decomposition(c: char) -> Vec<char> {
    let mut parts = Vec::new();
    decompose_canonical(c, |part| parts.push(part));
    parts
}

/// Each primary composite with the pair it is composed of, Hangul syllables aside.
fn splits() -> BTreeMap<char, (char, char)> {
    let mut splits = BTreeMap::new();
    for c in chars().filter(|&c| !is_hangul_syllable(c)) {
        let parts = decomposition(c);
        if parts == [c] || is_nfc_quick(once(c)) == IsNormalized::No {
            continue;
        }
        // What the check relies on: a composite is a starter, and so is what it begins with.
        assert_eq!(canonical_combining_class(c), 0);
        assert_eq!(canonical_combining_class(parts[0]), 0);
        let (&last, rest) = parts.split_last().expect("a decomposition is not empty");
        let base = rest
            .iter()
            .copied()
            .reduce(|a, b| compose(a, b).expect("a composite has composites as prefixes"))
            .expect("a primary composite has two parts or more");
        assert_eq!(compose(base, last), Some(c));
        splits.insert(c, (base, last));
    }
    splits
}

/// For each character that may join what stands before it, the starters that it joins.
///
/// A composite joins as its first part does: in `A` + `BC`, `A` takes `B` and leaves `C`.
fn joins(splits: &BTreeMap<char, (char, char)>) -> BTreeMap<char, BTreeSet<char>> {
    let mut joins: BTreeMap<char, BTreeSet<char>> = BTreeMap::new();
    for &(base, last) in splits.values() {
        joins.entry(last).or_default().insert(base);
    }
    for &composite in splits.keys() {
        if let Some(bases) = joins.get(&decomposition(composite)[0]).cloned() {
            joins.insert(composite, bases);
        }
    }
    joins
}

/// Whether some mark can take the base of this split away from its last part, by sorting in
/// between: only then does the check need the split.
fn can_be_undone(
    (base, last): (char, char),
    splits: &BTreeMap<char, (char, char)>,
    joins: &BTreeMap<char, BTreeSet<char>>,
) -> bool {
    joins.iter().any(|(&mark, bases)| {
        let class = canonical_combining_class(mark);
        let sorts_before = |part: char| class > 0 && class < canonical_combining_class(part);
        let mut under = base;
        while let Some(&(next, _)) = splits.get(&under).filter(|s| sorts_before(s.1)) {
            under = next;
        }
        sorts_before(last) && bases.contains(&under)
    })
}

/// Cuts `items` into blocks of `size` and stores equal blocks once: the blocks, and for each place
/// the index of its block.
fn share(items: &[u8], size: usize) -> (Vec<u8>, Vec<u8>) {
    let mut known: BTreeMap<&[u8], u8> = BTreeMap::new();
    let mut blocks = Vec::new();
    let mut index = Vec::new();
    for block in items.chunks(size) {
        let next = u8::try_from(known.len());
        let place = *known.entry(block).or_insert_with(|| {
            blocks.extend_from_slice(block);
            next.expect("at most 256 different blocks")
        });
        index.push(place);
    }
    (blocks, index)
}
