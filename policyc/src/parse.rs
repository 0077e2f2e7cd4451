//! From JSON to entries: the shape of policy files (formats.md section 4) and
//! of configurations (section 5). Determinism class D1.

use std::collections::HashMap;

use crate::error::Fault;
use crate::json::{self, Kind, Member, Value};
use crate::policy::{ComparisonOperator, MAX_POLICIES, PolicyEntry, check_policy_id};
use crate::{message, position, selector};

/// The selector of a file that is a plain array.
pub(crate) const VALUE: &str = "value";

/// A policy, and where its threshold stands.
pub(crate) struct Entry {
    pub policy: PolicyEntry,
    pub threshold_at: usize,
}

/// The entries of one selector, in the order of the file.
pub(crate) struct Group {
    pub selector: String,
    pub entries: Vec<Entry>,
}

/// A policy file, in its own order.
pub(crate) enum File {
    /// A plain array, for the selector `value`.
    Array(Group),
    /// An object from selector to array.
    Object(Vec<Group>),
}

impl File {
    pub fn groups(&self) -> &[Group] {
        match self {
            Self::Array(group) => core::slice::from_ref(group),
            Self::Object(groups) => groups,
        }
    }

    /// All entries in the order of the file.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> + Clone {
        self.groups().iter().flat_map(|group| &group.entries)
    }
}

/// A configuration: its manifest, its policies, `permit_truncated`, `stop_on_invalid`.
pub(crate) struct Settings {
    pub manifest: Option<[u8; 32]>,
    pub file: File,
    pub permit_truncated: bool,
    pub stop_on_invalid: bool,
}

/// Decodes the text in `bytes`. A fault comes with the text before it, for its
/// position.
pub(crate) fn decode(bytes: &[u8]) -> Result<&str, (&str, Fault)> {
    if bytes.is_empty() {
        return Err(("", Fault::expected(0, "an empty file", "JSON text")));
    }
    let (text, bad) = match bytes.utf8_chunks().next() {
        Some(chunk) => (chunk.valid(), chunk.invalid().first()),
        None => ("", None),
    };
    if text.starts_with('\u{FEFF}') {
        let fault = Fault::expected(
            0,
            message::describe_character(text.chars().next()),
            "UTF-8 text without one",
        );
        return Err((text, fault));
    }
    match bad {
        None => Ok(text),
        Some(byte) => {
            let found = format!("the byte 0x{byte:02X}, which is not UTF-8");
            Err((text, Fault::expected(text.len(), found, "UTF-8 text")))
        }
    }
}

/// Reads a policy file of either shape.
pub(crate) fn read_file(text: &str) -> Result<File, Fault> {
    let root = json::read(text)?;
    let mut ids = Ids::new(text);
    match &root.kind {
        Kind::Array(values) => {
            let entries = ids.read_entries(VALUE, values)?;
            let selector = VALUE.into();
            Ok(File::Array(Group { selector, entries }))
        }
        Kind::Object(members) => ids.read_groups(members),
        _ => Err(Fault::expected(
            root.at,
            root.describe(),
            "an array of policies, or an object from selector to such an array",
        )),
    }
}

/// Reads a configuration.
pub(crate) fn read_settings(text: &str) -> Result<Settings, Fault> {
    let root = json::read(text)?;
    let names = ["permit_truncated", "policies", "stop_on_invalid"];
    let what = "a configuration";
    let is_manifest = |member: &Member<'_>| member.name == "manifest";
    let bound = matches!(&root.kind, Kind::Object(members) if members.iter().any(is_manifest));
    let (manifest, [permit, policies, stop]) = if bound {
        let [first, second, third] = names;
        let [manifest, rest @ ..] = read_members(&root, what, ["manifest", first, second, third])?;
        (Some(read_hash(manifest)?), rest)
    } else {
        (None, read_members(&root, what, names)?)
    };
    let Kind::Object(groups) = &policies.kind else {
        let found = policies.describe();
        let expected = "an object from selector to an array of policies";
        return Err(Fault::expected(policies.at, found, expected));
    };
    Ok(Settings {
        manifest,
        file: Ids::new(text).read_groups(groups)?,
        permit_truncated: read_boolean(permit)?,
        stop_on_invalid: read_boolean(stop)?,
    })
}

/// The ids met so far and where, since they are unique over the file.
struct Ids<'t> {
    text: &'t str,
    seen: HashMap<String, usize>,
}

impl<'t> Ids<'t> {
    fn new(text: &'t str) -> Self {
        let seen = HashMap::new();
        Self { text, seen }
    }

