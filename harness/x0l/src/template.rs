//! The one base template of a session's prompts (Q9, Q10, Q25; B4, B5, G1).
//!
//! The template is a text of two parts, after a line `[system]` and a line `[user]`. Names in double
//! braces are filled
//! in: from the constitution, and from the cycle. What changes from cycle to cycle stands in the user message
//! alone, so that a session has one system message. What is filled in is text, even where it looks like a name
//! in braces. Determinism: D1.

use std::fmt::Write;

use axilog::hash::{Hash, sha256};
use axilog_ledger::input::CanonicalInput;

use super::fields::FieldNames;
use super::kernel::{
    ActionField, ActionType, Constitution, FieldType, KernelObservation, short_ids,
};

/// The template of a session to which no erratum applies.
pub const BASE: &str = include_str!("../data/template.txt");

const SYSTEM: &str = "[system]\n";
const USER: &str = "\n[user]\n";

/// A template that was read and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// SHA-256 of the text.
    pub hash: Hash,
    /// The text.
    pub text: String,
    /// The names that it has for the fields of an answer.
    pub field_names: FieldNames,
    system: Vec<Piece>,
    user: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Slot(Slot),
}

/// A place that is filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Version,
    Clauses,
    ActionTypes,
    ReadRoots,
    WriteRoots,
    MaxCandidates,
    Observations,
    Task,
}

const SLOTS: [(&str, Slot); 8] = [
    ("version", Slot::Version),
    ("clauses", Slot::Clauses),
    ("action_types", Slot::ActionTypes),
    ("read_roots", Slot::ReadRoots),
    ("write_roots", Slot::WriteRoots),
    ("max_candidates", Slot::MaxCandidates),
    ("observations", Slot::Observations),
    ("task", Slot::Task),
];

/// Why a text is not a template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// The text does not have two parts.
    #[error("expected a line [system] first, and later one line [user]")]
    Parts,
    /// Double braces hold no known name.
    #[error("there is nothing to fill in for {{{{{0}}}}}; the names are {names}", names = names())]
    Unknown(String),
    /// A part lacks a place that it must have.
    #[error("the {part} part has no {{{{{slot}}}}}")]
    Missing {
        /// `system` or `user`.
        part: &'static str,
        /// The name of the place.
        slot: &'static str,
    },
    /// The system part has a place that is filled in anew in each cycle.
    #[error(
        "the system part has {{{{{0}}}}}, and it is the same in all cycles (Q10); move it to the user part"
    )]
    NotConstant(&'static str),
    /// A base template does not show a field of the answer.
    #[error(
        "the template does not show the field \"{0}\", in double quotes before a colon; the kernel reads answers with all of {fields}", fields = super::fields::FIELDS.join(", ")
    )]
    FieldNotShown(&'static str),
}

fn names() -> String {
    SLOTS.map(|(name, _)| name).join(", ")
}

/// The two messages of a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CyclePrompt {
    /// The system message: the constitution and the form of answers. It is the same in all cycles.
    pub system: String,
    /// The user message: the observations with their ids, and the task.
    pub user: String,
}

impl CyclePrompt {
    /// The canonical JSON of the two messages, whose SHA-256 is the `input_hash` (Q43).
    ///
    /// # Errors
    /// Why an oracle may not be asked with the messages, in a sentence: they are not in NFC.
    pub fn input(&self) -> Result<CanonicalInput, String> {
        CanonicalInput::from_chat([
            ("system", self.system.as_str()),
            ("user", self.user.as_str()),
        ])
    }
}

