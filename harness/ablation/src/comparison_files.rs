//! The files of a comparison, and what a stored one is of.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use axilog_ledger::error::FileError;
use axilog_ledger::input_file::{MAX_INPUT_BYTES, read_input};
use serde::Deserialize;

use super::comparison::Comparison;
use super::comparison_report::{UNDECLARED_VERSION, VERSION};
use super::error::AblationError;
use super::json_document::parse_document;
use super::margin::Margin;

/// The name of the comparison document.
pub const COMPARISON_FILE: &str = "comparison.json";
/// The name of the plot.
pub const PLOT_FILE: &str = "actions.svg";
/// The name of the summary, in Markdown.
pub const SUMMARY_FILE: &str = "summary.md";

/// The names of a comparison's files; the document, by which a comparison is known, is written last.
pub const COMPARISON_FILES: [&str; 3] = [PLOT_FILE, SUMMARY_FILE, COMPARISON_FILE];

impl Comparison {
    /// The text of each of [`COMPARISON_FILES`], with its name.
    #[must_use]
    pub fn render_files(&self) -> [(&'static str, String); 3] {
        [
            (PLOT_FILE, self.render_plot()),
            (SUMMARY_FILE, self.render_summary(PLOT_FILE)),
            (COMPARISON_FILE, self.to_file_text()),
        ]
    }
}

/// A file as it is stored; `None` where there is none.
///
/// # Errors
/// [`FileError::Io`].
pub fn read_stored(path: &Path) -> Result<Option<Vec<u8>>, AblationError> {
    match read_input(path, "read", MAX_INPUT_BYTES) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(FileError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The member that every version of the document has.
#[derive(Debug, Deserialize)]
struct DocumentVersion {
    axilog_ablation_comparison: u32,
}

/// Which runs a stored comparison is of, and with which margin. The rest of its document is for a byte-by-byte comparison.
#[derive(Debug, Deserialize)]
pub struct StoredComparison {
    /// The runs, in their order.
    pub runs: Vec<ComparedRun>,
    /// What the comparison says of its statistics.
    pub statistics: StoredStatistics,
}

/// What a comparison was made with, beside its runs.
#[derive(Debug, Deserialize)]
pub struct StoredStatistics {
    /// The margin of the primary endpoint, if one was named.
    #[serde(default)]
    pub margin: Option<Margin>,
}

/// A run, as a comparison names it.
#[derive(Debug, Deserialize)]
pub struct ComparedRun {
    /// The run's directory, from the comparison's own.
    pub path: String,
    /// The head of the run's ledger; `None` where the comparison did not read it.
    pub ledger_head: Option<String>,
}

impl StoredComparison {
    /// Reads the comparison in `dir`; `None` where there is none.
    ///
    /// # Errors
    /// [`FileError::Io`]; [`AblationError::Document`] for one that this build would not write.
    pub fn read(dir: &Path) -> Result<Option<StoredComparison>, AblationError> {
        const HINT: &str = "take the file as `axilog ablation compare` wrote it";
        let path: PathBuf = dir.join(COMPARISON_FILE);
        let Some(bytes) = read_stored(&path)? else {
            return Ok(None);
        };
        let found: DocumentVersion = parse_document(&path, &bytes, "a comparison", HINT)?;
        match found.axilog_ablation_comparison {
            UNDECLARED_VERSION | VERSION => {
                parse_document(&path, &bytes, "a comparison", HINT).map(Some)
            }
            version => Err(AblationError::Document {
                path,
                reason: format!(
                    "has version {version}; expected version {UNDECLARED_VERSION} or {VERSION}; replay it with the build that made it"
                ),
            }),
        }
    }
}
