//! A directory of its own for each session, and what is read back from it.

use std::fs;
use std::path::PathBuf;

use axilog_oracle::{Endpoint, Kind, Scripted};
use axilog_x0l::X0lError;
use axilog_x0l::condition::Condition;
use axilog_x0l::live::{Plan, Progress, Settings, Watch, run};
use axilog_x0l::log::{Cycle, CycleReader, LogLine, RunDirectory, SessionMetadata, SessionOutcome};
use axilog_x0l::report::{check, make};
use tempfile::TempDir;

/// When every session here begins.
pub const STARTED: u64 = 1_800_000_000;

/// Stops after so many cycles, if at all.
pub struct Onlooker {
    pub stop_after: u64,
    pub seen: u64,
}

impl Watch for Onlooker {
    fn calibrating(&mut self, _: usize) {}

    fn cycle(&mut self, progress: &Progress<'_>) {
        self.seen += 1;
        assert_eq!(progress.cycle.number, self.seen);
    }

    fn stops(&self) -> bool {
        self.seen >= self.stop_after
    }
}

pub struct Place {
    pub dir: TempDir,
}

impl Place {
    pub fn new() -> Place {
        Place {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    /// A directory `whole` that stays, in the one that the environment names, where it names one:
    /// `cargo xtask cross` replays the run in it on another processor.
    pub fn that_may_stay() -> Place {
        let Some(parent) = std::env::var_os("AXILOG_KEEP_SESSION") else {
            return Place::new();
        };
        let mut directory = tempfile::Builder::new();
        directory
            .prefix("whole")
            .rand_bytes(0)
            .disable_cleanup(true);
        Place {
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

    /// A session of these conditions with a script that says `lines`.
    pub fn scripted(&self, settings: Settings, lines: &str) -> Result<SessionOutcome, X0lError> {
        let path = self.write("script.jsonl", lines);
        let mut endpoint = Endpoint::Scripted(Scripted::read(&path)?);
        self.run(settings, &mut endpoint, u64::MAX)
    }

    pub fn run(
        &self,
        settings: Settings,
        endpoint: &mut Endpoint,
        stop_after: u64,
    ) -> Result<SessionOutcome, X0lError> {
        let plan = Plan::read(settings)?;
        let mut onlooker = Onlooker {
            stop_after,
            seen: 0,
        };
        let held = run(&plan, endpoint, &self.out(), &mut onlooker)?;
        self.replays();
        Ok(held.outcome)
    }

    /// The run replays, with its report, and without a difference.
    #[track_caller]
    fn replays(&self) {
        let directory = RunDirectory::open(&self.out()).unwrap();
        let mut made = make(&directory).unwrap();
        check(&directory, &mut made).unwrap();
        assert!(made.replay.is_good(), "{:?}", made.replay.findings);
        assert!(made.replay.ended && made.files.len() == 4);
    }

    pub fn metadata(&self) -> SessionMetadata {
        let run = RunDirectory::open(&self.out()).unwrap();
        run.read_metadata().unwrap()
    }

    /// The cycles as they are logged.
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

/// A session of these conditions, so many cycles each, that B2 does not end.
pub fn settings(conditions: &[Condition], cycles: u64) -> Settings {
    let scripted = Kind::Scripted("script.jsonl".into());
    let mut settings = Settings::new("model-1", scripted, 8192, STARTED);
    settings.conditions = conditions.to_vec();
    settings.cycles = cycles;
    settings.b2 = 10_000_000;
    settings
}
