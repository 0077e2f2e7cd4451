//! Emitted registries are compiled and run against stand-ins for what
//! surrounds them, and must then hold the policies they were made from.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use axilog_policyc::PolicySet;

/// The declarations of c-abi.md, policy.h, that a registry needs.
const POLICY_H: &str = r"#ifndef AXILOG_POLICY_H
#define AXILOG_POLICY_H
#include <stddef.h>
#include <stdint.h>
typedef int32_t q16_16_t;
typedef enum { AX_POLICY_CMP_GT, AX_POLICY_CMP_LT, AX_POLICY_CMP_GE, AX_POLICY_CMP_LE } ax_policy_cmp_t;
typedef struct {
    const char *policy_id;
    q16_16_t threshold;
    ax_policy_cmp_t comparison;
    uint8_t enabled;
} ax_policy_t;
typedef struct {
    const ax_policy_t *policies;
    size_t count;
    const char *const *selectors;
} ax_policy_registry_t;
#endif
";

/// Another translation unit prints the registry by its external name.
const PRINT_C: &str = r#"#include "axilog/policy.h"
#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif
extern const ax_policy_registry_t plant_policies;
#ifdef __cplusplus
}
#endif
int main(void) {
    size_t i;
    for (i = 0; i < plant_policies.count; i++) {
        const ax_policy_t *p = &plant_policies.policies[i];
        printf("%s %s %ld %d %d\n", p->policy_id, plant_policies.selectors[i],
               (long)p->threshold, (int)p->comparison, (int)p->enabled);
    }
    return 0;
}
"#;

const RUST: &str = r#"
#![deny(warnings)]
mod core_surface {
    #[derive(Clone, Copy)]
    pub enum Comparison { Gt, Lt, Ge, Le }
    pub struct Policy<'a> {
        pub id: &'a str,
        pub threshold: i32,
        pub comparison: Comparison,
        pub enabled: bool,
        pub selector: &'a str,
    }
    pub const ALL: [Comparison; 4] =
        [Comparison::Gt, Comparison::Lt, Comparison::Ge, Comparison::Le];
    include!("builtin.rs");
}
mod surface {
    pub mod registry {
        use super::*;
        include!("builtin_ffi.rs");
    }
    #[allow(non_camel_case_types)]
    #[derive(Clone, Copy)]
    #[repr(C)]
    pub enum ax_policy_cmp_t { AX_POLICY_CMP_GT, AX_POLICY_CMP_LT, AX_POLICY_CMP_GE, AX_POLICY_CMP_LE }
    pub const ALL: [ax_policy_cmp_t; 4] = [
        ax_policy_cmp_t::AX_POLICY_CMP_GT, ax_policy_cmp_t::AX_POLICY_CMP_LT,
        ax_policy_cmp_t::AX_POLICY_CMP_GE, ax_policy_cmp_t::AX_POLICY_CMP_LE,
    ];
    #[allow(non_camel_case_types)]
    #[repr(C)]
    pub struct ax_policy_t {
        pub policy_id: *const core::ffi::c_char,
        pub threshold: i32,
        pub comparison: core::mem::MaybeUninit<ax_policy_cmp_t>,
        pub enabled: u8,
    }
    pub struct Static<T>(pub T);
    unsafe impl<T> Sync for Static<T> {}
    pub fn print() {
        let text = |pointer| unsafe { core::ffi::CStr::from_ptr(pointer) }.to_str().unwrap();
        for (p, &selector) in registry::BUILTIN_POLICIES.0.iter().zip(&registry::BUILTIN_SELECTORS.0) {
            let comparison = unsafe { p.comparison.assume_init() } as u32;
            println!("{} {} {} {} {}", text(p.policy_id), text(selector), p.threshold, comparison, p.enabled);
        }
    }
}
fn main() {
    let _every_variant = (core_surface::ALL, surface::ALL);
    for p in &core_surface::BUILTIN {
        println!("{} {} {} {} {}", p.id, p.selector, p.threshold, p.comparison as u32, u8::from(p.enabled));
    }
    println!("--");
    surface::print();
}
"#;

