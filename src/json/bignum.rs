//! Unsigned integers of a fixed size, as many operations as [`super::shortest`] needs.
//! Determinism: D1.

use core::cmp::Ordering;

/// Limbs of 64 bits: 896 bits. The largest value that occurs is below 2^870.
const LIMBS: usize = 14;

/// The highest power of five that fits a limb.
const FIVES: u32 = 27;

/// An integer below 2^896, least significant limb first.
#[derive(Clone, Copy)]
pub struct BigInteger([u64; LIMBS]);

impl BigInteger {
    /// 1.
    pub fn one() -> Self {
        let mut limbs = [0; LIMBS];
        if let Some(first) = limbs.first_mut() {
            *first = 1;
        }
        BigInteger(limbs)
    }

    /// 5^`exponent`; `None` beyond 896 bits.
    pub fn power_of_five(exponent: u32) -> Option<Self> {
        let mut power = BigInteger::one();
        let mut left = exponent;
        while left > 0 {
            let step = left.min(FIVES);
            power.multiply(5u64.wrapping_pow(step))?;
            left = left.wrapping_sub(step);
        }
        Some(power)
    }

    /// Multiplies by `factor`; `None` beyond 896 bits.
    pub fn multiply(&mut self, factor: u64) -> Option<()> {
        let mut carry = 0;
        for limb in &mut self.0 {
            (*limb, carry) = limb.carrying_mul(factor, carry);
        }
        (carry == 0).then_some(())
    }

    /// Multiplies by 2^`count`; `None` beyond 896 bits.
    pub fn shift(&mut self, count: u32) -> Option<()> {
        self.multiply(1u64.wrapping_shl(count & 63))?;
        let whole = usize::try_from(count >> 6).ok()?;
        let (_, lost) = self.0.split_at_checked(LIMBS.checked_sub(whole)?)?;
        if lost.iter().any(|&limb| limb != 0) {
            return None;
        }
        // Not rotate_right: as compiled for some processors it may panic.
        for _ in 0..whole {
            let mut below = 0;
            for limb in &mut self.0 {
                below = core::mem::replace(limb, below);
            }
        }
        Some(())
    }

    /// The number of bits that the value has; 0 for 0.
    pub fn bits(&self) -> u32 {
        let mut bits = 0u32;
        for (limb, below) in self.0.iter().zip((0u32..).step_by(64)) {
            if let Some(top) = limb.checked_ilog2() {
                bits = below.wrapping_add(top).wrapping_add(1);
            }
        }
        bits
    }

    /// Compares `self` × `factor` with `other` × `other_factor`, however large.
    pub fn compare_products(&self, factor: u64, other: &Self, other_factor: u64) -> Ordering {
        let mut order = Ordering::Equal;
        let (mut carry, mut other_carry) = (0, 0);
        for (limb, other_limb) in self.0.iter().zip(&other.0) {
            let (product, other_product);
            (product, carry) = limb.carrying_mul(factor, carry);
            (other_product, other_carry) = other_limb.carrying_mul(other_factor, other_carry);
            order = product.cmp(&other_product).then(order);
        }
        carry.cmp(&other_carry).then(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;
    use proptest::prelude::*;

    fn reference(big: &BigInteger) -> BigUint {
        let limbs = big.0.iter().rev();
        limbs.fold(BigUint::ZERO, |value, &limb| (value << 64) + limb)
    }

    proptest! {
        #[test]
        fn arithmetic_equals_the_reference(
            exponent in 0..400u32,
            factor: u64,
            shift in 0..1000u32,
            other in 0..386u32,
            other_factor: u64,
        ) {
            let five = BigUint::from(5u32).pow(exponent);
            let Some(big) = BigInteger::power_of_five(exponent) else {
                // Refused only where the power does not fit.
                prop_assert!(five.bits() > 896);
                return Ok(());
            };
            prop_assert_eq!(reference(&big), five.clone());
            prop_assert_eq!(u64::from(big.bits()), five.bits());
            let (mut product, mut shifted) = (big, big);
            for (done, result, expected) in [
                (product.multiply(factor), product, five.clone() * factor),
                (shifted.shift(shift), shifted, five.clone() << shift),
            ] {
                prop_assert_eq!(done.is_some(), expected.bits() <= 896);
                if done.is_some() {
                    prop_assert_eq!(u64::from(result.bits()), expected.bits());
                    prop_assert_eq!(reference(&result), expected);
                }
            }
            for other in [other, exponent.min(385), (exponent + 1).min(385)] {
                let order = (&five * factor).cmp(&(BigUint::from(5u32).pow(other) * other_factor));
                let other = BigInteger::power_of_five(other).unwrap();
                prop_assert_eq!(big.compare_products(factor, &other, other_factor), order);
            }
        }
    }

    #[test]
    fn products_differ_in_any_place() {
        let five = BigInteger::power_of_five(300).unwrap();
        let next = BigInteger::power_of_five(301).unwrap();
        assert_eq!(five.compare_products(5, &next, 1), Ordering::Equal);
        assert_eq!(five.compare_products(6, &next, 1), Ordering::Greater);
        assert_eq!(five.compare_products(4, &next, 1), Ordering::Less);
        let mut top = BigInteger::one();
        top.shift(895).unwrap();
        assert_eq!(top.compare_products(4, &top, 2), Ordering::Greater);
        assert_eq!(top.compare_products(0, &top, 0), Ordering::Equal);
    }
}
