//! Hashes as fields of documents: `#[serde(with = "document::hash")]` writes a [`Hash`], an optional one or a
//! list of them as 64 lower-case hexadecimal digits each.

use std::fmt;

use axilog::hash::{Hash, HexHash, unhex};
use axilog_ledger::encoding::hex;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};

/// A hash in a document.
pub(crate) struct HexDigits(Hash);

impl Serialize for HexDigits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex(&self.0))
    }
}

impl<'de> Deserialize<'de> for HexDigits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<HexDigits, D::Error> {
        struct Digits;
        impl Visitor<'_> for Digits {
            type Value = HexDigits;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("64 lower-case hexadecimal digits")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<HexDigits, E> {
                let digits = HexHash::try_from(text.as_bytes()).ok();
                let hash = digits.and_then(|digits| unhex(&digits));
                let refused = || E::invalid_value(Unexpected::Str(text), &self);
                hash.map(HexDigits).ok_or_else(refused)
            }
        }
        deserializer.deserialize_str(Digits)
    }
}

/// A field that holds hashes.
pub(crate) trait HashField: Sized {
    /// The same in a document.
    type Digits: Serialize + DeserializeOwned;

    /// Writes the hashes in digits.
    fn to_digits(&self) -> Self::Digits;

    /// Reads the hashes from digits.
    fn from_digits(digits: Self::Digits) -> Self;
}

impl HashField for Hash {
    type Digits = HexDigits;

    fn to_digits(&self) -> HexDigits {
        HexDigits(*self)
    }

    fn from_digits(digits: HexDigits) -> Hash {
        digits.0
    }
}

impl HashField for Option<Hash> {
    type Digits = Option<HexDigits>;

    fn to_digits(&self) -> Option<HexDigits> {
        self.map(HexDigits)
    }

    fn from_digits(digits: Option<HexDigits>) -> Option<Hash> {
        digits.map(|digits| digits.0)
    }
}

impl HashField for Vec<Hash> {
    type Digits = Vec<HexDigits>;

    fn to_digits(&self) -> Vec<HexDigits> {
        self.iter().copied().map(HexDigits).collect()
    }

    fn from_digits(digits: Vec<HexDigits>) -> Vec<Hash> {
        digits.into_iter().map(|digits| digits.0).collect()
    }
}

/// Writes a field that holds hashes.
pub(crate) fn serialize<T: HashField, S: Serializer>(
    field: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    field.to_digits().serialize(serializer)
}

/// Reads a field that holds hashes.
pub(crate) fn deserialize<'de, T: HashField, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    T::Digits::deserialize(deserializer).map(T::from_digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_hash_is_64_lower_case_digits() {
        let digits = "a5".repeat(32);
        let read = |text: &str| deserialize::<Hash, _>(json!(text));
        assert_eq!(read(&digits).unwrap(), [0xa5; 32]);
        for text in [
            "",
            "00",
            "é",
            &digits.to_uppercase(),
            &(digits.clone() + "00"),
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
