//! Answers that were asked ahead of their ledger, in a file until the ledger holds them.
//!
//! Where seeds run side by side, the ledger of an arm takes the answers seed by seed all the same. What was asked under a
//! later seed meanwhile is a line in the file `ahead/SEED.jsonl` of the arm's directory, which is durable before the next
//! question, so that a kill loses no answer that was paid for. The file goes when the ledger holds the seed.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use axilog::hash::Hash;
use axilog_ledger::encoding::hex;
use axilog_ledger::error::FileError;
use axilog_ledger::file::volume::{FileSystem, Volume, parent_dir};
use axilog_ledger::input_file::{MAX_INPUT_BYTES, read_input};
use axilog_oracle::ModelAnswer;
use serde::{Deserialize, Serialize};

use super::error::AblationError;
use super::json_document::to_canonical_json;

/// The directory of these files, in that of the run.
const AHEAD_DIR: &str = "ahead";

/// What to do about a file that cannot be used.
const HINT: &str =
    "take the file as it was written, or delete it, and what it holds is asked again";

/// The answers under one seed of one arm that are kept for its ledger.
pub(crate) struct KeptAnswers {
    path: PathBuf,
    file: File,
    /// Those that have not been asked for.
    lines: VecDeque<KeptLine>,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptLine {
    answer: ModelAnswer,
    /// SHA-256 of the prompt, in hexadecimal.
    question: String,
    /// The number of the step under the seed, from 0.
    step: u64,
}

impl KeptAnswers {
    /// Opens the file for `seed` of the run in `dir`, which is created where it is not there. A torn line, as a kill leaves
    /// it, is cut off.
    pub(crate) fn open(dir: &Path, seed: u64) -> Result<KeptAnswers, AblationError> {
        let path = path_of(dir, seed);
        let folder = parent_dir(&path);
        fs::create_dir_all(folder).map_err(FileError::from_io(folder, "create the directory"))?;
        let begin = |path: &Path| {
            let file = OpenOptions::new().append(true).create(true).open(path)?;
            FileSystem.sync_dir(folder)?;
            FileSystem.sync_dir(dir)?;
            Ok(file)
        };
        let file = begin(&path).map_err(FileError::from_io(&path, "open"))?;
        let bytes = read_input(&path, "read", MAX_INPUT_BYTES)?;
        let whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |end| end + 1);
        file.set_len(whole as u64)
            .map_err(FileError::from_io(&path, "cut off a torn line of"))?;
        let mut lines = VecDeque::new();
        let (bytes, _) = bytes.split_at(whole);
        for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let parsed = serde_json::from_slice(line).map_err(|error| AblationError::Document {
                path: path.clone(),
                reason: format!(
                    "line {}: is no answer that was asked ahead: {error}; {HINT}",
                    number + 1
                ),
            })?;
            lines.push_back(parsed);
        }
        Ok(KeptAnswers { path, file, lines })
    }

    /// Takes the answer to `question` at a step of the seed; `None` where it was not asked yet. Answers to steps before are
    /// in the ledger already.
    pub(crate) fn take(
        &mut self,
        step: u64,
        question: &Hash,
    ) -> Result<Option<ModelAnswer>, AblationError> {
        while self.lines.pop_front_if(|kept| kept.step < step).is_some() {}
        let Some(kept) = self.lines.pop_front() else {
            return Ok(None);
        };
        let expected = hex(question);
        if (kept.step, &kept.question) == (step, &expected) {
            return Ok(Some(kept.answer));
        }
        Err(AblationError::Document {
            path: self.path.clone(),
            reason: format!(
                "answers the prompt {} at step {}, where the run puts {expected} at step {step}; {HINT}",
                kept.question, kept.step
            ),
        })
    }

    /// Keeps the answer to `question` at a step of the seed, durably.
    pub(crate) fn keep(
        &mut self,
        step: u64,
        question: &Hash,
        answer: &ModelAnswer,
    ) -> Result<(), AblationError> {
        let line = to_canonical_json(&KeptLine {
            answer: answer.clone(),
            question: hex(question),
            step,
        });
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        Ok(written
            .and_then(|()| self.file.sync_data())
            .map_err(FileError::from_io(&self.path, "write"))?)
    }
}

fn path_of(dir: &Path, seed: u64) -> PathBuf {
    dir.join(AHEAD_DIR).join(format!("{seed}.jsonl"))
}

/// Whether the run in `dir` has answers that its ledger does not hold.
#[must_use]
pub fn has_kept_answers(dir: &Path) -> bool {
    dir.join(AHEAD_DIR).exists()
}

/// Removes the file for `seed` of the run in `dir`, whose ledger holds the answers.
pub(crate) fn remove_kept_answers(dir: &Path, seed: u64) -> Result<(), AblationError> {
    // The directory stays: another seed may begin its file there.
    let path = path_of(dir, seed);
    match path.exists() {
        true => Ok(fs::remove_file(&path).map_err(FileError::from_io(&path, "remove"))?),
        false => Ok(()),
    }
}

/// Removes the files of the run in `dir`, which asks nothing more.
pub(crate) fn remove_all_kept_answers(dir: &Path) -> Result<(), AblationError> {
    let folder = dir.join(AHEAD_DIR);
    match has_kept_answers(dir) {
        true => Ok(fs::remove_dir_all(&folder).map_err(FileError::from_io(&folder, "remove"))?),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> ModelAnswer {
        ModelAnswer {
            text: text.to_owned(),
            model: Some("m".to_owned()),
            system_fingerprint: None,
            finish_reason: Some("stop".to_owned()),
            usage: None,
        }
    }

    #[test]
    fn kept_answers_are_given_to_their_questions_once() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = ([1; 32], [2; 32]);
        let mut kept = KeptAnswers::open(dir.path(), 7).unwrap();
        assert_eq!(kept.take(0, &one).unwrap(), None);
        kept.keep(0, &one, &answer("a\r\n\u{1}")).unwrap();
        kept.keep(1, &two, &answer("b")).unwrap();
        assert!(has_kept_answers(dir.path()));
        // A kill leaves a torn line.
        let path = path_of(dir.path(), 7);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [whole.as_slice(), b"{\"answer\""].concat()).unwrap();
        let mut kept = KeptAnswers::open(dir.path(), 7).unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole);
        assert_eq!(kept.take(0, &one).unwrap(), Some(answer("a\r\n\u{1}")));
        assert_eq!(kept.take(1, &two).unwrap(), Some(answer("b")));
        assert_eq!(kept.take(2, &two).unwrap(), None);
        kept.keep(2, &one, &answer("c")).unwrap();
        // The ledger holds the first two.
        let mut kept = KeptAnswers::open(dir.path(), 7).unwrap();
        let error = kept.take(2, &two).unwrap_err().to_string();
        assert!(
            error.contains("ahead/7.jsonl: answers the prompt 0101"),
            "{error}"
        );
        let mut kept = KeptAnswers::open(dir.path(), 7).unwrap();
        assert_eq!(kept.take(2, &one).unwrap(), Some(answer("c")));
        remove_kept_answers(dir.path(), 7).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn a_file_that_was_changed_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = path_of(dir.path(), 7);
        fs::create_dir(parent_dir(&path)).unwrap();
        fs::write(&path, "{}\n").unwrap();
        let error = KeptAnswers::open(dir.path(), 7).err().unwrap().to_string();
        assert!(
            error.contains("line 1: is no answer that was asked ahead"),
            "{error}"
        );
        remove_all_kept_answers(dir.path()).unwrap();
        assert!(!has_kept_answers(dir.path()));
    }
}
