//! Whether an experiment still has every arm that it was planned with.
//!
//! Each run's ledger lists the arms of its experiment. A run whose directory was deleted, whether it was not
//! wanted or lost, is missed by the others.

use std::path::Path;

use axilog_ledger::error::FileError;

use super::error::AblationError;
use super::header::RunHeader;
use super::replay::HEADER_FILE;
use super::variant::Variant;

/// An arm of an experiment, as it was found.
#[derive(Clone, Copy, Debug)]
pub struct FoundArm<'a> {
    /// The run's directory.
    pub dir: &'a Path,
    /// The run's variant.
    pub variant: Variant,
    /// The arms that the run's ledger lists, in their order; `None` where it lists none, or was not read.
    pub planned: Option<&'a [Variant]>,
}

/// Checks that every arm that any of `found` was planned with is among them. `found` are the runs of one
/// experiment, which lie beside each other.
///
/// # Errors
/// [`AblationError::NotComparable`] with the run that misses another, or that is no arm of its own plan.
pub fn check_planned_arms(found: &[FoundArm<'_>]) -> Result<(), AblationError> {
    for arm in found {
        let Some(planned) = arm.planned else {
            continue;
        };
        let names = || {
            let names = planned.iter().map(|variant| variant.as_str());
            names.collect::<Vec<_>>().join(", ")
        };
        let refuse = |reason: String| AblationError::NotComparable {
            path: arm.dir.to_owned(),
            reason,
        };
        if !planned.contains(&arm.variant) {
            return Err(refuse(format!(
                "is the run {}, and its ledger lists the arms {}: its header was changed, or it is another experiment's",
                arm.variant,
                names()
            )));
        }
        let is_found = |variant: &&Variant| found.iter().any(|arm| arm.variant == **variant);
        if let Some(missing) = planned.iter().find(|variant| !is_found(variant)) {
            return Err(refuse(format!(
                "was planned as one of the arms {}, and no run beside it is {missing}: it was deleted, moved or never made; put it back, or run the experiment again",
                names()
            )));
        }
    }
    Ok(())
}

/// Checks that every arm that the run in `dir` was planned with lies beside it. An arm that lies there need
/// not be compared. Without a plan nothing is read.
///
/// # Errors
/// As [`check_planned_arms`]; [`FileError::Io`]; [`AblationError::Document`] for a header beside it that cannot
/// be read.
pub fn check_arms_beside(
    dir: &Path,
    variant: Variant,
    planned: Option<&[Variant]>,
) -> Result<(), AblationError> {
    if planned.is_none() {
        return Ok(());
    }
    let mut beside = Vec::new();
    let real = dir
        .canonicalize()
        .map_err(FileError::from_io(dir, "find"))?;
    if let Some(experiment) = real.parent() {
        let list = |error| FileError::from_io(experiment, "list")(error);
        for entry in experiment.read_dir().map_err(list)? {
            let other = entry.map_err(list)?.path();
            let header = other.join(HEADER_FILE);
            if other != real && header.is_file() {
                beside.push((RunHeader::read(&header)?.0.variant, other));
            }
        }
    }
    let mut found = vec![FoundArm {
        dir,
        variant,
        planned,
    }];
    found.extend(beside.iter().map(|(variant, dir)| FoundArm {
        dir,
        variant: *variant,
        planned: None,
    }));
    check_planned_arms(&found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment_source::open_harbour;
    use crate::experiment::build_header;
    use crate::json_document::to_canonical_json;
    use crate::run::RunPlan;

    use Variant::{B, Baseline, C, Placebo, V300};

    fn check(found: &[(Variant, Option<&[Variant]>)]) -> Result<(), String> {
        let arms: Vec<FoundArm<'_>> = found
            .iter()
            .map(|(variant, planned)| FoundArm {
                dir: Path::new("r"),
                variant: *variant,
                planned: *planned,
            })
            .collect();
        check_planned_arms(&arms).map_err(|error| error.to_string())
    }

    #[test]
    fn a_deleted_arm_is_missed_by_the_others() {
        let all: Option<&[Variant]> = Some(&[Baseline, B, C]);
        assert_eq!(check(&[(Baseline, all), (B, all), (C, all)]), Ok(()));
        let error = check(&[(Baseline, all), (C, all)]).unwrap_err();
        for part in ["baseline, b, c", "no run beside it is b", "put it back"] {
            assert!(error.contains(part), "{error}");
        }
        // One run that lists them is enough, and an arm that lists nothing counts as found.
        assert!(check(&[(Baseline, None), (C, all)]).is_err());
        assert_eq!(check(&[(Baseline, None), (B, None), (C, all)]), Ok(()));
        // Another plan in the same directory misses nothing of this one.
        let alone: Option<&[Variant]> = Some(&[Placebo]);
        let base: Option<&[Variant]> = Some(&[V300]);
        let found = [
            (Baseline, all),
            (B, all),
            (C, all),
            (Placebo, alone),
            (V300, base),
        ];
        assert_eq!(check(&found), Ok(()));
        assert!(check(&[(Baseline, all), (Placebo, alone)]).is_err());
        // Without any list nothing can be missed.
        assert_eq!(check(&[(Baseline, None)]), Ok(()));
        assert_eq!(check(&[]), Ok(()));
    }

    #[test]
    fn arms_are_looked_for_beside_a_run() {
        let experiment = tempfile::tempdir().unwrap();
        let dir = |variant: Variant| experiment.path().join(variant.as_str());
        for variant in [Baseline, B, C] {
            let plan = RunPlan {
                variant,
                seeds: vec![1],
                episodes: 1,
            };
            let header = build_header(&plan, &open_harbour().unwrap(), "m", "m", None);
            std::fs::create_dir(dir(variant)).unwrap();
            let text = to_canonical_json(&header) + "\n";
            std::fs::write(dir(variant).join(HEADER_FILE), text).unwrap();
        }
        let planned: &[Variant] = &[Baseline, B, C];
        let check = || check_arms_beside(&dir(Baseline), Baseline, Some(planned));
        assert!(check().is_ok());
        std::fs::remove_dir_all(dir(B)).unwrap();
        let error = check().unwrap_err().to_string();
        assert!(error.contains("no run beside it is b"), "{error}");
        assert!(check_arms_beside(&dir(Baseline), Baseline, None).is_ok());
        std::fs::write(dir(C).join(HEADER_FILE), "{}").unwrap();
        let error = check().unwrap_err().to_string();
        assert!(error.contains("not a run header"), "{error}");
    }

    #[test]
    fn a_run_that_is_no_arm_of_its_plan_is_refused() {
        let planned: Option<&[Variant]> = Some(&[Baseline, C]);
        let error = check(&[(Baseline, planned), (C, planned), (B, planned)]).unwrap_err();
        assert!(
            error.contains("is the run b, and its ledger lists the arms baseline, c"),
            "{error}"
        );
    }
}
