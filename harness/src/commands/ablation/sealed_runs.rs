//! Whether runs are the arms that the plans of their experiments name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use axilog_ablation::AblationError;
use axilog_ablation::sealed_experiment::{Stage, check_sealed_experiment, find_plan};
use axilog_ablation::statements::RunStatement;
use axilog_ledger::error::FileError;

/// The runs that a command was given, as their ledgers name their plans.
#[derive(Default)]
pub(super) struct SealedRuns {
    /// The experiments that were checked.
    experiments: BTreeSet<PathBuf>,
    /// The runs that no plan holds together with others.
    unsealed: Vec<String>,
}

impl SealedRuns {
    /// Checks the run in `dir`, whose ledger says `statement`, and with it the whole experiment that it is an arm of,
    /// which must have come to `stage`.
    pub(super) fn check(
        &mut self,
        dir: &Path,
        statement: Option<&RunStatement>,
        stage: Stage,
    ) -> Result<(), AblationError> {
        let Some(plan) = find_plan(dir, statement)? else {
            self.unsealed.push(dir.display().to_string());
            return Ok(());
        };
        let real = dir.canonicalize();
        let real = real.map_err(FileError::from_io(dir, "find"))?;
        if real
            .parent()
            .is_some_and(|parent| !self.experiments.contains(parent))
        {
            // The path as it was given stands in what is refused.
            let beside = match dir.parent() {
                Some(given) if dir.file_name().is_some() => given.to_owned(),
                _ => real.parent().unwrap_or(&real).to_owned(),
            };
            check_sealed_experiment(&beside, &plan, stage)?;
            self.experiments.extend(real.parent().map(Path::to_owned));
        }
        Ok(())
    }

    /// What is to be said of the runs that no plan holds together with others.
    pub(super) fn remark(&self) -> Option<String> {
        (!self.unsealed.is_empty()).then(|| {
            format!(
                "{}: no sealed plan: nothing but the dates of the ledgers shows whether each was made together with the others, and only once",
                self.unsealed.join(", ")
            )
        })
    }
}
