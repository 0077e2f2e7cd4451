//! The committed headers are those that the current source generates, and a program may include each
//! alone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use xtask::headers;

#[test]
fn the_committed_headers_are_the_generated_ones() {
    let generated = headers::generate_headers().unwrap();
    let names: BTreeSet<String> = generated.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(committed_headers(), names);
    for (name, contents) in generated {
        let committed = fs::read_to_string(headers::directory().join(&name)).unwrap();
        assert!(
            committed == contents,
            "{name} is stale: run `cargo xtask headers`"
        );
    }
}

#[test]
fn every_header_compiles_alone_as_c99_and_as_cpp17() {
    let directory = tempfile::tempdir().unwrap();
    for name in committed_headers() {
        for (compiler, language) in compilers() {
            let source = directory
                .path()
                .join(format!("{name}.{}", language.extension));
            let text = format!(
                "#include \"axilog/{name}\"\n\nint only_{};\n",
                header_stem(&name)
            );
            fs::write(&source, text).unwrap();
            let output = Command::new(&compiler)
                .args(language.arguments)
                .args(["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow"])
                .args(["-Wundef", "-Werror", "-fsyntax-only", "-I"])
                .arg(include_directory())
                .arg(&source)
                .output()
                .unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{name}, {compiler}:\n{errors}");
        }
    }
}

#[test]
fn a_header_includes_the_headers_that_it_needs_and_no_others() {
    let included_headers = |name: &str| {
        let output = Command::new(compiler_name("CC", "cc"))
            .args(["-std=c99", "-MM", "-I"])
            .arg(include_directory())
            .arg(headers::directory().join(name))
            .output()
            .unwrap();
        assert!(output.status.success(), "{name}");
        let rule = String::from_utf8(output.stdout).unwrap();
        let (_, files) = rule.split_once(':').unwrap();
        files
            .split_whitespace()
            .filter(|word| *word != "\\")
            .map(|path| header_stem(Path::new(path).file_name().unwrap().to_str().unwrap()))
            .collect::<BTreeSet<String>>()
    };
    let all: BTreeSet<String> = committed_headers()
        .iter()
        .map(|name| header_stem(name))
        .collect();
    let expected: &[(&str, &[&str])] = &[
        ("limits.h", &[]),
        ("types.h", &[]),
        ("dvec.h", &[]),
        ("sha256.h", &[]),
        ("dvm.h", &["types"]),
        ("commitment.h", &["types", "dvec"]),
        ("oracle.h", &["types", "limits"]),
        ("obs.h", &["oracle", "types", "limits"]),
        ("canonical.h", &["obs", "oracle", "types", "limits"]),
        ("validate.h", &["types"]),
        (
            "hash.h",
            &[
                "obs",
                "oracle",
                "sha256",
                "commitment",
                "dvec",
                "types",
                "limits",
            ],
        ),
        ("audit.h", &["types", "limits"]),
        ("policy.h", &["audit", "types", "limits"]),
        ("agent.h", &["policy", "audit", "oracle", "types", "limits"]),
        (
            "replay.h",
            &["agent", "policy", "audit", "oracle", "types", "limits"],
        ),
    ];
    for (name, others) in expected {
        let mut expected: BTreeSet<String> = others.iter().map(|s| (*s).to_owned()).collect();
        expected.insert(header_stem(name));
        assert_eq!(included_headers(name), expected, "{name}");
    }
    assert_eq!(included_headers("axilog.h"), all);
    assert_eq!(expected.len() + 1, all.len());
}

/// A language, as its compiler expects it.
#[derive(Clone, Copy)]
struct Language {
    extension: &'static str,
    arguments: &'static [&'static str],
}

/// The system's compilers, and clang where it is installed.
fn compilers() -> Vec<(String, Language)> {
    let c = Language {
        extension: "c",
        arguments: &["-std=c99", "-Wmissing-prototypes", "-Wstrict-prototypes"],
    };
    let cpp = Language {
        extension: "cpp",
        arguments: &["-std=c++17"],
    };
    let mut all = vec![
        (compiler_name("CC", "cc"), c),
        (compiler_name("CXX", "c++"), cpp),
    ];
    let clang = Command::new("clang").arg("--version").output();
    if clang.is_ok_and(|output| output.status.success()) {
        all.push(("clang".into(), c));
        all.push(("clang++".into(), cpp));
    }
    all
}

fn compiler_name(variable: &str, default: &str) -> String {
    env::var(variable).unwrap_or_else(|_| default.into())
}

fn header_stem(name: &str) -> String {
    name.trim_end_matches(".h").to_owned()
}

fn include_directory() -> PathBuf {
    headers::directory().parent().unwrap().to_owned()
}

fn committed_headers() -> BTreeSet<String> {
    fs::read_dir(headers::directory())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}
