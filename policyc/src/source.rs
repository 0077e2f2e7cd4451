//! The source form of a policy file, for people to write: TOML, one table per
//! quantity, limits in decimal (docs/policies.md). It is compiled to the
//! canonical form (formats.md section 4) and never bound by a ledger itself.
//! Determinism class D1.

use core::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::Fault;
use crate::parse::{Entry, File, Group, VALUE};
use crate::policy::{ComparisonOperator, MAX_POLICIES, PolicyEntry, check_policy_id};
use crate::{decimal_limit, message, selector};

/// The limits that a table may name: the member, its operator, and what the
/// policy's id ends in where the table has several.
const LIMITS: [(&str, ComparisonOperator, &str); 4] = [
    ("max", ComparisonOperator::Gt, "-MAX"),
    ("min", ComparisonOperator::Lt, "-MIN"),
    ("below", ComparisonOperator::Ge, "-BELOW"),
    ("above", ComparisonOperator::Le, "-ABOVE"),
];

/// Reads the source form.
pub(crate) fn read_source(text: &str) -> Result<File, Fault> {
    let document = DeTable::parse(text).map_err(|error| Fault {
        at: error.span().map_or(0, |span| span.start),
        reason: error.message().trim().replace('\n', "; "),
    })?;
    let mut tables: Vec<_> = document.get_ref().iter().collect();
    tables.sort_by_key(|(name, _)| name.span().start);
    let mut groups: Vec<Group> = Vec::new();
    let mut count = 0usize;
    for (name, value) in tables {
        let quantity = read_quantity(name.get_ref(), name.span(), value)?;
        count = count.saturating_add(quantity.entries.len());
        if count > MAX_POLICIES {
            let found = format!("more than {MAX_POLICIES} limits");
            let expected = format!("at most {MAX_POLICIES} in one file");
            return Err(Fault::expected(name.span().start, found, expected));
        }
        for entry in &quantity.entries {
            let id = &entry.policy.policy_id;
            let mut known = groups.iter().flat_map(|group| &group.entries);
            if known.any(|other| other.policy.policy_id == *id) {
                let found = format!("the policy_id {} a second time", message::quote(id));
                return Err(Fault::expected(name.span().start, found, "another name"));
            }
        }
        match groups.iter_mut().find(|g| g.selector == quantity.selector) {
            Some(group) => group.entries.extend(quantity.entries),
            None => groups.push(quantity),
        }
    }
    Ok(File::Object(groups))
}

/// Reads one table: a quantity of answers and its limits.
fn read_quantity(
    name: &str,
    name_at: Range<usize>,
    value: &Spanned<DeValue<'_>>,
) -> Result<Group, Fault> {
    let DeValue::Table(table) = value.get_ref() else {
        let expected = format!("a table: `[{name}]`, and below it path, oracle, max, min");
        let found = describe(value.get_ref());
        return Err(Fault::expected(value.span().start, found, expected));
    };
    let (mut path, mut oracle, mut enabled) = (None, None, true);
    let mut limits = Vec::new();
    for (member, value) in table.iter() {
        let (key, at) = (member.get_ref().as_ref(), value.span().start);
        let limit = LIMITS.iter().find(|(limit, _, _)| *limit == key);
        match (key, limit, value.get_ref()) {
            ("path", _, DeValue::String(text)) => path = Some((text.as_ref(), at)),
            ("oracle", _, DeValue::String(text)) => oracle = Some((text.as_ref(), at)),
            ("enabled", _, DeValue::Boolean(flag)) => enabled = *flag,
            (_, Some((_, comparison, suffix)), DeValue::String(text)) => {
                let threshold = decimal_limit::parse(text).map_err(|expected| {
                    let found = format!("the limit {}", message::quote(text));
                    Fault::expected(at, found, expected)
                })?;
                limits.push((*comparison, *suffix, threshold, at));
            }
            ("path" | "oracle", ..) => return Err(wrong(value, "a string")),
            ("enabled", ..) => return Err(wrong(value, "true or false")),
            (_, Some(_), DeValue::Integer(_) | DeValue::Float(_)) => {
                let expected = "the limit as a string, which is exact: \"0.1\", not 0.1";
                return Err(wrong(value, expected));
            }
            (_, Some(_), _) => return Err(wrong(value, "a decimal limit in a string")),
            _ => return Err(unknown_member(key, member.span().start)),
        }
    }
    let (path, path_at) = path.unwrap_or((VALUE, name_at.start));
    let whole = match oracle {
        Some((oracle, _)) => format!("{oracle}#{path}"),
        None => path.to_owned(),
    };
    if let Some((oracle, at)) = oracle
        && (oracle.contains('#') || oracle.starts_with('/'))
    {
        let found = format!("the oracle {}", message::quote(oracle));
        let expected = "an oracle_id without # that does not begin with /";
        return Err(Fault::expected(at, found, expected));
    }
    selector::check_selector(oracle.map_or(path_at, |(_, at)| at), &whole)?;
    if limits.is_empty() {
        let found = format!("the table {} without a limit", message::quote(name));
        let expected = "max, min, below or above";
        return Err(Fault::expected(name_at.start, found, expected));
    }
    limits.sort_by_key(|(.., at)| *at);
    let several = limits.len() > 1;
    let mut entries = Vec::new();
    for (comparison, suffix, threshold, threshold_at) in limits {
        let policy_id = format!("{name}{}", if several { suffix } else { "" });
        check_policy_id(name_at.start, &policy_id)?;
        let policy = PolicyEntry {
            policy_id,
            selector: whole.clone(),
            comparison,
            threshold,
            enabled,
        };
        entries.push(Entry {
            policy,
            threshold_at,
        });
    }
    Ok(Group {
        selector: whole,
        entries,
    })
}

fn wrong(value: &Spanned<DeValue<'_>>, expected: &str) -> Fault {
    Fault::expected(value.span().start, describe(value.get_ref()), expected)
}

/// A member that the form does not know, with what was probably meant.
fn unknown_member(key: &str, at: usize) -> Fault {
    let expected = match key {
        "selector" => "path, and oracle where one oracle's answers alone are meant",
        "unit" => "the unit in a comment: max = \"0.5\" # m/s",
        "threshold" | "limit" | "value" => "max, min, below or above",
        _ => "one of path, oracle, max, min, below, above, enabled",
    };
    Fault::expected(at, format!("the member {}", message::quote(key)), expected)
}

fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the string {}", message::quote(text)),
        DeValue::Integer(_) | DeValue::Float(_) => "a number".into(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(_) => "an array".into(),
        DeValue::Table(_) => "a table".into(),
    }
}
