//! The reader of observations takes the canonical bytes of a profile and nothing else, however equal
//! in meaning (formats.md §2, §3; c-abi.md, `ax_obs_parse`).

use axilog::admission::{Answer, Limits};
use axilog::evidence::observation::Params;
use axilog::evidence::view::{MAX_GATEWAY_RECORD_BYTES, ObservationView};
use axilog::fault::Error;
use axilog::hash::{commit, hex, sha256};
use axilog::profile::Profile;
use axilog_testkit::core::ledger::{answer, record_under};

fn sample(profile: Profile) -> Vec<u8> {
    let given = Answer {
        ledger_seq: 10,
        params: Params {
            max_tokens: Some(4096),
            seed: None,
            temperature: Some(0),
            top_p: Some(65_536),
        },
        ..answer("say \"é\" \\\nKA".as_bytes())
    };
    let limits = Limits {
        profile,
        ..Limits::DEFAULT
    };
    record_under(&given, &limits)
}

fn parse(record: &[u8]) -> Result<Profile, Error> {
    ObservationView::parse(record).map(|view| view.profile)
}

#[test]
fn every_byte_counts() {
    for profile in Profile::ALL {
        let record = sample(profile);
        assert_eq!(parse(&record), Ok(profile));
        for at in 0..=record.len() {
            let (before, after) = record.split_at(at);
            let mut changed = [before, b"\0", after].concat();
            for byte in 0..=255u8 {
                changed[at] = byte;
                assert!(parse(&changed).is_err(), "{byte} inserted at {at}");
            }
            let Some((_, after)) = after.split_first() else {
                continue;
            };
            assert!(parse(&[before, after].concat()).is_err(), "without {at}");
            let mut changed = record.clone();
            for byte in (0..=255u8).filter(|&b| b != record[at]) {
                changed[at] = byte;
                assert!(parse(&changed).is_err(), "{byte} at {at}");
            }
            assert!(parse(before).is_err() && parse(after).is_err());
        }
    }
}

/// The record with `from` replaced by `to` and its hash made anew.
fn rehashed(profile: Profile, from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(sample(profile)).unwrap();
    assert_eq!(text.matches(from).count(), 1, "{from} in {text}");
    with_hash(profile, &text.replace(from, to))
}

fn with_hash(profile: Profile, text: &str) -> Vec<u8> {
    let label = "\"obs_hash\":\"";
    let Some(at) = text.find(label).map(|at| at + label.len()) else {
        return text.as_bytes().to_vec();
    };
    let end = at + text[at..].find('"').unwrap();
    let empty = [&text[..at], &text[end..]].concat();
    let hash = if profile.tagged_hash() {
        commit(b"AX:OBS:v1", empty.as_bytes())
    } else {
        sha256(empty.as_bytes())
    };
    let digits = hex(&hash);
    [&text.as_bytes()[..at], &digits, &text.as_bytes()[end..]].concat()
}

#[test]
fn another_spelling_is_another_record() {
    let long = format!("\"oracle_id\":\"{}\"", "a".repeat(257));
    let refused: [(&str, &str); 42] = [
        ("{\"completion_state\"", " {\"completion_state\""),
        ("\"AX:OBS:v1\"}", "\"AX:OBS:v1\"}\n"),
        (",\"seed\":", ", \"seed\":"),
        ("\"seed\":null", "\"seed\": null"),
        ("\"seed\":null,", ""),
        ("\"seed\":null", "\"seed\":-1"),
        ("\"seed\":null", "\"seed\":9223372036854775808"),
        ("\"seed\":null", "\"seed\":1e3"),
        (
            "\"max_tokens\":4096,\"seed\":null",
            "\"seed\":null,\"max_tokens\":4096",
        ),
        ("\"max_tokens\":4096", "\"max_tokens\":04096"),
        ("\"max_tokens\":4096", "\"max_tokens\":4096.0"),
        ("\"max_tokens\":4096", "\"max_tokens\":2147483648"),
        ("\"max_tokens\":4096", "\"max_tokens\":-0"),
        ("\"max_tokens\":4096", "\"max_tokens\":-1"),
        ("\"temperature\":0", "\"temperature\":-1"),
        ("\"top_p\":65536", "\"top_p\":65537"),
        ("\"top_p\":65536}", "\"top_p\":65536,\"x\":1}"),
        ("\"ledger_seq\":10", "\"ledger_seq\":+10"),
        ("\"ledger_seq\":10", "\"ledger_seq\":10.0"),
        ("\"ledger_seq\":10", "\"ledger_seq\":-1"),
        ("\"ledger_seq\":10", "\"ledger_seq\":18446744073709551616"),
        ("\"ledger_seq\":10", "\"ledger_seq\":10,\"ledger_seq\":10"),
        ("\"failure_type\":null", "\"failure_type\":\"TIMEOUT\""),
        ("\"failure_type\":null", "\"failure_type\":\"null\""),
        ("\"COMPLETE\"", "\"ERROR\""),
        ("\"COMPLETE\"", "\"complete\""),
        ("\"COMPLETE\"", "\"PARTIAL\""),
        ("\"AX:OBS:v1\"", "\"AX:OBS:v2\""),
        ("\"oracle_id\":\"llm\"", "\"oracle_id\":\"\""),
        ("\"oracle_id\":\"llm\"", &long),
        ("\"oracle_id\":\"llm\"", "\"oracle_id\":\"l\\nm\""),
        ("\"oracle_id\":\"llm\"", "\"oracle_id\":\"l\\u006cm\""),
        ("\"oracle_id\":\"llm\"", "\"oracle_id\":\"e\u{301}m\""),
        ("\"oracle_id\":\"llm\"", "\"oracle_id\":null"),
        ("é", "\\u00e9"),
        ("KA", "\u{212a}A"),
        ("KA", "\\/A"),
        ("KA", "\\tA"),
        ("KA", "\tA"),
        ("KA", "\\u001fA"),
        ("\"output_size\":13", "\"output_size\":12"),
        ("\"output_size\":13", "\"output_size\":14"),
    ];
    for profile in Profile::ALL {
        assert_eq!(rehashed(profile, "KA", "KA"), sample(profile));
        for (from, to) in refused {
            let changed = rehashed(profile, from, to);
            assert_ne!(parse(&changed).map(|_| ()), Ok(()), "{from} as {to}");
            assert_ne!(parse(&changed), Err(Error::Hash), "{from} as {to}");
        }
        // A cut answer was at least as long as what is left of it.
        let size = |size: &str| {
            let text = String::from_utf8(sample(profile)).unwrap();
            let cut = text
                .replace("COMPLETE", "TRUNCATED")
                .replace("\"output_size\":13", size);
            parse(&with_hash(profile, &cut))
        };
        assert_eq!(size("\"output_size\":12"), Err(Error::Schema));
        assert_eq!(size("\"output_size\":18446744073709551615"), Ok(profile));
        // And these are other records, as good as the first: the hash was made right.
        for (from, to) in [
            ("\"ledger_seq\":10", "\"ledger_seq\":18446744073709551615"),
            ("\"seed\":null", "\"seed\":9223372036854775807"),
            ("KA", "ka"),
            ("\"COMPLETE\"", "\"TRUNCATED\""),
            ("\"oracle_id\":\"llm\"", "\"oracle_id\":\"l\\\\m\""),
        ] {
            assert_eq!(parse(&rehashed(profile, from, to)), Ok(profile), "{to}");
        }
    }
}

