//! The strict record reader: exactly the canonical bytes, or an error.
//!
//! formats.md §2. Determinism: D1. A record has a fixed shape, so reading one is a matter of
//! expecting literals and picking values from between them; there is no tree and no tolerance.

use crate::fault::Error;
use crate::hash::{Hash, unhex};

/// A position in a record.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(record: &'a [u8]) -> Reader<'a> {
        Reader { rest: record }
    }

    /// The bytes that were not read yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Skips `expected`, which must come next; otherwise stays where it is.
    pub(crate) fn literal(&mut self, expected: &[u8]) -> Result<(), Error> {
        self.rest = self.rest.strip_prefix(expected).ok_or(Error::Schema)?;
        Ok(())
    }

    /// Skips the one of `choices` that comes next and returns its value.
    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[(&str, T)]) -> Result<T, Error> {
        for &(text, value) in choices {
            if self.literal(text.as_bytes()).is_ok() {
                return Ok(value);
            }
        }
        Err(Error::Schema)
    }

    /// A decimal integer without sign, leading zeros or overflow.
    pub(crate) fn u64(&mut self) -> Result<u64, Error> {
        let digits = self.rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let (text, rest) = self.rest.split_at_checked(digits).ok_or(Error::Schema)?;
        if text.is_empty() || (text.len() > 1 && text.first() == Some(&b'0')) {
            return Err(Error::Schema);
        }
        let mut value = 0u64;
        for &digit in text {
            value = value
                .checked_mul(10)
                .and_then(|v| v.checked_add(u64::from(digit.wrapping_sub(b'0'))))
                .ok_or(Error::Schema)?;
        }
        self.rest = rest;
        Ok(value)
    }

    /// A decimal integer with an optional minus sign; `-0` is not one.
    pub(crate) fn i64(&mut self) -> Result<i64, Error> {
        if self.literal(b"-").is_err() {
            return i64::try_from(self.u64()?).map_err(|_| Error::Schema);
        }
        match self.u64()? {
            0 => Err(Error::Schema),
            magnitude => 0i64.checked_sub_unsigned(magnitude).ok_or(Error::Schema),
        }
    }

    /// A decimal integer with an optional minus sign, within 32 bits.
    pub(crate) fn i32(&mut self) -> Result<i32, Error> {
        i32::try_from(self.i64()?).map_err(|_| Error::Schema)
    }

    /// `null`, or an integer that is not negative.
    pub(crate) fn i64_or_null(&mut self) -> Result<Option<i64>, Error> {
        if self.literal(b"null").is_ok() {
            return Ok(None);
        }
        i64::try_from(self.u64()?)
            .map(Some)
            .map_err(|_| Error::Schema)
    }

    /// `null`, or an integer that is not negative, within 31 bits.
    pub(crate) fn i32_or_null(&mut self) -> Result<Option<i32>, Error> {
        let value = self.i64_or_null()?;
        value
            .map(i32::try_from)
            .transpose()
            .map_err(|_| Error::Schema)
    }

    /// A quoted digest of 64 lower-case hexadecimal digits.
    pub(crate) fn hash(&mut self) -> Result<Hash, Error> {
        self.literal(b"\"")?;
        let (digits, rest) = self.rest.split_first_chunk::<64>().ok_or(Error::Schema)?;
        let hash = unhex(digits).ok_or(Error::Schema)?;
        self.rest = rest;
        self.literal(b"\"")?;
        Ok(hash)
    }

    /// The bytes up to the next quote, which is skipped. For strings without escapes.
    pub(crate) fn until_quote(&mut self) -> Result<&'a [u8], Error> {
        let end = self
            .rest
            .iter()
            .position(|&b| b == b'"')
            .ok_or(Error::Schema)?;
        let (text, rest) = self.rest.split_at_checked(end).ok_or(Error::Schema)?;
        self.rest = rest;
        self.literal(b"\"")?;
        Ok(text)
    }

    /// Skips `len` bytes and returns them.
    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.rest.split_at_checked(len).ok_or(Error::Schema)?;
        self.rest = rest;
        Ok(taken)
    }

    /// Nothing may follow.
    pub(crate) fn end(&self) -> Result<(), Error> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(Error::Schema)
        }
    }
}
