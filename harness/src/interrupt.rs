//! Ctrl-C and SIGTERM during long work: the first ends it where a step ends, the second at once.

use std::io::{self, Write};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// What a shell adds to a signal's number where it reports a process that the signal ended.
const ENDED_BY_SIGNAL: i32 = 128;

/// Whether somebody has pressed Ctrl-C or sent SIGTERM. Clones are one flag.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flag(Arc<AtomicBool>);

impl Flag {
    /// From here on the first Ctrl-C or SIGTERM sets the flag, says so in one line on standard error, and nothing
    /// else; the second one ends the process with exit code 130 or 143. Where the system stands against it, both do
    /// what they did before and the flag stays unset. SIGHUP is left as it is, so that `nohup` works.
    pub(crate) fn install() -> Flag {
        let flag = Flag::default();
        let seen = flag.clone();
        // Without a handler a signal ends the process at once, which its ledger survives.
        if let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) {
            thread::spawn(move || {
                for signal in signals.forever() {
                    if seen.0.swap(true, Ordering::Relaxed) {
                        process::exit(ENDED_BY_SIGNAL.saturating_add(signal));
                    }
                    // Nobody is left to tell where this fails.
                    let _ = writeln!(
                        io::stderr(),
                        "axilog: stopping when this step is done; Ctrl-C again ends at once"
                    );
                }
            });
        }
        flag
    }

    /// Whether work should stop at the next step.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
