//! The attempts under a plan, or the corrections of a run, in a file of their own.
//!
//! Each line is canonical JSON and has the SHA-256 of the line before it. A session appends its beginning, durably,
//! before anything is asked, and its end after its seal. So an attempt that was aborted or killed is counted like any
//! other. A line that was changed, or taken out from between others, is an error with its number. Whoever can write the
//! file can cut off its end, or write all of it anew: what a session froze of the lines before it shows that, and so
//! does a note of the last line's hash.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use axilog::hash::{Hash, sha256};
use axilog_ledger::encoding::hex;
use axilog_ledger::error::FileError;
use axilog_ledger::file::regular_file;
use axilog_ledger::file::volume::{FileSystem, Volume, parent_dir};
use serde::{Deserialize, Serialize};

use super::attempt::{Attempt, FrozenAttempt};
use super::directory::read_file;
use super::error::LogError;
use super::outcome::SessionStatus;
use crate::document::{self, DocumentError, to_line, to_text};
use crate::error::X0lError;

/// The most attempts that are counted: the record of what a session freezes has room for them.
const MOST_ATTEMPTS: usize = 100;

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum AttemptEvent {
    /// The file was begun.
    Opened,
    /// An attempt began.
    Began,
    /// An attempt ended.
    Ended,
}

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AttemptLine {
    /// The number of the attempt, from 1; 0 as the file is begun.
    attempt: u64,
    /// The erratum under which the attempt began.
    #[serde(with = "document::hash")]
    erratum: Option<Hash>,
    event: AttemptEvent,
    /// The head of the ledger of an attempt that ended.
    #[serde(with = "document::hash")]
    head: Option<Hash>,
    /// SHA-256 of the line before, line feed included; of no bytes for the first line.
    #[serde(with = "document::hash")]
    previous: Hash,
    /// How the attempt ended.
    status: Option<SessionStatus>,
    /// The hash of the plan, or the head of the corrected run.
    #[serde(with = "document::hash")]
    subject: Hash,
    /// When the file was begun, or the session of the attempt, in seconds since 1970.
    time: u64,
}

/// The file of the attempts under one plan, or of the corrections of one run.
#[derive(Clone, Debug)]
pub struct AttemptLog {
    path: PathBuf,
    subject: Hash,
}

/// What the lines of the file say.
struct KnownAttempts {
    attempts: Vec<Attempt>,
    /// SHA-256 of the last whole line.
    last: Hash,
    /// The length of the whole lines in bytes.
    len: u64,
}

impl AttemptLog {
    /// The file at `path` of the attempts under the plan, or at the correction of the run, `subject`.
    #[must_use]
    pub fn new(path: PathBuf, subject: Hash) -> AttemptLog {
        AttemptLog { path, subject }
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins the file, where it has not begun.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn open(&self, now: u64) -> Result<(), X0lError> {
        let failed = || FileError::from_io(&self.path, "begin the attempts");
        let opened = match regular_file::create_new(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                regular_file::open_for_appending(&self.path)
            }
            created => created,
        };
        let mut file = opened.map_err(failed())?;
        file.lock().map_err(failed())?;
        if read_file(&self.path)?.contains(&b'\n') {
            return Ok(());
        }
        // Whoever began it before was killed in its first line.
        let line = self.make_line(AttemptEvent::Opened, 0, sha256(b""), now);
        file.set_len(0)
            .and_then(|()| file.write_all(&to_line(&line)))
            .and_then(|()| file.sync_all())
            .and_then(|()| FileSystem.sync_dir(parent_dir(&self.path)))
            .map_err(failed())?;
        Ok(())
    }

    /// Reads the attempts, oldest first.
    ///
    /// # Errors
    /// [`FileError::Io`], also where the file is missing; [`X0lError::Log`] for a line that is not what a session
    /// appended there.
    pub fn read(&self) -> Result<Vec<Attempt>, X0lError> {
        Ok(self.parse(&read_file(&self.path)?)?.attempts)
    }

    /// Appends the beginning of an attempt, durably, and gives its place among the others.
    ///
    /// # Errors
    /// As [`AttemptLog::read`]; [`X0lError::Log`] too where no more attempts are counted.
    pub fn begin(&self, erratum: Option<Hash>, now: u64) -> Result<FrozenAttempt, X0lError> {
        self.append(|known| {
            let attempt = known.attempts.len() as u64 + 1;
            if known.attempts.len() >= MOST_ATTEMPTS {
                let found = format!("{MOST_ATTEMPTS} attempts");
                return Err(DocumentError::new(found, "fewer: no more are counted"));
            }
            let line = AttemptLine {
                erratum,
                ..self.make_line(AttemptEvent::Began, attempt, known.last, now)
            };
            let frozen = FrozenAttempt {
                attempt,
                earlier: known.attempts,
                planned: None,
                subject: self.subject,
            };
            Ok((line, frozen))
        })
    }

