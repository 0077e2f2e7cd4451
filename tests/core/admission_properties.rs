//! Admission on generated answers: what goes in comes out of the record, in canonical form, under
//! every profile, and what does not fit is cut exactly (formats.md §3).

use axilog::admission::{AdmissionOutcome, Answer, InputKind, Limits, admit};
use axilog::evidence::observation::{Completion, Failure, Params};
use axilog::evidence::view::ObservationView;
use axilog::fault::Error;
use axilog::hash::sha256;
use axilog::json::canonical::is_canonical_json;
use axilog::profile::Profile;
use axilog_testkit::core::ledger::{answer, failed, record_under};
use axilog_testkit::core::text::content;
use proptest::prelude::*;

use crate::cases::cases;

/// Text of every kind that admission treats differently.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        6 => "[a-z {}:,0-9]{1,12}",
        4 => prop::sample::select(vec!["\"", "\\", "\n", "\r", "\r\n", "\n\r", "\\n", "\\u000a"])
            .prop_map(String::from),
        4 => prop::sample::select(vec!["é", "ß", "漢字", "한", "😀", "𝄞", "\u{7f}", "\u{85}", "\u{2028}"])
            .prop_map(String::from),
        1 => prop::sample::select(vec!["e\u{301}", "q\u{323}\u{307}", "\u{301}", "\u{212b}", "\u{1100}\u{1161}"])
            .prop_map(String::from),
        1 => (25..35usize).prop_map(|n| "\u{308}".repeat(n)),
        1 => prop::sample::select(vec!["\0", "\t", "\u{1b}", "\u{8}"]).prop_map(String::from),
    ];
    let valid = prop::collection::vec(piece, 0..14).prop_map(|p| p.concat().into_bytes());
    prop_oneof![
        12 => valid.clone(),
        1 => (valid, any::<prop::sample::Index>(), any::<u8>()).prop_map(|(mut text, at, byte)| {
            text.insert(at.index(text.len() + 1), byte);
            text
        }),
    ]
}

fn id() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9\"\\\\./éß漢😀 -]{1,60}"
}

fn params() -> impl Strategy<Value = Params> {
    let option = |max| prop::option::of(prop_oneof![Just(0), Just(max), 0..=max]);
    (
        option(i32::MAX),
        option(i32::MAX),
        option(65_536),
        prop::option::of(0..=i64::MAX),
    )
        .prop_map(|(max_tokens, temperature, top_p, seed)| Params {
            max_tokens,
            seed,
            temperature,
            top_p,
        })
}

/// A record for a JSON library to write.
#[derive(serde::Serialize)]
struct Fields<'a> {
    schema_version: &'a str,
    oracle_id: &'a str,
    model_id: &'a str,
    output: &'a str,
    output_size: u64,
    ledger_seq: u64,
    input_hash: String,
    obs_hash: String,
    completion_state: &'a str,
    failure_type: Option<&'a str>,
    params: Sampling,
}

#[derive(serde::Serialize)]
struct Sampling {
    top_p: Option<i32>,
    temperature: Option<i32>,
    seed: Option<i64>,
    max_tokens: Option<i32>,
}

impl<'a> Fields<'a> {
    fn of(
        view: &ObservationView<'_>,
        oracle_id: &'a str,
        model_id: &'a str,
        output: &'a str,
    ) -> Self {
        Fields {
            schema_version: "AX:OBS:v1",
            oracle_id,
            model_id,
            output,
            output_size: view.output_size,
            ledger_seq: view.ledger_seq,
            input_hash: axilog_testkit::vectors::hex(&view.input_hash),
            obs_hash: axilog_testkit::vectors::hex(&view.obs_hash),
            completion_state: view.completion.as_str(),
            failure_type: view.failure.map(Failure::as_str),
            params: Sampling {
                top_p: view.params.top_p,
                temperature: view.params.temperature,
                seed: view.params.seed,
                max_tokens: view.params.max_tokens,
            },
        }
    }
}

