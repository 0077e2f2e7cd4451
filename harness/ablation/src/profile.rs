//! Profiles: which part of its steps a run spent on each action under one seed, and how far two profiles
//! are apart.
//!
//! Shares and distances are integers, in units of 2^-40, and the square root is an integer one, so that
//! every processor computes the same numbers. A distance is wrong by at most [`distance_error`] units.
//! Determinism: D1.

/// How many units make one: shares and distances count 2^-40.
pub const UNITS: i128 = 1 << 40;

/// The shares of each action under one seed, in [`UNITS`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionProfile(Vec<i128>);

impl ActionProfile {
    /// The profile of a seed under which each action was counted; `None` where nothing was. It is exact to
    /// half a unit for counts up to 2^60.
    #[must_use]
    pub fn from_counts(counts: &[u64]) -> Option<ActionProfile> {
        let total: i128 = counts.iter().map(|n| i128::from(*n)).sum();
        let share = |n: &u64| (i128::from(*n) * UNITS * 2 + total).checked_div(2 * total);
        counts
            .iter()
            .map(share)
            .collect::<Option<_>>()
            .map(ActionProfile)
    }

    /// The shares, in [`UNITS`].
    pub(crate) fn into_shares(self) -> Vec<i128> {
        self.0
    }

    /// The Euclidean distance to `other`, a profile of the same actions, in [`UNITS`]: between 0 and the
    /// square root of 2.
    #[must_use]
    pub fn distance_to(&self, other: &ActionProfile) -> i128 {
        let differences = self.0.iter().zip(&other.0).map(|(a, b)| a - b);
        differences.map(|d| d * d).sum::<i128>().isqrt()
    }
}

/// By how many units the distance of two profiles of so many actions may be wrong: half a unit for each
/// share, and one for the root.
#[must_use]
pub fn distance_error(actions: usize) -> i128 {
    actions as i128 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_shares() {
        let profile = |counts: &[u64]| ActionProfile::from_counts(counts).unwrap();
        let (corner, other) = (profile(&[7, 0, 0]), profile(&[0, 150, 0]));
        let root_of_two = corner.distance_to(&other);
        // The square of the root, in units of 2^-80.
        assert!((root_of_two * root_of_two - 2 * UNITS * UNITS).abs() <= 4 * UNITS);
        assert_eq!(corner.distance_to(&profile(&[150, 0, 0])), 0);
        // Shares 0.2 apart in two actions: the root of 0.08 is 0.28284271247461906.
        let found = profile(&[10, 20]).distance_to(&profile(&[16, 14]));
        let millionths = found * 1_000_000 / UNITS;
        assert_eq!(millionths, 282_842);
        assert_eq!(ActionProfile::from_counts(&[0, 0]), None);
        assert_eq!(
            ActionProfile::from_counts(&[]),
            None.or(Some(ActionProfile(vec![])))
        );
    }
}
