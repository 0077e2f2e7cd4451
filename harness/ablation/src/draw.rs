//! Everything that looks random and is not: numbers drawn from a seed by SHA-256.
//!
//! Equal seeds, places and purposes give equal numbers on every machine and in every release.
//! Determinism: D1.

use axilog::hash::sha256;

/// A place in a run. Steps and episodes count from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The seed of the world.
    pub seed: u64,
    /// The episode under that seed.
    pub episode: u32,
    /// The step in that episode.
    pub step: u32,
}

/// A number below `limit`, drawn at `place` for `purpose`; 0 where `limit` is 0 or 1. The first 64 bits
/// of SHA-256, big-endian, over purpose, seed, episode and step in decimal with a colon between.
#[must_use]
pub fn below(limit: u64, place: Place, purpose: &str) -> u64 {
    let Place {
        seed,
        episode,
        step,
    } = place;
    let digest = sha256(format!("{purpose}:{seed}:{episode}:{step}").as_bytes());
    let [a, b, c, d, e, f, g, h, ..] = digest;
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
        .checked_rem(limit)
        .unwrap_or(0)
}

/// One of `items`, drawn likewise; `None` where there are none.
pub fn one_of<T>(
    items: impl ExactSizeIterator<Item = T>,
    place: Place,
    purpose: &str,
) -> Option<T> {
    let mut items = items;
    let index = below(items.len() as u64, place, purpose);
    items.nth(usize::try_from(index).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_frozen_and_spread() {
        let place = |step| Place {
            seed: 42,
            episode: 1,
            step,
        };
        let drawn: Vec<u64> = (0..8).map(|step| below(10, place(step), "x")).collect();
        assert_eq!(drawn, [1, 1, 4, 1, 3, 2, 2, 5]);
        let mut counts = [0; 10];
        for step in 0..10_000 {
            counts[below(10, place(step), "spread") as usize] += 1;
        }
        assert!(counts.iter().all(|n| (850..1150).contains(n)), "{counts:?}");
        assert_eq!(below(0, place(0), ""), 0);
        assert_eq!(one_of([0; 0].iter(), place(0), ""), None);
    }
}
