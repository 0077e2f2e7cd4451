//! `axilog head`: how long a ledger is and where it ends.

use std::path::PathBuf;

use axilog::agent::state::Health;
use axilog::evidence::transition::TransitionRecord;
use axilog::hash::Tag;
use axilog_ledger::encoding::hex;
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::manifest::{FoundManifest, Predecessor, find_manifest};
use serde_json::{Value, json};

use super::output::Report;
use super::replay_ledger::{describe_decisions, replay_decisions_of};
use super::{Failure, expectations, table, verify};

/// Print the length, the head, whether it is sealed, and the recorded state of a ledger.
///
/// The ledger is replayed on the way: of one that is damaged, or whose decisions are not those of its
/// rules, the verdict is given and no head. A ledger without decisions is verified, and says so.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file.
    file: PathBuf,
    #[command(flatten)]
    rules: expectations::RulesArgs,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let path = &args.file;
    let policies = args.rules.read_policies()?;
    let rules = args.rules.expect(policies.as_ref());
    let mut state = Health::Uninit;
    let replayed = replay_decisions_of(path, rules, &mut |record| {
        if record.entry.tag == Tag::Trans
            && let Ok(transition) = TransitionRecord::parse(record.entry.payload)
        {
            state = transition.next_state;
        }
    })?;
    let checked = &replayed.verification;
    if checked.fault.is_some() {
        return Ok(verify::report(path, checked));
    }
    let ledger = checked.replay.ledger();
    let entries = checked.replay.entries();
    let sealed = if ledger.sealed { ", sealed" } else { "" };
    // A seal is a record, and is not counted where it is said how many records a ledger is expected to have.
    let expect_entries = entries.saturating_sub(u64::from(ledger.sealed));
    let head = hex(&ledger.head);
    let mut rows = vec![
        ("records", format!("{entries}{sealed}")),
        ("head", head.clone()),
    ];
    if ledger.sealed {
        rows.push((
            "expect",
            format!("--expect-entries {expect_entries} --extends {entries}:HEAD"),
        ));
    }
    rows.extend([
        ("state", state.as_str().to_owned()),
        ("decisions", describe_decisions(&replayed).to_owned()),
    ]);
    let hash = replayed
        .rules
        .as_ref()
        .and_then(|(rules, _)| rules.manifest());
    let found = match &hash {
        Some(hash) => Some(find_manifest(&BlobStore::of_ledger(path), hash)?),
        None => None,
    };
    let manifest = match &found {
        Some(FoundManifest::Good(manifest)) => {
            let name = manifest.name().map(|name| ("name", name.to_owned()));
            rows.extend(name);
            rows.extend(manifest.note().map(|note| ("note", note.to_owned())));
            if let Some(oracles) = manifest.oracles() {
                let named: Vec<&str> = oracles.iter().map(String::as_str).collect();
                rows.push(("oracles", named.join(" ")));
            }
            if manifest.requires_policy() {
                rows.push(("policy", "required for every answer".to_owned()));
            }
            rows.extend(manifest.predecessor().map(|before| {
                let Predecessor { entries, head } = before;
                ("follows", format!("{entries} records, head {head}"))
            }));
            json!({
                "follows": manifest.predecessor(),
                "name": manifest.name(),
                "note": manifest.note(),
                "oracles": manifest.oracles(),
                "require_policy": manifest.requires_policy(),
            })
        }
        Some(FoundManifest::Missing) => {
            rows.push(("manifest", "its blob is missing".to_owned()));
            Value::Null
        }
        Some(FoundManifest::Bad(reason)) => {
            rows.push(("manifest", format!("is not the one named: {reason}")));
            Value::Null
        }
        None => Value::Null,
    };
    Ok(Report {
        passed: !matches!(found, Some(FoundManifest::Bad(_))),
        text: table::format_pairs(&rows),
        json: json!({
            "ledger": path.to_string_lossy(),
            "verdict": checked.verdict().as_str(),
            "ok": !matches!(found, Some(FoundManifest::Bad(_))),
            "entries": entries,
            "head": head,
            "expect_entries": expect_entries,
            "extends": format!("{entries}:{head}"),
            "sealed": ledger.sealed,
            "state": state.as_str(),
            "replayed": replayed.rules.is_some(),
            "manifest_hash": hash.as_ref().map(hex),
            "manifest": manifest,
        }),
        notes: Vec::new(),
    })
}
