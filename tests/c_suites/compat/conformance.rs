//! The conformance of the deployed surface: each suite of `c-tests/compat/` for both generations of rigs, by
//! every compiler that is here, as C99 and as C++17, with the static or the shared library; with `AXILOG_WIDE` under
//! AddressSanitizer and UndefinedBehaviorSanitizer, too.

use std::fs;
use std::process::Command;

use axilog_testkit::c_programs::{clang, runs_natively};
use axilog_testkit::declarations::functions;

use crate::build::{Language, Link, Place, compiler, link, linkages, program, root};

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
    ($($name:ident $separate:literal $single:literal)*) => {
        const SUITES: &[&str] = &[$(stringify!($name)),*];

        $(
        #[test]
        fn $name() {
            conforms(stringify!($name), [$separate, $single]);
        }
        )*
    };
}

/// Functions of the library's headers that a rig does not have: versions of the interface, which the rig's
/// types.h does not declare, and replay, whose header refuses.
const NOT_FOR_RIGS: &[&str] = &["ax_abi_version", "ax_version", "ax_unicode_version"];

/// No function of the deployed surface is left out: one that takes external linkage, or that a header defines
/// inline.
#[test]
fn every_function_is_called() {
    // Three of the suites declare functions that they do not call, or define them.
    let suites: String = SUITES
        .iter()
        .filter(|name| !["redeclared", "own_ledger", "deployed_ledger"].contains(name))
        .map(|name| {
            let path = program(&format!("compat/{name}"), Language::C);
            fs::read_to_string(path).unwrap()
        })
        .collect();
    let mut names = functions();
    names.extend(HEADERS.iter().flat_map(|directory| {
        let directory = root().join(directory).join("axilog");
        fs::read_dir(directory).unwrap().flat_map(|entry| {
            let text = fs::read_to_string(entry.unwrap().path()).unwrap();
            let inline = text
                .lines()
                .filter_map(|line| line.strip_prefix("static inline ")?.split_once('('));
            inline
                .map(|(before, _)| before.rsplit([' ', '*']).next().unwrap().to_owned())
                .collect::<Vec<_>>()
        })
    }));
    names.retain(|name| {
        let is_replay = name.starts_with("ax_replay_") || name.starts_with("ax_verdict_");
        !is_replay && !NOT_FOR_RIGS.contains(&name.as_str())
    });
    assert!(names.len() > 90, "{}", names.len());
    for name in names {
        // A rig calls it by the name without the word.
        let called = name.replace("ax_compat_", "ax_");
        let calls = suites.match_indices(&format!("{called}(")).any(|(at, _)| {
            let before = suites[..at].chars().next_back();
            before.is_none_or(|c| !c.is_alphanumeric() && c != '_')
        });
        assert!(calls, "no conformance suite calls {called}");
    }
}

suites! {
    values 169 177
    text 882 882
    observation 249 249
    reading 308 308
    ledger 332 332
    policy 591 591
    agent 247 247
    redeclared 4 4
    own_ledger 5 5
    deployed_ledger 7 7
}

/// Whether every pair of a compiler and a library is tried, and the sanitizers beside them.
fn is_wide() -> bool {
    std::env::var_os("AXILOG_WIDE").is_some()
}

/// Every compiler with its language and the libraries to link with. Each library has its turn; with `AXILOG_WIDE`
/// it meets every compiler. A checker or an emulator watches the library, for which one compiler is enough.
fn ways() -> Vec<(Language, Command, Vec<Link>)> {
    let mut all = Vec::new();
    for language in [Language::C, Language::Cpp] {
        all.push((language, compiler(language)));
        all.extend(clang(language).map(|clang| (language, clang)));
    }
    if !runs_natively() {
        all.truncate(1);
    }
    let every_pair = all.len() == 1 || is_wide();
    let with_libraries = |(at, (language, mut command)): (usize, (Language, Command))| {
        // The suites are C by their names.
        command.args(match language {
            Language::C => ["-x", "c"],
            Language::Cpp => ["-x", "c++"],
        });
        let libraries = if every_pair {
            linkages().to_vec()
        } else {
            vec![linkages()[at % linkages().len()]]
        };
        (language, command, libraries)
    };
    all.into_iter().enumerate().map(with_libraries).collect()
}

fn conforms(name: &str, checks: [u32; 2]) {
    let place = Place::new(&format!("compat-{name}"));
    let source = program(&format!("compat/{name}"), Language::C);
    for (generation, checks) in GENERATIONS.into_iter().zip(checks) {
        let expected = format!("{checks} passed, 0 failed\n");
        let arguments = [COMMON, generation].concat();
        for (language, command, libraries) in ways() {
            let built_by = command.get_program().to_owned();
            let object = place.compile_with(command, HEADERS, &source, &arguments);
            for how in libraries {
                let linked = link(&place, name, language, how, &[&object]);
                let printed = linked.run();
                assert_eq!(printed, expected, "{built_by:?} {how:?} {generation:?}");
            }
        }
        // An emulator or checker that runs the suites bears no sanitizer beside it.
        if is_wide() && runs_natively() {
            let arguments = [&arguments, SANITIZERS].concat();
            let command = compiler(Language::C);
            let object = place.compile_with(command, HEADERS, &source, &arguments);
            let linked = link(&place, name, Language::C, Link::Sanitised, &[&object]);
            assert_eq!(linked.run(), expected, "sanitised {generation:?}");
        }
    }
}
