//! Identities that differ and look alike: a reader takes one for the other.

use std::collections::{BTreeMap, BTreeSet};

use axilog_ledger::visible_text::{escape_identity, is_deceptive};
use serde::Serialize;
use unicode_security::confusable_detection::skeleton;

/// Ids of one kind that look alike, two or more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Lookalikes {
    kind: &'static str,
    ids: Vec<String>,
}

impl Lookalikes {
    /// Says so in a sentence, with escapes for what is not visible ASCII.
    pub(crate) fn describe(&self) -> String {
        let shown: Vec<String> = (self.ids.iter())
            .map(|id| format!("\"{}\"", escape_identity(id)))
            .collect();
        format!(
            "has the {}s {}, which differ though they look alike",
            self.kind,
            shown.join(" and ")
        )
    }
}

/// Finds the groups of `ids` that look alike, in the order of their appearance to a reader.
pub(crate) fn find_lookalikes<'a>(
    kind: &'static str,
    ids: impl Iterator<Item = &'a str>,
) -> Vec<Lookalikes> {
    let mut groups: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for id in ids {
        groups.entry(appearance(id)).or_default().insert(id);
    }
    let alike = groups.into_values().filter(|group| group.len() > 1);
    alike
        .map(|group| Lookalikes {
            kind,
            ids: group.into_iter().map(str::to_owned).collect(),
        })
        .collect()
}

/// What two ids have in common where they look alike: the skeleton of Unicode Technical Standard 39, in which
/// each character stands for all that look like it, without what is not seen and without white space.
fn appearance(id: &str) -> String {
    let seen: String = id.chars().filter(|c| !is_deceptive(*c)).collect();
    skeleton(&seen).filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_look_alike_are_found_and_told_apart() {
        let ids = [
            "gpt-4",
            "g\u{440}t-4",
            "gpt\u{200b}-4",
            "gpt\u{2011}4",
            "llama",
            "1lama",
            "planner",
            "o",
            "p",
        ];
        let found = find_lookalikes("oracle_id", ids.into_iter());
        let told: Vec<String> = found.iter().map(Lookalikes::describe).collect();
        assert_eq!(
            told,
            [
                r#"has the oracle_ids "gpt-4" and "gpt\u{200b}-4" and "gpt\u{2011}4" and "g\u{440}t-4", which differ though they look alike"#,
                r#"has the oracle_ids "1lama" and "llama", which differ though they look alike"#,
            ]
        );
        assert_eq!(
            find_lookalikes("oracle_id", ["m", "m", "n"].into_iter()),
            []
        );
    }
}
