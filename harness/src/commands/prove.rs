//! `axilog prove`: proofs that a ledger has a record, or extends an older head.

use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};

use axilog_heads::{Checkpoint, Proven, checkpoint_of, prove_extension, prove_record};
use axilog_ledger::error::{FileError, LedgerFault};
use serde::Serialize;

use crate::Failure;
use crate::error::CommandError;
use crate::output::Report;
use crate::output::table;
use crate::output::target::OutputTarget;
use crate::replay_ledger::open_regular_file;

/// Prove that a ledger has a record, or extends an older head.
///
/// With --seq the proof is about one record, which is in it: whoever gets it needs neither the ledger nor its other
/// records. With --from it says that the ledger only grew since an older checkpoint. Both are checked with `axilog check`.
/// The ledger is verified on the way, and no proof is made where it is not the one that was signed. --json prints an
/// object where the proof goes to a file.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("subject").required(true).args(["seq", "from"]))]
pub(crate) struct Args {
    /// The ledger file.
    ledger: PathBuf,
    /// The record to prove, by its sequence; the genesis is 0.
    #[arg(long, value_name = "N")]
    seq: Option<u64>,
    /// The older checkpoint that the ledger extends.
    #[arg(long, value_name = "CHECKPOINT")]
    from: Option<PathBuf>,
    /// The checkpoint that the proof leads to, where it is not LEDGER.checkpoint.
    #[arg(long, visible_alias = "to", value_name = "CHECKPOINT")]
    checkpoint: Option<PathBuf>,
    /// Leave the record out of its proof; axilog check then takes it with --record.
    #[arg(long, requires = "seq")]
    without_record: bool,
    /// Write the proof here instead of to standard output, for which - stands.
    #[arg(short, long, visible_alias = "out", value_name = "OUT")]
    output: Option<PathBuf>,
}

/// A proof that was written.
#[derive(Serialize)]
struct ProveResult<'a> {
    ledger: Cow<'a, str>,
    proof: Cow<'a, str>,
    origin: String,
    /// The number of records that the proof leads to.
    size: u64,
    #[serde(flatten)]
    subject: ProvenSubject,
}

/// What a proof is about.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum ProvenSubject {
    /// The record with the sequence `seq`.
    Record { seq: u64 },
    /// The ledger of before, of `old_size` records.
    Extension { old_size: u64 },
}

/// A proof as a text, and what it shows.
struct WrittenProof {
    bytes: Vec<u8>,
    shown: String,
    origin: String,
    size: u64,
    subject: ProvenSubject,
    later_fault: Option<LedgerFault>,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let ledger = &args.ledger;
    let newer = args
        .checkpoint
        .clone()
        .unwrap_or_else(|| checkpoint_of(ledger));
    let mut inputs: Vec<&Path> = vec![ledger, &newer];
    inputs.extend(args.from.as_deref());
    let target = OutputTarget::open(args.output.as_deref(), &inputs)?;
    let checkpoint = Checkpoint::read(&newer)?;
    let mut source = open_regular_file(ledger)?;
    let proof = match (&args.from, args.seq) {
        (Some(from), _) => {
            let old = Checkpoint::read(from)?;
            describe_extension(prove_extension(&mut source, ledger, &old, checkpoint)?)
        }
        (None, sequence) => {
            // The command line takes no call without either.
            let sequence = sequence.unwrap_or_default();
            let proven = prove_record(&mut source, ledger, sequence, checkpoint)?;
            describe_record(proven, args.without_record)
        }
    };
    let path = target.path();
    target.write(|mut out, name| {
        let written = out.write_all(&proof.bytes).and_then(|()| out.flush());
        Ok::<_, CommandError>(written.map_err(FileError::from_io(name, "write"))?)
    })?;
    Ok(report(args, path, proof))
}

fn describe_record(
    proven: Proven<axilog_heads::RecordProof>,
    without_record: bool,
) -> WrittenProof {
    let Proven { proof, later_fault } = proven;
    let proof = match without_record {
        true => proof.without_record(),
        false => proof,
    };
    let checkpoint = proof.checkpoint();
    let (index, size, origin) = (proof.index(), checkpoint.size(), checkpoint.origin());
    WrittenProof {
        bytes: proof.to_bytes(),
        shown: format!("record {index} is among the {size} of {origin}"),
        origin: origin.to_owned(),
        size,
        subject: ProvenSubject::Record { seq: index },
        later_fault,
    }
}

fn describe_extension(proven: Proven<axilog_heads::ExtensionProof>) -> WrittenProof {
    let Proven { proof, later_fault } = proven;
    let checkpoint = proof.checkpoint();
    let (old_size, size, origin) = (proof.old_size(), checkpoint.size(), checkpoint.origin());
    WrittenProof {
        bytes: proof.to_bytes(),
        shown: format!("the {size} records of {origin} begin with the {old_size} of before"),
        origin: origin.to_owned(),
        size,
        subject: ProvenSubject::Extension { old_size },
        later_fault,
    }
}

fn report(args: &Args, path: Option<&Path>, proof: WrittenProof) -> Report {
    let notes = proof.later_fault.iter().map(|fault| {
        let ledger = args.ledger.display();
        format!("{ledger}: the proof holds, and after its records the ledger is not good: {fault}")
    });
    let report = match path {
        None => Report::without_result(true),
        Some(path) => {
            let text = table::format_pairs(&[
                ("PROVEN", proof.shown),
                ("proof", path.display().to_string()),
            ]);
            let result = ProveResult {
                ledger: args.ledger.to_string_lossy(),
                proof: path.to_string_lossy(),
                origin: proof.origin,
                size: proof.size,
                subject: proof.subject,
            };
            Report::new(true, text, &result)
        }
    };
    report.with_notes(notes)
}
