//! `axilog init`: begins a ledger.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use axilog_ledger::encoding::hex;
use axilog_ledger::error::LedgerError;
use axilog_ledger::input_file::read_input;
use axilog_ledger::manifest::{MAX_MANIFEST_BYTES, Manifest, Predecessor};
use axilog_ledger::rules::{ExpectedRules, RuleSet, load_builtin_policies};
use axilog_ledger::running_values::{RunningValues, is_running_value_id, parse_running_values};
use axilog_ledger::schema::DeclaredSchemas;
use axilog_ledger::session::Session;
use axilog_policyc::PolicySet;
use serde::Serialize;

use crate::Failure;
use crate::error::CommandError;
use crate::now;
use crate::options::schema_files::{SchemaFiles, parse_oracle_file};
use crate::output::Report;
use crate::output::decision::{self, DecisionResult};
use crate::output::table;
use crate::read_named_policies;
use crate::replay_ledger::replay_decisions_of;

/// Begin a ledger: keep its configuration, and record a reset and the time.
///
/// The file must be absent, empty, or hold the genesis only; a ledger is never overwritten. The agent is then ENABLED.
/// With --name, --note, schemas, oracles, --require-policy or --follows a manifest that holds them is kept too, and every
/// reset binds the ledger to it. JSON: the fields of the time's decision, and `configuration`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file.
    file: PathBuf,
    /// Policy file, in canonical form or, where its name ends in .toml, in source form; the built-in policies where absent.
    #[arg(long, value_name = "FILE")]
    policies: Option<PathBuf>,
    /// Stop the agent on an inadmissible answer instead of alarming it.
    #[arg(long)]
    stop_on_invalid: bool,
    /// Judge an answer that was cut off as if it were whole.
    #[arg(long)]
    permit_truncated: bool,
    /// The ledger's name, 1 to 256 visible ASCII characters without `+`, to which it is bound.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// A text for people, at most 4096 bytes, to which the ledger is bound.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// JSON Schema (2020-12) that the answers of ORACLE must conform to: another answer is recorded as
    /// INVALID_OUTPUT. May be given for several oracles.
    #[arg(long, value_name = "ORACLE=FILE", value_parser = parse_oracle_file)]
    schema: Vec<(String, PathBuf)>,
    /// JSON Schema (2020-12) that the inputs of ORACLE must conform to: another input is refused. May
    /// be given for several oracles.
    #[arg(long, value_name = "ORACLE=FILE", value_parser = parse_oracle_file)]
    input_schema: Vec<(String, PathBuf)>,
    /// Oracle that may answer: an answer of one that is not named is refused. May be given several times.
    #[arg(long, value_name = "ID", num_args = 1..)]
    oracle: Vec<String>,
    /// The oracles that the policies name may answer.
    #[arg(long)]
    oracles_from_policies: bool,
    /// Refuse answers of oracles that no enabled policy judges.
    #[arg(long)]
    require_policy: bool,
    /// JSON file with the values that the ledger computes over earlier answers and records itself, for policies to limit:
    /// sums, counts and changes, by the oracle id under which each is recorded.
    #[arg(long, value_name = "FILE")]
    running_values: Option<PathBuf>,
    /// The sealed ledger that this one goes on from, to which it is bound; its rules too, where no other
    /// policies are named.
    #[arg(long, value_name = "OLD")]
    follows: Option<PathBuf>,
    /// The present time, in the unit of later `axilog time`s; seconds since 1970 where absent.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,
}

