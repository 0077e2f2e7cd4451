//! Admission, made again from the bytes of an answer that its observation does not hold.
//!
//! formats.md §3 (Admission) and §6 (Raw answers). The core admits; this module compares the result with the record.

use axilog::admission::{AdmissionOutcome, Answer, InputKind, Limits, admit};
use axilog::evidence::observation::{Completion, Failure, MAX_RECORD_BYTES};
use axilog::evidence::view::ObservationView;
use axilog::text::Text;

use crate::encoding::unescape;

/// The length of the beginning of an answer that [`compare_answer`] needs: more than any record holds, also where
/// every line end has two bytes.
pub const COMPARED_BYTES: usize = 2 * MAX_RECORD_BYTES;

/// What admission says of an answer's bytes, whatever the observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerText {
    /// The number of bytes as they came.
    pub raw_bytes: u64,
    /// The number of bytes with normalised line ends; `None` where the answer is not admissible.
    pub admitted_bytes: Option<u64>,
}

impl AnswerText {
    /// Checks an answer.
    #[must_use]
    pub fn of(answer: &[u8]) -> AnswerText {
        let text = Text::check(answer, false);
        AnswerText {
            raw_bytes: answer.len() as u64,
            admitted_bytes: text.ok().map(|text| text.len() as u64),
        }
    }
}

/// How the bytes of an answer fit the observation that does not hold them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerFit {
    /// Admission makes this observation of them.
    Recorded,
    /// The observation says INVALID_OUTPUT, and they are admissible: only the question, or a schema, can be why they
    /// were refused.
    Admissible,
    /// Admission makes another observation of them; the text says in what it differs.
    Differs(String),
}

/// Whether an observation may lack its answer or a part of it, so that a RAW record after it binds the answer.
#[must_use]
pub fn may_lack_answer(view: &ObservationView<'_>) -> bool {
    view.failure == Some(Failure::InvalidOutput) || view.output_held < view.output_size
}

/// Admits an answer again and compares the result with the observation, which does not hold the answer or not all of
/// it. `beginning` is the answer, or its first [`COMPARED_BYTES`].
#[must_use]
pub fn compare_answer(view: &ObservationView<'_>, text: AnswerText, beginning: &[u8]) -> AnswerFit {
    match (text.admitted_bytes, view.failure) {
        (None, Some(Failure::InvalidOutput)) => AnswerFit::Recorded,
        (Some(_), Some(Failure::InvalidOutput)) => AnswerFit::Admissible,
        (None, _) => AnswerFit::Differs(format!(
            "it is not admissible, and is recorded as {}",
            view.completion.as_str()
        )),
        (Some(bytes), _) if bytes != view.output_size => AnswerFit::Differs(format!(
            "it has {bytes} bytes in its record's form, and the record says {}",
            view.output_size
        )),
        (Some(_), _) => compare_cut(view, beginning),
    }
}

/// Compares what the record holds of an answer with what admission keeps of it.
fn compare_cut(view: &ObservationView<'_>, beginning: &[u8]) -> AnswerFit {
    let (model_id, oracle_id) = (unescape(view.model_id), unescape(view.oracle_id));
    let given = Answer {
        completion: Completion::Truncated,
        failure: None,
        // A record has the same length for every input, since it holds the input's hash.
        input: b"",
        input_kind: InputKind::Text,
        ledger_seq: view.ledger_seq,
        model_id: model_id.as_bytes(),
        oracle_id: oracle_id.as_bytes(),
        output: find_whole_characters(beginning),
        params: view.params,
    };
    let Ok(text) = Text::check(given.output, false) else {
        return AnswerFit::Differs("its beginning is not admissible".to_owned());
    };
    // The record says the length of the whole answer, which may have more digits.
    let more_digits =
        count_digits(view.output_size).saturating_sub(count_digits(text.len() as u64));
    let limits = Limits {
        profile: view.profile,
        max_record: MAX_RECORD_BYTES.saturating_sub(more_digits),
        ..Limits::DEFAULT
    };
    let recorded = unescape(view.output).into_bytes();
    let kept = match admit(&given, None, &limits) {
        Ok((admitted, AdmissionOutcome::Cut)) => join(&admitted.output),
        // It is no longer than a record.
        _ => return AnswerFit::Differs("a record holds it whole".to_owned()),
    };
    if kept == recorded {
        return AnswerFit::Recorded;
    }
    AnswerFit::Differs(match join(&text).starts_with(&recorded) {
        true => format!(
            "the record holds its first {} bytes, and admission cuts it after {}",
            recorded.len(),
            kept.len()
        ),
        false => "it does not begin with what the record holds".to_owned(),
    })
}

fn count_digits(number: u64) -> usize {
    number
        .checked_ilog10()
        .map_or(1, |power| power as usize + 1)
}

/// The bytes without the beginning of a character that is cut off at their end.
fn find_whole_characters(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes,
        Err(error) => bytes.get(..error.valid_up_to()).unwrap_or_default(),
    }
}

fn join(text: &Text<'_>) -> Vec<u8> {
    text.runs().flatten().copied().collect()
}