    fn read_groups(&mut self, members: &[Member<'_>]) -> Result<File, Fault> {
        let mut groups = Vec::new();
        for member in members {
            selector::check_selector(member.at, &member.name)?;
            let Kind::Array(values) = &member.value.kind else {
                let found = member.value.describe();
                let expected = "an array of policies";
                return Err(Fault::expected(member.value.at, found, expected));
            };
            groups.push(Group {
                selector: member.name.clone(),
                entries: self.read_entries(&member.name, values)?,
            });
        }
        Ok(File::Object(groups))
    }

    fn read_entries(&mut self, selector: &str, values: &[Value<'_>]) -> Result<Vec<Entry>, Fault> {
        values
            .iter()
            .map(|value| self.read_entry(selector, value))
            .collect()
    }

    fn read_entry(&mut self, selector: &str, value: &Value<'_>) -> Result<Entry, Fault> {
        let names = ["comparison", "enabled", "policy_id", "threshold"];
        let [operator, enabled, id, threshold] = read_members(value, "a policy", names)?;
        let comparison = read_comparison(operator)?;
        let enabled = read_boolean(enabled)?;
        let policy_id = self.read_policy_id(id)?;
        let policy = PolicyEntry {
            policy_id,
            selector: selector.into(),
            comparison,
            threshold: read_integer(threshold)?,
            enabled,
        };
        if self.seen.len() > MAX_POLICIES {
            return Err(Fault::expected(
                value.at,
                format_args!("policy number {}", self.seen.len()),
                format_args!("at most {MAX_POLICIES} policies in a file"),
            ));
        }
        Ok(Entry {
            policy,
            threshold_at: threshold.at,
        })
    }

    fn read_policy_id(&mut self, value: &Value<'_>) -> Result<String, Fault> {
        let Kind::String(id) = &value.kind else {
            return Err(Fault::expected(value.at, value.describe(), "a string"));
        };
        check_policy_id(value.at, id)?;
        match self.seen.insert(id.clone(), value.at) {
            None => Ok(id.clone()),
            Some(first) => {
                let (line, column) = position::locate(self.text, first);
                Err(Fault::expected(
                    value.at,
                    format_args!(
                        "the policy_id {} a second time (first at {line}:{column})",
                        message::quote(id)
                    ),
                    "every policy_id once in a file",
                ))
            }
        }
    }
}

/// Reads the values of exactly the members `names` of an object, in that order;
/// their order in the text is a matter of canonical form.
fn read_members<'v, 't, const N: usize>(
    value: &'v Value<'t>,
    what: &str,
    names: [&str; N],
) -> Result<[&'v Value<'t>; N], Fault> {
    let exactly = || format!("{what}: an object of exactly {}", names.join(", "));
    let Kind::Object(members) = &value.kind else {
        return Err(Fault::expected(value.at, value.describe(), exactly()));
    };
    if let Some(other) = members.iter().find(|m| !names.contains(&m.name.as_str())) {
        let found = format!("the member {}", message::quote(&other.name));
        let expected = match other.name.as_str() {
            "selector" | "path" | "oracle" if names.contains(&"threshold") => {
                "what is judged as the name of the array that holds the policy: \
                 {\"SELECTOR\":[…]}, SELECTOR being a path or ORACLE#PATH"
                    .to_owned()
            }
            _ => exactly(),
        };
        return Err(Fault::expected(other.at, found, expected));
    }
    let mut values = [value; N];
    for (slot, name) in values.iter_mut().zip(names) {
        match members.iter().find(|member| member.name == name) {
            Some(member) => *slot = &member.value,
            None => {
                let found = format!("an object without {}", message::quote(name));
                return Err(Fault::expected(value.at, found, exactly()));
            }
        }
    }
    Ok(values)
}

/// Reads a SHA-256 in lower-case hexadecimal.
fn read_hash(value: &Value<'_>) -> Result<[u8; 32], Fault> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte.wrapping_sub(b'0')),
        b'a'..=b'f' => Some(byte.wrapping_sub(b'a').wrapping_add(10)),
        _ => None,
    };
    let bytes = |text: &str| {
        let digits: &[u8; 64] = text.as_bytes().try_into().ok()?;
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
            let [high, low] = pair else { return None };
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Some(hash)
    };
    let found = match &value.kind {
        Kind::String(text) => bytes(text),
        _ => None,
    };
    found.ok_or_else(|| {
        let expected = "64 lower-case hexadecimal digits, the SHA-256 of the manifest";
        Fault::expected(value.at, value.describe(), expected)
    })
}

fn read_boolean(value: &Value<'_>) -> Result<bool, Fault> {
    match value.kind {
        Kind::Bool(boolean) => Ok(boolean),
        _ => Err(Fault::expected(value.at, value.describe(), "true or false")),
    }
}

fn read_comparison(value: &Value<'_>) -> Result<ComparisonOperator, Fault> {
    match &value.kind {
        Kind::String(name) => ComparisonOperator::from_name(name),
        _ => None,
    }
    .ok_or_else(|| {
        let expected = "one of \"GT\", \"LT\", \"GE\", \"LE\"";
        Fault::expected(value.at, value.describe(), expected)
    })
}

/// Reads an integer: only digits with an optional minus, because a fraction or an exponent suggests
/// natural units, which a threshold is not in.
fn read_integer(value: &Value<'_>) -> Result<i32, Fault> {
    match value.kind {
        Kind::Number(text) => text.parse().ok(),
        _ => None,
    }
    .ok_or_else(|| {
        let expected = "an integer from -2147483648 to 2147483647, the raw Q16.16 value";
        Fault::expected(value.at, value.describe(), expected)
    })
}
