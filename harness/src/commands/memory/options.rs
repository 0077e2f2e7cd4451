//! Options and inputs that several commands have.

use std::path::Path;

use axilog_ledger::input_file::{self, MAX_INPUT_BYTES};
use axilog_memory::{Handle, LogHead, MachinePins, MemoryReader};

use crate::Failure;

/// A head that was noted.
#[derive(clap::Args)]
pub(super) struct ExpectedHead {
    /// The head of the log as it was noted: the number of an entry and its chain value. Exits 1 where the log does not
    /// have it; the log may go on after it.
    #[arg(long, value_name = "N:HEAD")]
    expect_head: Option<LogHead>,
}

impl ExpectedHead {
    /// Asserts that the log has the head, where one was given.
    pub(super) fn assert(&self, reader: &MemoryReader) -> Result<(), Failure> {
        match &self.expect_head {
            None => Ok(()),
            Some(head) => Ok(reader.assert_head(head)?),
        }
    }
}

/// Whether an output is recorded as shown to a model's side.
#[derive(clap::Args)]
pub(super) struct Recording {
    /// Look at the output without showing it to a model: nothing is recorded, the database may be read-only, and a
    /// first line says so.
    #[arg(long)]
    unrecorded: bool,
}

impl Recording {
    /// Whether the output is recorded.
    pub(super) fn records(&self) -> bool {
        !self.unrecorded
    }

    /// The text of an output, after a line that no model's side takes for one where it is not recorded.
    pub(super) fn mark(&self, text: String) -> String {
        match self.unrecorded {
            true => format!("UNRECORDED: to be looked at; no model was shown this\n{text}"),
            false => text,
        }
    }
}

/// A pin on the command line.
#[derive(Clone, Debug)]
pub(super) struct Pin {
    pub(super) name: String,
    pub(super) value: String,
}

impl std::str::FromStr for Pin {
    type Err = String;

    fn from_str(text: &str) -> Result<Pin, String> {
        match text.split_once('=') {
            Some((name, value)) if !name.is_empty() && !value.is_empty() => Ok(Pin {
                name: name.to_owned(),
                value: value.to_owned(),
            }),
            _ => Err("expected NAME=VALUE".to_owned()),
        }
    }
}

/// What this machine has of what is pinned.
#[derive(clap::Args)]
pub(super) struct PinsHere {
    /// The value of a pin on this machine; may be given several times. Each pin of the log that is not the memory's own
    /// needs its value, or --absent-pin.
    #[arg(long, value_name = "NAME=VALUE")]
    pin: Vec<Pin>,
    /// A pin of which this machine has nothing, as of a model where none runs: it is not asserted; may be given several
    /// times.
    #[arg(long, value_name = "NAME")]
    absent_pin: Vec<String>,
}

impl PinsHere {
    pub(super) fn to_machine_pins(&self) -> MachinePins {
        MachinePins {
            values: pin_pairs(&self.pin),
            absent: self.absent_pin.clone(),
        }
    }
}

/// The pins by name and value.
pub(super) fn pin_pairs(pins: &[Pin]) -> Vec<(String, String)> {
    pins.iter()
        .map(|pin| (pin.name.clone(), pin.value.clone()))
        .collect()
}

/// A handle on the command line.
#[derive(Clone, Copy, Debug)]
pub(super) struct HandleArgument(pub(super) Handle);

impl std::str::FromStr for HandleArgument {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<HandleArgument, &'static str> {
        let handle = Handle::parse(text).map(HandleArgument);
        handle.ok_or("expected a handle of 64 lower-case hexadecimal digits")
    }
}

/// The handles of arguments.
pub(super) fn to_handles(arguments: &[HandleArgument]) -> Vec<Handle> {
    arguments.iter().map(|argument| argument.0).collect()
}

/// Reads a file of at most 64 MiB; `-` is standard input.
pub(super) fn read_input(path: &Path) -> Result<Vec<u8>, Failure> {
    Ok(input_file::read_input(
        path,
        "read the file",
        MAX_INPUT_BYTES,
    )?)
}
