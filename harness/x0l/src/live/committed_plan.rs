//! A plan that was committed before anything was asked, in a directory with the attempts under it.

use std::fs;
use std::path::{Path, PathBuf};

use axilog::hash::Hash;
use axilog_ledger::encoding::hex;
use axilog_ledger::error::FileError;
use axilog_ledger::file::volume::{FileSystem, Volume, parent_dir, write_file};

use super::error::LiveError;
use crate::document::{self, DocumentError, to_line};
use crate::error::X0lError;
use crate::log::error::LogError;
use crate::log::{
    Attempt, AttemptLog, FrozenAttempt, FrozenSettings, PlanDocument, is_there, read_file,
};
use crate::replay::compare_json;

/// A plan in its directory.
#[derive(Clone, Debug)]
pub struct CommittedPlan {
    path: PathBuf,
    document: PlanDocument,
    hash: Hash,
    attempts: AttemptLog,
}

impl CommittedPlan {
    /// The name of the plan's file.
    pub const PLAN: &str = "plan.json";
    /// The name of the file that counts the attempts.
    pub const ATTEMPTS: &str = "attempts.jsonl";

    /// Commits the plan of sessions with the settings `frozen`, durably, in `dir`, which must not exist yet or be empty.
    ///
    /// # Errors
    /// [`X0lError::NotEmpty`]; [`FileError::Io`].
    pub fn commit(
        dir: &Path,
        frozen: &FrozenSettings,
        now: u64,
    ) -> Result<CommittedPlan, X0lError> {
        let failed = || FileError::from_io(dir, "commit the plan");
        fs::create_dir_all(dir).map_err(failed())?;
        if fs::read_dir(dir).map_err(failed())?.next().is_some() {
            return Err(X0lError::NotEmpty(dir.to_owned()));
        }
        let plan = CommittedPlan::new(dir, PlanDocument::new(frozen, now));
        plan.attempts.open(now)?;
        // The plan's file comes last: without it there is no plan.
        let bytes = to_line(&plan.document);
        write_file(&FileSystem, &dir.join(CommittedPlan::PLAN), &bytes)
            .and_then(|()| FileSystem.sync_dir(dir))
            .and_then(|()| FileSystem.sync_dir(parent_dir(dir)))
            .map_err(failed())?;
        Ok(plan)
    }

    fn new(dir: &Path, document: PlanDocument) -> CommittedPlan {
        let hash = document.hash();
        CommittedPlan {
            path: dir.join(CommittedPlan::PLAN),
            attempts: AttemptLog::new(dir.join(CommittedPlan::ATTEMPTS), hash),
            document,
            hash,
        }
    }

    /// Reads the plan in `dir`.
    ///
    /// # Errors
    /// [`FileError::Io`]; [`X0lError::Log`] where a file is not what was written; [`X0lError::Live`] where the attempts
    /// are missing.
    pub fn read(dir: &Path) -> Result<CommittedPlan, X0lError> {
        let path = dir.join(CommittedPlan::PLAN);
        let bytes = read_file(&path)?;
        let read = match bytes.strip_suffix(b"\n") {
            Some(text) => document::read(text),
            None => Err(DocumentError::new("no line feed at the end", "one")),
        };
        let document = read.map_err(|error| LogError {
            path: path.clone(),
            line: 1,
            error,
        })?;
        let plan = CommittedPlan::new(dir, document);
        if !is_there(plan.attempts.path()) {
            return Err(LiveError::Input {
                path: plan.attempts.path().to_owned(),
                reason: "found no such file, expected the attempts under the plan, which were begun with it: who removed it has removed their count; commit another plan, which has another hash".to_owned(),
            }
            .into());
        }
        plan.attempts.read()?;
        Ok(plan)
    }

    /// The plan's hash: SHA-256 of its file.
    #[must_use]
    pub fn hash(&self) -> &Hash {
        &self.hash
    }

    /// When the plan was committed, in seconds since 1970.
    #[must_use]
    pub fn planned(&self) -> u64 {
        self.document.planned
    }

    /// The attempts under the plan, oldest first.
    ///
    /// # Errors
    /// As [`CommittedPlan::read`].
    pub fn attempts(&self) -> Result<Vec<Attempt>, X0lError> {
        self.attempts.read()
    }

    /// Checks that a session with the settings `frozen` is one of the plan's.
    ///
    /// # Errors
    /// [`LiveError::Settings`] with every difference.
    pub fn check(&self, frozen: &FrozenSettings) -> Result<(), LiveError> {
        let chosen = PlanDocument::new(frozen, self.document.planned);
        let mut differences = Vec::new();
        let (found, planned) = (&chosen.settings, &self.document.settings);
        compare_json(found, planned, "", &mut |field, found, planned| {
            differences.push(format!("{field}: found {found}, planned {planned}"));
        });
        match differences.as_slice() {
            [] => Ok(()),
            differences => Err(LiveError::Settings(format!(
                "the session differs from the plan {} ({}): {}; run what was planned, or commit another plan",
                self.path.display(),
                hex(&self.hash),
                differences.join("; ")
            ))),
        }
    }

    /// Counts an attempt under the plan, durably, before anything is asked.
    ///
    /// # Errors
    /// As [`AttemptLog::begin`].
    pub(super) fn begin_attempt(&self, frozen: &FrozenSettings) -> Result<FrozenAttempt, X0lError> {
        let begun = self.attempts.begin(frozen.erratum, frozen.started)?;
        Ok(FrozenAttempt {
            planned: Some(self.document.planned),
            ..begun
        })
    }

    pub(super) fn attempt_log(&self) -> &AttemptLog {
        &self.attempts
    }
}
