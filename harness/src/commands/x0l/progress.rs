//! The progress of a session on standard error: a line that changes on a terminal, now and then a new line
//! elsewhere.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use axilog_x0l::condition::Condition;
use axilog_x0l::kernel::DecisionKind;
use axilog_x0l::live::{ProgressListener, SessionPlan, SessionProgress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::interrupt::Flag;

/// Without a terminal, the number of a condition's cycles from one line to the next.
const CYCLES_PER_LINE: u64 = 25;

/// The decisions of a condition, counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DecisionCounts {
    action: u64,
    refuse: u64,
    exit: u64,
}

impl fmt::Display for DecisionCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DecisionCounts {
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

/// The line on standard error, and the flag that Ctrl-C sets.
pub(super) struct ProgressLine {
    flag: Flag,
    bar: Option<ProgressBar>,
    cycles_per_condition: u64,
    begun: Instant,
    done: u64,
    decisions: BTreeMap<Condition, DecisionCounts>,
}

impl ProgressLine {
    pub(super) fn new(plan: &SessionPlan, flag: Flag) -> ProgressLine {
        let planned = plan.cycles().count() as u64;
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(planned), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{bar:7} {wide_msg}") {
                bar.set_style(style.progress_chars("##."));
            }
            bar
        });
        ProgressLine {
            flag,
            bar,
            cycles_per_condition: plan.frozen.cycles,
            begun: Instant::now(),
            done: 0,
            decisions: BTreeMap::new(),
        }
    }

    /// The decisions of a condition so far.
    pub(super) fn decisions(&self, condition: Condition) -> DecisionCounts {
        self.decisions.get(&condition).copied().unwrap_or_default()
    }

    /// Removes the line from the terminal.
    pub(super) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn show(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(text.to_owned()),
            // Progress is not worth an error.
            None => drop(writeln!(io::stderr(), "axilog: {text}")),
        }
    }

    /// Estimates the time for further cycles from the time of those before.
    fn estimate_time(&self, cycles: u64) -> Duration {
        let each = self.begun.elapsed().as_secs_f64() / self.done.max(1) as f64;
        Duration::from_secs_f64((each * cycles as f64).min(1e9))
    }
}

impl ProgressListener for ProgressLine {
    fn on_calibration_call(&mut self, call: usize) {
        self.show(&format!(
            "calibration, call {call} of {}",
            axilog_x0l::calibration::CALLS
        ));
        self.begun = Instant::now();
    }

    fn on_cycle(&mut self, progress: &SessionProgress<'_>) {
        let cycle = progress.cycle;
        self.done += 1;
        let decisions = self.decisions.entry(cycle.condition).or_default();
        match cycle.decision.kind {
            DecisionKind::Action => decisions.action += 1,
            DecisionKind::Refuse => decisions.refuse += 1,
            DecisionKind::Exit => decisions.exit += 1,
        }
        let decisions = *decisions;
        if let Some(bar) = &self.bar {
            bar.set_length(self.done + progress.left);
            bar.set_position(self.done);
        } else if cycle.cycle != 1
            && !cycle.cycle.is_multiple_of(CYCLES_PER_LINE)
            && progress.left > 0
        {
            return;
        }
        let budget = progress.budget;
        self.show(&format!(
            "{} {}/{}  {decisions}  B1 {}/{}  B2 {}/{}  {} left",
            cycle.condition,
            cycle.cycle,
            self.cycles_per_condition,
            cycle.tokens(),
            budget.b1,
            format_tokens(budget.spent),
            format_tokens(budget.b2),
            format_time(self.estimate_time(progress.left)),
        ));
    }

    fn should_stop(&self) -> bool {
        self.flag.is_set()
    }
}

/// Formats a number of tokens, in thousands from 10000.
fn format_tokens(tokens: u64) -> String {
    match tokens {
        10_000.. => format!("{}k", tokens / 1000),
        few => few.to_string(),
    }
}

/// Formats a time as minutes and seconds, with hours in front if there are any.
fn format_time(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        hours => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}
