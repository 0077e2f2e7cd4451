//! What admission refuses, and what it admits as invalid (formats.md §3, Admission 2 to 4).

use axilog::admission::{AdmissionOutcome, Answer, InputKind, Limits, admit};
use axilog::evidence::observation::{Completion, Failure, Observation, Params};
use axilog::fault::Error;
use axilog::hash::sha256;
use axilog::profile::Profile;
use axilog::text::Text;
use axilog_testkit::core::ledger::answer;

#[test]
fn what_the_caller_gets_wrong_is_refused() {
    let good = answer(b"x");
    let admit_under = |given: &Answer<'_>, last| admit(given, last, &Limits::DEFAULT).map(|_| ());
    assert_eq!(admit_under(&good, None), Ok(()));
    let order = |ledger_seq, last| admit_under(&Answer { ledger_seq, ..good }, last);
    assert_eq!(
        (order(0, None), order(1, Some(0)), order(u64::MAX, Some(7))),
        (Ok(()), Ok(()), Ok(()))
    );
    for (seq, last) in [(0, 0), (5, 5), (4, 5), (u64::MAX, u64::MAX)] {
        assert_eq!(order(seq, Some(last)), Err(Error::Ordering));
    }

    let long = [b'a'; 257];
    let ids: [(&[u8], Result<(), Error>); 10] = [
        (b"", Err(Error::Schema)),
        (&long[..256], Ok(())),
        (&long, Err(Error::Schema)),
        (b"a\nb", Err(Error::Schema)),
        (b"a\0", Err(Error::Schema)),
        (b"\xff", Err(Error::Schema)),
        ("e\u{301}".as_bytes(), Err(Error::Schema)),
        ("é \" \\".as_bytes(), Ok(())),
        (b"\x7f", Ok(())),
        (b"\r", Err(Error::Schema)),
    ];
    for (id, expected) in ids {
        assert_eq!(
            admit_under(
                &Answer {
                    oracle_id: id,
                    ..good
                },
                None
            ),
            expected
        );
        assert_eq!(
            admit_under(
                &Answer {
                    model_id: id,
                    ..good
                },
                None
            ),
            expected
        );
    }
    let null = Params::NULL;
    for (params, expected) in [
        (
            Params {
                max_tokens: Some(-1),
                ..null
            },
            Err(Error::Schema),
        ),
        (
            Params {
                seed: Some(-1),
                ..null
            },
            Err(Error::Schema),
        ),
        (
            Params {
                seed: Some(i64::MIN),
                ..null
            },
            Err(Error::Schema),
        ),
        (
            Params {
                temperature: Some(-1),
                ..null
            },
            Err(Error::Schema),
        ),
        (
            Params {
                top_p: Some(-1),
                ..null
            },
            Err(Error::Schema),
        ),
        (
            Params {
                top_p: Some(65_537),
                ..null
            },
            Err(Error::Schema),
        ),
        (
            Params {
                top_p: Some(65_536),
                max_tokens: Some(0),
                ..null
            },
            Ok(()),
        ),
        (
            Params {
                temperature: Some(i32::MAX),
                seed: Some(i64::MAX),
                ..null
            },
            Ok(()),
        ),
    ] {
        assert_eq!(
            admit_under(&Answer { params, ..good }, None),
            expected,
            "{params:?}"
        );
    }
    for completion in Completion::ALL {
        for failure in Failure::ALL.into_iter().map(Some).chain([None]) {
            for output in [&b""[..], b"x", b"\xff"] {
                let given = Answer {
                    completion,
                    failure,
                    output,
                    ..good
                };
                let fits = match completion {
                    Completion::Error => failure.is_some() && output.is_empty(),
                    _ => failure.is_none(),
                };
                let expected = if fits { Ok(()) } else { Err(Error::Schema) };
                assert_eq!(
                    admit_under(&given, None),
                    expected,
                    "{completion:?} {failure:?}"
                );
                // The order of the checks: sequence first.
                assert_eq!(admit_under(&given, Some(1)), Err(Error::Ordering));
            }
        }
    }
}

/// An observation that a caller fills in by hand is held to the same rules.
#[test]
fn observations_are_verified() {
    let (good, _) = admit(&answer(b"four"), None, &Limits::DEFAULT).unwrap();
    let cut = Observation {
        completion: Completion::Truncated,
        ..good
    };
    let error = Observation {
        completion: Completion::Error,
        failure: Some(Failure::Timeout),
        output: Text::EMPTY,
        output_size: 0,
        ..good
    };
    let sized = |output_size, of| Observation { output_size, ..of };
    for (observation, expected) in [
        (good, Ok(())),
        (sized(3, good), Err(Error::Schema)),
        (sized(5, good), Err(Error::Schema)),
        (cut, Ok(())),
        (sized(u64::MAX, cut), Ok(())),
        (sized(3, cut), Err(Error::Schema)),
        (error, Ok(())),
        (sized(1, error), Err(Error::Schema)),
        (
            Observation {
                failure: None,
                ..error
            },
            Err(Error::Schema),
        ),
        (
            Observation {
                failure: Some(Failure::Timeout),
                ..good
            },
            Err(Error::Schema),
        ),
        (
            Observation {
                completion: Completion::Error,
                failure: Some(Failure::Timeout),
                ..sized(0, good)
            },
            Err(Error::Schema),
        ),
        (
            Observation {
                oracle_id: b"a\nb",
                ..good
            },
            Err(Error::Schema),
        ),
    ] {
        for profile in Profile::ALL {
            let mut hash = observation.obs_hash(profile);
            assert_eq!(observation.verify(Some(&hash)).map(|_| ()), expected);
            hash[0] ^= 1;
            let refused = expected.and(Err(Error::Hash));
            assert_eq!(observation.verify(Some(&hash)).map(|_| ()), refused);
            assert_eq!(observation.verify(None).map(|_| ()), refused);
        }
    }
    let long = "x".repeat(65_536);
    let output = Text::check(long.as_bytes(), false).unwrap();
    let long = Observation {
        output,
        ..sized(65_536, good)
    };
    let hash = long.obs_hash(Profile::Rfc8785);
    assert_eq!(long.verify(Some(&hash)), Err(Error::Size));
}

/// Decision D19: nothing is lost of a bad input but its text.
#[test]
fn bad_inputs_are_hashed_as_they_came() {
    for (input, kind, good) in [
        (&b""[..], InputKind::Text, true),
        (b"a\r\nb", InputKind::Text, true),
        (b"\xff", InputKind::Text, false),
        (b"a\tb", InputKind::Text, false),
        (b"{\"a\":1}", InputKind::Json, true),
        (b"{\"a\": 1}", InputKind::Json, false),
        (b"{\"a\":1}\r\n", InputKind::Json, false),
        (b"{\"b\":1,\"a\":2}", InputKind::Json, false),
        ("\"e\u{301}\"".as_bytes(), InputKind::Json, false),
        (b"\"\\u0000\"", InputKind::Json, true),
        (b"text", InputKind::Json, false),
    ] {
        let given = Answer {
            input,
            input_kind: kind,
            ..answer(b"fine")
        };
        let (observation, admitted) = admit(&given, None, &Limits::DEFAULT).unwrap();
        assert_eq!(admitted == AdmissionOutcome::AsGiven, good, "{input:?}");
        let hashed = if input == b"a\r\nb" { b"a\nb" } else { input };
        assert_eq!(observation.input_hash, sha256(hashed));
        assert_eq!(observation.output.is_empty(), !good);
    }
}
