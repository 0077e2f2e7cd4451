//! The frame of a file beside a ledger that keeps what was learned from it: its name and version, the hash of what it says,
//! and who may have written it.

use std::path::{Path, PathBuf};

use axilog::hash::sha256;

use super::stamp::FileStamp;
use super::storage::append_suffix;
use crate::encoding::hex;

/// A kind of file that keeps, beside a ledger, what was learned from the ledger: `LEDGER.NAME`.
#[derive(Clone, Copy, Debug)]
pub struct SavedKind {
    name: &'static str,
    version: u32,
    max_bytes: usize,
}

/// The rights to write of everybody but the owner.
const OTHERS_WRITE: u32 = 0o022;

impl SavedKind {
    /// The kind that is called `name`, in this version of its format. Such a file has at most `max_bytes` bytes.
    #[must_use]
    pub const fn new(name: &'static str, version: u32, max_bytes: usize) -> SavedKind {
        SavedKind {
            name,
            version,
            max_bytes,
        }
    }

    /// The file of this kind beside a ledger.
    #[must_use]
    pub fn path_of(&self, ledger: &Path) -> PathBuf {
        append_suffix(ledger, &format!(".{}", self.name))
    }

    /// What the file is called.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// The most bytes of such a file.
    pub(crate) fn max_bytes(&self) -> usize {
        self.max_bytes
    }

    /// How a file of any version begins.
    pub(super) fn beginning(&self) -> String {
        format!("axilog {} ", self.name)
    }

    /// The first line of a file that says `document`.
    pub(super) fn frame_line(&self, document: &[u8]) -> String {
        let beginning = self.beginning();
        format!("{beginning}{} {}\n", self.version, hex(&sha256(document)))
    }

    /// Gives what a file says.
    ///
    /// # Errors
    /// Why it cannot be used, in words.
    pub(super) fn read_frame<'b>(&self, bytes: &'b [u8]) -> Result<&'b [u8], String> {
        let name = self.name;
        if bytes.len() > self.max_bytes {
            return Err(format!("it is longer than a {name}"));
        }
        let frame = bytes
            .strip_prefix(self.beginning().as_bytes())
            .ok_or_else(|| format!("it is no {name}"))?;
        if !frame.starts_with(format!("{} ", self.version).as_bytes()) {
            return Err("it is of another version of the format".to_owned());
        }
        let line = bytes.iter().position(|byte| *byte == b'\n');
        let (line, document) = line
            .and_then(|end| bytes.split_at_checked(end + 1))
            .ok_or("it is cut off")?;
        match line == self.frame_line(document).as_bytes() {
            true => Ok(document),
            false => Err("it has another hash than it says".to_owned()),
        }
    }

    /// Tells whether `bytes`, the first of a file or all of them, are how a file of this kind begins, as far as they go. A
    /// power failure may leave nothing of it, or bytes that are 0 at its end.
    #[must_use]
    pub fn begins(&self, bytes: &[u8]) -> bool {
        let name = self.beginning();
        let beginning = bytes.get(..name.len()).unwrap_or(bytes);
        let written = beginning.iter().rposition(|byte| *byte != 0);
        let written = written.map_or(0, |last| last + 1);
        name.as_bytes()
            .starts_with(beginning.get(..written).unwrap_or_default())
    }
}

/// Whether nobody may write such a file who may not write its ledger. A directory may let others add files, and not replace
/// the ledger.
pub(super) fn is_as_safe(saved: &FileStamp, ledger: &FileStamp) -> bool {
    let is_owner_trusted = saved.owner == ledger.owner || saved.owner == 0;
    is_owner_trusted && saved.mode & !ledger.mode & OTHERS_WRITE == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: SavedKind = SavedKind::new("state", 1, 1 << 10);

    #[test]
    fn a_state_is_read_whole_and_unaltered_only() {
        let mut state = STATE.frame_line(b"what it says").into_bytes();
        state.extend_from_slice(b"what it says");
        assert_eq!(STATE.read_frame(&state), Ok(b"what it says".as_slice()));
        for length in 0..state.len() {
            assert!(STATE.read_frame(&state[..length]).is_err(), "{length}");
        }
        for place in 0..state.len() {
            let mut altered = state.clone();
            altered[place] ^= 1;
            assert!(STATE.read_frame(&altered).is_err(), "{place}");
        }
        for other in [
            "axilog state 2 of another form",
            "axilog state 12 of another form",
        ] {
            assert_eq!(
                STATE.read_frame(other.as_bytes()),
                Err("it is of another version of the format".to_owned()),
            );
        }
        let tree = SavedKind::new("tree", 1, 1 << 10);
        assert_eq!(tree.read_frame(&state), Err("it is no tree".to_owned()));
        state.resize(STATE.max_bytes() + 1, b' ');
        assert_eq!(
            STATE.read_frame(&state),
            Err("it is longer than a state".to_owned())
        );
    }

    #[test]
    fn what_a_power_failure_leaves_of_a_state_begins_as_one_and_other_files_do_not() {
        let name = STATE.beginning();
        for length in 0..=name.len() {
            let mut cut = name.as_bytes()[..length].to_vec();
            assert!(STATE.begins(&cut), "{length}");
            cut.resize(100, 0);
            assert!(STATE.begins(&cut), "{length}");
        }
        for other in ["axilog 12\n", "{}", "axilog states", "\0axilog state "] {
            assert!(!STATE.begins(other.as_bytes()), "{other}");
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
