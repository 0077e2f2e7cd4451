//! Properties over random policy sets, spellings of their files, and bytes.

use axilog_policyc::{ComparisonOperator, PolicyEntry, PolicySet};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

const MAX_ELAPSED: i32 = 32767 * 65536;

/// Values near the ends of every range, and any other.
fn raw() -> impl Strategy<Value = i32> {
    prop_oneof![
        select(vec![
            i32::MIN,
            -i32::MAX,
            -i32::MAX + 1,
            -1,
            0,
            1,
            MAX_ELAPSED,
            i32::MAX - 1,
            i32::MAX
        ]),
        -40..40,
        any::<i32>(),
    ]
}

fn comparison() -> impl Strategy<Value = ComparisonOperator> {
    select(vec![
        ComparisonOperator::Gt,
        ComparisonOperator::Lt,
        ComparisonOperator::Ge,
        ComparisonOperator::Le,
    ])
}

fn breaches(policy: &PolicyEntry, actual: i64) -> bool {
    let threshold = i64::from(policy.threshold);
    match policy.comparison {
        ComparisonOperator::Gt => actual > threshold,
        ComparisonOperator::Lt => actual < threshold,
        ComparisonOperator::Ge => actual >= threshold,
        ComparisonOperator::Le => actual <= threshold,
    }
}

fn expressible(policy: &PolicyEntry) -> bool {
    policy.selector != "elapsed" || policy.threshold <= MAX_ELAPSED
}

/// In the order of a file.
const SELECTORS: [&str; 7] = [
    "/\n\"\\/0",
    "/a#b/~1",
    "a",
    "elapsed",
    "llm \"1\"#/x/1",
    "speed-2",
    "value",
];

/// Random policies with distinct ids, any limits.
fn policies() -> impl Strategy<Value = Vec<PolicyEntry>> {
    let names = select(SELECTORS.to_vec());
    let policy = (
        "[A-Za-z0-9_.-]{1,64}",
        names,
        comparison(),
        raw(),
        any::<bool>(),
    );
    (vec(policy, 0..12), any::<bool>()).prop_map(|(rows, plain)| {
        let mut policies: Vec<_> = rows
            .into_iter()
            .map(
                |(policy_id, selector, comparison, threshold, enabled)| PolicyEntry {
                    policy_id,
                    selector: if plain { "value" } else { selector }.into(),
                    comparison,
                    threshold,
                    enabled,
                },
            )
            .collect();
        policies.sort_by(|a, b| a.policy_id.cmp(&b.policy_id));
        policies.dedup_by(|a, b| a.policy_id == b.policy_id);
        policies
    })
}

/// Random policies that a file can hold: whatever is in the way of value 1
/// (not negative, so `elapsed` can have it) is disabled.
fn satisfiable() -> impl Strategy<Value = Vec<PolicyEntry>> {
    policies().prop_map(|mut policies| {
        policies.retain(expressible);
        for policy in &mut policies {
            policy.enabled &= !breaches(policy, 1);
        }
        policies
    })
}

fn object(policy: &PolicyEntry) -> Value {
    json!({
        "comparison": policy.comparison.name(),
        "enabled": policy.enabled,
        "policy_id": policy.policy_id,
        "threshold": policy.threshold,
    })
}

fn file(policies: &[PolicyEntry]) -> Value {
    let mut groups = serde_json::Map::new();
    for policy in policies {
        let group = groups.entry(&policy.selector).or_insert(json!([]));
        group.as_array_mut().unwrap().push(object(policy));
    }
    Value::Object(groups)
}

/// What a file of any spelling is decided by: numbers drawn in turn.
struct Choices<'c>(std::iter::Cycle<std::slice::Iter<'c, Index>>);

impl Choices<'_> {
    fn below(&mut self, count: usize) -> usize {
        self.0.next().unwrap().index(count)
    }

    fn space(&mut self) -> &'static str {
        ["", "", " ", "\n", "\t\r\n  "][self.below(5)]
    }

    fn text(&mut self, text: &str) -> String {
        let escaped: String = text
            .chars()
            .map(|c| match self.below(4) {
                _ if c < ' ' || c == '"' || c == '\\' => format!("\\u{:04X}", u32::from(c)),
                0 => format!("\\u{:04X}", u32::from(c)),
                _ => c.to_string(),
            })
            .collect();
        format!("{}\"{escaped}\"{}", self.space(), self.space())
    }

    fn shuffled<T>(&mut self, mut items: Vec<T>) -> Vec<T> {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
        items
    }

    fn spelled(&mut self, value: &Value) -> String {
        let (open, parts, close) = match value {
            Value::Array(values) => {
                let parts = values.iter().map(|value| self.spelled(value)).collect();
                ('[', self.shuffled(parts), ']')
            }
            Value::Object(members) => {
                let parts = members
                    .iter()
                    .map(|(name, value)| format!("{}:{}", self.text(name), self.spelled(value)))
                    .collect();
                ('{', self.shuffled(parts), '}')
            }
            Value::String(text) => return self.text(text),
            other => return format!("{}{other}{}", self.space(), self.space()),
        };
        let (before, after) = (self.space(), self.space());
        format!("{before}{open}{}{after}{close}", parts.join(","))
    }
}

