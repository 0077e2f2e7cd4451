//! The files of a comparison, and what a stored one is of.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use axilog_ledger::error::FileError;
use axilog_ledger::input_file::{MAX_INPUT_BYTES, read_input};
use serde::Deserialize;

use super::comparison::RunComparison;
use super::comparison_file_names::{
    ACTIONS_FIGURE, ACTIONS_TABLE, COMPARISON_FILE, COMPARISON_FILES, EFFECTS_FIGURE,
    EFFECTS_TABLE, SUMMARY_FILE, TRAJECTORIES_FIGURE, TRAJECTORIES_TABLE,
};
use super::comparison_report::{UNDECLARED_VERSION, VERSION};
use super::error::AblationError;
use super::json_document::parse_document;
use super::margin::Margin;

impl RunComparison {
    /// The text of each file of the comparison, with its name, in the order of [`COMPARISON_FILES`]. Where no primary
    /// endpoint was declared, these are the files that there were before such declarations.
    #[must_use]
    pub fn render_files(&self) -> Vec<(&'static str, String)> {
        let mut files = vec![(ACTIONS_FIGURE, self.render_plot())];
        if self.declared_primary().is_some() {
            let trajectories = self.trajectories();
            files.extend([
                (ACTIONS_TABLE, self.list_actions_as_csv()),
                (EFFECTS_FIGURE, self.render_effects()),
                (EFFECTS_TABLE, self.list_effects_as_csv()),
                (TRAJECTORIES_FIGURE, self.render_trajectories(&trajectories)),
                (TRAJECTORIES_TABLE, self.list_trajectories(&trajectories)),
            ]);
        }
        files.extend([
            (SUMMARY_FILE, self.render_summary()),
            (COMPARISON_FILE, self.to_file_text()),
        ]);
        files
    }
}

/// The files in `dir` that a comparison has besides its document, where that is not there: nothing says of which runs they
/// are.
#[must_use]
pub fn list_files_without_document(dir: &Path) -> Vec<PathBuf> {
    if dir.join(COMPARISON_FILE).exists() {
        return Vec::new();
    }
    let paths = COMPARISON_FILES.iter().map(|name| dir.join(name));
    paths.filter(|path| path.exists()).collect()
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
