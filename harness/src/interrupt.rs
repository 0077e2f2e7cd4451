//! Ctrl-C during long work: the first ends it where a step ends, the second at once.

use std::io::{self, Write};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a shell reports of a process that SIGINT ended.
const ENDED_BY_INTERRUPT: i32 = 130;

/// Whether somebody has pressed Ctrl-C. Clones are one flag.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flag(Arc<AtomicBool>);

impl Flag {
    /// From here on the first Ctrl-C sets the flag, says so in one line on standard error, and nothing
    /// else; the second one ends the process with exit code 130. Once per process: where the system
    /// or an earlier call stands against it, Ctrl-C does what it did before and the flag stays unset.
    pub(crate) fn install() -> Flag {
        let flag = Flag::default();
        let seen = flag.clone();
        // Without a handler an interrupt ends the process at once, which its ledger survives.
        let _ = ctrlc::set_handler(move || {
            if seen.0.swap(true, Ordering::Relaxed) {
                process::exit(ENDED_BY_INTERRUPT);
            }
            // Nobody is left to tell where this fails.
            let _ = writeln!(
                io::stderr(),
                "axilog: stopping when this step is done; Ctrl-C again ends at once"
            );
        });
        flag
    }

    /// Whether work should stop at the next step.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
