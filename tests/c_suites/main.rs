//! The C programs of `c-tests/`, each compiled by itself and run against the static and the shared
//! library that `cargo test` built.
//!
//! c-abi.md. A suite is one header's, or a part of it; the number of its checks is part of the expectation, so that
//! none is skipped unnoticed.

mod build;
mod compat;
mod cpp;
mod examples;
mod layout;
mod rigs;

use build::{
    Language, Link, NATIVE_LIBRARIES, Place, link, linkages, native_static_libraries, program,
    vectors,
};

/// A suite's name and the number of its checks.
macro_rules! suites {
    ($($name:ident $checks:literal)*) => {$(
        #[test]
        fn $name() {
            check(stringify!($name), Language::C, $checks);
        }
    )*};
}

axilog_testkit::for_each_suite!(suites);

fn check(name: &str, language: Language, checks: u32) {
    let place = Place::new(name);
    let object = place.compile(&program(name, language), language, &[]);
    for &how in linkages() {
        let linked = link(&place, name, language, how, &[&object, vectors()]);
        let printed = linked.run();
        assert_eq!(
            printed,
            format!("{checks} passed, 0 failed\n"),
            "{name}, {how:?}"
        );
    }
}

/// A program that defines `ax_agent_step` itself, as SRS-004 section 25.5 sketches it.
#[test]
fn firmware_with_a_step_of_its_own() {
    check("firmware_step", Language::C, 451);
}

/// The same program, whose step has another name.
#[test]
fn firmware_with_a_step_of_another_name() {
    let place = Place::new("my_agent_step");
    let object = place.compile(
        &program("firmware_step", Language::C),
        Language::C,
        &["-Dax_agent_step=my_agent_step"],
    );
    for &how in linkages() {
        let linked = link(
            &place,
            "my_agent_step",
            Language::C,
            how,
            &[&object, vectors()],
        );
        assert_eq!(linked.run(), "451 passed, 0 failed\n", "{how:?}");
    }
}

#[test]
fn cpp_program() {
    check("cpp_program", Language::Cpp, 31);
}

/// A registry compiled from a policy file, linked into a C program.
#[test]
fn policy_table() {
    const FILE: &[u8] = br#"{"altitude":[{"comparison":"GT","enabled":true,"policy_id":"POL-ALT-MAX","threshold":655360}],"value":[{"comparison":"GT","enabled":true,"policy_id":"POL-001-MAX-VELOCITY","threshold":4587520},{"comparison":"LT","enabled":false,"policy_id":"POL-002-MIN","threshold":0}]}"#;
    let emitted = axilog_policyc::PolicySet::parse(FILE)
        .and_then(|set| set.emit_c("PLANT_POLICIES"))
        .unwrap();
    let place = Place::new("policy_table");
    let table = place.compile_text("plant_policies", &emitted, Language::C);
    let object = place.compile(&program("policy_table", Language::C), Language::C, &[]);
    for &how in linkages() {
        let linked = link(&place, "policy_table", Language::C, how, &[&object, &table]);
        assert_eq!(linked.run(), "28 passed, 0 failed\n", "{how:?}");
    }
}

/// Three oracles in one ledger, under the policies that docs/policies.md writes.
#[test]
fn three_oracles() {
    let page = include_str!("../../docs/policies.md");
    let (_, behind) = page.split_once("```toml limits.toml\n").unwrap();
    let (source, _) = behind.split_once("```").unwrap();
    let emitted = axilog_policyc::PolicySet::parse_source(source.as_bytes())
        .and_then(|set| set.emit_c("ROBOT_LIMITS"))
        .unwrap();
    let place = Place::new("three_oracles");
    let table = place.compile_text("robot_limits", &emitted, Language::C);
    let object = place.compile(&program("three_oracles", Language::C), Language::C, &[]);
    for &how in linkages() {
        let linked = link(
            &place,
            "three_oracles",
            Language::C,
            how,
            &[&object, &table],
        );
        assert_eq!(linked.run(), "37 passed, 0 failed\n", "{how:?}");
    }
}

/// One SHA-256 over everything that the library makes of the vectors; the same on every platform.
#[test]
fn digest() {
    let place = Place::new("digest");
    let object = place.compile(&program("digest", Language::C), Language::C, &[]);
    let expected = include_str!("../../c-tests/digest.txt");
    for &how in linkages() {
        let linked = link(&place, "digest", Language::C, how, &[&object, vectors()]);
        let printed = linked.run();
        print!("{printed}");
        assert_eq!(printed, expected, "{how:?}");
    }
}

/// Every public struct and enum has in C the layout that Rust gives it.
#[test]
fn layouts_agree() {
    let place = Place::new("layout");
    let object = place.compile(&program("layout", Language::C), Language::C, &[]);
    let linked = link(&place, "layout", Language::C, Link::Static, &[&object]);
    let mut expected = String::new();
    layout::write(&mut expected).unwrap();
    assert_eq!(linked.run(), expected);
}

/// A static program links with the documented libraries and no others, all of which rustc names too.
#[test]
fn static_programs_need_the_documented_libraries_only() {
    let place = Place::new("libraries");
    let object = place.compile(&program("axilog", Language::C), Language::C, &[]);
    let linked = link(&place, "axilog", Language::C, Link::Documented, &[&object]);
    assert!(linked.run().ends_with(" 0 failed\n"));
    let named = native_static_libraries(&place);
    for library in NATIVE_LIBRARIES {
        assert!(
            named.iter().any(|name| name == library),
            "{library}, {named:?}"
        );
    }
}