/// Line feeds belong to a profile, and are not mixed.
#[test]
fn line_feeds_tell_the_profiles_apart() {
    let text = String::from_utf8(sample(Profile::Rfc8785)).unwrap();
    let with = |line_feed: &str, hash| parse(&with_hash(hash, &text.replace("\\n", line_feed)));
    let (plain, tagged) = (Profile::Oracle1_1, Profile::Oracle1_2);
    assert_eq!(with("\\n", plain), Ok(Profile::Rfc8785));
    assert_eq!(with("\\n", tagged), Err(Error::Hash));
    assert_eq!(with("\\u000a", plain), Ok(Profile::Oracle1_1));
    assert_eq!(with("\\u000a", tagged), Ok(Profile::Oracle1_2));
    for hash in [plain, tagged] {
        assert_eq!(with("\\u000A", hash), Err(Error::Schema));
        for mixed in ["\\n\\u000a", "\\u000a\\n"] {
            let longer = text.replace("\"output_size\":13", "\"output_size\":14");
            let mixed = longer.replace("\\n", mixed);
            assert_eq!(parse(&with_hash(hash, &mixed)), Err(Error::Schema));
        }
    }
}

/// What deployed gateways wrote besides, and the reader says so.
#[test]
fn gateways_are_recognised() {
    let seen = |profile, text: &str| {
        let record = with_hash(profile, text);
        ObservationView::parse(&record).map(|view| (view.profile, view.gateway))
    };
    let text = |profile| String::from_utf8(sample(profile)).unwrap();
    for profile in Profile::ALL {
        let kept = text(profile).replace(
            "\"COMPLETE\",\"failure_type\":null",
            "\"ERROR\",\"failure_type\":\"TIMEOUT\"",
        );
        let expected = match profile {
            Profile::Rfc8785 => Err(Error::Schema),
            _ => Ok((profile, true)),
        };
        assert_eq!(seen(profile, &kept), expected);

        // Room for the output but for its last two characters and the digits of its size.
        let exactly = |len: usize| {
            let digits = if len < 100_000 { 5 } else { 6 };
            let filler = "x".repeat(len - digits - (text(profile).len() - "KA13".len()));
            let size = format!("\"output_size\":{}", filler.len() + 11);
            let text = text(profile).replace("\"output_size\":13", &size);
            text.replace("KA", &filler)
        };
        for (len, gateway) in [
            (65_536, false),
            (65_537, true),
            (MAX_GATEWAY_RECORD_BYTES, true),
        ] {
            let text = exactly(len);
            assert_eq!(text.len(), len);
            match (profile, gateway) {
                (Profile::Rfc8785, true) => assert_eq!(seen(profile, &text), Err(Error::Size)),
                _ => assert_eq!(seen(profile, &text), Ok((profile, gateway))),
            }
        }
        let text = exactly(MAX_GATEWAY_RECORD_BYTES + 1);
        assert_eq!(seen(profile, &text), Err(Error::Size));
    }
}
