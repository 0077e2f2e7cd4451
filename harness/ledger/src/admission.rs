//! Admission, made again from the bytes of an answer that its observation does not hold.
//!
//! formats.md §3 (Admission) and §6 (Raw answers). The core admits; this module compares the result with the record.

use axilog::admission::{AdmissionOutcome, Answer, InputKind, Limits, admit};
use axilog::evidence::observation::{Completion, Failure};
use axilog::evidence::view::ObservationView;
use axilog::text::Text;

use crate::encoding::{ByteBuffer, unescape};

/// How the bytes of an answer fit the observation that does not hold them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerFit {
    /// Admission makes this observation of them.
    Recorded,
    /// The observation says INVALID_OUTPUT, and they are admissible: only the question, or a schema of the host's, can
    /// be why they were refused.
    Admissible,
    /// Admission makes another observation of them; the text says in what it differs.
    Differs(String),
}

/// Admits `answer` again and compares the result with the observation, which does not hold the answer or not all of it.
#[must_use]
pub fn compare_answer(view: &ObservationView<'_>, answer: &[u8]) -> AnswerFit {
    let is_admissible = Text::check(answer, false).is_ok();
    if view.failure == Some(Failure::InvalidOutput) {
        return match is_admissible {
            true => AnswerFit::Admissible,
            false => AnswerFit::Recorded,
        };
    }
    let differs = |reason: String| AnswerFit::Differs(reason);
    let Some(failure) = find_difference(view, answer, is_admissible) else {
        return AnswerFit::Recorded;
    };
    differs(failure)
}

fn find_difference(
    view: &ObservationView<'_>,
    answer: &[u8],
    is_admissible: bool,
) -> Option<String> {
    if !is_admissible {
        return Some("it is not admissible, and is recorded as TRUNCATED".to_owned());
    }
    let (model_id, oracle_id) = (unescape(view.model_id), unescape(view.oracle_id));
    // The record has the same length for every input, since it holds the input's hash.
    let given = Answer {
        completion: Completion::Truncated,
        failure: None,
        input: b"",
        input_kind: InputKind::Text,
        ledger_seq: view.ledger_seq,
        model_id: model_id.as_bytes(),
        oracle_id: oracle_id.as_bytes(),
        output: answer,
        params: view.params,
    };
    let limits = Limits {
        profile: view.profile,
        ..Limits::DEFAULT
    };
    let Ok((admitted, outcome)) = admit(&given, None, &limits) else {
        return Some("no record can hold it".to_owned());
    };
    if admitted.output_size != view.output_size {
        return Some(format!(
            "it has {} bytes in its record's form, and the record says {}",
            admitted.output_size, view.output_size
        ));
    }
    let recorded = unescape(view.output);
    let mut whole = ByteBuffer::default();
    admitted
        .output
        .runs()
        .for_each(|run| whole.0.extend_from_slice(run));
    if outcome == AdmissionOutcome::Cut && whole.0 == recorded.as_bytes() {
        return None;
    }
    let mut all = Vec::new();
    if let Ok(text) = Text::check(answer, false) {
        text.runs().for_each(|run| all.extend_from_slice(run));
    }
    Some(match all.starts_with(recorded.as_bytes()) {
        false => "it does not begin with what the record holds".to_owned(),
        true => format!(
            "the record holds its first {} bytes, and admission cuts it behind {}",
            recorded.len(),
            whole.0.len()
        ),
    })
}
