//! How far a session is: a line that changes on a terminal, now and then a line elsewhere.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use axilog_x0l::condition::Condition;
use axilog_x0l::kernel::DecisionKind;
use axilog_x0l::live::{Plan, Progress, Watch};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::super::interrupt::Flag;

/// Where nobody looks on, a line for every so manieth cycle of a condition, and for its first.
const EVERY: u64 = 25;

/// Decisions, counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mix {
    action: u64,
    refuse: u64,
    exit: u64,
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mix {
            action,
            refuse,
            exit,
        } = self;
        write!(f, "{action} ACTION {refuse} REFUSE")?;
        match exit {
            0 => Ok(()),
            exit => write!(f, " {exit} EXIT"),
        }
    }
}

/// Somebody at standard error.
pub(super) struct Watching {
    flag: Flag,
    bar: Option<ProgressBar>,
    cycles: u64,
    begun: Instant,
    done: u64,
    mixes: BTreeMap<Condition, Mix>,
}

impl Watching {
    pub(super) fn new(plan: &Plan, flag: Flag) -> Watching {
        let planned = plan.cycles().count() as u64;
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(planned), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{bar:7} {wide_msg}") {
                bar.set_style(style.progress_chars("##."));
            }
            bar
        });
        Watching {
            flag,
            bar,
            cycles: plan.frozen.cycles,
            begun: Instant::now(),
            done: 0,
            mixes: BTreeMap::new(),
        }
    }

    /// What was decided in a condition.
    pub(super) fn mix(&self, condition: Condition) -> Mix {
        self.mixes.get(&condition).copied().unwrap_or_default()
    }

    /// Takes the line off the terminal.
    pub(super) fn done(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(text.to_owned()),
            // Nobody is left to tell where this fails.
            None => drop(writeln!(io::stderr(), "axilog: {text}")),
        }
    }

    /// How long the cycles that are left will take, if they take as long as those before.
    fn left(&self, cycles: u64) -> Duration {
        let each = self.begun.elapsed().as_secs_f64() / self.done.max(1) as f64;
        Duration::from_secs_f64((each * cycles as f64).min(1e9))
    }
}

impl Watch for Watching {
    fn calibrating(&mut self, call: usize) {
        self.say(&format!(
            "calibration, call {call} of {}",
            axilog_x0l::calibration::CALLS
        ));
        self.begun = Instant::now();
    }

    fn cycle(&mut self, progress: &Progress<'_>) {
        let cycle = progress.cycle;
        self.done += 1;
        let mix = self.mixes.entry(cycle.condition).or_default();
        match cycle.decision.kind {
            DecisionKind::Action => mix.action += 1,
            DecisionKind::Refuse => mix.refuse += 1,
            DecisionKind::Exit => mix.exit += 1,
        }
        let mix = *mix;
        if let Some(bar) = &self.bar {
            bar.set_length(self.done + progress.left);
            bar.set_position(self.done);
        } else if cycle.cycle != 1 && !cycle.cycle.is_multiple_of(EVERY) && progress.left > 0 {
            return;
        }
        let budget = progress.budget;
        self.say(&format!(
            "{} {}/{}  {mix}  B1 {}/{}  B2 {}/{}  {} left",
            cycle.condition,
            cycle.cycle,
            self.cycles,
            cycle.tokens(),
            budget.b1,
            short(budget.spent),
            short(budget.b2),
            clock(self.left(progress.left)),
        ));
    }

    fn stops(&self) -> bool {
        self.flag.is_set()
    }
}

/// A count of tokens, in thousands where it is long.
fn short(tokens: u64) -> String {
    match tokens {
        10_000.. => format!("{}k", tokens / 1000),
        few => few.to_string(),
    }
}

/// Minutes and seconds, with hours in front where there are any.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        hours => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}
