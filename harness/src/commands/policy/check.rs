//! `axilog policy check`: what a policy file permits, per oracle and path.

use std::path::Path;

use axilog_ledger::json_report::policy::policy_check_json;
use axilog_ledger::visible_text::escape_identity;
use axilog_policyc::{PolicySet, Scope, Shadow, decimal};

use crate::output::Report;
use crate::output::table;

/// Widths of the columns.
const WIDTHS: [u16; 4] = [20, 18, 19, 19];

/// Reports a good file.
pub(super) fn report(file: &Path, set: &PolicySet) -> Report {
    let count = set.policies().len();
    let enabled = set.policies().iter().filter(|p| p.enabled).count();
    let scopes = set.scopes();
    let mut text = table::format_pairs(&[
        ("OK", file.display().to_string()),
        ("policies", format!("{count}, {enabled} of them enabled")),
    ]);
    if scopes.is_empty() {
        text.push_str("No limits: every answer is permitted.\n");
    } else {
        let rows: Vec<[String; 4]> = scopes.iter().map(row).collect();
        let header = ["oracle", "path", "permitted from", "to (raw Q16.16)"];
        text.push_str(&table::format_grid(header, WIDTHS, &rows));
    }
    let shadows = set.shadows();
    let nothing = scopes.iter().filter(|scope| scope.permitted.is_none());
    let notes = shadows.iter().map(describe_shadow);
    Report::new(true, text, &policy_check_json(file, set))
        .with_notes(notes.chain(nothing.map(describe_nothing)))
}

fn row(scope: &Scope) -> [String; 4] {
    let end = |raw: i32| format!("{}\n({raw})", decimal(raw));
    let (from, to) = match scope.permitted {
        Some((min, max)) => (end(min), end(max)),
        None => ("nothing".to_owned(), String::new()),
    };
    let oracle = scope.oracle.as_deref();
    [
        oracle.map_or("every other one".to_owned(), |oracle| {
            escape_identity(oracle).into_owned()
        }),
        escape_identity(&scope.path).into_owned(),
        from,
        to,
    ]
}

fn describe_shadow(shadow: &Shadow) -> String {
    format!(
        "the policy {} never decides: {} permits no more wherever it applies",
        shadow.policy_id, shadow.by
    )
}

fn describe_nothing(scope: &Scope) -> String {
    format!(
        "no answer of {} can pass: the policies on {} leave no value",
        escape_identity(scope.oracle.as_deref().unwrap_or_default()),
        escape_identity(&scope.path)
    )
}
