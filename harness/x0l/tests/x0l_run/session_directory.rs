//! A temporary directory for a session, which runs there and is read back.

use std::fs;
use std::path::PathBuf;

use axilog_oracle::{Oracle, OracleKind, ScriptedOracle};
use axilog_x0l::X0lError;
use axilog_x0l::condition::Condition;
use axilog_x0l::live::{
    ProgressListener, SessionPlan, SessionProgress, SessionSettings, run_session,
};
use axilog_x0l::log::{Cycle, CycleReader, LogLine, RunDirectory, SessionMetadata, SessionOutcome};
use axilog_x0l::report::{build_report, check_report};
use tempfile::TempDir;

/// The start of every session here.
pub const STARTED: u64 = 1_800_000_000;

/// A listener that stops the session after a number of cycles.
pub struct CycleLimit {
    pub stop_after: u64,
    pub cycles: u64,
}

impl ProgressListener for CycleLimit {
    fn on_calibration_call(&mut self, _: usize) {}

    fn on_cycle(&mut self, progress: &SessionProgress<'_>) {
        self.cycles += 1;
        assert_eq!(progress.cycle.number, self.cycles);
    }

    fn should_stop(&self) -> bool {
        self.cycles >= self.stop_after
    }
}

pub struct SessionDirectory {
    pub dir: TempDir,
}

impl SessionDirectory {
    pub fn new() -> SessionDirectory {
        SessionDirectory {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    /// The directory `whole` in the one that the variable AXILOG_KEEP_SESSION names, where it is set. It is
    /// kept: `cargo xtask cross` replays the run in it on another processor.
    pub fn new_or_kept() -> SessionDirectory {
        let Some(parent) = std::env::var_os("AXILOG_KEEP_SESSION") else {
            return SessionDirectory::new();
        };
        let mut directory = tempfile::Builder::new();
        directory
            .prefix("whole")
            .rand_bytes(0)
            .disable_cleanup(true);
        SessionDirectory {
            dir: directory.tempdir_in(parent).unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn out(&self) -> PathBuf {
        self.path("run")
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// Runs a session with a script of these lines.
    pub fn run_script(
        &self,
        settings: SessionSettings,
        lines: &str,
    ) -> Result<SessionOutcome, X0lError> {
        let path = self.write("script.jsonl", lines);
        let mut endpoint = Oracle::Scripted(ScriptedOracle::open(&path)?);
        self.run(settings, &mut endpoint, u64::MAX)
    }

    /// Runs a session, which must replay whatever its end.
    pub fn run(
        &self,
        settings: SessionSettings,
        endpoint: &mut Oracle,
        stop_after: u64,
    ) -> Result<SessionOutcome, X0lError> {
        let plan = SessionPlan::read(settings)?;
        let mut limit = CycleLimit {
            stop_after,
            cycles: 0,
        };
        let finished = run_session(&plan, endpoint, &self.out(), &mut limit)?;
        self.assert_replays();
        Ok(finished.outcome)
    }

    #[track_caller]
    fn assert_replays(&self) {
        let directory = RunDirectory::open(&self.out()).unwrap();
        let mut report = build_report(&directory).unwrap();
        check_report(&directory, &mut report).unwrap();
        assert!(report.replay.is_good(), "{:?}", report.replay.findings);
        assert!(report.replay.ended && report.files.len() == 4);
    }

    pub fn metadata(&self) -> SessionMetadata {
        let run = RunDirectory::open(&self.out()).unwrap();
        run.read_metadata().unwrap()
    }

    /// Reads the cycle log.
    pub fn cycles(&self) -> Vec<Cycle> {
        let path = self.out().join(RunDirectory::CYCLES);
        let bytes = fs::read(&path).unwrap();
        let mut reader = CycleReader::new(bytes.as_slice(), &path);
        let mut cycles = Vec::new();
        while let Some(line) = reader.next_line().unwrap() {
            match line {
                LogLine::Cycle(cycle) => cycles.push(*cycle),
                other => panic!("{other:?}"),
            }
        }
        cycles
    }
}

/// The settings of a session that B2 does not end.
pub fn settings(conditions: &[Condition], cycles: u64) -> SessionSettings {
    let scripted = OracleKind::Scripted("script.jsonl".into());
    let mut settings = SessionSettings::new("model-1", scripted, 8192, STARTED);
    settings.conditions = conditions.to_vec();
    settings.cycles = cycles;
    settings.b2 = 10_000_000;
    settings
}