/// The observations of a cycle before the call, which candidates may cite: the user's words, and
/// the time. The time is the second in which the session `started`, plus one for each cycle before
/// this one, whose `number` is from 1: equal sessions ask equal prompts.
#[must_use]
pub fn initial_observations(task: &str, started: u64, number: u64) -> [KernelObservation; 2] {
    [
        KernelObservation::UserInput {
            text: task.to_owned(),
        },
        KernelObservation::Timestamp {
            time: started.saturating_add(number.saturating_sub(1)),
        },
    ]
}

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// [`TemplateError`].
    pub fn parse(text: &str) -> Result<Template, TemplateError> {
        let (system, user) = text
            .strip_prefix(SYSTEM)
            .and_then(|rest| rest.split_once(USER))
            .filter(|(_, user)| !format!("\n{user}").contains(USER))
            .ok_or(TemplateError::Parts)?;
        // The line feed that ends the file is no part of the message.
        let user = user.strip_suffix('\n').unwrap_or(user);
        let (system, user) = (pieces(system)?, pieces(user)?);
        for (part, pieces, name, slot) in [
            ("system", &system, "clauses", Slot::Clauses),
            ("user", &user, "observations", Slot::Observations),
            ("user", &user, "task", Slot::Task),
        ] {
            if !pieces.contains(&Piece::Slot(slot)) {
                return Err(TemplateError::Missing { part, slot: name });
            }
        }
        for (name, slot) in [("observations", Slot::Observations), ("task", Slot::Task)] {
            if system.contains(&Piece::Slot(slot)) {
                return Err(TemplateError::NotConstant(name));
            }
        }
        Ok(Template {
            hash: sha256(text.as_bytes()),
            text: text.to_owned(),
            field_names: FieldNames::default(),
            system,
            user,
        })
    }

    /// Fills in the prompt for `task` under `constitution`, with the observations that are known before it is
    /// asked.
    #[must_use]
    pub fn fill(
        &self,
        constitution: &Constitution,
        known: &[KernelObservation],
        task: &str,
    ) -> CyclePrompt {
        let fill = |pieces: &[Piece]| {
            let filled = pieces.iter().map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Slot(slot) => slot.value(constitution, known, task),
            });
            filled.collect()
        };
        CyclePrompt {
            system: fill(&self.system),
            user: fill(&self.user),
        }
    }
}

fn pieces(text: &str) -> Result<Vec<Piece>, TemplateError> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("{{") {
        let (name, behind) = behind
            .split_once("}}")
            .ok_or_else(|| TemplateError::Unknown(behind.chars().take(20).collect()))?;
        let (_, slot) = SLOTS
            .into_iter()
            .find(|(known, _)| *known == name)
            .ok_or_else(|| TemplateError::Unknown(name.to_owned()))?;
        pieces.push(Piece::Text(before.to_owned()));
        pieces.push(Piece::Slot(slot));
        rest = behind;
    }
    pieces.push(Piece::Text(rest.to_owned()));
    Ok(pieces)
}

impl Slot {
    fn value(self, constitution: &Constitution, known: &[KernelObservation], task: &str) -> String {
        match self {
            Slot::Version => constitution.version.clone(),
            Slot::Clauses => {
                let clauses = constitution.clauses.iter();
                lines(clauses.map(|clause| format!("{}: {}", clause.id, clause.text)))
            }
            Slot::ActionTypes => {
                let kinds = constitution.action_types.values();
                lines(kinds.filter(|kind| !kind.kernel_only).map(action_type))
            }
            Slot::ReadRoots => roots(&constitution.io_allowlist.read),
            Slot::WriteRoots => roots(&constitution.io_allowlist.write),
            Slot::MaxCandidates => constitution.limits.max_candidates.to_string(),
            Slot::Observations => {
                let ids = short_ids(known);
                lines(ids.map(|(id, known)| format!("{id}: {}", describe_observation(known))))
            }
            Slot::Task => task.to_owned(),
        }
    }
}

/// Writes each item after a dash on a line of its own; `none` where there are no items.
fn lines(items: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = items.map(|item| format!("- {item}")).collect();
    match lines.as_slice() {
        [] => "none".to_owned(),
        lines => lines.join("\n"),
    }
}

fn roots(roots: &[String]) -> String {
    match roots {
        [] => "none".to_owned(),
        roots => roots.join(", "),
    }
}

fn action_type(kind: &ActionType) -> String {
    let fields: Vec<String> = kind.fields.iter().map(field).collect();
    match fields.as_slice() {
        [] => format!("{}: no fields", kind.name),
        fields => format!("{}: {}", kind.name, fields.join("; ")),
    }
}

