//! The compatibility headers: deployed C rigs, compiled with `include/compat` instead of `include`,
//! link against the same library.
//!
//! c-abi.md, Compatibility headers.

mod conformance;
mod deployed;
mod headers;
mod layout;

use std::fs;
use std::path::Path;
use std::process::Command;

use self::conformance::GENERATIONS;
use crate::build::{Language, Link, Place, link, program, vectors};
use axilog_testkit::c_programs::runs_natively;

const COMPAT: &str = "include/compat";

/// What a rig is compiled with that wants the deployed answer even where it is unsafe.
const AS_DEPLOYED: &[&str] = &["-DAXILOG_COMPAT_AS_DEPLOYED"];

/// mmap is no part of C99.
const SYSTEM: &str = "-D_DEFAULT_SOURCE";

/// The rig runs with the static and the shared library, and under AddressSanitizer.
#[test]
fn a_deployed_rig_links_unchanged() {
    let place = Place::new("compat-rig");
    let source = program("compat/rig", Language::C);
    // An emulator or checker that runs the suites bears no sanitizer beside it.
    let natively = runs_natively();
    for (how, arguments) in [
        (Link::Static, &[SYSTEM][..]),
        (Link::Shared, &[SYSTEM][..]),
        (Link::Sanitised, &[SYSTEM, "-fsanitize=address"][..]),
    ] {
        if how == Link::Sanitised && !natively {
            continue;
        }
        let object = place.compile_against(COMPAT, &source, Language::C, arguments);
        let linked = link(&place, "rig", Language::C, how, &[&object, vectors()]);
        assert_eq!(linked.run(), "186 passed, 0 failed\n", "{how:?}");
        if !natively {
            continue;
        }
        // The watch itself: a struct that is too short ends the program.
        let mut short = Command::new(&linked.0);
        let output = short.arg("too-short").output().unwrap();
        assert!(!output.status.success(), "{how:?}");
        assert_eq!(output.stdout, b"", "{how:?}");
    }
}

/// What both directories declare has one size, one place and one value.
#[test]
fn shared_declarations_agree() {
    let place = Place::new("compat-shared");
    let source = program("compat/shared", Language::C);
    let printed = ["include", COMPAT].map(|headers| {
        let object = place.compile_against(headers, &source, Language::C, &[]);
        link(&place, "shared", Language::C, Link::Static, &[&object]).run()
    });
    assert!(printed[0].lines().count() > 30);
    assert_eq!(printed[0], printed[1]);
}

/// Each header compiles by itself, as C99 and as C++17, for both generations of rigs, and the directory holds
/// those of the design.
#[test]
fn every_header_compiles_alone() {
    let place = Place::new("compat-alone");
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(COMPAT)
        .join("axilog");
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names.join(" "),
        "agent.h audit.h axilog.h canonical.h commitment.h dvec.h dvm.h dvm_compat.h hash.h l3_types.h limits.h names.h \
         obs.h oracle.h policy.h replay.h sha256.h types.h validate.h"
    );
    // What cannot work with a rig's fault struct says so.
    names.retain(|name| name != "replay.h");
    for name in names {
        for language in [Language::C, Language::Cpp] {
            let source = place.0.join(format!("alone.{}", language.extension()));
            let text = format!("#include \"axilog/{name}\"\n\nextern int only;\nint only;\n");
            fs::write(&source, text).unwrap();
            for generation in GENERATIONS.into_iter().chain([AS_DEPLOYED]) {
                let arguments = [generation, &["-Wredundant-decls"]].concat();
                place.compile_against(COMPAT, &source, language, &arguments);
            }
        }
    }
}
