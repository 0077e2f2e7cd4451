//! `axilog checkpoint`: signs the head of a ledger.

use std::borrow::Cow;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use axilog_heads::{Checkpoint, LogKey, SignedHead, SigningRequest, checkpoint_of, sign_ledger};
use axilog_ledger::error::FileError;
use axilog_ledger::input_file;
use serde::Serialize;

use crate::Failure;
use crate::output::Report;
use crate::output::table;
use crate::output::target::OutputTarget;
use crate::replay_ledger::open_regular_file;

/// Sign the head of a ledger, for others to hold.
///
/// The checkpoint says how many records the ledger has, and has the root of the tree over them. Whoever holds it notices
/// when the ledger is written anew or cut. The ledger is verified first; one that is not good is not signed, nor one that
/// does not extend the checkpoint which is there already.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file.
    ledger: PathBuf,
    /// The file of the secret key (axilog key new); - is standard input.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The name of a ledger that was begun without one; the key must have it too, and sign no other ledger.
    #[arg(long, value_name = "NAME")]
    origin: Option<String>,
    /// Write the checkpoint here and not to LEDGER.checkpoint; - is standard output. A checkpoint that is there is
    /// replaced by one that extends it.
    #[arg(short, long, visible_alias = "out", value_name = "OUT")]
    output: Option<PathBuf>,
}

/// A checkpoint that was written.
#[derive(Serialize)]
struct CheckpointResult<'a> {
    ledger: Cow<'a, str>,
    origin: &'a str,
    /// The number of records that the checkpoint is about.
    size: u64,
    root: String,
    checkpoint: Cow<'a, str>,
    /// Whether the head was not signed before.
    new: bool,
}

impl Args {
    /// The file of the checkpoint.
    fn file(&self) -> PathBuf {
        self.output
            .clone()
            .unwrap_or_else(|| checkpoint_of(&self.ledger))
    }

    /// Whether the checkpoint is kept in a file, and not the command's result.
    pub(crate) fn keeps_checkpoint(&self) -> bool {
        self.file().as_os_str() != "-"
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    // Calls with one key wait for each other, so that none replaces a checkpoint that another one has just written. A key
    // that comes through a pipe, and a file system without locks, give no such order.
    let key_file = input_file::open_regular_file(&args.key, "open the key");
    let _waited = key_file.as_ref().map(File::lock);
    let file = args.file();
    let target = OutputTarget::open(Some(&file), &[&args.ledger, &args.key])?;
    let earlier = match &target {
        // What is there is looked at, also a link that leads nowhere.
        OutputTarget::File(path) if path.symlink_metadata().is_ok() => {
            Some(Checkpoint::read(path)?)
        }
        _ => None,
    };
    let request = SigningRequest {
        ledger: &args.ledger,
        key: &LogKey::read(&args.key)?,
        origin: args.origin.as_deref(),
        earlier: earlier.as_ref(),
    };
    let signed = sign_ledger(&mut open_regular_file(&args.ledger)?, &request)?;
    let path = target.path();
    let mut unsaved = None;
    match target {
        OutputTarget::File(_) if !signed.is_new => {}
        OutputTarget::File(path) => {
            signed.checkpoint.write(path)?;
            unsaved = signed.save_tree(&args.ledger).err();
        }
        stream => stream.write(|mut out, name| {
            let written = out.write_all(&signed.checkpoint.to_bytes());
            let written = written.and_then(|()| out.flush());
            Ok(written.map_err(FileError::from_io(name, "write"))?)
        })?,
    }
    let mut report = report(args, path, &signed);
    // The checkpoint stands without it.
    report
        .notes
        .extend(unsaved.map(|error| {
            format!("{error}; the next checkpoint is made of the whole ledger again")
        }));
    Ok(report)
}

fn report(args: &Args, path: Option<&Path>, signed: &SignedHead) -> Report {
    let Some(path) = path else {
        return Report::without_result(true);
    };
    let checkpoint = &signed.checkpoint;
    let mut rows = vec![
        ("SIGNED", args.ledger.display().to_string()),
        ("origin", checkpoint.origin().to_owned()),
        ("records", checkpoint.size().to_string()),
        ("root", checkpoint.root_text()),
        ("checkpoint", path.display().to_string()),
    ];
    if !signed.is_new {
        rows.push(("", "as it was: no record was added since".to_owned()));
    }
    let result = CheckpointResult {
        ledger: args.ledger.to_string_lossy(),
        origin: checkpoint.origin(),
        size: checkpoint.size(),
        root: checkpoint.root_text(),
        checkpoint: path.to_string_lossy(),
        new: signed.is_new,
    };
    Report::new(true, table::format_pairs(&rows), &result)
}
