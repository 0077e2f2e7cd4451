//! The names of the fields in a model's answer, which a syntax erratum may change (Q29).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The names of the fields, as the kernel's candidates and the shipped template have them.
pub const FIELDS: [&str; 11] = [
    "candidates",
    "action_request",
    "action_type",
    "fields",
    "scope_claim",
    "observation_ids",
    "claim",
    "clause_ref",
    "justification",
    "text",
    "authority_citations",
];

/// The names that the template in force has for the fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldNames {
    /// The new names, by the old ones; fields that keep their name are left out.
    renamed: BTreeMap<String, String>,
}

impl FieldNames {
    /// The names that the kernel knows.
    pub(crate) const fn of_the_kernel() -> FieldNames {
        FieldNames {
            renamed: BTreeMap::new(),
        }
    }

    /// The names with these changes, each the old name and the new one.
    pub(crate) fn new<'n>(changes: impl Iterator<Item = (&'n str, &'n str)>) -> FieldNames {
        let changes = changes.filter(|(old, new)| old != new);
        FieldNames {
            renamed: changes
                .map(|(old, new)| (old.to_owned(), new.to_owned()))
                .collect(),
        }
    }

    /// Gives the fields of an answer the names that the kernel knows. A renamed field counts under its new name
    /// alone. What is inside the fields of an action has the names of the constitution, and stays.
    #[must_use]
    pub fn translate(&self, mut answer: Value) -> Value {
        if self.renamed.is_empty() {
            return answer;
        }
        self.rename(Some(&mut answer), &["candidates"]);
        let items = answer.get_mut("candidates").and_then(Value::as_array_mut);
        for item in items.into_iter().flatten() {
            self.rename(
                Some(&mut *item),
                &[
                    "action_request",
                    "scope_claim",
                    "justification",
                    "authority_citations",
                ],
            );
            self.rename(item.get_mut("action_request"), &["action_type", "fields"]);
            self.rename(
                item.get_mut("scope_claim"),
                &["observation_ids", "claim", "clause_ref"],
            );
            self.rename(item.get_mut("justification"), &["text"]);
        }
        answer
    }

    fn rename(&self, object: Option<&mut Value>, names: &[&str]) {
        let Some(members) = object.and_then(Value::as_object_mut) else {
            return;
        };
        let renamed = names
            .iter()
            .filter_map(|old| Some((*old, self.renamed.get(*old)?)));
        for (old, new) in renamed {
            rename_member(members, old, new);
        }
    }
}

fn rename_member(members: &mut Map<String, Value>, old: &str, new: &str) {
    members.remove(old);
    if let Some(value) = members.remove(new) {
        members.insert(old.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn renamed_fields_are_read_under_their_new_names_alone() {
        let names = FieldNames::new(
            [
                ("action_type", "action"),
                ("text", "why"),
                ("claim", "claim"),
            ]
            .into_iter(),
        );
        let answer = json!({ "candidates": [
            { "action_request": { "action": "WriteNote", "fields": { "text": "a", "why": "b" } },
              "justification": { "why": "c", "text": "d" } },
            { "action_request": { "action_type": "Notify" } },
            7,
        ] });
        let expected = json!({ "candidates": [
            { "action_request": { "action_type": "WriteNote", "fields": { "text": "a", "why": "b" } },
              "justification": { "text": "c" } },
            { "action_request": {} },
            7,
        ] });
        assert_eq!(names.translate(answer.clone()), expected);
        assert_eq!(FieldNames::default().translate(answer.clone()), answer);
    }
}