/// A ledger that was begun: the decision on its time, and the hash of its configuration.
#[derive(Serialize)]
struct InitResult {
    #[serde(flatten)]
    decision: DecisionResult,
    configuration: String,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let old = match &args.follows {
        Some(path) => Some(read_predecessor(path)?),
        None => None,
    };
    let named = read_named_policies(args.policies.as_deref())?;
    let rules = match (named, old.as_ref().and_then(|(_, rules)| rules.as_ref())) {
        (Some(policies), _) => RuleSet::new(policies, args.permit_truncated, args.stop_on_invalid),
        (None, Some(old)) => {
            let switches = old.switches();
            RuleSet::new(
                old.policies().clone(),
                args.permit_truncated || switches.permit_truncated,
                args.stop_on_invalid || switches.stop_on_invalid,
            )
        }
        (None, None) => RuleSet::new(
            load_builtin_policies()?,
            args.permit_truncated,
            args.stop_on_invalid,
        ),
    };
    let SchemaFiles {
        declared: schemas,
        notes,
    } = SchemaFiles::read(&args.schema, &args.input_schema)?;
    let mut manifest = make_manifest(args, rules.policies(), &schemas)?;
    if let Some((predecessor, _)) = old {
        manifest = manifest
            .with_predecessor(predecessor)
            .map_err(CommandError::InvalidManifest)?;
    }
    let time = args.time.unwrap_or_else(now);
    let begun = if !schemas.is_empty() {
        Session::create_with_schemas(&args.file, &rules, &manifest, &schemas, time)?
    } else if manifest != Manifest::default() {
        Session::create_with_manifest(&args.file, &rules, &manifest, time)?
    } else {
        Session::create(&args.file, rules, time)?
    };
    let (session, [_, decision]) = begun;
    let configuration = hex(&session.rules().hash());
    let text = table::format_pairs(&[
        (
            "ledger",
            format!("{}, {} records", args.file.display(), decision.entries),
        ),
        ("state", decision::describe_states(&decision)),
        ("time", time.to_string()),
        ("rules", configuration.clone()),
        ("head", hex(&decision.head)),
    ]);
    let result = InitResult {
        decision: DecisionResult::new(&session, &decision, true),
        configuration,
    };
    let opening = decision::opening_notes(&session, false);
    let report = Report::new(decision.may_continue(), text, &result);
    Ok(report.with_notes(opening).with_notes(notes))
}

/// Replays the ledger that a new one goes on from. It must be sealed, so that it does not go on beside the new one. Its
/// rules are absent where it records no decision.
fn read_predecessor(path: &Path) -> Result<(Predecessor, Option<RuleSet>), Failure> {
    let replayed = replay_decisions_of(path, ExpectedRules::default(), &mut |_| {})?;
    if let Some(fault) = replayed.verification.fault {
        let path = path.to_owned();
        return Err(LedgerError::Damaged { path, fault }.into());
    }
    let replay = &replayed.verification.replay;
    let ledger = replay.ledger();
    if !ledger.sealed {
        return Err(CommandError::PredecessorNotSealed(path.to_owned()).into());
    }
    let predecessor = Predecessor {
        entries: replay.entries(),
        head: hex(&ledger.head),
    };
    Ok((predecessor, replayed.rules.map(|(rules, _)| rules)))
}

/// Reads the running values that a file declares.
fn read_running_values(path: &Path) -> Result<RunningValues, CommandError> {
    let text = read_input(path, "read the running values", MAX_MANIFEST_BYTES)?;
    parse_running_values(&text).map_err(|reason| CommandError::RunningValuesUnreadable {
        path: path.to_owned(),
        reason,
    })
}

/// Makes the manifest that the options ask for. The schemas are in it only to see whether they fit.
fn make_manifest(
    args: &Args,
    policies: &PolicySet,
    schemas: &DeclaredSchemas,
) -> Result<Manifest, CommandError> {
    let mut manifest = Manifest::new(args.name.as_deref(), args.note.as_deref())
        .map_err(CommandError::InvalidManifest)?
        .with_required_policy(args.require_policy);
    let mut oracles: BTreeSet<String> = args.oracle.iter().cloned().collect();
    if args.oracles_from_policies {
        let mut named = policies.named_oracles();
        named.retain(|id| !is_running_value_id(id));
        if named.is_empty() {
            return Err(CommandError::NoOracleInPolicies);
        }
        oracles.extend(named.into_iter().map(str::to_owned));
    }
    if !oracles.is_empty() {
        manifest = manifest
            .with_oracles(oracles)
            .map_err(CommandError::InvalidManifest)?;
    }
    if let Some(path) = &args.running_values {
        manifest = manifest
            .with_running_values(read_running_values(path)?)
            .map_err(CommandError::InvalidManifest)?;
    }
    manifest
        .with_schemas(schemas.to_named())
        .map_err(CommandError::InvalidManifest)?;
    Ok(manifest)
}
