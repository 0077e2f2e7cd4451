//! The option that names the environment in which a run or a calibration takes place.

use std::path::{Path, PathBuf};

use axilog_ablation::AblationError;
use axilog_ablation::calibration::Calibration;
use axilog_ablation::declared_environment::DeclaredEnvironment;
use axilog_ablation::environment_source::{open_environment, open_harbour};

/// The option --environment.
#[derive(clap::Args)]
pub(super) struct EnvironmentOption {
    /// The file of the environment, as `axilog ablation environment` prints and checks it. Without it, the calibration's
    /// environment; without a calibration, the harbour that ships.
    #[arg(long = "environment", value_name = "FILE")]
    path: Option<PathBuf>,
}

impl EnvironmentOption {
    /// Opens the environment, with the calibration in the file at the path that stands beside it.
    pub(super) fn open(
        &self,
        calibration: Option<(&Calibration, &Path)>,
    ) -> Result<DeclaredEnvironment, AblationError> {
        match (&self.path, calibration) {
            (Some(path), _) => open_environment(path),
            (None, Some((calibration, path))) => calibration.open_environment(path),
            (None, None) => open_harbour(),
        }
    }
}