proptest! {
    #[test]
    fn canonical_files_round_trip(policies in satisfiable()) {
        let set = PolicySet::parse_lenient(file(&policies).to_string().as_bytes()).unwrap();
        prop_assert_eq!(set.policies(), &policies[..]);
        let text = set.to_canonical();
        prop_assert_eq!(&PolicySet::parse(text.as_bytes()).unwrap(), &set);
        prop_assert_eq!(&PolicySet::parse(format!("{text}\n").as_bytes()).unwrap(), &set);
        let plain = policies.iter().all(|policy| policy.selector == "value");
        let expected = match plain {
            true => policies.iter().map(object).collect(),
            false => file(&policies),
        };
        // serde_json's maps are sorted, its compact writer is JCS on this domain.
        prop_assert_eq!(text, expected.to_string());
    }

    #[test]
    fn any_spelling_is_the_same_set(
        policies in satisfiable(),
        choices in vec(any::<Index>(), 1..200),
    ) {
        let value = file(&policies);
        let set = PolicySet::parse_lenient(value.to_string().as_bytes()).unwrap();
        let spelled = Choices(choices.iter().cycle()).spelled(&value);
        let read: Value = serde_json::from_str(&spelled).unwrap();
        let lenient = PolicySet::parse_lenient(spelled.as_bytes());
        prop_assert_eq!(lenient.as_ref(), Ok(&set));
        // The strict reader agrees or points at the first byte that differs
        // from the same arrays written canonically.
        let canonical = read.to_string();
        match PolicySet::parse(spelled.as_bytes()) {
            Ok(strict) => {
                prop_assert_eq!(&strict, &set);
                prop_assert_eq!(spelled.strip_suffix('\n').unwrap_or(&spelled), canonical);
            }
            Err(error) => {
                let line = spelled.split('\n').nth(error.line - 1).unwrap();
                let before = spelled.split('\n').take(error.line - 1);
                let at = before.map(|l| l.len() + 1).sum::<usize>() + error.column - 1;
                prop_assert!(error.column <= line.len() + 1);
                prop_assert!(canonical.starts_with(spelled[..at].trim_end_matches('\n')));
                prop_assert!(!canonical.starts_with(&spelled[..=at]));
            }
        }
    }

    #[test]
    fn configurations_round_trip(policies in policies(), permit: bool, stop: bool) {
        let text = json!({
            "permit_truncated": permit, "policies": file(&policies), "stop_on_invalid": stop,
        }).to_string();
        let read = PolicySet::parse_configuration(text.as_bytes()).unwrap();
        prop_assert_eq!(read.policies.policies(), &policies[..]);
        prop_assert_eq!((read.permit_truncated, read.stop_on_invalid), (permit, stop));
        prop_assert_eq!(read.policies.configuration(permit, stop), text);
    }

    /// The envelope, and the refusal where it would be empty, against each
    /// policy evaluated on the values around every threshold.
    #[test]
    fn the_envelope_is_what_no_policy_breaches(mut policies in policies()) {
        policies.retain(expressible);
        let mut refused = false;
        let configuration = json!({
            "permit_truncated": false, "policies": file(&policies), "stop_on_invalid": false,
        }).to_string();
        let set = PolicySet::parse_configuration(configuration.as_bytes()).unwrap().policies;
        let mut envelope = set.envelope().into_iter();
        for selector in SELECTORS {
            let enabled: Vec<_> = policies
                .iter()
                .filter(|policy| policy.enabled && policy.selector == selector)
                .collect();
            if enabled.is_empty() {
                continue;
            }
            let first = if selector == "elapsed" { 0 } else { -2147483647 };
            let last = 2147483647;
            let mut probes: Vec<i64> = enabled
                .iter()
                .flat_map(|policy| (-2..=2).map(|step| i64::from(policy.threshold) + step))
                .chain([first, first + 1, -1, 0, 1, last - 1, last])
                .filter(|probe| (first..=last).contains(probe))
                .collect();
            probes.sort_unstable();
            let permitted: Vec<i64> = probes
                .into_iter()
                .filter(|&probe| !enabled.iter().any(|policy| breaches(policy, probe)))
                .collect();
            let interval = envelope.next().unwrap();
            prop_assert_eq!(&interval.selector, selector);
            match (permitted.first(), permitted.last()) {
                (Some(&min), Some(&max)) => prop_assert_eq!(
                    (min, max), (interval.min.into(), interval.max.into())
                ),
                _ => {
                    prop_assert!(interval.min > interval.max);
                    refused = true;
                }
            }
        }
        prop_assert_eq!(envelope.next(), None);
        let parsed = PolicySet::parse(set.to_canonical().as_bytes());
        prop_assert_eq!(parsed.is_err(), refused);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..200)) {
        read_every_way(&bytes);
    }

    #[test]
    fn any_json_like_text_is_read_or_refused(text in r#"([\[\]{},: \\"]|"[a-z\\u0-9]{0,6}"|-?[0-9.eE+]{1,12}|true|null|\PC){0,40}"#) {
        read_every_way(text.as_bytes());
        // Whatever is refused as JSON here is refused by serde_json too.
        let ours = PolicySet::parse_lenient(text.as_bytes());
        prop_assert!(ours.is_err() || serde_json::from_str::<Value>(&text).is_ok());
    }

    #[test]
    fn damaged_files_are_read_or_refused(
        policies in satisfiable(),
        damage in vec((any::<Index>(), any::<u8>(), 0..3), 1..4),
    ) {
        let mut bytes = file(&policies).to_string().into_bytes();
        for (place, byte, kind) in damage {
            let at = place.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => bytes.truncate(at.max(1)),
            }
        }
        read_every_way(&bytes);
    }
}

fn read_every_way(bytes: &[u8]) {
    let strict = PolicySet::parse(bytes);
    let lenient = PolicySet::parse_lenient(bytes);
    if let Ok(set) = &strict {
        assert_eq!(lenient.as_ref(), Ok(set));
    }
    for error in strict.err().into_iter().chain(lenient.err()) {
        assert!(error.line >= 1 && error.column >= 1 && !error.reason.is_empty());
        assert!(!error.to_string().contains(char::is_control));
    }
    let _ = PolicySet::parse_configuration(bytes);
}
