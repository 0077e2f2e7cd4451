//! The frame of a ledger's saved state: its name and version, the hash of what it says, and who may have written it.

use axilog::hash::sha256;

use super::stamp::FileStamp;
use crate::encoding::hex;

/// How a state of any version begins.
pub(super) const NAME: &[u8] = b"axilog state ";

/// The version of the format.
const VERSION: &str = "1";

/// The most bytes of a state.
pub(crate) const MAX_STATE_BYTES: usize = 1 << 20;

/// The rights to write of everybody but the owner.
const OTHERS_WRITE: u32 = 0o022;

/// The first line of a state that says `document`.
pub(super) fn frame_line(document: &[u8]) -> String {
    let name = String::from_utf8_lossy(NAME);
    format!("{name}{VERSION} {}\n", hex(&sha256(document)))
}

/// Gives what a state says.
///
/// # Errors
/// Why it cannot be used, in words.
pub(super) fn read_frame(bytes: &[u8]) -> Result<&[u8], &'static str> {
    if bytes.len() > MAX_STATE_BYTES {
        return Err("it is longer than a state");
    }
    let frame = bytes.strip_prefix(NAME).ok_or("it is no state")?;
    let is_known = frame.starts_with(VERSION.as_bytes());
    if !is_known {
        return Err("it is of another version of the format");
    }
    let line = bytes.iter().position(|byte| *byte == b'\n');
    let (line, document) = line
        .and_then(|end| bytes.split_at_checked(end + 1))
        .ok_or("it is cut off")?;
    match line == frame_line(document).as_bytes() {
        true => Ok(document),
        false => Err("it has another hash than it says"),
    }
}

/// Tells whether `bytes`, the first of a file or all of them, are how the state of a ledger begins, as far as they go. A
/// power failure may leave nothing of a state, or bytes that are 0 at its end.
#[must_use]
pub fn begins_as_state(bytes: &[u8]) -> bool {
    let beginning = bytes.get(..NAME.len()).unwrap_or(bytes);
    let written = beginning.iter().rposition(|byte| *byte != 0);
    let written = written.map_or(0, |last| last + 1);
    NAME.starts_with(beginning.get(..written).unwrap_or_default())
}

/// Whether nobody may write a state who may not write its ledger. A directory may let others add files, and not replace
/// the ledger.
pub(super) fn is_as_safe(state: &FileStamp, ledger: &FileStamp) -> bool {
    let is_owner_trusted = state.owner == ledger.owner || state.owner == 0;
    is_owner_trusted && state.mode & !ledger.mode & OTHERS_WRITE == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_whole_and_unaltered_only() {
        let mut state = frame_line(b"what it says").into_bytes();
        state.extend_from_slice(b"what it says");
        assert_eq!(read_frame(&state), Ok(b"what it says".as_slice()));
        for length in 0..state.len() {
            assert!(read_frame(&state[..length]).is_err(), "{length}");
        }
        for place in 0..state.len() {
            let mut altered = state.clone();
            altered[place] ^= 1;
            assert!(read_frame(&altered).is_err(), "{place}");
        }
        let other = b"axilog state 2 of another form";
        assert_eq!(
            read_frame(other),
            Err("it is of another version of the format")
        );
        state.resize(MAX_STATE_BYTES + 1, b' ');
        assert_eq!(read_frame(&state), Err("it is longer than a state"));
    }

    #[test]
    fn what_a_power_failure_leaves_of_a_state_begins_as_one_and_other_files_do_not() {
        for length in 0..=NAME.len() {
            let mut cut = NAME[..length].to_vec();
            assert!(begins_as_state(&cut), "{length}");
            cut.resize(100, 0);
            assert!(begins_as_state(&cut), "{length}");
        }
        for other in ["axilog 12\n", "{}", "axilog states", "\0axilog state "] {
            assert!(!begins_as_state(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn a_state_is_as_safe_as_its_ledger_where_no_other_may_write_it() {
        let of = |owner: u32, mode: u32| FileStamp {
            owner,
            mode,
            ..FileStamp::default()
        };
        let ledger = of(1000, 0o100_640);
        assert!(is_as_safe(&of(1000, 0o100_640), &ledger));
        assert!(is_as_safe(&of(0, 0o100_600), &ledger));
        assert!(!is_as_safe(&of(1001, 0o100_600), &ledger));
        assert!(!is_as_safe(&of(1000, 0o100_660), &ledger));
        assert!(!is_as_safe(&of(1000, 0o100_602), &ledger));
        let shared = of(1000, 0o100_660);
        assert!(is_as_safe(&of(1000, 0o100_660), &shared));
    }
}
