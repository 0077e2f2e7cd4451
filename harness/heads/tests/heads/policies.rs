//! Policies of witnesses: what their lines say, and which signatures are enough.

use axilog_heads::{InvalidPolicy, PolicyFault, Unproven, WitnessKey, WitnessPolicy};

use crate::plant::Plant;

/// Keys of witnesses a, b, c and d.
fn witnesses(plant: &Plant) -> [WitnessKey; 4] {
    ["a", "b", "c", "d"].map(|name| {
        let path = plant.dir.path().join(format!("{name}.key"));
        WitnessKey::create(&path, &format!("example.org/{name}")).unwrap()
    })
}

/// The lines of the witnesses, and `rest`.
fn policy(keys: &[WitnessKey], rest: &str) -> Result<WitnessPolicy, InvalidPolicy> {
    let mut text = "# whom we trust\n\n".to_owned();
    for (name, key) in ["a", "b", "c", "d"].iter().zip(keys) {
        let key = key.public_key();
        text.push_str(&format!("witness {name} {key} http://127.0.0.1:1/{name}\n"));
    }
    WitnessPolicy::parse(&format!("{text}{rest}"))
}

#[test]
fn a_policy_says_which_signatures_are_enough() {
    let plant = Plant::with_answers([1, 2]);
    let keys = witnesses(&plant);
    let cases: [(&str, &[&str], &[&str]); 6] = [
        ("quorum none\n", &["", "a"], &[]),
        ("quorum b\n", &["b", "ab"], &["", "a", "acd"]),
        (
            "group g any a b\nquorum g\n",
            &["a", "b", "abcd"],
            &["", "cd"],
        ),
        (
            "group g all a b c\nquorum g\n",
            &["abc", "abcd"],
            &["ab", "bcd", ""],
        ),
        (
            "group g 2 a b c\nquorum g\n",
            &["ab", "bc", "acd"],
            &["a", "cd", ""],
        ),
        (
            "group g any a b\ngroup h all c d\ngroup both 2 g h\nquorum both\n",
            &["acd", "bcd", "abcd"],
            &["abc", "cd", "ab", ""],
        ),
    ];
    for (rest, enough, too_few) in cases {
        let policy = policy(&keys, rest).unwrap();
        assert_eq!(policy.witnesses().len(), 4);
        for (signers, is_enough) in enough
            .iter()
            .map(|signers| (signers, true))
            .chain(too_few.iter().map(|signers| (signers, false)))
        {
            let mut checkpoint = plant.sign(plant.lines.len());
            for (name, key) in ['a', 'b', 'c', 'd'].into_iter().zip(&keys) {
                if signers.contains(name) {
                    checkpoint.cosign(key, 7).unwrap();
                }
            }
            let report = policy.check(&checkpoint);
            assert_eq!(report.is_reached, is_enough, "{rest}{signers}: {report}");
            assert_eq!(report.signed.len(), signers.len());
            let required = policy.require(&checkpoint);
            match required {
                Ok(_) => assert!(is_enough),
                Err(Unproven::NoQuorum(told)) => {
                    assert!(!is_enough && told.contains("not by "), "{told}");
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
}

/// A signature of a known witness that does not hold spoils the checkpoint, however many others there are.
#[test]
fn a_bad_signature_of_a_witness_is_not_made_good_by_others() {
    let plant = Plant::with_answers([1, 2]);
    let keys = witnesses(&plant);
    let policy = policy(&keys, "group g any a b\nquorum g\n").unwrap();
    let [mut one, mut other] = [9, 10].map(|size| plant.sign(size));
    one.cosign(&keys[0], 7).unwrap();
    let line = other.cosign(&keys[1], 7).unwrap();
    let spoilt = [one.to_bytes(), line].concat();
    let spoilt = axilog_heads::Checkpoint::parse(&spoilt).unwrap();
    let report = policy.check(&spoilt);
    assert!(!report.is_reached, "{report}");
    assert!(
        report
            .to_string()
            .contains("not by b: the signature of example.org/b+"),
        "{report}"
    );
    assert!(policy.check(&one).is_reached);
}

#[test]
fn what_is_no_policy_is_refused_with_its_line() {
    let plant = Plant::with_answers([1]);
    let keys = witnesses(&plant);
    let fault = |rest: &str| match policy(&keys, rest) {
        Err(InvalidPolicy::Line { line: 7, fault }) => fault,
        other => panic!("{rest}: {other:?}"),
    };
    let again = keys[0].public_key();
    for rest in [
        "quorum",
        "quorum a b",
        "group g any",
        "group g",
        "witness e",
        "judge a",
        "quorum a # yes",
    ] {
        assert_eq!(fault(rest), PolicyFault::Form, "{rest}");
    }
    for needed in ["0", "3", "-1", "most", "1.5"] {
        let rest = format!("group g {needed} a b");
        assert!(matches!(fault(&rest), PolicyFault::Needed(..)), "{rest}");
    }
    for rest in ["quorum g", "group g any g", "group g any a e"] {
        assert!(matches!(fault(rest), PolicyFault::UnknownName(_)), "{rest}");
    }
    assert!(matches!(fault("group a any b"), PolicyFault::TakenName(_)));
    assert!(matches!(
        fault("group none any b"),
        PolicyFault::TakenName(_)
    ));
    assert!(matches!(
        fault("group g all a a"),
        PolicyFault::SecondGroup(_)
    ));
    assert!(matches!(
        fault(&format!("witness e {again}")),
        PolicyFault::SecondKey
    ));
    let log = plant.public();
    assert!(matches!(
        fault(&format!("witness e {log}")),
        PolicyFault::Key(_)
    ));
    assert!(matches!(
        fault(&format!("log {again}x")),
        PolicyFault::Key(_)
    ));
    let two = policy(&keys, "quorum a\nquorum a\n");
    assert!(matches!(
        two,
        Err(InvalidPolicy::Line {
            line: 8,
            fault: PolicyFault::SecondQuorum
        })
    ));
    assert!(matches!(policy(&keys, ""), Err(InvalidPolicy::NoQuorum)));
    let logs = policy(
        &keys,
        &format!("log {log} https://example.com/\nquorum none"),
    )
    .unwrap();
    assert_eq!(logs.logs()[0].to_string(), log.to_string());
}
