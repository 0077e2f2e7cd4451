//! `axilog check`: checks a proof or a checkpoint with a public key alone.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use axilog_heads::{
    Checkpoint, ExtensionProof, HeadsError, InvalidCheckpoint, InvalidProof, MAX_PROOF_BYTES,
    ProofKind, RecordProof, Unproven, VerifierKey, WitnessPolicy, proven_record_json,
};
use axilog_ledger::encoding::hex;
use axilog_ledger::file::lines::MAX_LINE_BYTES;
use axilog_ledger::input_file::read_input;
use serde::Serialize;
use serde_json::Value;

use crate::Failure;
use crate::error::CommandError;
use crate::output::Report;
use crate::output::table;

/// Check a proof of a record or of a head, with a public key alone.
///
/// OK: the ledger that the key is of has the record; or, with --from, it only grew since the older checkpoint. FAILED: the
/// file does not show that, and the reason is given. Nothing but the files that are named is read. Take the public key
/// from whoever keeps the ledger, by another way than the proof.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The proof that `axilog prove` wrote; - is standard input.
    proof: PathBuf,
    /// The public key of the ledger, as `axilog key show` prints it.
    #[arg(long, value_name = "KEY")]
    public_key: String,
    /// The record's line of the ledger file, where the proof does not have it in it.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// The older checkpoint that you hold, for the proof that a ledger extends it.
    #[arg(long, value_name = "CHECKPOINT", conflicts_with = "record")]
    from: Option<PathBuf>,
    /// The witnesses of whom enough must have signed the checkpoint that the proof leads to (C2SP tlog-policy).
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// PROOF is a checkpoint, which proves nothing but that it was signed: check that.
    #[arg(long, conflicts_with_all = ["record", "from"])]
    head: bool,
}