fn field(field: &ActionField) -> String {
    let kind = match field.kind {
        FieldType::Text => "text",
        FieldType::Integer => "an integer",
        FieldType::Boolean => "true or false",
        FieldType::ReadPath => "a path that may be read",
        FieldType::WritePath => "a path that may be written",
    };
    let needed = if field.required { "needed" } else { "optional" };
    let mut text = format!("{} ({kind}, {needed}", field.name);
    // Writing to a String does not fail.
    if let Some(most) = field.max_len {
        let _ = write!(text, ", at most {most} characters");
    }
    if let Some(allowed) = &field.allowed {
        let _ = write!(text, ", one of {}", allowed.join(" | "));
    }
    text + ")"
}

fn describe_observation(observation: &KernelObservation) -> String {
    match observation {
        KernelObservation::UserInput { .. } => "user_input, the message of the user".to_owned(),
        KernelObservation::Timestamp { time } => format!("timestamp, {time}"),
        KernelObservation::Budget { .. } => "budget".to_owned(),
        KernelObservation::System { detail, .. } => format!("system, {detail}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constitution() -> Constitution {
        Constitution::parse(include_str!("../data/constitution.toml")).unwrap()
    }

    #[test]
    fn prompts_hold_clauses_actions_observations_and_the_task() {
        let template = Template::parse(BASE).unwrap();
        let constitution = constitution();
        let task = "Say {{clauses}} and [user].";
        let known = [
            KernelObservation::UserInput {
                text: task.to_owned(),
            },
            KernelObservation::Timestamp { time: 5 },
        ];
        let prompt = template.fill(&constitution, &known, task);
        // What is filled in stays as it is.
        let user = format!(
            "The observations of this cycle that may be named, each behind its id:\n- obs-1: user_input, the message of the user\n- obs-2: timestamp, 5\n\nThe message of the user:\n{task}"
        );
        assert_eq!(prompt.user, user);
        for clause in &constitution.clauses {
            let line = format!("- {}: {}\n", clause.id, clause.text);
            assert!(prompt.system.contains(&line), "{line}");
        }
        // Another task at another time has the same system message.
        let later = [
            KernelObservation::UserInput {
                text: "x".to_owned(),
            },
            KernelObservation::Timestamp { time: 6 },
        ];
        let other = template.fill(&constitution, &later, "x");
        assert_eq!(other.system, prompt.system);
        assert_ne!(other.user, prompt.user);
        let notify = "- Notify: to (text, needed, one of operator | owner); message (text, needed, at most 280 characters); urgent (true or false, optional)\n";
        assert!(prompt.system.contains(notify), "{}", prompt.system);
        assert!(prompt.system.contains("constitution:0.1.0#CLAUSE"));
        assert!(!prompt.system.contains("Halt") && !prompt.system.contains("{{"));
        assert_eq!(prompt, template.fill(&constitution, &known, task));
    }

    #[test]
    fn what_is_no_template_is_refused() {
        let parts = "expected a line [system] first";
        for (text, reason) in [
            ("", parts),
            ("[user]\n{{task}}", parts),
            ("[system]\n{{clauses}}\n{{observations}}{{task}}", parts),
            (
                "[system]\n{{clauses}}\n[user]\n{{observations}}{{task}}\n[user]\n",
                parts,
            ),
            (
                "[system]\n{{clauses}}\n[user]\n{{task}}",
                "the user part has no {{observations}}",
            ),
            (
                "[system]\n{{clauses}}\n[user]\n{{observations}}",
                "the user part has no {{task}}",
            ),
            (
                "[system]\n{{clauses}}{{observations}}\n[user]\n{{observations}}{{task}}",
                "the system part has {{observations}}, and it is the same in all cycles",
            ),
            (
                "[system]\n{{clauses}}{{task}}\n[user]\n{{observations}}{{task}}",
                "the system part has {{task}}",
            ),
            (
                "[system]\n{{clause}}\n[user]\n",
                "nothing to fill in for {{clause}}; the names are version,",
            ),
            ("[system]\n{{clauses\n[user]\n", "nothing to fill in for {{"),
        ] {
            let error = Template::parse(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
