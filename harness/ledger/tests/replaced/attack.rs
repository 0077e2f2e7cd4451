//! The attacks on a ledger that is open.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use axilog_ledger::file::place::Displacement;

/// What another program does to the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attack {
    /// Gives it another name.
    Rename,
    /// Removes its name. The file stays reachable under a second one, for the test to read.
    Unlink,
    /// Renames it and leaves a copy of its bytes under its name.
    ReplaceByCopy,
    /// Removes its name and creates an empty file of that name.
    Recreate,
    /// Renames it and leaves a link to it under its name.
    ReplaceByLink,
    /// Renames it and leaves a pipe under its name.
    ReplaceByPipe,
    /// Cuts it off after its first line.
    TruncateToGenesis,
    /// Cuts all of it off.
    TruncateToNothing,
    /// Writes a byte after its last one.
    Extend,
}

pub const ATTACKS: [Attack; 9] = [
    Attack::Rename,
    Attack::Unlink,
    Attack::ReplaceByCopy,
    Attack::Recreate,
    Attack::ReplaceByLink,
    Attack::ReplaceByPipe,
    Attack::TruncateToGenesis,
    Attack::TruncateToNothing,
    Attack::Extend,
];

impl Attack {
    /// Carries the attack out and gives the path under which the opened file is found after it.
    pub fn carry_out(self, ledger: &Path) -> PathBuf {
        let aside = ledger.with_extension("aside");
        match self {
            Attack::Rename => fs::rename(ledger, &aside).unwrap(),
            Attack::Unlink => {
                fs::hard_link(ledger, &aside).unwrap();
                fs::remove_file(ledger).unwrap();
            }
            Attack::ReplaceByCopy => {
                fs::rename(ledger, &aside).unwrap();
                fs::copy(&aside, ledger).unwrap();
            }
            Attack::Recreate => {
                fs::hard_link(ledger, &aside).unwrap();
                fs::remove_file(ledger).unwrap();
                fs::write(ledger, "").unwrap();
            }
            Attack::ReplaceByLink => {
                fs::rename(ledger, &aside).unwrap();
                symlink(&aside, ledger).unwrap();
            }
            Attack::ReplaceByPipe => {
                fs::rename(ledger, &aside).unwrap();
                make_pipe(ledger);
            }
            Attack::TruncateToGenesis => {
                let bytes = fs::read(ledger).unwrap();
                let genesis = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
                cut_off(ledger, genesis as u64);
            }
            Attack::TruncateToNothing => cut_off(ledger, 0),
            Attack::Extend => {
                use std::io::Write;
                let mut file = OpenOptions::new().append(true).open(ledger).unwrap();
                file.write_all(b"\n").unwrap();
            }
        }
        match self.changes_the_name() {
            true => aside,
            false => ledger.to_owned(),
        }
    }

    /// Whether the attack leaves the opened file's bytes as they are, and takes its name away.
    pub fn changes_the_name(self) -> bool {
        !matches!(
            self,
            Attack::TruncateToGenesis | Attack::TruncateToNothing | Attack::Extend
        )
    }

    /// Whether a session finds this displacement after the attack.
    pub fn is_found_as(self, displacement: &Displacement) -> bool {
        match self {
            Attack::Rename | Attack::Unlink => matches!(displacement, Displacement::Gone { .. }),
            Attack::ReplaceByCopy
            | Attack::Recreate
            | Attack::ReplaceByLink
            | Attack::ReplaceByPipe => matches!(displacement, Displacement::Replaced { .. }),
            Attack::TruncateToGenesis | Attack::TruncateToNothing | Attack::Extend => {
                matches!(displacement, Displacement::Resized { .. })
            }
        }
    }
}

fn cut_off(ledger: &Path, len: u64) {
    let file = OpenOptions::new().write(true).open(ledger).unwrap();
    file.set_len(len).unwrap();
}

/// Creates a named pipe. Whoever opens it plainly waits for its other end.
pub fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}
