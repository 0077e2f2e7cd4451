//! Policy files and configurations: an accepted one is canonical, reads back as it was written, and has
//! the same meaning in the library's registry and in the compiler.

#![no_main]

use axilog::json::canonical::is_canonical_json;
use axilog::policy::{self, Registry, Rules};
use axilog_policyc::{ComparisonOperator, LedgerConfiguration, PolicySet};
use axilog_testkit::core::ledger::written;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    check_selector(bytes);
    let strict = PolicySet::parse(bytes);
    let lenient = PolicySet::parse_lenient(bytes);
    match (&strict, &lenient) {
        (Ok(strict), lenient) => {
            let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            assert!(is_canonical_json(text));
            assert_eq!(Ok(strict), lenient.as_ref());
        }
        (Err(error), Err(other)) => {
            assert!(!error.to_string().is_empty() && !other.to_string().is_empty())
        }
        (Err(_), Ok(_)) => {}
    }
    if let Ok(set) = &lenient {
        assert!(serde_json::from_slice::<serde_json::Value>(bytes).is_ok());
        check_accepted(set);
    }
    if let Ok(configuration) = PolicySet::parse_configuration(bytes) {
        assert_eq!(configuration.to_canonical().as_bytes(), bytes);
        assert!(is_canonical_json(bytes));
        assert_eq!(write_with_library(&configuration), bytes);
    }
});

/// The library and the compiler accept the same selectors.
fn check_selector(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        assert!(!policy::is_valid_selector(bytes));
        return;
    };
    let entry = r#"{"comparison":"GT","enabled":true,"policy_id":"A","threshold":0}"#;
    let file = format!("{{{}:[{entry}]}}", serde_json::Value::from(text));
    let accepted = PolicySet::parse_lenient(file.as_bytes()).is_ok();
    assert_eq!(policy::is_valid_selector(bytes), accepted);
    if accepted {
        let selector = policy::Selector::split(text);
        let joined = match selector.oracle {
            Some(oracle) => format!("{oracle}#{}", selector.path),
            None => selector.path.to_owned(),
        };
        assert_eq!(joined, text);
    }
}

fn check_accepted(set: &PolicySet) {
    let text = set.to_canonical();
    assert!(is_canonical_json(text.as_bytes()));
    assert_eq!(PolicySet::parse(text.as_bytes()).as_ref(), Ok(set));
    for switches in 0..4u8 {
        let (permit, stop) = (switches & 1 != 0, switches & 2 != 0);
        let configuration = LedgerConfiguration {
            manifest: (switches == 3).then_some([0xab; 32]),
            policies: set.clone(),
            permit_truncated: permit,
            stop_on_invalid: stop,
        };
        let text = configuration.to_canonical();
        assert_eq!(write_with_library(&configuration), text.as_bytes());
        assert_eq!(
            PolicySet::parse_configuration(text.as_bytes()),
            Ok(configuration)
        );
    }
    // Every selector permits some value; a file in which one permits none is refused.
    assert!(
        set.envelope()
            .iter()
            .all(|interval| !interval.to_string().is_empty())
    );
    assert!(set.emit_c("TABLE").is_ok());
    assert!(!set.emit_rust().is_empty());
}

/// Writes the configuration with the core, from a registry that the core accepts.
fn write_with_library(configuration: &LedgerConfiguration) -> Vec<u8> {
    let policies: Vec<policy::Policy<'_>> = configuration
        .policies
        .policies()
        .iter()
        .map(|p| policy::Policy {
            id: &p.policy_id,
            threshold: p.threshold,
            comparison: match p.comparison {
                ComparisonOperator::Gt => policy::Comparison::Gt,
                ComparisonOperator::Lt => policy::Comparison::Lt,
                ComparisonOperator::Ge => policy::Comparison::Ge,
                ComparisonOperator::Le => policy::Comparison::Le,
            },
            enabled: p.enabled,
            selector: &p.selector,
        })
        .collect();
    let registry = policies.as_slice();
    let registry: &dyn Registry = &registry;
    assert_eq!(policy::check(registry), Ok(()));
    written(|out| {
        Rules {
            registry,
            permit_truncated: configuration.permit_truncated,
            stop_on_invalid: configuration.stop_on_invalid,
            manifest: configuration.manifest,
        }
        .write(out)
    })
}
