//! What a key signs.

use std::fmt;

/// What a key signs. Its number stands in front of the bytes of a key, and so is part of the key's id: a key of one kind
/// is never taken for one of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// Heads of one ledger.
    Log,
    /// Heads of any ledgers, with the time at which a witness saw them.
    Witness,
}

impl KeyKind {
    /// The type byte (C2SP signed-note): Ed25519, or a timestamped Ed25519 cosignature.
    pub(crate) fn number(self) -> u8 {
        match self {
            KeyKind::Log => 1,
            KeyKind::Witness => 4,
        }
    }

    pub(crate) fn from_number(number: u8) -> Option<KeyKind> {
        [KeyKind::Log, KeyKind::Witness]
            .into_iter()
            .find(|kind| kind.number() == number)
    }
}

impl fmt::Display for KeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KeyKind::Log => "the key of a ledger",
            KeyKind::Witness => "the key of a witness",
        })
    }
}
