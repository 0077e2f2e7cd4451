//! What the live harness adds to each cycle of a session, the model left out: answers come from a script
//! in the same process. The time is that between the first cycle's end and the last one's, per cycle.
//!
//!     cargo bench -p axilog-harness-benches --bench session
//!
//! Each cycle is durable before the next begins (the ledger and the cycle log are synced), so the disk
//! counts; where there is /dev/shm, whose files need no disk, the same is measured there. With `--test` each
//! session has two cycles.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use axilog_oracle::{Oracle, OracleKind, ScriptedOracle};
use axilog_x0l::condition::Condition;
use axilog_x0l::live::{
    ProgressListener, SessionPlan, SessionProgress, SessionSettings, examples, run_session,
};

/// Sessions per figure; the median is given.
const ROUNDS: usize = 5;

#[derive(Default)]
struct Clock {
    ends: Vec<Instant>,
}

impl ProgressListener for Clock {
    fn on_calibration_call(&mut self, _: usize) {}

    fn on_cycle(&mut self, _: &SessionProgress<'_>) {
        self.ends.push(Instant::now());
    }

    fn should_stop(&self) -> bool {
        false
    }
}

/// The time per cycle of one session of `condition` below `place`.
fn session(condition: Condition, cycles: u64, place: &Path) -> Duration {
    let dir = tempfile::tempdir_in(place).unwrap();
    let script = dir.path().join("script.jsonl");
    std::fs::write(&script, examples::SCRIPT).unwrap();
    let mut settings = SessionSettings::new("m", OracleKind::Scripted(script.clone()), 8192, 1);
    settings.conditions = vec![condition];
    settings.cycles = cycles;
    settings.b2 = 100_000_000;
    // Tasks of five candidates each: every order of them is tried.
    if condition == Condition::E {
        let five = dir.path().join("l-e.toml");
        let text: Vec<&str> = examples::tasks(condition)
            .lines()
            .filter(|line| !line.contains("prompt =") || line.contains("Propose five"))
            .collect();
        std::fs::write(&five, text.join("\n")).unwrap();
        settings.tasks = BTreeMap::from([(condition, five)]);
    }
    let plan = SessionPlan::read(settings).unwrap();
    let mut endpoint = Oracle::Scripted(ScriptedOracle::open(&script).unwrap());
    let mut clock = Clock::default();
    run_session(&plan, &mut endpoint, &dir.path().join("run"), &mut clock).unwrap();
    let (first, last) = (clock.ends[0], clock.ends[clock.ends.len() - 1]);
    (last - first) / u32::try_from(clock.ends.len() - 1).unwrap()
}

fn main() {
    let test = std::env::args().any(|argument| argument == "--test");
    let (rounds, cycles) = if test { (1, 2) } else { (ROUNDS, 100) };
    let disk = std::env::temp_dir();
    let memory = Path::new("/dev/shm");
    for (name, place) in [("disk", disk.as_path()), ("memory", memory)] {
        if !place.is_dir() {
            continue;
        }
        for (kind, condition) in [
            ("L-A, one candidate", Condition::A),
            ("L-D, long answers", Condition::D),
            ("L-E, five candidates in 120 orders", Condition::E),
        ] {
            let mut times: Vec<Duration> = (0..rounds)
                .map(|_| session(condition, cycles, place))
                .collect();
            times.sort();
            println!(
                "cycle {kind:36} on {name:8} {:10.1?}",
                times[times.len() / 2]
            );
        }
    }
}
