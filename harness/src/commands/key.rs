//! `axilog key`: the key that signs heads of ledgers.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use axilog_heads::{KeyKind, SecretKey};
use clap::Subcommand;
use serde::Serialize;

use crate::Failure;
use crate::output::Report;

/// Make the key that signs heads, and print its public key.
///
/// The secret key is in its file alone: it is never printed, and no option takes it. Everybody may have the public key:
/// `axilog check` takes it.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make a secret key in a new file that only you may read, and print its public key.
    New {
        /// The new file.
        file: PathBuf,
        /// The name of the ledger whose heads it signs, or of the witness: 1 to 256 visible ASCII characters without +.
        #[arg(long, value_name = "NAME")]
        name: String,
        /// The key is that of a witness, and signs the heads of others' ledgers (axilog witness).
        #[arg(long)]
        witness: bool,
    },
    /// Print the public key of a secret key.
    Show {
        /// The file of the secret key; - is standard input.
        file: PathBuf,
    },
}

/// A key: its file, the name and the id that its signatures have, and the public key.
#[derive(Serialize)]
struct KeyResult<'a> {
    key: Cow<'a, str>,
    name: &'a str,
    id: String,
    public_key: &'a str,
}

impl Args {
    /// Whether the command makes a file, which stays where its result cannot be shown.
    pub(crate) fn makes_key(&self) -> bool {
        matches!(self.command, Command::New { .. })
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    match &args.command {
        Command::New {
            file,
            name,
            witness,
        } => {
            let kind = match witness {
                true => KeyKind::Witness,
                false => KeyKind::Log,
            };
            Ok(report(file, &SecretKey::create(file, name, kind)?))
        }
        Command::Show { file } => Ok(report(file, &SecretKey::read(file)?)),
    }
}

fn report(path: &Path, key: &SecretKey) -> Report {
    let public = key.public_key();
    let result = KeyResult {
        key: path.to_string_lossy(),
        name: key.name(),
        id: format!("{:08x}", key.id()),
        public_key: &public,
    };
    Report::new(true, format!("{public}\n"), &result)
}
