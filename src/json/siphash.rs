//! SipHash-1-3 (Aumasson, Bernstein), the keyed hash behind the fingerprints of member names.
//! Determinism: D1.

/// A hash in progress. The message comes in words of eight bytes, little-endian.
#[derive(Clone, Copy)]
pub struct SipHash {
    v0: u64,
    v1: u64,
    v2: u64,
    v3: u64,
}

impl SipHash {
    /// Begins with a secret, or at least unchosen, `key`.
    pub fn new(key: &[u8; 16]) -> Self {
        let key = u128::from_le_bytes(*key);
        let (k0, k1) = (low_half(key), low_half(key >> 64));
        SipHash {
            v0: k0 ^ 0x736f_6d65_7073_6575,
            v1: k1 ^ 0x646f_7261_6e64_6f6d,
            v2: k0 ^ 0x6c79_6765_6e65_7261,
            v3: k1 ^ 0x7465_6462_7974_6573,
        }
    }

    /// Takes in the next eight bytes.
    #[inline]
    pub fn word(&mut self, word: u64) {
        self.v3 ^= word;
        self.round();
        self.v0 ^= word;
    }

    /// The hash. `last` holds the at most seven bytes that are left, zeros above them, and in its
    /// highest byte the length of the message modulo 256.
    #[inline]
    pub fn finish(mut self, last: u64) -> u64 {
        self.word(last);
        self.v2 ^= 0xff;
        for _ in 0..3 {
            self.round();
        }
        self.v0 ^ self.v1 ^ self.v2 ^ self.v3
    }

    /// On a device the code for it counts.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    fn round(&mut self) {
        self.v0 = self.v0.wrapping_add(self.v1);
        self.v2 = self.v2.wrapping_add(self.v3);
        self.v1 = self.v1.rotate_left(13) ^ self.v0;
        self.v3 = self.v3.rotate_left(16) ^ self.v2;
        self.v0 = self.v0.rotate_left(32).wrapping_add(self.v3);
        self.v2 = self.v2.wrapping_add(self.v1);
        self.v1 = self.v1.rotate_left(17) ^ self.v2;
        self.v3 = self.v3.rotate_left(21) ^ self.v0;
        self.v2 = self.v2.rotate_left(32);
    }
}

#[allow(clippy::cast_possible_truncation)]
fn low_half(bits: u128) -> u64 {
    bits as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::hash::Hasher;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_the_reference(key: [u8; 16], message in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut hash = SipHash::new(&key);
            let (words, rest) = message.as_chunks::<8>();
            for word in words {
                hash.word(u64::from_le_bytes(*word));
            }
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            last[7] = message.len() as u8;
            let mut reference = siphasher::sip::SipHasher13::new_with_key(&key);
            reference.write(&message);
            prop_assert_eq!(hash.finish(u64::from_le_bytes(last)), reference.finish());
        }
    }
}
