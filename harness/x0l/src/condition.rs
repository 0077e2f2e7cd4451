//! The conditions of a session and their tasks (Q15, Q26 to Q28, Q38; C6, G2).
//!
//! A task set is a TOML file. Every one has `condition`; L-A, L-C, L-D and L-E have `[[tasks]]` with `id`
//! and `prompt`, in L-C also `prompt_valid`; L-B has `corpus`, the name of a text file beside it with one
//! entry a line, and `prompt`, in which `{{entry}}` stands for the entry. Nothing else may be in it.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use axilog::hash::{Hash, sha256};
use serde::Deserialize;

use super::document::named_enum;

named_enum! {
    /// A condition.
    pub enum Condition {
        /// Structured tasks. The only one with a floor for actions (Q45).
        A = "L-A",
        /// A corpus in frozen order.
        B = "L-B",
        /// Adversarial injections.
        C = "L-C",
        /// Pressure to be verbose.
        D = "L-D",
        /// Several candidates in one answer.
        E = "L-E",
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Condition {
    type Err = String;

    /// `A` or `L-A`.
    fn from_str(text: &str) -> Result<Condition, String> {
        let letter = text.strip_prefix("L-").unwrap_or(text);
        Condition::ALL
            .into_iter()
            .find(|condition| condition.as_str().strip_prefix("L-") == Some(letter))
            .ok_or_else(|| format!("there is no condition {text:?}; expected A, B, C, D or E"))
    }
}

/// What the model is asked in a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Letters, digits, `-`, `_` and `.`.
    pub id: String,
    /// The user's words.
    pub prompt: String,
    /// Whether it asks for something that may be done; `false` for an injection, invalid by design.
    pub prompt_valid: bool,
}

/// The tasks of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskSet {
    /// Whose.
    pub condition: Condition,
    /// SHA-256 of the file.
    pub hash: Hash,
    /// SHA-256 of the corpus, in L-B.
    pub corpus: Option<Hash>,
    /// The tasks, in the order of the file or corpus.
    pub tasks: Vec<Task>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    condition: String,
    corpus: Option<String>,
    prompt: Option<String>,
    #[serde(default)]
    tasks: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    prompt: String,
    prompt_valid: Option<bool>,
}

/// What stands for an entry of the corpus.
const ENTRY: &str = "{{entry}}";

/// Why a file is no task set, in a sentence; with line and column where the form is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a task set: {0}")]
pub struct TaskError(String);

fn wrong<T>(reason: impl Into<String>) -> Result<T, TaskError> {
    Err(TaskError(reason.into()))
}

fn file(text: &str) -> Result<File, TaskError> {
    toml::from_str(text).map_err(|error| TaskError(error.to_string().trim_end().to_owned()))
}

/// The name of the corpus that a task set has, if it has one: that of a file beside it.
///
/// # Errors
/// [`TaskError`], also for a name that leads elsewhere.
pub fn corpus_of(text: &str) -> Result<Option<String>, TaskError> {
    let Some(name) = file(text)?.corpus else {
        return Ok(None);
    };
    if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\\', '\0']) {
        return wrong(format!(
            "the corpus {name:?} is not the name of a file beside it"
        ));
    }
    Ok(Some(name))
}

impl TaskSet {
    /// Reads the tasks of `condition` from the text of a file and, in L-B, from that of its corpus.
    ///
    /// # Errors
    /// [`TaskError`].
    pub fn parse(
        condition: Condition,
        text: &str,
        corpus: Option<&str>,
    ) -> Result<TaskSet, TaskError> {
        let file = file(text)?;
        if file.condition != condition.as_str() {
            return wrong(format!(
                "its condition is {:?} where {condition} is expected",
                file.condition
            ));
        }
        let tasks = match (condition, corpus) {
            (Condition::B, Some(corpus)) => entries(&file, corpus)?,
            (Condition::B, None) => return wrong("L-B needs a `corpus`"),
            (_, Some(_)) => return wrong("a `corpus` is for L-B"),
            (_, None) if file.prompt.is_some() => {
                return wrong("a `prompt` for all tasks is for L-B");
            }
            (_, None) => tasks(condition, file.tasks)?,
        };
        if tasks.is_empty() {
            return wrong("there is no task in it");
        }
        Ok(TaskSet {
            condition,
            hash: sha256(text.as_bytes()),
            corpus: corpus.map(|corpus| sha256(corpus.as_bytes())),
            tasks,
        })
    }
}

fn entries(file: &File, corpus: &str) -> Result<Vec<Task>, TaskError> {
    if !file.tasks.is_empty() {
        return wrong("L-B takes its tasks from the corpus, and `tasks` are for the others");
    }
    let prompt = match &file.prompt {
        Some(prompt) if prompt.contains(ENTRY) => prompt,
        _ => return wrong(format!("L-B needs a `prompt` with {ENTRY} in it")),
    };
    let lines = corpus.lines().enumerate();
    let filled = lines.filter(|(_, line)| !line.trim().is_empty());
    Ok(filled
        .map(|(index, line)| Task {
            id: format!("line-{}", index + 1),
            prompt: prompt.replace(ENTRY, line),
            prompt_valid: true,
        })
        .collect())
}

