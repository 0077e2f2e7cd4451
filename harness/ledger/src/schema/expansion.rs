//! The work that validation by a schema takes, counted before it is compiled.
//!
//! Ten definitions of two references each are a thousand evaluations, and forty are a trillion. So the references are
//! written out here, each path once and no subschema within itself, and a schema that is too large or too deep then is
//! refused.
//!
//! `unevaluatedProperties` and `unevaluatedItems` evaluate again what the subschemas beside them have evaluated, so
//! those count again. What a subschema within itself costs is bounded by the validator, which remembers the result for
//! each part of the value; it does not where unevaluated parts are looked for, so that the two together are refused.

use serde_json::Value;

use super::bounds::{MAX_SUBSCHEMA_DEPTH, MAX_SUBSCHEMAS};
use super::subschemas::{Subschema, list_subschemas};
use super::violation::InvalidSchema;

/// The work that a schema takes.
pub(super) struct Expansion {
    /// Whether the schema refers to itself.
    pub(super) is_recursive: bool,
    /// The most comparisons with one part of a value, in each of which a constant is looked at.
    pub(super) comparisons: u64,
}

/// Checks that a schema stays within the bounds, and counts the work that it takes.
///
/// # Errors
/// [`InvalidSchema`].
pub(super) fn measure_expansion(document: &Value) -> Result<Expansion, InvalidSchema> {
    let subschemas = list_subschemas(document)?;
    let mut walk = Walk {
        subschemas: &subschemas,
        path: Vec::new(),
        visits: 0,
        is_recursive: false,
    };
    let work = walk.enter(0)?.whole;
    Ok(Expansion {
        is_recursive: walk.is_recursive,
        comparisons: work.comparisons,
    })
}

/// How much is evaluated.
#[derive(Clone, Copy, Default)]
struct Work {
    subschemas: u64,
    comparisons: u64,
}

impl Work {
    fn add(&mut self, other: Work, times: u64) {
        let sum = |a: u64, b: u64| a.saturating_add(b.saturating_mul(times));
        self.subschemas = sum(self.subschemas, other.subschemas);
        self.comparisons = sum(self.comparisons, other.comparisons);
    }
}

/// The work of a subschema.
#[derive(Clone, Copy, Default)]
struct SubschemaWork {
    whole: Work,
    /// That of all subschemas which it applies to the value itself, and which those apply to it, each once more.
    in_place: Work,
}

/// A walk over a schema with its references written out.
struct Walk<'a> {
    subschemas: &'a [Subschema],
    /// The subschemas that the present one is in.
    path: Vec<usize>,
    visits: usize,
    is_recursive: bool,
}

impl Walk<'_> {
    /// Walks through a subschema. Calls itself at most [`MAX_SUBSCHEMA_DEPTH`] deep.
    fn enter(&mut self, index: usize) -> Result<SubschemaWork, InvalidSchema> {
        let mut work = SubschemaWork::default();
        let Some(subschema) = self.subschemas.get(index) else {
            return Ok(work);
        };
        self.visits = self.visits.saturating_add(1);
        check_size(self.visits as u64)?;
        work.whole = Work {
            subschemas: 1,
            comparisons: subschema.own_values.saturating_add(1),
        };
        if let Some(first) = self.path.iter().position(|entered| *entered == index) {
            self.is_recursive = true;
            self.refuse_unevaluated_circle(first)?;
            return Ok(work);
        }
        if self.path.len() >= MAX_SUBSCHEMA_DEPTH {
            return Err(InvalidSchema(format!(
                "with its references written out it has more than {MAX_SUBSCHEMA_DEPTH} subschemas within each other; use fewer references to references"
            )));
        }
        self.path.push(index);
        for (target, in_place) in &subschema.applied {
            let applied = self.enter(*target)?;
            work.whole.add(applied.whole, 1);
            if *in_place {
                work.in_place.add(applied.whole, 1);
                work.in_place.add(applied.in_place, 1);
            }
        }
        self.path.pop();
        // A condition is evaluated once for `then` and once for `else`.
        work.whole
            .add(work.in_place, subschema.unevaluated.saturating_mul(2));
        check_size(work.whole.subschemas)?;
        Ok(work)
    }

    /// Refuses a circle that has a subschema which evaluates again what others beside it have evaluated: on a value
    /// that is nested it would do so again at each level.
    fn refuse_unevaluated_circle(&self, first: usize) -> Result<(), InvalidSchema> {
        let circle = self.path.iter().skip(first);
        let again = circle
            .filter_map(|index| self.subschemas.get(*index))
            .any(|subschema| {
                subschema.unevaluated > 0 && subschema.applied.iter().any(|(_, in_place)| *in_place)
            });
        if again {
            return Err(InvalidSchema(
                "a subschema that refers to itself has `unevaluatedProperties` or `unevaluatedItems` beside other subschemas; use `additionalProperties` or `items`".to_owned(),
            ));
        }
        Ok(())
    }
}

fn check_size(subschemas: u64) -> Result<(), InvalidSchema> {
    if subschemas > MAX_SUBSCHEMAS {
        return Err(InvalidSchema(format!(
            "with its references written out it has more than {MAX_SUBSCHEMAS} subschemas; use fewer references to what has references itself, and fewer `unevaluatedProperties` within each other"
        )));
    }
    Ok(())
}
