//! The source form of policy files, and how policies act together.

use axilog_policyc::{PolicySet, Shadow};

const ROBOT: &str = r#"
# Limits of the arm. Units stand in comments.
[VELOCITY-X]
path = "/linear/x"
oracle = "tool.cmd_vel"
min = "-0.5" # m/s
max = "0.5"  # m/s

[CONFIDENCE]
path = "confidence"
above = "0.8"

[POL-ELAPSED]
path = "elapsed"
max = "10"
enabled = false
"#;

fn refuse(text: &str) -> String {
    PolicySet::parse_source(text.as_bytes())
        .unwrap_err()
        .to_string()
}

#[test]
fn a_table_becomes_its_policies() {
    let set = PolicySet::parse_source(ROBOT.as_bytes()).unwrap();
    assert_eq!(
        set.to_canonical(),
        r#"{"confidence":[{"comparison":"LE","enabled":true,"policy_id":"CONFIDENCE","threshold":52429}],"elapsed":[{"comparison":"GT","enabled":false,"policy_id":"POL-ELAPSED","threshold":655360}],"tool.cmd_vel#/linear/x":[{"comparison":"GT","enabled":true,"policy_id":"VELOCITY-X-MAX","threshold":32768},{"comparison":"LT","enabled":true,"policy_id":"VELOCITY-X-MIN","threshold":-32768}]}"#
    );
    // What is written is a policy file, and the same one.
    assert_eq!(
        PolicySet::parse(set.to_canonical().as_bytes()).unwrap(),
        set
    );
    // No table, no policy; no path, the value.
    assert_eq!(
        PolicySet::parse_source(b"# nothing\n")
            .unwrap()
            .to_canonical(),
        "[]"
    );
    let plain = PolicySet::parse_source(b"[A]\nmax = \"70\"\n").unwrap();
    assert_eq!(
        plain.to_canonical(),
        r#"[{"comparison":"GT","enabled":true,"policy_id":"A","threshold":4587520}]"#
    );
}

#[test]
fn what_is_not_understood_is_refused_with_its_place() {
    for (text, expected) in [
        (
            "[A]\npath = \"x\"\n",
            "1:2: found the table \"A\" without a limit, expected max, min, below or above",
        ),
        (
            "[A]\nmax = 70\n",
            "2:7: found a number, expected the limit as a string, which is exact: \"0.1\", not 0.1",
        ),
        (
            "[A]\nmax = \"1e3\"\n",
            "2:7: found the limit \"1e3\", expected a decimal number such as \"70\" or \"-0.5\", without an exponent",
        ),
        (
            "[A]\nmax = \"40000\"\n",
            "2:7: found the limit \"40000\", expected a limit from -32767.9999847412109375 to 32767.9999847412109375",
        ),
        (
            "[A]\nselector = \"x\"\nmax = \"1\"\n",
            "2:1: found the member \"selector\", expected path, and oracle where one oracle's answers alone are meant",
        ),
        (
            "[A]\nunit = \"m/s\"\nmax = \"1\"\n",
            "2:1: found the member \"unit\", expected the unit in a comment: max = \"0.5\" # m/s",
        ),
        (
            "[A]\noracle = \"a#b\"\nmax = \"1\"\n",
            "2:10: found the oracle \"a#b\", expected an oracle_id without # that does not begin with /",
        ),
        (
            "[A]\npath = 1\nmax = \"1\"\n",
            "2:8: found a number, expected a string",
        ),
        (
            "[A]\npath = \"x_q16\"\nmax = \"1\"\n",
            "2:8: found the selector \"x_q16\", expected a path not ending in _q16",
        ),
        (
            "[\"A B\"]\nmax = \"1\"\n",
            "1:2: found the policy_id \"A B\", expected 1 to 64 characters of A-Z a-z 0-9 - _ .",
        ),
        (
            "[A]\nmin = \"2\"\nmax = \"1\"\n",
            "3:7: found no permitted value of \"value\": policy \"A-MIN\" wants at least 131072 (2) and policy \"A-MAX\" at most 65536 (1), expected limits that some value meets",
        ),
        (
            "[A]\nmin = \"0\"\nmax = \"1\"\n[A-MAX]\nmax = \"3\"\n",
            "4:2: found the policy_id \"A-MAX\" a second time, expected another name",
        ),
        (
            "max = \"1\"\n",
            "1:7: found the string \"1\", expected a table: `[max]`, and below it path, oracle, max, min",
        ),
        ("[A\n", "1:3: unclosed table, expected `]`"),
        ("[A]\nmax = \"1\"\nmax = \"2\"\n", "3:1: duplicate key"),
    ] {
        let told = refuse(text);
        assert_eq!(told, expected, "{text}");
    }
    let many: String = (0..65)
        .map(|n| format!("[P{n}]\npath = \"v{n}\"\nmax = \"1\"\n"))
        .collect();
    assert!(refuse(&many).contains("more than 64 limits"));
}

#[test]
fn scopes_have_what_every_policy_together_leaves() {
    let set = PolicySet::parse_source(
        b"[ALL]\npath = \"/speed\"\nmax = \"10\"\n[ARM]\noracle = \"arm\"\npath = \"speed\"\nmin = \"1\"\n\
          [WHEEL]\noracle = \"wheel\"\npath = \"speed\"\nmin = \"20\"\n",
    )
    .unwrap();
    let scopes = set.scopes();
    let found: Vec<_> = scopes
        .iter()
        .map(|scope| (scope.oracle.as_deref(), scope.permitted))
        .collect();
    assert_eq!(
        found,
        [
            (None, Some((-i32::MAX, 655_360))),
            (Some("arm"), Some((65536, 655_360))),
            (Some("wheel"), None),
        ]
    );
}

#[test]
fn a_policy_that_never_decides_is_named() {
    let shadow = |policy: &str, by: &str| Shadow {
        policy_id: policy.to_owned(),
        by: by.to_owned(),
    };
    let set = PolicySet::parse_source(
        b"[GENERAL]\npath = \"x\"\nmax = \"5\"\n[SCOPED]\noracle = \"o\"\npath = \"/x\"\nmax = \"10\"\n\
          [TIGHTER]\noracle = \"p\"\npath = \"x\"\nmax = \"3\"\n[TWIN]\npath = \"/x\"\nmax = \"5\"\n\
          [OTHER]\npath = \"y\"\nmax = \"1\"\n[OFF]\npath = \"y\"\nmax = \"0\"\nenabled = false\n",
    )
    .unwrap();
    assert_eq!(
        set.shadows(),
        [shadow("SCOPED", "GENERAL"), shadow("TWIN", "GENERAL")]
    );
    // The time is not the member of an answer that has its name.
    let time = b"[A]\npath = \"elapsed\"\nmax = \"1\"\n[B]\npath = \"/elapsed\"\nmax = \"2\"\n";
    assert_eq!(PolicySet::parse_source(time).unwrap().shadows(), []);
}