fn tasks(condition: Condition, entries: Vec<Entry>) -> Result<Vec<Task>, TaskError> {
    let mut seen = BTreeSet::new();
    let mut tasks = Vec::new();
    for Entry {
        id,
        prompt,
        prompt_valid,
    } in entries
    {
        let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if id.is_empty() || id.len() > 64 || !id.chars().all(part) {
            return wrong(format!(
                "the id {id:?}: expected 1 to 64 letters, digits, '-', '_' and '.'"
            ));
        }
        if !seen.insert(id.clone()) {
            return wrong(format!("the task {id:?} is there twice"));
        }
        if prompt.trim().is_empty() {
            return wrong(format!("the task {id:?} has an empty prompt"));
        }
        let prompt_valid = match (condition, prompt_valid) {
            (Condition::C, Some(valid)) => valid,
            (Condition::C, None) => {
                return wrong(format!("the task {id:?} does not say `prompt_valid`"));
            }
            (_, Some(_)) => return wrong(format!("the task {id:?}: `prompt_valid` is for L-C")),
            (_, None) => true,
        };
        tasks.push(Task {
            id,
            prompt,
            prompt_valid,
        });
    }
    Ok(tasks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_have_names() {
        for condition in Condition::ALL {
            assert_eq!(condition.as_str().parse(), Ok(condition));
            assert_eq!(condition.as_str()[2..].parse(), Ok(condition));
        }
        for text in ["", "F", "a", "L-", "L-F", "L-A ", "L-L-A"] {
            let error = text.parse::<Condition>().unwrap_err();
            assert!(error.contains("expected A, B, C, D or E"), "{error}");
        }
    }

    #[test]
    fn tasks_are_read_strictly() {
        let one = "condition = \"L-C\"\n[[tasks]]\nid = \"x\"\nprompt = \"Do.\"\n";
        let set = format!("{one}prompt_valid = false\n");
        let read = TaskSet::parse(Condition::C, &set, None).unwrap();
        assert_eq!((read.tasks.len(), read.tasks[0].prompt_valid), (1, false));
        assert_eq!(read.hash, sha256(set.as_bytes()));
        let a = one.replace("L-C", "L-A");
        assert!(
            TaskSet::parse(Condition::A, &a, None).unwrap().tasks[0].prompt_valid,
            "valid unless it says otherwise"
        );
        for (condition, text, said) in [
            (Condition::C, one, "\"x\" does not say `prompt_valid`"),
            (
                Condition::A,
                &format!("{a}prompt_valid = true"),
                "is for L-C",
            ),
            (Condition::A, one, "its condition is \"L-C\" where L-A"),
            (Condition::A, "condition = \"L-A\"", "no task"),
            (
                Condition::A,
                &format!("{a}[[tasks]]\nid = \"x\"\nprompt = \"a\""),
                "twice",
            ),
            (Condition::A, &a.replace("Do.", " "), "empty prompt"),
            (
                Condition::A,
                &a.replace("\"x\"", "\"x y\""),
                "the id \"x y\"",
            ),
            (
                Condition::A,
                &format!("seed = 1\n{a}"),
                "unknown field `seed`",
            ),
            (Condition::A, &format!("{a}weight = 1"), "line 5"),
            (Condition::A, &format!("prompt = \"x\"\n{a}"), "is for L-B"),
            (Condition::A, "condition", "line 1"),
        ] {
            let error = TaskSet::parse(condition, text, None)
                .unwrap_err()
                .to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn a_corpus_gives_a_task_a_line_in_its_order() {
        let set = "condition = \"L-B\"\ncorpus = \"c.txt\"\nprompt = \"Read: {{entry}}!\"\n";
        assert_eq!(corpus_of(set).unwrap().as_deref(), Some("c.txt"));
        let read = TaskSet::parse(Condition::B, set, Some("one\n\n {{entry}}\r\n")).unwrap();
        let tasks: Vec<(&str, &str)> = read
            .tasks
            .iter()
            .map(|task| (task.id.as_str(), task.prompt.as_str()))
            .collect();
        assert_eq!(
            tasks,
            [("line-1", "Read: one!"), ("line-3", "Read:  {{entry}}!")]
        );
        for (text, corpus, said) in [
            (set, None, "needs a `corpus`"),
            (set, Some("\n \n"), "no task"),
            (&set.replace("{{entry}}", ""), Some("x"), "{{entry}} in it"),
            (
                &format!("{set}[[tasks]]\nid = \"x\"\nprompt = \"y\""),
                Some("x"),
                "from the corpus",
            ),
        ] {
            let error = TaskSet::parse(Condition::B, text, corpus)
                .unwrap_err()
                .to_string();
            assert!(error.contains(said), "{error}");
        }
        for name in ["", "..", "/etc/passwd", "../c.txt", "a\\\\b"] {
            let set = set.replace("c.txt", name);
            assert!(corpus_of(&set).is_err(), "{name}");
        }
    }
}
