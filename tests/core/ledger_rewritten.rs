//! Chains that somebody rewrote whole: hashes and chain agree, and verification and replay give the
//! verdict of formats.md §6, at the right record.

use axilog::admission::{Answer, Limits};
use axilog::agent::Agent;
use axilog::evidence::proof::Seal;
use axilog::evidence::view::ObservationView;
use axilog::fault::{Error, Faults};
use axilog::hash::{Tag, hex};
use axilog::policy::Rules;
use axilog::profile::Profile;
use axilog::replay::{MAX_ORACLES, Replay, Verdict};
use axilog_testkit::core::ledger::{
    Record, Store, answer, chained, feed, genesis, golden, record, record_under, records_of,
    reserved, with_golden_rules, written,
};

use Verdict::{
    Altered, ConfigMismatch, Diverged, ModelMismatch, NonCanonical, Ok as Good, Reordered,
    Truncated, Unwitnessed,
};

/// What verification and replay say, each with the sequence of the first bad record.
type Verdicts = ((Verdict, u64), (Verdict, u64));

fn judge(lines: &[Vec<u8>]) -> Verdicts {
    let file = lines.concat();
    let one = |rules: Option<&Rules<'_>>| {
        let mut replay = Replay::new();
        feed(&mut replay, &file, rules);
        (replay.finish(None, None), replay.entries())
    };
    (one(None), with_golden_rules(|rules| one(Some(rules))))
}

/// A change of a whole ledger.
type Change<'a> = &'a dyn Fn(&mut Vec<Record>);

/// The same verdict with and without rules.
fn both(verdict: Verdict, at: u64) -> Verdicts {
    ((verdict, at), (verdict, at))
}

/// A verdict that takes the rules.
fn replayed(verdict: Verdict, at: u64, entries: u64) -> Verdicts {
    ((Good, entries), (verdict, at))
}

fn rewritten(change: impl FnOnce(&mut Vec<Record>)) -> Verdicts {
    let mut records = records_of(&golden());
    change(&mut records);
    judge(&chained(&records).0)
}

/// Replaces the one occurrence of `from` in record `n`.
fn replace(n: usize, from: &str, to: &str) -> impl FnOnce(&mut Vec<Record>) {
    move |records| {
        let text = String::from_utf8(records[n].1.clone()).unwrap();
        assert_eq!(text.matches(from).count(), 1, "{from} in {text}");
        records[n].1 = text.replace(from, to).into_bytes();
    }
}

/// The same in an observation, whose hash is then made anew.
fn reobserve(n: usize, from: &str, to: &str) -> impl FnOnce(&mut Vec<Record>) {
    move |records| {
        replace(n, from, to)(records);
        let text = String::from_utf8(records[n].1.clone()).unwrap();
        let at = text.find("\"obs_hash\":\"").unwrap() + 12;
        let empty = [&text[..at], &text[at + 64..]].concat();
        let hash = hex(&axilog::hash::sha256(empty.as_bytes()));
        records[n].1.splice(at..at + 64, hash);
        assert_ne!(
            ObservationView::parse(&records[n].1).err(),
            Some(Error::Hash)
        );
    }
}

#[test]
fn the_golden_ledger_is_good() {
    assert_eq!(rewritten(|_| {}), both(Good, 20));
    let names: Vec<_> = records_of(&golden()).iter().map(|r| r.0.as_str()).collect();
    assert_eq!(
        [names[5], names[6], names[7]],
        ["AX:OBS:v1", "AX:POLICY:v1", "AX:TRANS:v1"]
    );
}

#[test]
fn a_decision_that_was_changed_diverges() {
    for (n, from, to) in [
        (6, "BREACH", "PERMITTED"),
        (6, "\"threshold\":4587520", "\"threshold\":4653057"),
        (6, "\"actual\":4653056", "\"actual\":-2147483648"),
        (6, "POL-001", "POL-002"),
        (7, "\"next_state\":\"ALARM\"", "\"next_state\":\"ENABLED\""),
        (7, "\"POLICY_BREACH\"", "null"),
        (7, "\"prev_state\":\"ENABLED\"", "\"prev_state\":\"INIT\""),
        (7, "LLM_OBS", "TIME_OBS"),
        (7, "LLM_OBS", "UNKNOWN"),
        (7, "\"fault_count\":0", "\"fault_count\":1"),
        (19, "\"fault_count\":0", "\"fault_count\":4294967295"),
        (19, "\"next_state\":\"ENABLED\"", "\"next_state\":\"ALARM\""),
    ] {
        let expected = replayed(Diverged, n as u64, 20);
        assert_eq!(rewritten(replace(n, from, to)), expected, "{n} {to}");
    }
    let verdict = rewritten(reobserve(5, "71}", "17}"));
    assert_eq!(verdict, replayed(Diverged, 6, 20));
    let verdict = rewritten(reobserve(3, "timestamp\\\":1", "timestamp\\\":9"));
    assert_eq!(verdict, replayed(Diverged, 16, 20));
}

