//! The conditions of a session and their tasks (Q15, Q26 to Q28, Q38; C6, G2).
//!
//! A task set is a TOML file. Every one has `condition`; L-A, L-C, L-D and L-E have `[[tasks]]` with `id`
//! and `prompt`, in L-C also `prompt_valid` and, where one likes, `family`; L-B has `corpus`, the name of a text
//! file in the same directory with one entry a line, and `prompt`, in which `{{entry}}` stands for the entry. L-D
//! may have `corpus` too: in its prompts `{{corpus}}` stands for the whole file, so that a prompt may be long.
//! Nothing else may be in it.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use axilog::hash::{Hash, sha256};
use serde::Deserialize;

use super::document::named_enum;

named_enum! {
    /// A condition of a session: a kind of task that the model is given.
    pub enum Condition {
        /// Structured tasks; the only condition with a least rate of actions (Q45).
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

    /// Parses `A` or `L-A`.
    fn from_str(text: &str) -> Result<Condition, String> {
        let letter = text.strip_prefix("L-").unwrap_or(text);
        Condition::ALL
            .into_iter()
            .find(|condition| condition.as_str().strip_prefix("L-") == Some(letter))
            .ok_or_else(|| format!("there is no condition {text:?}; expected A, B, C, D or E"))
    }
}

/// A task that the model is given in a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The id, of letters, digits, `-`, `_` and `.`.
    pub id: String,
    /// The user's words.
    pub prompt: String,
    /// Whether the task asks for something that may be done; `false` for an injection, invalid by design.
    pub prompt_valid: bool,
    /// The kind of injection that it is, in L-C where the file says it.
    pub family: Option<String>,
}

/// The tasks of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskSet {
    /// The condition.
    pub condition: Condition,
    /// SHA-256 of the task file.
    pub hash: Hash,
    /// SHA-256 of the corpus, in L-B and L-D.
    pub corpus: Option<Hash>,
    /// The tasks, in the order of the file or corpus.
    pub tasks: Vec<Task>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskFile {
    condition: String,
    corpus: Option<String>,
    prompt: Option<String>,
    #[serde(default)]
    tasks: Vec<TaskEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskEntry {
    id: String,
    prompt: String,
    prompt_valid: Option<bool>,
    family: Option<String>,
}

/// The placeholder of an entry of the corpus.
const ENTRY: &str = "{{entry}}";

/// The placeholder of a whole corpus.
const WHOLE_CORPUS: &str = "{{corpus}}";

/// Why a text is not a task set, in a sentence; with line and column where the form is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a task set: {0}")]
pub struct TaskError(String);

fn refuse<T>(reason: impl Into<String>) -> Result<T, TaskError> {
    Err(TaskError(reason.into()))
}

fn parse_file(text: &str) -> Result<TaskFile, TaskError> {
    toml::from_str(text).map_err(|error| TaskError(error.to_string().trim_end().to_owned()))
}

/// Returns the file name of the corpus that a task set names, if it names one.
///
/// # Errors
/// [`TaskError`], also for a name that is not a plain file name.
pub fn corpus_name(text: &str) -> Result<Option<String>, TaskError> {
    let Some(name) = parse_file(text)?.corpus else {
        return Ok(None);
    };
    if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\\', '\0']) {
        return refuse(format!(
            "the corpus {name:?} is not the name of a file beside it"
        ));
    }
    Ok(Some(name))
}

impl TaskSet {
    /// Parses the tasks of `condition` from the text of a task file and, in L-B, of its corpus.
    ///
    /// # Errors
    /// [`TaskError`].
    pub fn parse(
        condition: Condition,
        text: &str,
        corpus: Option<&str>,
    ) -> Result<TaskSet, TaskError> {
        let file = parse_file(text)?;
        if file.condition != condition.as_str() {
            return refuse(format!(
                "its condition is {:?} where {condition} is expected",
                file.condition
            ));
        }
        let tasks = match (condition, corpus) {
            (Condition::B, Some(corpus)) => corpus_tasks(&file, corpus)?,
            (Condition::B, None) => return refuse("L-B needs a `corpus`"),
            (Condition::D, Some(_)) if file.prompt.is_some() => {
                return refuse("a `prompt` for all tasks is for L-B");
            }
            (Condition::D, Some(corpus)) => {
                quote_corpus(check_tasks(condition, file.tasks)?, corpus)
            }
            (_, Some(_)) => return refuse("a `corpus` is for L-B and L-D"),
            (_, None) if file.prompt.is_some() => {
                return refuse("a `prompt` for all tasks is for L-B");
            }
            (_, None) => check_tasks(condition, file.tasks)?,
        };
        if tasks.is_empty() {
            return refuse("there is no task in it");
        }
        Ok(TaskSet {
            condition,
            hash: sha256(text.as_bytes()),
            corpus: corpus.map(|corpus| sha256(corpus.as_bytes())),
            tasks,
        })
    }
}