/// Why a file proves nothing.
#[derive(Debug, thiserror::Error)]
enum ProofFailure {
    #[error("it is no proof: {0}")]
    Proof(#[from] InvalidProof),
    #[error("it is no checkpoint: {0}")]
    Checkpoint(#[from] InvalidCheckpoint),
    #[error("it is {found}, expected {expected}; {advice}")]
    OtherKind {
        found: &'static str,
        expected: &'static str,
        advice: &'static str,
    },
    #[error("{0}")]
    Unproven(#[from] Unproven),
}

/// What a file proves, or why it proves nothing.
#[derive(Serialize)]
struct CheckResult<'a> {
    proof: Cow<'a, str>,
    ok: bool,
    public_key: String,
    #[serde(flatten)]
    finding: CheckFinding,
}

#[derive(Serialize)]
#[serde(untagged)]
enum CheckFinding {
    Failed {
        reason: String,
    },
    Proven {
        #[serde(flatten)]
        subject: CheckedSubject,
        /// The witnesses that have signed, where a policy wants some.
        #[serde(skip_serializing_if = "Option::is_none")]
        witnesses: Option<Vec<String>>,
    },
}

/// What a proof is about.
#[derive(Serialize)]
#[serde(untagged)]
enum CheckedSubject {
    /// A record, with its own members.
    Record(Value),
    Head {
        kind: &'static str,
        origin: String,
        size: u64,
        root: String,
        /// The number of records of the older checkpoint, in the proof of an extension.
        #[serde(skip_serializing_if = "Option::is_none")]
        old_size: Option<u64>,
    },
}

/// What a file proves: a sentence, further lines, and members.
struct ProvenFact {
    sentence: String,
    rows: Vec<(&'static str, String)>,
    subject: CheckedSubject,
    witnesses: Option<Vec<String>>,
    /// The record, as the ledger has it.
    record: Option<String>,
}

impl CheckedSubject {
    fn head(kind: &'static str, checkpoint: &Checkpoint, old_size: Option<u64>) -> CheckedSubject {
        CheckedSubject::Head {
            kind,
            origin: checkpoint.origin().to_owned(),
            size: checkpoint.size(),
            root: checkpoint.root_text(),
            old_size,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let key: VerifierKey = (args.public_key.parse()).map_err(HeadsError::VerifierKey)?;
    let policy = args
        .policy
        .as_deref()
        .map(WitnessPolicy::read)
        .transpose()?;
    let bytes = read_input(&args.proof, "read the proof", MAX_PROOF_BYTES)?;
    // What is to be shown the caller says, and not the file, which may come from whoever would like to show less.
    let shown = match (ProofKind::of(&bytes), args.head, &args.from) {
        (ProofKind::Other, true, _) => check_checkpoint(&bytes, &key),
        (ProofKind::Record, false, None) => check_record(args, &bytes, &key)?,
        (ProofKind::Extension, false, Some(from)) => check_extension(from, &bytes, &key)?,
        (ProofKind::Extension, false, None) if args.record.is_none() => {
            let what =
                "it is about an older checkpoint; name the one that you hold, --from CHECKPOINT";
            return Err(needs(args, what));
        }
        (found, ..) => Err(describe_other_kind(args, found)),
    };
    let shown = shown.and_then(|fact| require_witnesses(policy.as_ref(), &bytes, fact));
    Ok(report(&args.proof, &key, shown))
}

/// Adds to a fact who has witnessed it, where a policy wants witnesses; fails where they are not enough.
fn require_witnesses(
    policy: Option<&WitnessPolicy>,
    bytes: &[u8],
    mut fact: ProvenFact,
) -> Result<ProvenFact, ProofFailure> {
    let Some(policy) = policy else {
        return Ok(fact);
    };
    let witnessed = match ProofKind::of(bytes) {
        ProofKind::Record => policy.require(RecordProof::parse(bytes)?.checkpoint()),
        ProofKind::Extension => policy.require(ExtensionProof::parse(bytes)?.checkpoint()),
        ProofKind::Other => policy.require(&Checkpoint::parse(bytes)?),
    }?;
    fact.rows.push(("witnesses", witnessed.to_string()));
    let names = witnessed.signed.iter().map(|(name, _)| name.clone());
    fact.witnesses = Some(names.collect());
    Ok(fact)
}

/// Says that a file is of another kind than it was asked for.
fn describe_other_kind(args: &Args, found: ProofKind) -> ProofFailure {
    let found = match found {
        ProofKind::Record => "the proof of a record",
        ProofKind::Extension => "the proof of an extension",
        ProofKind::Other => "no proof",
    };
    let (expected, advice) = match (args.head, &args.from) {
        (true, _) => (
            "a checkpoint",
            "leave --head out, or name what `axilog checkpoint` wrote",
        ),
        (false, Some(_)) => (
            "the proof of an extension",
            "name what `axilog prove --from` wrote",
        ),
        (false, None) => (
            "the proof of a record",
            "name what `axilog prove --seq` wrote; a checkpoint is checked with --head",
        ),
    };
    ProofFailure::OtherKind {
        found,
        expected,
        advice,
    }
}

/// Gives what the proof of a record shows, or why it shows nothing.
fn check_record(
    args: &Args,
    bytes: &[u8],
    key: &VerifierKey,
) -> Result<Result<ProvenFact, ProofFailure>, Failure> {
    let proof = match RecordProof::parse(bytes) {
        Ok(proof) => proof,
        Err(invalid) => return Ok(Err(invalid.into())),
    };
    let read = |path| read_input(path, "read the record", MAX_LINE_BYTES as u64);
    let named = args.record.as_deref().map(read).transpose()?;
    let Some(line) = named.as_deref().or(proof.record_line()) else {
        let what = "the record is not in this proof; name a file with its line of the ledger file, --record FILE";
        return Err(needs(args, what));
    };
    Ok(match proof.check(line, key) {
        Err(unproven) => Err(unproven.into()),
        Ok(entry) => {
            let (origin, size) = (proof.checkpoint().origin(), proof.checkpoint().size());
            let (sequence, tag) = (entry.sequence, entry.tag.as_str());
            let record = String::from_utf8_lossy(entry.payload).into_owned();
            Ok(ProvenFact {
                sentence: format!(
                    "the ledger {origin} has this record {sequence}, among the {size} that were signed"
                ),
                rows: vec![("tag", tag.to_owned()), ("commit", hex(&entry.commit))],
                subject: CheckedSubject::Record(proven_record_json(proof.checkpoint(), &entry)),
                witnesses: None,
                record: Some(record),
            })
        }
    })
}

/// Gives what the proof of an extension shows, or why it shows nothing.
fn check_extension(
    from: &Path,
    bytes: &[u8],
    key: &VerifierKey,
) -> Result<Result<ProvenFact, ProofFailure>, Failure> {
    let proof = match ExtensionProof::parse(bytes) {
        Ok(proof) => proof,
        Err(invalid) => return Ok(Err(invalid.into())),
    };
    let old = Checkpoint::read(from)?;
    let checked = proof.check(&old, key).map_err(ProofFailure::from);
    Ok(checked.map(|()| {
        let (origin, size) = (proof.checkpoint().origin(), proof.checkpoint().size());
        let old_size = proof.old_size();
        ProvenFact {
            sentence: format!(
                "the ledger {origin} only grew: its {size} records that were signed begin with the {old_size} of the older checkpoint"
            ),
            rows: vec![("root", proof.checkpoint().root_text())],
            subject: CheckedSubject::head("extension", proof.checkpoint(), Some(old_size)),
            witnesses: None,
            record: None,
        }
    }))
}

/// Gives what a checkpoint shows, or why it shows nothing.
fn check_checkpoint(bytes: &[u8], key: &VerifierKey) -> Result<ProvenFact, ProofFailure> {
    let checkpoint = Checkpoint::parse(bytes)?;
    checkpoint.verify(key)?;
    let (origin, size) = (checkpoint.origin(), checkpoint.size());
    Ok(ProvenFact {
        sentence: format!(
            "the ledger {origin} had {size} records with this root when the checkpoint was signed"
        ),
        rows: vec![("root", checkpoint.root_text())],
        subject: CheckedSubject::head("checkpoint", &checkpoint, None),
        witnesses: None,
        record: None,
    })
}

fn needs(args: &Args, what: &'static str) -> Failure {
    CommandError::ProofNeeds {
        path: args.proof.clone(),
        what,
    }
    .into()
}

fn report(path: &Path, key: &VerifierKey, shown: Result<ProvenFact, ProofFailure>) -> Report {
    let passed = shown.is_ok();
    let (text, finding) = match shown {
        Err(not_shown) => {
            let reason = not_shown.to_string();
            let rows = [
                ("FAILED", path.display().to_string()),
                ("why", reason.clone()),
            ];
            (table::format_pairs(&rows), CheckFinding::Failed { reason })
        }
        Ok(shown) => {
            let mut rows = vec![("OK", shown.sentence)];
            rows.push(("signed by", key.short_name()));
            rows.extend(shown.rows);
            let mut text = table::format_pairs(&rows);
            // On a line of its own, for whoever wants to read on with another program.
            text.extend(shown.record.map(|record| format!("{record}\n")));
            let finding = CheckFinding::Proven {
                subject: shown.subject,
                witnesses: shown.witnesses,
            };
            (text, finding)
        }
    };
    let result = CheckResult {
        proof: path.to_string_lossy(),
        ok: passed,
        public_key: key.to_string(),
        finding,
    };
    Report::new(passed, text, &result)
}
