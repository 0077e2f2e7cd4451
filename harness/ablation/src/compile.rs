//! The compiler: from an artifact to the actions that it forbids and requires.
//!
//! Compiling is a pure function of the artifact and the situation. Determinism: D1.

use strum::IntoStaticStr;

use super::artifact::Artifact;
use super::environment::{Effects, IdSet, Situation};

/// The constraints that an artifact puts on the actions of its step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraints {
    /// Feasible actions that violate what must be preserved, or what may not be violated.
    pub forbidden: IdSet,
    /// Feasible actions that satisfy something that must be preserved; `None` where no action does, and
    /// then none is required.
    pub required: Option<IdSet>,
}

impl Constraints {
    /// Whether the constraints leave this action.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum CompileError {
    /// A constraint may be violated and must be preserved.
    Contradiction,
    /// The action is not feasible at this step.
    ActionInfeasible,
    /// The action has other effects than predicted.
    EffectsMismatch,
    /// The action violates a constraint that may not be violated.
    UnauthorizedViolation,
    /// The attribution names two constraints that do not collide at this step.
    NoConflict,
    /// The constraints leave no action.
    Unsatisfiable,
}

impl CompileError {
    /// The code as run documents have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Compiles `artifact` into the constraints that it puts on the actions of `situation`.
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
    if !attributed.all(|(kept, broken)| situation.has_collision(kept, broken)) {
        return Err(CompileError::NoConflict);
    }
    let actions_with = |is_wanted: &dyn Fn(&Effects) -> bool| -> IdSet {
        let actions = situation.feasible.iter();
        actions
            .filter(|(_, effects)| is_wanted(effects))
            .map(|(action, _)| action.clone())
            .collect()
    };
    let required = actions_with(&|effects| !effects.satisfies.is_disjoint(preserved));
    let constraints = Constraints {
        // What must be preserved is never authorized.
        forbidden: actions_with(&|effects| !effects.violates.is_subset(authorized)),
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
