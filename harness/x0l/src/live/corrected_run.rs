//! The run that an erratum corrects (Q10, Q30).

use std::path::Path;

use axilog::hash::Hash;

use super::error::input_error;
use crate::error::X0lError;
use crate::log::{FrozenSettings, RunDirectory};
use crate::replay::replay_run;

/// Reads the run that an erratum corrects, and gives the head of its ledger. Everything but the template must
/// be as in that run, which must not have an erratum itself: a session has one (Q30).
pub(super) fn read_corrected_run(path: &Path, frozen: &FrozenSettings) -> Result<Hash, X0lError> {
    let refused = |reason: String| X0lError::from(input_error(path)(reason));
    let replayed = replay_run(&RunDirectory::open(path)?, &mut |_| ())?;
    if let Some(finding) = replayed.findings.first() {
        let reason = format!("the run that is to be corrected does not replay: {finding}");
        return Err(refused(reason));
    }
    let Some(metadata) = replayed.metadata.filter(|_| replayed.ended) else {
        return Err(refused(
            "the run that is to be corrected has not come to its end: it has no seal".to_owned(),
        ));
    };
    let was = metadata.frozen;
    if was.erratum.is_some() {
        return Err(refused(
            "the run has an erratum already, and a template is corrected once (Q10, Q30)"
                .to_owned(),
        ));
    }
    let base = |frozen: &FrozenSettings| frozen.base_template.as_ref().map(|file| file.sha256);
    let weights = was.weights.as_ref().zip(frozen.weights.as_ref());
    let differs = [
        ("the model", was.model != frozen.model),
        (
            "the model's weights",
            weights.is_some_and(|(was, now)| was.sha256 != now.sha256),
        ),
        ("the constitution", was.constitution != frozen.constitution),
        ("the base template", base(&was) != base(frozen)),
        ("the number of cycles", was.cycles != frozen.cycles),
        (
            "the conditions, tasks or seeds",
            was.conditions != frozen.conditions,
        ),
    ];
    match differs.into_iter().find(|(_, differs)| *differs) {
        None => Ok(replayed.head),
        Some((what, _)) => Err(refused(format!(
            "{what} of the run is another one; an erratum changes the template alone (Q30)"
        ))),
    }
}