/// Sets of 0, 1 and 3 policies, with every operator and both ends of `i32`.
fn sets() -> Vec<(&'static str, PolicySet, &'static str)> {
    let read = |text: &str| PolicySet::parse_lenient(text.as_bytes()).unwrap();
    vec![
        ("none", read("[]"), ""),
        (
            "one",
            read(
                r#"[{"comparison":"GT","enabled":true,"policy_id":"POL-001-MAX-VELOCITY","threshold":4587520}]"#,
            ),
            "POL-001-MAX-VELOCITY value 4587520 0 1\n",
        ),
        (
            "three",
            read(
                r#"{"altitude":[{"comparison":"LT","enabled":true,"policy_id":"b","threshold":-2147483648},{"comparison":"GE","enabled":false,"policy_id":"C.x","threshold":2147483647}],"value":[{"comparison":"LE","enabled":true,"policy_id":"a_1","threshold":-1}]}"#,
            ),
            "C.x altitude 2147483647 2 0\na_1 value -1 3 1\nb altitude -2147483648 1 1\n",
        ),
        // What would end a string, a comment or an escape, and what is not ASCII.
        (
            "odd",
            read(
                r#"{"/*/\"1??/é%n\\":[{"comparison":"GT","enabled":true,"policy_id":"a","threshold":1}],"/\u00011\u001b/😀/{}":[{"comparison":"GT","enabled":true,"policy_id":"b","threshold":2}],"llm 1#v":[{"comparison":"GT","enabled":true,"policy_id":"c","threshold":3}]}"#,
            ),
            "a /*/\"1??/é%n\\ 1 0 1\nb /\u{1}1\u{1b}/😀/{} 2 0 1\nc llm 1#v 3 0 1\n",
        ),
    ]
}

/// A directory of the test's own under the target directory, removed with it.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("emitted-{name}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("axilog")).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    /// Runs a program here and returns what it prints; it must succeed.
    fn run(&self, program: &str, arguments: &[&str]) -> String {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(&self.0)
            .output()
            .unwrap_or_else(|error| panic!("{program}: {error}"));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{program} {arguments:?}:\n{errors}"
        );
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn tool(variable: &str, default: &str) -> String {
    env::var(variable).unwrap_or_else(|_| default.into())
}

#[test]
fn c_registries_compile_and_hold_their_policies() {
    let warnings = [
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Wconversion",
        "-Wmissing-declarations",
        "-Werror",
        "-I.",
    ];
    for (name, set, expected) in sets() {
        let place = Place::new(&format!("c-{name}"));
        place.write("axilog/policy.h", POLICY_H);
        place.write("print.c", PRINT_C);
        let text = set.emit_c("plant_policies").unwrap();
        assert!(text.is_ascii());
        place.write("registry.c", &text);
        for (compiler, language) in [
            (tool("CC", "cc"), &["-std=c99", "-xc"]),
            (tool("CXX", "c++"), &["-std=c++17", "-xc++"]),
        ] {
            let files = ["registry.c", "print.c", "-o", "print"];
            let arguments: Vec<_> = warnings
                .iter()
                .chain(language)
                .chain(&files)
                .copied()
                .collect();
            place.run(&compiler, &arguments);
            assert_eq!(place.run("./print", &[]), expected, "{name} {language:?}");
        }
    }
}

#[test]
fn rust_registries_compile_and_hold_their_policies() {
    for (name, set, expected) in sets() {
        let place = Place::new(&format!("rust-{name}"));
        place.write("main.rs", RUST);
        place.write("builtin.rs", &set.emit_rust());
        place.write("builtin_ffi.rs", &set.emit_rust_ffi());
        place.run(
            &tool("RUSTC", "rustc"),
            &["--edition=2024", "main.rs", "-o", "print"],
        );
        let printed = place.run("./print", &[]);
        assert_eq!(printed, format!("{expected}--\n{expected}"), "{name}");
    }
}

#[test]
fn the_text_of_a_rust_registry() {
    let (_, one, _) = sets().swap_remove(1);
    assert_eq!(
        one.emit_rust(),
        "/// The policies compiled into the library, in the byte order of their ids.\n\
         pub static BUILTIN: [Policy<'static>; 1] = [\n    \
         Policy { id: \"POL-001-MAX-VELOCITY\", threshold: 4587520, comparison: Comparison::Gt, \
         enabled: true, selector: \"value\" },\n];\n"
    );
}

#[test]
fn symbols_are_identifiers() {
    let set = PolicySet::default();
    for good in ["a", "_a9", "PLANT_policies", "policies_"] {
        assert!(set.emit_c(good).unwrap().contains(&format!("_t {good};")));
    }
    for bad in [
        "", "9a", "a-b", "a b", "é", "a\n", "int", "class", "policies", "main", "a;",
    ] {
        let error = set.emit_c(bad).unwrap_err();
        assert_eq!((error.line, error.column), (0, 0));
        assert!(
            error.to_string().starts_with("found the symbol \""),
            "{error}"
        );
    }
}

/// Where `int` has 32 bits and `long` too, -2147483648 is no constant of
/// either; a compiler with a wider `long` does not mind.
#[test]
fn the_least_threshold_is_spelled_without_overflow_in_c() {
    let (_, three, _) = sets().swap_remove(2);
    let text = three.emit_c("plant_policies").unwrap();
    assert!(text.contains("{ \"b\", (-2147483647 - 1), AX_POLICY_CMP_LT, 1 },"));
    assert!(!text.contains("2147483648"));
}
