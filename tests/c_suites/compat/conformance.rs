//! The conformance of the deployed surface: each suite of `c-tests/compat/` for both generations of rigs, by
//! every compiler that is here, as C99 and as C++17, with the static and the shared library, and under
//! AddressSanitizer and UndefinedBehaviorSanitizer.

use std::process::Command;

use crate::build::{Language, Link, Place, clang, compiler, link, program, runs_natively};

/// As `pkg-config --cflags axilog-compat` names them.
pub const HEADERS: &[&str] = &["include/compat", "include"];

/// What a generation of rigs is compiled with.
pub const GENERATIONS: [&[&str]; 2] = [&[], &["-DAXILOG_COMPAT_1_0"]];

/// mmap is no part of C99; rigs are compiled with this warning too.
const COMMON: &[&str] = &["-D_DEFAULT_SOURCE", "-Wredundant-decls"];

const SANITIZERS: &[&str] = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// A suite's name, and the number of its checks for a rig of eight and sixteen bytes and for one of a single
/// struct.
macro_rules! suites {
    ($($name:ident $separate:literal $single:literal)*) => {$(
        #[test]
        fn $name() {
            conforms(stringify!($name), [$separate, $single]);
        }
    )*};
}

suites! {
    values 154 162
    text 877 877
    observation 243 243
    reading 308 308
    ledger 332 332
    policy 564 564
    agent 245 245
    redeclared 4 4
    own_ledger 5 5
}

/// Every compiler with its language; the first is the one that the other suites are compiled by.
fn compilers() -> Vec<(Language, Command)> {
    let mut all = Vec::new();
    for language in [Language::C, Language::Cpp] {
        all.push((language, compiler(language)));
        all.extend(clang(language).map(|clang| (language, clang)));
    }
    for (language, command) in &mut all {
        // The suites are C by their names.
        command.args(match language {
            Language::C => ["-x", "c"],
            Language::Cpp => ["-x", "c++"],
        });
    }
    all
}

fn conforms(name: &str, checks: [u32; 2]) {
    let place = Place::new(&format!("compat-{name}"));
    let source = program(&format!("compat/{name}"), Language::C);
    for (generation, checks) in GENERATIONS.into_iter().zip(checks) {
        let expected = format!("{checks} passed, 0 failed\n");
        let arguments = [COMMON, generation].concat();
        for (language, command) in compilers() {
            let built_by = command.get_program().to_owned();
            let object = place.compile_with(command, HEADERS, &source, &arguments);
            for how in [Link::Static, Link::Shared] {
                let linked = link(&place, name, language, how, &[&object]);
                let printed = linked.run();
                assert_eq!(printed, expected, "{built_by:?} {how:?} {generation:?}");
            }
        }
        // An emulator or checker that runs the suites bears no sanitizer beside it.
        if runs_natively() {
            let arguments = [&arguments, SANITIZERS].concat();
            let object = place.compile_with(compiler(Language::C), HEADERS, &source, &arguments);
            let linked = link(&place, name, Language::C, Link::Sanitised, &[&object]);
            assert_eq!(linked.run(), expected, "sanitised {generation:?}");
        }
    }
}