    /// Appends the end of an attempt, durably: how it ended, and the head of its ledger.
    ///
    /// # Errors
    /// As [`AttemptLog::read`]; [`X0lError::Log`] too where the attempt is not there, or has an end already.
    pub fn end(
        &self,
        attempt: u64,
        (status, head): (SessionStatus, Hash),
        now: u64,
    ) -> Result<(), X0lError> {
        self.append(|known| {
            let line = AttemptLine {
                head: Some(head),
                status: Some(status),
                ..self.make_line(AttemptEvent::Ended, attempt, known.last, now)
            };
            find_open(&mut known.attempts.clone(), attempt)?;
            Ok((line, ()))
        })
    }

    fn make_line(
        &self,
        event: AttemptEvent,
        attempt: u64,
        previous: Hash,
        time: u64,
    ) -> AttemptLine {
        AttemptLine {
            attempt,
            erratum: None,
            event,
            head: None,
            previous,
            status: None,
            subject: self.subject,
            time,
        }
    }

    /// Appends the line that `next` makes of what is known. Who else appends meanwhile waits.
    fn append<T>(
        &self,
        next: impl FnOnce(KnownAttempts) -> Result<(AttemptLine, T), DocumentError>,
    ) -> Result<T, X0lError> {
        let failed = || FileError::from_io(&self.path, "count the attempt");
        let mut file: File = regular_file::open_for_appending(&self.path).map_err(failed())?;
        file.lock().map_err(failed())?;
        let bytes = read_file(&self.path)?;
        let known = self.parse(&bytes)?;
        let (len, lines) = (known.len, known.attempts.len());
        let (line, result) = next(known).map_err(|error| self.error_on(lines as u64 + 1, error))?;
        // The end of a line that a killed process did not write whole counts for nothing.
        file.set_len(len)
            .and_then(|()| file.write_all(&to_line(&line)))
            .and_then(|()| file.sync_all())
            .map_err(failed())?;
        Ok(result)
    }

    /// Reads the whole lines; what follows the last line feed is an interrupted write.
    fn parse(&self, bytes: &[u8]) -> Result<KnownAttempts, LogError> {
        let mut known = KnownAttempts {
            attempts: Vec::new(),
            last: sha256(b""),
            len: 0,
        };
        let mut number = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let Some(text) = line.strip_suffix(b"\n") else {
                break;
            };
            number += 1;
            self.add_line(&mut known, text, number == 1)
                .map_err(|error| self.error_on(number, error))?;
            known.last = sha256(line);
            known.len += line.len() as u64;
        }
        if number == 0 {
            let error = DocumentError::new("no whole line", "the one that begins the file");
            return Err(self.error_on(1, error));
        }
        Ok(known)
    }

    fn add_line(
        &self,
        known: &mut KnownAttempts,
        text: &[u8],
        is_first: bool,
    ) -> Result<(), DocumentError> {
        let line: AttemptLine = document::read(text)?;
        let differ = |field: &str, found: &Hash, expected: &Hash, what: &str| DocumentError {
            field: field.to_owned(),
            ..DocumentError::new(hex(found), format!("{}, {what}", hex(expected)))
        };
        if line.subject != self.subject {
            let what = "which these attempts are of";
            return Err(differ("subject", &line.subject, &self.subject, what));
        }
        if line.previous != known.last {
            let what = "the SHA-256 of the line before: a line was changed or taken out";
            return Err(differ("previous", &line.previous, &known.last, what));
        }
        let next = known.attempts.len() as u64 + 1;
        match line.event {
            AttemptEvent::Opened if is_first && line.attempt == 0 => {}
            AttemptEvent::Began if !is_first && line.attempt == next => {
                known.attempts.push(Attempt {
                    attempt: line.attempt,
                    began: line.time,
                    erratum: line.erratum,
                    head: None,
                    status: None,
                });
            }
            AttemptEvent::Ended if !is_first && line.head.is_some() && line.status.is_some() => {
                let attempt = find_open(&mut known.attempts, line.attempt)?;
                (attempt.head, attempt.status) = (line.head, line.status);
            }
            event => {
                let found = format!("{} of attempt {}", to_text(&event), line.attempt);
                let expected = match is_first {
                    true => "\"OPENED\" of attempt 0".to_owned(),
                    false => format!("\"BEGAN\" of attempt {next}, or \"ENDED\" of one before it"),
                };
                return Err(DocumentError::new(found, expected));
            }
        }
        Ok(())
    }

    fn error_on(&self, line: u64, error: DocumentError) -> LogError {
        LogError {
            path: self.path.clone(),
            line,
            error,
        }
    }
}

/// Finds the attempt `number`, which must have no end yet.
fn find_open(attempts: &mut [Attempt], number: u64) -> Result<&mut Attempt, DocumentError> {
    let attempt = attempts.iter_mut().find(|it| it.attempt == number);
    attempt.filter(|it| it.status.is_none()).ok_or_else(|| {
        let found = format!("the end of attempt {number}");
        DocumentError::new(found, "the end of one that began and has none")
    })
}
