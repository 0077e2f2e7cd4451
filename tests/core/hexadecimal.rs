//! Digests as hexadecimal digits: exactly one spelling each.

use axilog::hash::{Hash, hex, sha256, unhex};
use proptest::prelude::*;

#[test]
fn a_byte_is_a_digit_where_format_would_write_it() {
    let hash = sha256(b"any");
    for place in 0..64 {
        for byte in 0..=u8::MAX {
            let mut digits = hex(&hash);
            digits[place] = byte;
            let value = b"0123456789abcdef".iter().position(|&d| d == byte);
            let expected = value.map(|value| {
                let mut expected: Hash = hash;
                let (shift, keep) = if place % 2 == 0 { (4, 0x0f) } else { (0, 0xf0) };
                let byte = &mut expected[place / 2];
                *byte = *byte & keep | (value as u8) << shift;
                expected
            });
            assert_eq!(unhex(&digits), expected, "{byte:#04x} at {place}");
        }
    }
}

proptest! {
    #[test]
    fn reading_undoes_writing(hash: Hash) {
        let digits = hex(&hash);
        let expected: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        prop_assert_eq!(&digits[..], expected.as_bytes());
        prop_assert_eq!(unhex(&digits), Some(hash));
    }
}
