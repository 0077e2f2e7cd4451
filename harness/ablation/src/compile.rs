//! From an artifact to what it binds: which actions it forbids, which it asks for.
//!
//! A pure function of the artifact and the situation. Determinism: D1.

use super::artifact::Artifact;
use super::environment::{Effects, Ids, Situation};

/// What an artifact binds at its step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraints {
    /// Feasible actions that violate what must be preserved, or what may not be violated.
    pub forbidden: Ids,
    /// Feasible actions that satisfy something that must be preserved; `None` where there are none,
    /// and then nothing is asked for.
    pub required: Option<Ids>,
}

impl Constraints {
    /// Whether they leave this action.
    #[must_use]
    pub fn admit(&self, action: &str) -> bool {
        !self.forbidden.contains(action)
            && self
                .required
                .as_ref()
                .is_none_or(|required| required.contains(action))
    }
}

/// Why an artifact does not compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CompileError {
    /// Something may be violated and must be preserved.
    Contradiction,
    /// The action is not feasible at this step.
    ActionInfeasible,
    /// The action does something else than predicted.
    EffectsMismatch,
    /// The action violates what may not be violated.
    UnauthorizedViolation,
    /// The attribution names two constraints that do not collide at this step.
    NoConflict,
    /// The constraints leave no action.
    Unsatisfiable,
}

impl CompileError {
    /// As run documents have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            CompileError::Contradiction => "CONTRADICTION",
            CompileError::ActionInfeasible => "ACTION_INFEASIBLE",
            CompileError::EffectsMismatch => "EFFECTS_MISMATCH",
            CompileError::UnauthorizedViolation => "UNAUTHORIZED_VIOLATION",
            CompileError::NoConflict => "NO_CONFLICT",
            CompileError::Unsatisfiable => "UNSATISFIABLE",
        }
    }
}

/// What `artifact` binds in `situation`.
///
/// # Errors
/// The first [`CompileError`] that applies, in the order of their declaration.
pub fn compile(artifact: &Artifact, situation: &Situation) -> Result<Constraints, CompileError> {
    let (authorized, preserved) = (
        &artifact.authorized_violations,
        &artifact.required_preservations,
    );
    if !authorized.is_disjoint(preserved) {
        return Err(CompileError::Contradiction);
    }
    let feasible = situation.feasible.get(&artifact.action);
    let effects = feasible.ok_or(CompileError::ActionInfeasible)?;
    if *effects != artifact.predicted_effects {
        return Err(CompileError::EffectsMismatch);
    }
    if !effects.violates.is_subset(authorized) {
        return Err(CompileError::UnauthorizedViolation);
    }
    let mut attributed = artifact.conflict_attribution.iter();
    if !attributed.all(|(kept, broken)| situation.collide(kept, broken)) {
        return Err(CompileError::NoConflict);
    }
    let those = |wanted: &dyn Fn(&Effects) -> bool| -> Ids {
        let actions = situation.feasible.iter();
        actions
            .filter(|(_, effects)| wanted(effects))
            .map(|(action, _)| action.clone())
            .collect()
    };
    let required = those(&|effects| !effects.satisfies.is_disjoint(preserved));
    let constraints = Constraints {
        // What must be preserved is never authorized.
        forbidden: those(&|effects| !effects.violates.is_subset(authorized)),
        required: Some(required).filter(|required| !required.is_empty()),
    };
    if situation
        .feasible
        .keys()
        .any(|action| constraints.admit(action))
    {
        Ok(constraints)
    } else {
        Err(CompileError::Unsatisfiable)
    }
}
