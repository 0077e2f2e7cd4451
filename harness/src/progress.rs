//! Progress bars for long work, on a terminal only.

use std::io::{Read, Seek};
use std::path::Path;

use axilog_ledger::input_file::open_input;
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
    let file = open_input(path, "open the ledger")?;
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

/// A bar for `steps` steps of `what`. Dropping it removes it from the terminal.
#[cfg(feature = "ablation")]
pub(crate) fn steps(steps: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr())
        .with_finish(ProgressFinish::AndClear)
        .with_prefix(what.to_owned());
    let layout = "{prefix} {bar:30} {pos} of {len} steps, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(layout) {
        bar.set_style(style.progress_chars("##."));
    }
    bar
}
