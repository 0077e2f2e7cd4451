//! The place of the point and the exponent in a number of ECMAScript, which RFC 8785 §3.2.2.3 adopts.
//! Determinism: D1.

/// A number as ECMAScript lays out its digits (`Number::toString`, steps 6 to 12).
pub struct Layout {
    text: [u8; 32],
    length: usize,
}

impl Layout {
    /// Lays out 0.`digits` × 10^`point`; `digits` does not end in a zero.
    pub fn of(negative: bool, digits: u64, point: i32) -> Self {
        let mut layout = Layout {
            text: [0; 32],
            length: 0,
        };
        let count = digits.checked_ilog10().map_or(1, |log| log.wrapping_add(1));
        let behind = i32::try_from(count).unwrap_or(0).wrapping_sub(point);
        if negative {
            layout.push(b'-');
        }
        if (1..=21).contains(&point) {
            layout.digits(digits, behind);
            layout.zeros(behind.wrapping_neg());
        } else if (-5..=0).contains(&point) {
            layout.push(b'0');
            layout.push(b'.');
            layout.zeros(point.wrapping_neg());
            layout.digits(digits, 0);
        } else {
            let exponent = point.wrapping_sub(1);
            layout.digits(digits, i32::try_from(count).unwrap_or(0).wrapping_sub(1));
            layout.push(b'e');
            layout.push(if exponent < 0 { b'-' } else { b'+' });
            layout.digits(u64::from(exponent.unsigned_abs()), 0);
        }
        layout
    }

    /// Appends `number` with a point before its last `behind` digits, if that is above zero.
    fn digits(&mut self, number: u64, behind: i32) {
        let top = number.checked_ilog10().unwrap_or(0);
        for place in (0..=top).rev() {
            let digit = number.checked_div(10u64.wrapping_pow(place)).unwrap_or(0) % 10;
            self.push(b'0'.wrapping_add(u8::try_from(digit).unwrap_or(0)));
            if place > 0 && i64::from(place) == i64::from(behind) {
                self.push(b'.');
            }
        }
    }

    fn zeros(&mut self, count: i32) {
        for _ in 0..count {
            self.push(b'0');
        }
    }

    fn push(&mut self, byte: u8) {
        if let Some(place) = self.text.get_mut(self.length) {
            *place = byte;
            self.length = self.length.wrapping_add(1);
        }
    }

    /// Whether that is `text`.
    pub fn is(&self, text: &[u8]) -> bool {
        self.text.get(..self.length) == Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_depends_on_where_the_point_is() {
        for (digits, point, text) in [
            (1, 1, "1"),
            (12, 1, "1.2"),
            (12, 2, "12"),
            (12, 3, "120"),
            (12, 0, "0.12"),
            (12, -5, "0.0000012"),
            (12, -6, "1.2e-7"),
            (1, -6, "1e-7"),
            (12, 21, "120000000000000000000"),
            (12, 22, "1.2e+21"),
            (12_345_678_901_234_567, -307, "1.2345678901234567e-308"),
        ] {
            assert!(
                Layout::of(false, digits, point).is(text.as_bytes()),
                "{text}"
            );
            let mut negative = [b'-'; 40];
            negative[1..=text.len()].copy_from_slice(text.as_bytes());
            let negative = &negative[..=text.len()];
            assert!(Layout::of(true, digits, point).is(negative), "{text}");
            assert!(!Layout::of(false, digits, point).is(negative), "{text}");
        }
    }
}
