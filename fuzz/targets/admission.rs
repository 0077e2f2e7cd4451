//! Admission: an admitted answer becomes a record within its limits that contains the answer, or the
//! longest prefix of the answer that fits; a refusal has a reason that holds.

#![no_main]

use axilog::admission::{AdmissionOutcome, Answer, InputKind, Limits, admit};
use axilog::evidence::observation::{Completion, Failure, Params, is_consistent, is_valid_id};
use axilog::evidence::view::ObservationView;
use axilog::fault::Error;
use axilog::hash::sha256;
use axilog::json::canonical::is_canonical_json;
use axilog::profile::Profile;
use axilog_testkit::core::text::content;
use libfuzzer_sys::fuzz_target;

/// Parses an answer and its limits: ten bytes of choices; then the model, the oracle and the input, each
/// ended by 0xFF, which occurs in no text; then the output.
fn parse_call(bytes: &[u8]) -> Option<(Answer<'_>, Option<u64>, Limits)> {
    let ([states, limits, cap, room, seq, last, params @ ..], texts) =
        bytes.split_first_chunk::<10>()?;
    let mut texts = texts.splitn(4, |&b| b == 0xFF);
    let (model_id, oracle_id) = (texts.next()?, texts.next()?);
    let (input, output) = (texts.next()?, texts.next()?);
    let [max_tokens, seed, temperature, top_p] = params.map(parse_parameter);
    let narrow = |value: Option<i64>| value.map(|v| i32::try_from(v).unwrap_or(i32::MAX));
    let answer = Answer {
        completion: Completion::ALL[usize::from(states & 3) % 3],
        failure: Failure::ALL.get(usize::from(states >> 2 & 3)).copied(),
        input,
        input_kind: if states & 16 == 0 {
            InputKind::Text
        } else {
            InputKind::Json
        },
        ledger_seq: u64::from(*seq),
        model_id,
        oracle_id,
        output,
        params: Params {
            max_tokens: narrow(max_tokens),
            seed,
            temperature: narrow(temperature),
            top_p: narrow(top_p),
        },
    };
    let limits = Limits {
        profile: Profile::ALL[usize::from(limits & 3) % 3],
        max_record: 300 + 4 * usize::from(*room),
        max_output: (limits & 4 != 0).then_some(usize::from(*cap)),
        reject_del: limits & 8 != 0,
    };
    Some((answer, last.checked_sub(1).map(u64::from), limits))
}

/// Parses a parameter: absent, an end of a range, a value beyond a range, or a small number.
fn parse_parameter(byte: u8) -> Option<i64> {
    match byte {
        0 => None,
        1 => Some(0),
        2 => Some(i64::MAX),
        3 => Some(-1),
        4 => Some(i64::MIN),
        5 => Some(65_536),
        6 => Some(65_537),
        n => Some(i64::from(n)),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((answer, last_seq, limits)) = parse_call(bytes) else {
        return;
    };
    match admit(&answer, last_seq, &limits) {
        Err(Error::Ordering) => assert!(last_seq.is_some_and(|last| answer.ledger_seq <= last)),
        Err(Error::Schema) => assert!(!is_well_formed(&answer)),
        Err(error) => assert_eq!(error, Error::Buffer),
        Ok((observation, admitted)) => {
            assert!(is_well_formed(&answer));
            assert!(last_seq.is_none_or(|last| answer.ledger_seq > last));
            let mut buffer = vec![0; limits.max_record];
            let sealed = observation.seal(limits.profile, &mut buffer).unwrap();
            let view = ObservationView::parse(sealed.record).unwrap();
            assert_eq!(view.obs_hash, sealed.obs_hash);
            assert_eq!(
                (view.ledger_seq, view.params),
                (answer.ledger_seq, answer.params)
            );
            assert!(!view.gateway);
            check_record(&answer, admitted, &limits, &view, sealed.record.len());
        }
    }
});

fn is_well_formed(answer: &Answer<'_>) -> bool {
    is_consistent(answer.completion, answer.failure, !answer.output.is_empty())
        && answer.params.is_valid()
        && is_valid_id(answer.model_id)
        && is_valid_id(answer.oracle_id)
}

/// Checks that the record contains the answer, or the longest prefix of the answer that fits.
fn check_record(
    answer: &Answer<'_>,
    admitted: AdmissionOutcome,
    limits: &Limits,
    view: &ObservationView<'_>,
    record_len: usize,
) {
    let mut recorded = Vec::new();
    view.output
        .unescape(&mut |bytes| recorded.extend_from_slice(bytes));
    let input = content(answer.input, false)
        .filter(|_| answer.input_kind == InputKind::Text || is_canonical_json(answer.input));
    let output = content(answer.output, limits.reject_del);
    let canonical = input.as_ref().map_or(answer.input, |text| text.as_bytes());
    assert_eq!(view.input_hash, sha256(canonical));
    let (Some(_), Some(output)) = (input, output) else {
        assert_eq!(admitted, AdmissionOutcome::Invalid);
        assert_eq!(view.completion, Completion::Error);
        assert_eq!(view.failure, Some(Failure::InvalidOutput));
        return assert!(recorded.is_empty());
    };
    assert_eq!(view.failure, answer.failure);
    match admitted {
        AdmissionOutcome::Invalid => panic!("refused a valid input and a valid output"),
        AdmissionOutcome::AsGiven => {
            assert_eq!(view.completion, answer.completion);
            assert_eq!(recorded, output.as_bytes());
        }
        AdmissionOutcome::Cut => {
            assert_eq!(view.completion, Completion::Truncated);
            assert!(output.as_bytes().starts_with(&recorded));
            let cap = limits.max_output.filter(|&cap| answer.output.len() > cap);
            let size = if cap.is_some() {
                answer.output.len()
            } else {
                output.len()
            };
            assert_eq!(view.output_size, size as u64);
            // One more character would not have fitted.
            let rest = std::str::from_utf8(&output.as_bytes()[recorded.len()..]).unwrap();
            let next = rest.chars().next().map_or(0, |c| match c {
                '"' | '\\' => 2,
                '\n' if limits.profile == Profile::Rfc8785 => 2,
                '\n' => 6,
                c => c.len_utf8(),
            });
            assert!(cap.is_some() || record_len + next > limits.max_record);
        }
    }
}
