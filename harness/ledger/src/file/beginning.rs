//! How a ledger file begins, by which it is told from any other file.

use std::io::{self, Read};

const BEFORE_CHAIN: &[u8] = br#"{"chain":""#;
const CHAIN_DIGITS: usize = 64;
const BEHIND_CHAIN: &[u8] = br#"","commit":""#;

/// The number of bytes that [`begins_as_ledger`] looks at.
pub const BEGINNING_BYTES: usize = BEFORE_CHAIN.len() + CHAIN_DIGITS + BEHIND_CHAIN.len();

/// Tells whether `bytes`, the first of a file, are how the lines of a ledger begin: with a chain value and the name
/// of the commit (formats.md §6). So begin damaged ledgers too, unless the damage is here.
#[must_use]
pub fn begins_as_ledger(bytes: &[u8]) -> bool {
    let Some((digits, rest)) = bytes
        .strip_prefix(BEFORE_CHAIN)
        .and_then(|bytes| bytes.split_at_checked(CHAIN_DIGITS))
    else {
        return false;
    };
    digits.iter().all(u8::is_ascii_hexdigit) && rest.starts_with(BEHIND_CHAIN)
}

/// Reads the first bytes of a file, and tells whether they are a ledger's.
///
/// # Errors
/// The system's error.
pub fn read_beginning(file: &mut impl Read) -> io::Result<bool> {
    let mut bytes = Vec::with_capacity(BEGINNING_BYTES);
    file.take(BEGINNING_BYTES as u64).read_to_end(&mut bytes)?;
    Ok(begins_as_ledger(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::ByteBuffer;

    #[test]
    fn the_genesis_begins_as_a_ledger_and_its_neighbours_do_not() {
        let mut line = ByteBuffer(Vec::new());
        axilog::ledger_line::write(&axilog::ledger::genesis_entry(), &mut line);
        let line = line.0;
        assert!(read_beginning(&mut &line[..]).unwrap());
        assert!(begins_as_ledger(&line[..BEGINNING_BYTES]));
        for length in 0..BEGINNING_BYTES {
            assert!(!begins_as_ledger(&line[..length]), "{length}");
        }
        for place in 0..BEGINNING_BYTES {
            let mut changed = line.clone();
            changed[place] = b'~';
            assert!(!begins_as_ledger(&changed), "{place}");
        }
    }
}
