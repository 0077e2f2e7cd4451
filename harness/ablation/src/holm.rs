//! Holm's correction of several p-values, with weights (S. Holm, A simple sequentially rejective multiple test procedure,
//! 1979): the chance that any of the tests is passed by luck is at most the level.

use super::swap_test::PValue;

/// A p-value among those that are corrected with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightedPValue {
    /// The p-value of the test by itself.
    pub p_value: PValue,
    /// The part of the level that the test gets, beside the weights of the others; above 0.
    pub weight: u64,
}

impl WeightedPValue {
    /// The p-value where tests of the weight `remaining`, this one among them, share the level.
    #[must_use]
    pub fn correct(self, remaining: u64) -> PValue {
        match self.weight {
            1 => self.p_value.multiply(remaining),
            weight => self.p_value.scale(remaining, weight),
        }
    }
}

/// Corrects the p-values of several tests by Holm's method: the chance that any of them is passed by luck
/// is then at most the level. The smallest for its weight is multiplied by the weight of all tests and divided by its
/// own, the next by the weight of those that are left, and none becomes smaller than the one before.
#[must_use]
pub fn correct_by_holm(found: &[WeightedPValue]) -> Vec<PValue> {
    let mut order: Vec<(usize, WeightedPValue)> = found.iter().copied().enumerate().collect();
    order.sort_by(|(_, a), (_, b)| a.correct(1).compare(b.correct(1)));
    let mut remaining: u64 = found.iter().map(|test| test.weight).sum();
    let mut corrected: Vec<(usize, PValue)> = Vec::new();
    for (place, test) in order {
        let multiplied = test.correct(remaining);
        let kept = match corrected.last() {
            Some((_, before)) if multiplied.compare(*before).is_lt() => *before,
            _ => multiplied,
        };
        corrected.push((place, kept));
        remaining -= test.weight;
    }
    corrected.sort_by_key(|(place, _)| *place);
    corrected.into_iter().map(|(_, p_value)| p_value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holm_corrects_as_in_his_paper() {
        let of = 1000;
        let p_values = |counts: &[u64]| -> Vec<PValue> {
            let counts = counts.iter();
            counts.map(|n| PValue { at_least: *n, of }).collect()
        };
        let correct = |counts: &[u64], weights: &[u64]| {
            let found = p_values(counts).into_iter().zip(weights);
            let found: Vec<WeightedPValue> = found
                .map(|(p_value, &weight)| WeightedPValue { p_value, weight })
                .collect();
            correct_by_holm(&found)
        };
        // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") is 0.03 0.06 0.06 0.02.
        let corrected = correct(&[10, 40, 30, 5], &[1; 4]);
        assert_eq!(corrected, p_values(&[30, 60, 60, 20]));
        assert_eq!(correct(&[900, 800], &[1; 2]), p_values(&[1000, 1000]));
        assert_eq!(correct_by_holm(&[]), []);
        // By hand: 0.004 times 5, 0.01 times 4 / 2, 0.02 times 2, 0.04 times 1.
        let weighted = correct(&[10, 40, 20, 4], &[2, 1, 1, 1]);
        let texts: Vec<String> = weighted
            .iter()
            .map(|p| p.to_decimal().to_string())
            .collect();
        assert_eq!(texts, ["0.02", "0.04", "0.04", "0.02"]);
        let [below, above] = [50, 51].map(|at_least| PValue { at_least, of });
        assert!(below.is_below_level() && !above.is_below_level());
    }
}
