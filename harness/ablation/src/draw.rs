//! Reproducible draws: numbers that look random and follow from a seed by SHA-256.
//!
//! Equal seeds, places and purposes give equal numbers on every machine and in every release.
//! Determinism: D1.

use axilog::hash::{Hash, sha256};

use super::environment::Place;

/// What the state of a step is drawn for. Draws follow from these words: they are those of the first environment, whose
/// runs stay what they were.
pub const STATE: &str = "calm";
/// What an action is drawn for that keeps what can always be kept.
pub const ALWAYS: &str = "treaty";
/// What an action is drawn for that keeps something else.
pub const OTHER: &str = "other";
/// What the pressing constraint is drawn for.
pub const PRESSING: &str = "pressing";
/// What the notice is drawn for.
pub const NOTICE: &str = "notice";
/// What the action is drawn for that is done.
pub const SELECT: &str = "select";

/// The purposes of the draws at a step. An action and a resource are drawn for by their names, which must be none of these.
pub const STEP_PURPOSES: [&str; 6] = [STATE, ALWAYS, OTHER, PRESSING, NOTICE, SELECT];

/// Draws a number below `limit` at `place` for `purpose`; it is 0 where `limit` is 0 or 1. The number is
/// the first 64 bits, big-endian, of SHA-256 over purpose, seed, episode and step, in decimal with a
/// colon between, modulo `limit`.
#[must_use]
pub fn draw_below(limit: u64, place: Place, purpose: &str) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = draw_digest(place, purpose);
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
        .checked_rem(limit)
        .unwrap_or(0)
}

/// Draws 256 bits at `place` for `purpose`: the whole digest that [`draw_below`] takes its number from.
#[must_use]
pub fn draw_digest(place: Place, purpose: &str) -> Hash {
    let Place {
        seed,
        episode,
        step,
    } = place;
    sha256(format!("{purpose}:{seed}:{episode}:{step}").as_bytes())
}

/// Draws one of `items` as [`draw_below`] does; `None` where there are none.
pub fn draw_one<T>(
    items: impl ExactSizeIterator<Item = T>,
    place: Place,
    purpose: &str,
) -> Option<T> {
    let mut items = items;
    let index = draw_below(items.len() as u64, place, purpose);
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
        let drawn: Vec<u64> = (0..8)
            .map(|step| draw_below(10, place(step), "x"))
            .collect();
        assert_eq!(drawn, [1, 1, 4, 1, 3, 2, 2, 5]);
        let mut counts = [0; 10];
        for step in 0..10_000 {
            counts[draw_below(10, place(step), "spread") as usize] += 1;
        }
        assert!(counts.iter().all(|n| (850..1150).contains(n)), "{counts:?}");
        assert_eq!(draw_below(0, place(0), ""), 0);
        assert_eq!(draw_one([0; 0].iter(), place(0), ""), None);
    }
}
