//! `axilog memory unlock`: shows what is unlocked.

use std::path::PathBuf;

use axilog_memory::{Handle, MemoryReader, MemoryRule, OpenedRule, Unlock, UnlockScope};
use serde::Serialize;

use super::options::HandleArgument;
use crate::Failure;
use crate::output::Report;
use crate::output::table;

/// Show what is unlocked now, until when, and by which entry.
///
/// This command unlocks nothing: `recall` and `notebook` do. Rules that the table opened (EV-021) are listed too. With
/// HANDLE it exits 1 where the handle is locked.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    pub(super) db: PathBuf,
    /// A detail or a fact.
    handle: Option<HandleArgument>,
}

/// What is unlocked.
#[derive(Serialize)]
struct UnlockResult<'a> {
    /// False where the handle that was asked for is locked.
    ok: bool,
    unlocked: Vec<UnlockedHandle>,
    unlocked_rule_refs: Vec<UnlockedRule<'a>>,
    /// The rule that holds the handle back.
    rule_ref: Option<MemoryRule>,
}

/// A fact or detail that is unlocked.
#[derive(Serialize)]
struct UnlockedHandle {
    handle: Handle,
    scope: UnlockScope,
    /// The entry by which it is.
    seq: u64,
}

/// A rule that is open.
#[derive(Serialize)]
struct UnlockedRule<'a> {
    rule_ref: &'a str,
    scope: UnlockScope,
    /// The entry by which it is.
    seq: u64,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let reader = MemoryReader::open(&args.db)?;
    let mut all = reader.unlocks()?;
    let mut rules = reader.opened_rules()?;
    let mut fine = true;
    let mut none = "nothing";
    if let Some(HandleArgument(wanted)) = args.handle {
        // Who unlocks a fact unlocks its details.
        let fact = reader.find_fact(wanted)?;
        all.retain(|unlock| unlock.handle == wanted || Some(unlock.handle) == fact);
        rules.clear();
        fine = reader.is_open(wanted)?;
        none = match fine {
            true => "yes: it is not locked",
            false => "no: it is locked",
        };
    }
    let mut rows: Vec<(&str, String)> = Vec::new();
    for Unlock { handle, scope, seq } in &all {
        rows.push((scope.as_str(), handle.to_string()));
        rows.push(("", format!("{}, by entry {seq}", describe_end(*scope))));
    }
    for OpenedRule {
        rule_ref,
        scope,
        seq,
    } in &rules
    {
        rows.push((scope.as_str(), format!("rule {rule_ref}")));
        rows.push(("", format!("{}, by entry {seq}", describe_end(*scope))));
    }
    if all.is_empty() && rules.is_empty() {
        rows.push(("unlocked", none.to_owned()));
    }
    // Whoever asks why is referred to the rule.
    let rule = (!fine).then_some(MemoryRule::PrecisionTokens);
    if let Some(rule) = rule {
        rows.push(("rule_ref", rule.to_string()));
    }
    let unlocked = all
        .into_iter()
        .map(|Unlock { handle, scope, seq }| UnlockedHandle { handle, scope, seq });
    let opened = rules.iter().map(|opened| UnlockedRule {
        rule_ref: &opened.rule_ref,
        scope: opened.scope,
        seq: opened.seq,
    });
    let result = UnlockResult {
        ok: fine,
        unlocked: unlocked.collect(),
        unlocked_rule_refs: opened.collect(),
        rule_ref: rule,
    };
    Ok(Report::new(fine, table::format_pairs(&rows), &result))
}

fn describe_end(scope: UnlockScope) -> &'static str {
    match scope {
        UnlockScope::Scene => "until the scene ends",
        UnlockScope::Session => "until the session ends",
        UnlockScope::Campaign => "for this campaign",
    }
}