fn unescaped(view: axilog::json::escaped::EscapedText<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    view.unescape(&mut |bytes| out.extend_from_slice(bytes));
    out
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn what_goes_in_comes_out(
        (input, output) in (text(), text()),
        (oracle_id, model_id) in (id(), id()),
        params in params(),
        ledger_seq in prop_oneof![0..1u64 << 53, any::<u64>()],
        truncated: bool,
        reject_del: bool,
        kind: bool,
    ) {
        let given = Answer {
            completion: if truncated { Completion::Truncated } else { Completion::Complete },
            failure: None,
            input: &input,
            input_kind: if kind { InputKind::Text } else { InputKind::Json },
            ledger_seq,
            model_id: model_id.as_bytes(),
            oracle_id: oracle_id.as_bytes(),
            output: &output,
            params,
        };
        let good_input = content(&input, false).filter(|_| kind || is_canonical_json(&input));
        let good_output = content(&output, reject_del);
        for profile in Profile::ALL {
            let limits = Limits { profile, reject_del, ..Limits::DEFAULT };
            let (observation, admitted) = admit(&given, None, &limits).unwrap();
            let mut buffer = vec![0; observation.len(profile)];
            let sealed = observation.seal(profile, &mut buffer).unwrap();
            let view = ObservationView::parse(sealed.record).unwrap();
            prop_assert_eq!(observation.verify(Some(&sealed.obs_hash)), Ok(view.profile));
            // Without a line feed, profiles 0 and 1 are one.
            let alike = profile == Profile::Oracle1_1 && !observation.output.runs().any(|r| r.contains(&b'\n'));
            prop_assert_eq!(view.profile, if alike { Profile::Rfc8785 } else { profile });
            prop_assert_eq!(view.obs_hash, observation.obs_hash(profile));
            prop_assert_eq!((view.ledger_seq, view.params, view.gateway), (ledger_seq, params, false));
            prop_assert_eq!(unescaped(view.oracle_id), oracle_id.as_bytes());
            prop_assert_eq!(unescaped(view.model_id), model_id.as_bytes());
            prop_assert_eq!(view.output.bytes(), sealed.output.bytes());

            let canonical = good_input.as_ref().map_or(input.as_slice(), |t| t.as_bytes());
            prop_assert_eq!(view.input_hash, sha256(canonical));
            match (&good_input, &good_output) {
                (Some(_), Some(output)) => {
                    prop_assert_eq!(admitted, AdmissionOutcome::AsGiven);
                    prop_assert_eq!((view.completion, view.failure), (given.completion, None));
                    prop_assert_eq!(unescaped(view.output), output.as_bytes());
                    prop_assert_eq!(view.output_size, output.len() as u64);
                }
                _ => {
                    prop_assert_eq!(admitted, AdmissionOutcome::Invalid);
                    prop_assert_eq!(view.completion, Completion::Error);
                    prop_assert_eq!(view.failure, Some(Failure::InvalidOutput));
                    prop_assert_eq!((view.output.bytes(), view.output_size), (&b""[..], 0));
                }
            }

            // Canonical: what JCS makes of the same fields, where its numbers are exact.
            if profile == Profile::Rfc8785 && ledger_seq < 1 << 53 && params.seed.unwrap_or(0) < 1 << 53 {
                let output = unescaped(view.output);
                let fields = Fields::of(&view, &oracle_id, &model_id, std::str::from_utf8(&output).unwrap());
                prop_assert_eq!(&serde_jcs::to_vec(&fields).unwrap(), sealed.record);
            }
            if profile != Profile::Rfc8785 {
                prop_assert!(!String::from_utf8_lossy(sealed.record).replace("\\\\", "").contains("\\n"));
            }
            let mut again = vec![0; observation.len(profile)];
            let (second, _) = admit(&given, None, &limits).unwrap();
            prop_assert_eq!(second.seal(profile, &mut again).unwrap().record, &buffer[..]);
        }
    }

    /// One code point more would not have fitted, whatever the limit.
    #[test]
    fn the_longest_prefix_that_fits(
        pieces in prop::collection::vec(text(), 1..6),
        room in 0..240usize,
        size in prop::option::of(0..200usize),
        profile in prop::sample::select(Profile::ALL.to_vec()),
    ) {
        let output = pieces.concat();
        let Some(whole) = content(&output, false) else { return Ok(()) };
        prop_assume!(!whole.is_empty());
        let given = answer(&output);
        // What the rule is about, naively: a record for each prefix.
        let len = |completion, prefix: &str, output_size: usize| {
            let escaped: usize = prefix.chars().map(|c| match c {
                '"' | '\\' => 2,
                '\n' if profile == Profile::Rfc8785 => 2,
                '\n' => 6,
                c => c.len_utf8(),
            }).sum();
            let empty = record_under(&failed(Failure::Timeout), &Limits { profile, ..Limits::DEFAULT });
            // {"completion_state":"ERROR", "failure_type":"TIMEOUT", "output_size":0
            empty.len() - "ERROR\"TIMEOUT\"0".len() + "null".len()
                + match completion { Completion::Complete => 8, _ => 9 }
                + escaped + output_size.to_string().len()
        };
        let max_record = len(Completion::Truncated, "", 10) - 3 + room;
        let limits = Limits { profile, max_record, max_output: size, reject_del: false };
        let admission = admit(&given, None, &limits);

        let capped = size.filter(|&size| output.len() > size);
        let (output_size, source) = match capped {
            None => (whole.len(), whole.clone()),
            Some(size) => {
                let mut end = size;
                while std::str::from_utf8(&output[..end]).is_err() {
                    end -= 1;
                }
                (output.len(), content(&output[..end], false).unwrap())
            }
        };
        if capped.is_none() && len(Completion::Complete, &whole, output_size) <= max_record {
            let (observation, admitted) = admission.unwrap();
            prop_assert_eq!((admitted, observation.completion), (AdmissionOutcome::AsGiven, Completion::Complete));
            return Ok(());
        }
        let ends = source.char_indices().map(|(at, _)| at).chain([source.len()]);
        let longest = ends
            .take_while(|&end| len(Completion::Truncated, &source[..end], output_size) <= max_record)
            .fold(None, |_, end| Some(end));
        let Some(longest) = longest else {
            prop_assert_eq!(admission.map(|_| ()), Err(Error::Buffer));
            return Ok(());
        };
        let (observation, admitted) = admission.unwrap();
        prop_assert_eq!((admitted, observation.completion), (AdmissionOutcome::Cut, Completion::Truncated));
        prop_assert_eq!(observation.output_size, output_size as u64);
        let mut buffer = vec![0; max_record];
        let sealed = observation.seal(profile, &mut buffer).unwrap();
        prop_assert_eq!(unescaped(sealed.output), &source.as_bytes()[..longest]);
        prop_assert_eq!(sealed.record.len(), len(Completion::Truncated, &source[..longest], output_size));
        ObservationView::parse(sealed.record).unwrap();
    }
}

#[test]
fn the_record_limit_is_65536() {
    for (output, kept) in [
        ("a".repeat(70_000), None),
        ("a".repeat(65_000), Some(65_000)),
    ] {
        let record = record_under(&answer(output.as_bytes()), &Limits::DEFAULT);
        let view = ObservationView::parse(&record).unwrap();
        assert_eq!(view.completion == Completion::Complete, kept.is_some());
        match kept {
            Some(kept) => assert_eq!(view.output.bytes().len(), kept),
            None => assert_eq!((record.len(), view.output_size), (65_536, 70_000)),
        }
    }
}