#[test]
fn decisions_need_their_witnesses() {
    let cases: [(Verdicts, Change<'_>); 11] = [
        // A transition without its policies, which only replay can know of, at once.
        (((Reordered, 7), (Unwitnessed, 6)), &|r| drop(r.remove(6))),
        (replayed(Unwitnessed, 18, 19), &|r| drop(r.remove(18))),
        // A transition that is missing: something else stands in its place, or nothing yet.
        (both(Reordered, 7), &|r| drop(r.remove(7))),
        (both(Good, 19), &|r| drop(r.remove(19))),
        (both(Good, 18), &|r| r.truncate(18)),
        // No observation.
        (both(Unwitnessed, 5), &|r| drop(r.remove(5))),
        (both(Unwitnessed, 20), &|r| r.push(r[19].clone())),
        (both(Unwitnessed, 20), &|r| r.push(r[18].clone())),
        (both(Unwitnessed, 1), &|r| r.insert(1, r[2].clone())),
        (((Reordered, 9), (Diverged, 7)), &|r| {
            r.insert(6, r[6].clone());
        }),
        (replayed(Diverged, 19, 21), &|r| r.insert(18, r[18].clone())),
    ];
    for (n, (expected, change)) in cases.into_iter().enumerate() {
        assert_eq!(rewritten(change), expected, "case {n}");
    }
    // One of another observation.
    for (n, from, to) in [
        (6, "\"obs_ledger_seq\":5", "\"obs_ledger_seq\":3"),
        (7, "\"ledger_seq\":5", "\"ledger_seq\":3"),
        (7, "\"ledger_seq\":5", "\"ledger_seq\":8"),
    ] {
        let expected = both(Unwitnessed, n as u64);
        assert_eq!(rewritten(replace(n, from, to)), expected, "{n} {to}");
    }
}

#[test]
fn an_oracle_has_one_model() {
    let other = rewritten(reobserve(8, "\"m-1\"", "\"m-2\""));
    assert_eq!(other, both(ModelMismatch, 8));
    let other = rewritten(reobserve(
        3,
        "\"model_id\":\"ax.time\"",
        "\"model_id\":\"m-1\"",
    ));
    assert_eq!(other, both(ModelMismatch, 3));
    let other = rewritten(reobserve(
        1,
        "\"model_id\":\"ax.control\"",
        "\"model_id\":\"x\"",
    ));
    assert_eq!(other, both(ModelMismatch, 1));
    // Two oracles may have one model, and the ledger's bytes say nothing against it.
    let two = rewritten(reobserve(8, "\"llm-1\"", "\"llm-2\""));
    assert_eq!(two, both(Good, 20));
}

#[test]
fn resets_name_the_rules() {
    for n in [1, 13] {
        let other = rewritten(reobserve(n, "07a288ef", "07a288ee"));
        assert_eq!(other, replayed(ConfigMismatch, n as u64, 20));
    }
}

#[test]
fn order_is_kept() {
    for (n, from, to) in [
        (8, "\"ledger_seq\":8", "\"ledger_seq\":5"),
        (8, "\"ledger_seq\":8", "\"ledger_seq\":4"),
        (1, "\"ledger_seq\":1", "\"ledger_seq\":0"),
    ] {
        let expected = both(Reordered, n as u64);
        assert_eq!(rewritten(reobserve(n, from, to)), expected, "{n} {to}");
    }
    assert_eq!(rewritten(|r| drop(r.remove(0))), both(Reordered, 0));
    assert_eq!(rewritten(|r| r.insert(3, genesis())), both(Reordered, 3));
    assert_eq!(
        rewritten(replace(0, "universal", "Universal")),
        both(Altered, 0)
    );
    let jumped = rewritten(|r| {
        reobserve(
            17,
            "\"ledger_seq\":17",
            "\"ledger_seq\":18446744073709551615",
        )(r);
        r.truncate(18);
    });
    assert_eq!(jumped, both(Reordered, 17));
    let policy = "{\"actual\":4653056,\"ledger_seq\":";
    for to in [3, 6] {
        let (from, to) = (format!("{policy}5"), format!("{policy}{to}"));
        assert_eq!(rewritten(replace(6, &from, &to)), both(Reordered, 6));
    }
}

#[test]
fn records_are_canonical() {
    for n in [1, 6, 7] {
        for (from, to) in [("{\"", "{ \""), ("\"ledger_seq\":", "\"ledger_seq\": ")] {
            let spaced = |records: &mut Vec<Record>| {
                let text = String::from_utf8(records[n].1.clone()).unwrap();
                records[n].1 = text.replacen(from, to, 1).into_bytes();
            };
            assert_eq!(rewritten(spaced), both(NonCanonical, n as u64));
        }
    }
    // Every byte canonical but the hash another: that is a change of the bytes.
    let rehashed = rewritten(replace(5, "\"obs_hash\":\"7b", "\"obs_hash\":\"8b"));
    assert_eq!(rehashed, both(Altered, 5));
    // So long that no gateway's profile makes it good, and unaltered all the same.
    let long = "x".repeat(65_536);
    let enlarged = rewritten(|r| {
        let size = format!("\"output_size\":{}", long.len() + 2);
        replace(5, "\"output_size\":12", &size)(r);
        reobserve(5, "{\\\"value\\\":71}", &format!("{long}\\n\\n"))(r);
    });
    assert_eq!(enlarged, both(NonCanonical, 5));
    // Evidence of deployed gateways counts.
    for profile in Profile::ALL {
        let given = Answer {
            ledger_seq: 20,
            ..answer(b"a\nb")
        };
        let limits = Limits {
            profile,
            ..Limits::DEFAULT
        };
        let appended = rewritten(|r| r.push((Tag::Obs, record_under(&given, &limits))));
        assert_eq!(appended, both(Good, 21));
    }
}

#[test]
fn lines_that_are_no_entries() {
    let (lines, _) = chained(&records_of(&golden()));
    let changed = |n: usize, from: &str, to: &str| {
        let mut lines = lines.clone();
        let text = String::from_utf8(lines[n].clone()).unwrap();
        assert_eq!(text.matches(from).count(), 1);
        lines[n] = text.replace(from, to).into_bytes();
        judge(&lines)
    };
    for to in ["AX:TRANS:v2", "AX:LEDGER:v1", ""] {
        assert_eq!(changed(7, "AX:TRANS:v1", to), both(NonCanonical, 7));
    }
    assert_eq!(changed(7, "AX:TRANS:v1", "AX:POLICY:v1"), both(Altered, 7));
    assert_eq!(changed(7, "\"seq\":7", "\"seq\":8"), both(Reordered, 7));
    assert_eq!(changed(7, "\"seq\":7", "\"seq\":07"), both(NonCanonical, 7));
    assert_eq!(
        changed(7, "\"commit\":\"4b", "\"commit\":\"4a"),
        both(Altered, 7)
    );
    assert_eq!(
        changed(7, "\"chain\":\"4a", "\"chain\":\"4b"),
        both(Altered, 7)
    );
    assert_eq!(
        changed(7, "\"chain\":\"4a", "\"chain\":\"4A"),
        both(NonCanonical, 7)
    );
}

#[test]
fn a_seal_ends_a_ledger() {
    let whole = records_of(&golden());
    let head = chained(&whole).1;
    let seal = |entries, head| (Tag::Proof, written(|out| Seal { entries, head }.write(out)));
    let with = |more: &[Record]| judge(&chained(&[whole.as_slice(), more].concat()).0);

    let good = seal(20, head);
    assert_eq!(with(std::slice::from_ref(&good)), both(Good, 21));
    assert_eq!(with(&[seal(19, head)]), both(Altered, 20));
    assert_eq!(with(&[seal(21, head)]), both(Truncated, 20));
    assert_eq!(with(&[seal(20, [7; 32])]), both(Altered, 20));
    for more in [good.clone(), (Tag::Obs, record(&answer(b""))), genesis()] {
        assert_eq!(with(&[good.clone(), more]), both(Reordered, 21));
    }
    // The end before the seal was cut out.
    let cut = rewritten(|r| {
        r.truncate(17);
        r.push(seal(20, head));
    });
    assert_eq!(cut, both(Truncated, 17));
    // A seal in the middle of a step, which the library never writes.
    let open = rewritten(|r| {
        r.truncate(18);
        let head = chained(r).1;
        r.push(seal(18, head));
    });
    assert_eq!(open, replayed(Diverged, 18, 19));
    let spaced = rewritten(|r| r.push((Tag::Proof, [good.1.as_slice(), b" "].concat())));
    assert_eq!(spaced.0.0, NonCanonical);

    // A seal is not among the entries that are expected, and either head will do.
    let (lines, sealed) = chained(&[whole.as_slice(), std::slice::from_ref(&good)].concat());
    let mut replay = Replay::new();
    assert_eq!(feed(&mut replay, &lines.concat(), None), Good);
    for expected in [None, Some(&head), Some(&sealed)] {
        assert_eq!(replay.finish(Some(20), expected), Good);
        assert_eq!(replay.finish(None, expected), Good);
        assert_eq!(replay.finish(Some(21), expected), Truncated);
        assert_eq!(replay.finish(Some(19), expected), Altered);
    }
    assert_eq!(replay.finish(Some(20), Some(&[0; 32])), Altered);

    // The library's own seal is that one, and nothing follows it.
    let (mut store, mut faults) = (Store::default(), Faults::NONE);
    let mut agent = Agent::new();
    agent.ledger.head = head;
    agent.ledger.sequence = 19;
    agent.ledger.seal(&mut store, &mut faults).unwrap();
    assert_eq!((&store.records, agent.ledger.head), (&vec![good], sealed));
    assert_eq!(
        agent.ledger.seal(&mut store, &mut faults),
        Err(Error::Ledger)
    );
    let again = agent
        .ledger
        .record(Tag::Obs, b"{}", &mut store, &mut faults);
    assert_eq!((again, agent.ledger.head), (Err(Error::Ledger), sealed));
    assert!(!agent.ledger.failed);
}

#[test]
fn after_stopped_only_observations_follow() {
    let observation = |seq: usize, output: &[u8]| {
        let given = Answer {
            ledger_seq: seq as u64,
            ..reserved("ax.time", output)
        };
        (Tag::Obs, record(&given))
    };
    // A rollback stops the agent.
    let stopped = |more: &[Record]| {
        let mut records = records_of(&golden());
        records.push(observation(20, b"{\"timestamp\":2}"));
        let transition = "{\"fault_count\":0,\"input_class\":\"TIME_OBS\",\"ledger_seq\":20,\
             \"next_state\":\"STOPPED\",\"prev_state\":\"ENABLED\",\"violation\":\"TIME_ROLLBACK\"}";
        records.push((Tag::Trans, transition.into()));
        records.extend_from_slice(more);
        judge(&chained(&records).0)
    };
    assert_eq!(stopped(&[]), both(Good, 22));
    let later = observation(22, b"{\"timestamp\":3}");
    assert_eq!(
        stopped(&[later.clone(), observation(23, b"")]),
        both(Good, 24)
    );
    let moved = "{\"fault_count\":0,\"input_class\":\"TIME_OBS\",\"ledger_seq\":22,\
         \"next_state\":\"STOPPED\",\"prev_state\":\"STOPPED\",\"violation\":null}";
    let moved = stopped(&[later, (Tag::Trans, moved.into())]);
    assert_eq!(moved, replayed(Diverged, 23, 24));
}

/// More oracles than can be told apart are noted; those that can are still held to their models.
#[test]
fn more_oracles_than_memory_holds() {
    let names: Vec<String> = (0..=MAX_ORACLES).map(|n| format!("oracle-{n}")).collect();
    let of = |seq: usize, n: usize, model| {
        let given = Answer {
            ledger_seq: seq as u64,
            oracle_id: names[n].as_bytes(),
            model_id: model,
            ..answer(b"")
        };
        (Tag::Obs, record(&given))
    };
    let mut records = vec![genesis()];
    records.extend((0..=MAX_ORACLES).map(|n| of(n + 1, n, b"m")));
    let verify = |records: &[Record]| {
        let mut replay = Replay::new();
        let verdict = feed(&mut replay, &chained(records).0.concat(), None);
        (verdict, replay.lost_track_of_models())
    };
    assert_eq!(verify(&records[..=MAX_ORACLES]), (Good, false));
    assert_eq!(verify(&records), (Good, true));
    for n in 0..MAX_ORACLES {
        let changed = [&records[..], &[of(MAX_ORACLES + 2, n, b"n")]].concat();
        assert_eq!(verify(&changed), (ModelMismatch, true));
    }
    let changed = [&records[..], &[of(MAX_ORACLES + 2, MAX_ORACLES, b"n")]].concat();
    assert_eq!(verify(&changed), (Good, true));
}
