//! Whether an experiment still has every arm that it was planned with.
//!
//! Each run's ledger lists the arms of its experiment. A run whose directory was deleted, whether it was not
//! wanted or lost, is missed by the others.

use std::path::Path;

use super::error::AblationError;
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_run_that_is_no_arm_of_its_plan_is_refused() {
        let planned: Option<&[Variant]> = Some(&[Baseline, C]);
        let error = check(&[(Baseline, planned), (C, planned), (B, planned)]).unwrap_err();
        assert!(
            error.contains("is the run b, and its ledger lists the arms baseline, c"),
            "{error}"
        );
    }
}