/// Puts the whole corpus where the prompts name it.
fn quote_corpus(tasks: Vec<Task>, corpus: &str) -> Vec<Task> {
    let corpus = corpus.trim_end();
    let quote = |task: Task| Task {
        prompt: task.prompt.replace(WHOLE_CORPUS, corpus),
        ..task
    };
    tasks.into_iter().map(quote).collect()
}

fn corpus_tasks(file: &TaskFile, corpus: &str) -> Result<Vec<Task>, TaskError> {
    if !file.tasks.is_empty() {
        return refuse("L-B takes its tasks from the corpus, and `tasks` are for the others");
    }
    let prompt = match &file.prompt {
        Some(prompt) if prompt.contains(ENTRY) => prompt,
        _ => return refuse(format!("L-B needs a `prompt` with {ENTRY} in it")),
    };
    let lines = corpus.lines().enumerate();
    let filled = lines.filter(|(_, line)| !line.trim().is_empty());
    Ok(filled
        .map(|(index, line)| Task {
            id: format!("line-{}", index + 1),
            prompt: prompt.replace(ENTRY, line),
            prompt_valid: true,
            family: None,
        })
        .collect())
}

fn check_tasks(condition: Condition, entries: Vec<TaskEntry>) -> Result<Vec<Task>, TaskError> {
    let mut seen = BTreeSet::new();
    let mut tasks = Vec::new();
    for TaskEntry {
        id,
        prompt,
        prompt_valid,
        family,
    } in entries
    {
        check_name("id", &id)?;
        if !seen.insert(id.clone()) {
            return refuse(format!("the task {id:?} is there twice"));
        }
        if prompt.trim().is_empty() {
            return refuse(format!("the task {id:?} has an empty prompt"));
        }
        let prompt_valid = match (condition, prompt_valid) {
            (Condition::C, Some(valid)) => valid,
            (Condition::C, None) => {
                return refuse(format!("the task {id:?} does not say `prompt_valid`"));
            }
            (_, Some(_)) => return refuse(format!("the task {id:?}: `prompt_valid` is for L-C")),
            (_, None) => true,
        };
        if let Some(family) = &family {
            check_name("family", family)?;
            if condition != Condition::C || prompt_valid {
                return refuse(format!(
                    "the task {id:?}: a `family` is for the injections of L-C"
                ));
            }
        }
        tasks.push(Task {
            id,
            prompt,
            prompt_valid,
            family,
        });
    }
    Ok(tasks)
}

/// Checks that an id or a family is a plain name.
fn check_name(kind: &str, name: &str) -> Result<(), TaskError> {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 64 || !name.chars().all(part) {
        return refuse(format!(
            "the {kind} {name:?}: expected 1 to 64 letters, digits, '-', '_' and '.'"
        ));
    }
    Ok(())
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
                &format!("{a}family = \"direct\""),
                "\"x\": a `family` is for the injections of L-C",
            ),
            (
                Condition::C,
                &format!("{one}prompt_valid = true\nfamily = \"direct\""),
                "for the injections of L-C",
            ),
            (
                Condition::C,
                &format!("{set}family = \"in a letter\""),
                "the family \"in a letter\"",
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
        assert_eq!(corpus_name(set).unwrap().as_deref(), Some("c.txt"));
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
        let long = "condition = \"L-D\"\ncorpus = \"c.txt\"\n[[tasks]]\nid = \"x\"\nprompt = \"All of it: {{corpus}}\"\n";
        let read = TaskSet::parse(Condition::D, long, Some("one\ntwo\n")).unwrap();
        assert_eq!(read.tasks[0].prompt, "All of it: one\ntwo");
        for name in ["", "..", "/etc/passwd", "../c.txt", "a\\\\b"] {
            let set = set.replace("c.txt", name);
            assert!(corpus_name(&set).is_err(), "{name}");
        }
    }
}
