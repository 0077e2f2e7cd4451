//! The progress of long work, on standard error.

#[cfg(feature = "ablation")]
use std::io::{self, Write};
use std::io::{Read, Seek};
use std::path::Path;
#[cfg(feature = "ablation")]
use std::time::{Duration, Instant};

use axilog_ledger::ledger_input::open_ledger_input;
#[cfg(feature = "ablation")]
use indicatif::HumanDuration;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

use crate::error::CommandError;

/// The length in bytes below which a ledger is read too fast for a bar.
const WORTH_SHOWING: u64 = 64 << 20;

/// The ledger at `path`, open for reading, with a bar on standard error if that is a terminal. The bar
/// goes when the ledger has been read, whatever was found.
///
/// # Errors
/// [`FileError`](axilog_ledger::error::FileError) where it cannot be opened.
pub(crate) fn open(path: &Path) -> Result<impl Read + Seek, CommandError> {
    let file = open_ledger_input(path)?;
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    let target = match length {
        WORTH_SHOWING.. => ProgressDrawTarget::stderr(),
        _ => ProgressDrawTarget::hidden(),
    };
    let bar =
        ProgressBar::with_draw_target(Some(length), target).with_finish(ProgressFinish::AndClear);
    let layout = "{bar:30} {percent:>3} %  {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(layout) {
        bar.set_style(style.progress_chars("##."));
    }
    Ok(bar.wrap_read(file))
}

/// How often a line is written where standard error is no terminal.
#[cfg(feature = "ablation")]
const LINE_EVERY: Duration = Duration::from_secs(60);

/// The progress of work in steps, with an estimate of the time that is left: a bar on a terminal, and else a line
/// on standard error each minute.
#[cfg(feature = "ablation")]
pub(crate) struct StepProgress {
    bar: ProgressBar,
    work: String,
    steps: u64,
    /// How many steps were taken before this work began.
    known: u64,
    began: Option<Instant>,
    last_line: Instant,
}

#[cfg(feature = "ablation")]
impl StepProgress {
    /// The progress of `work` in `steps` steps, of which `known` were taken earlier and take no time.
    pub(crate) fn new(steps: u64, known: u64, work: &str) -> StepProgress {
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr())
            .with_finish(ProgressFinish::AndClear)
            .with_prefix(work.to_owned());
        let layout = "{prefix} {bar:30} {pos} of {len} steps, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(layout) {
            bar.set_style(style.progress_chars("##."));
        }
        StepProgress {
            bar,
            work: work.to_owned(),
            steps,
            known,
            began: None,
            last_line: Instant::now(),
        }
    }

    /// Shows that `taken` steps were taken.
    pub(crate) fn show(&mut self, taken: u64) {
        self.bar.set_position(taken);
        if taken < self.known {
            return;
        }
        let began = *self.began.get_or_insert_with(|| {
            self.bar.reset_eta();
            Instant::now()
        });
        if self.bar.is_hidden() && self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            let line = self.describe(taken, began.elapsed());
            // Nobody is left to tell where this fails.
            let _ = writeln!(io::stderr(), "axilog: {line}");
        }
    }

    /// Describes in words that `taken` steps were taken, those of this work in the time `elapsed`.
    fn describe(&self, taken: u64, elapsed: Duration) -> String {
        let (work, steps) = (&self.work, self.steps);
        let done = u32::try_from(taken.saturating_sub(self.known)).unwrap_or(u32::MAX);
        let left = u32::try_from(steps.saturating_sub(taken)).unwrap_or(u32::MAX);
        match elapsed
            .checked_div(done)
            .map(|each| each.saturating_mul(left))
        {
            Some(left) => format!(
                "{work}: {taken} of {steps} steps, {} left",
                HumanDuration(left)
            ),
            None => format!("{work}: {taken} of {steps} steps"),
        }
    }
}

#[cfg(all(test, feature = "ablation"))]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_estimated_from_the_steps_of_this_work() {
        let progress = StepProgress::new(1200, 600, "baseline");
        let after = |taken, seconds| progress.describe(taken, Duration::from_secs(seconds));
        assert_eq!(after(600, 60), "baseline: 600 of 1200 steps");
        assert_eq!(
            after(700, 60),
            "baseline: 700 of 1200 steps, 5 minutes left"
        );
        assert_eq!(
            after(1200, 60),
            "baseline: 1200 of 1200 steps, 0 seconds left"
        );
    }
}
