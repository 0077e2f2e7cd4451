//! The committed headers are those that the current source generates, and a program may include each
//! alone.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use xtask::headers;

#[test]
fn the_committed_headers_are_the_generated_ones() {
    let generated = headers::generate_headers().unwrap();
    let paths: BTreeSet<PathBuf> = generated.iter().map(|(path, _)| path.clone()).collect();
    assert_eq!(committed_headers(), paths);
    for (path, contents) in generated {
        let committed = fs::read_to_string(&path).unwrap();
        assert!(
            committed == contents,
            "{} is stale: run `cargo xtask headers`",
            path.display()
        );
    }
}

#[test]
fn every_header_compiles_alone_as_c99_and_as_cpp17() {
    let directory = tempfile::tempdir().unwrap();
    for name in committed_headers().iter().map(|path| header_stem(path)) {
        for (compiler, language) in compilers() {
            let source = directory
                .path()
                .join(format!("{name}.{}", language.extension));
            let text = format!("#include \"axilog/{name}.h\"\n\nint only_{name};\n");
            fs::write(&source, text).unwrap();
            let output = Command::new(&compiler)
                .args(language.arguments)
                .args(["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow"])
                .args(["-Wundef", "-Werror", "-fsyntax-only"])
                .args(include_directories())
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
    let included_headers = |path: &Path| {
        let output = Command::new(compiler_name("CC", "cc"))
            .args(["-std=c99", "-MM"])
            .args(include_directories())
            .arg(path)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", path.display());
        let rule = String::from_utf8(output.stdout).unwrap();
        let (_, files) = rule.split_once(':').unwrap();
        files
            .split_whitespace()
            .filter(|word| *word != "\\")
            .map(|path| header_stem(Path::new(path)))
            .collect::<BTreeSet<String>>()
    };
    let host = headers::host_directory().join("host.h");
    let all: BTreeSet<String> = committed_headers()
        .iter()
        .filter(|path| **path != host)
        .map(|path| header_stem(path))
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
    let with_others = |path: &Path, others: &[&str]| {
        let mut expected: BTreeSet<String> = others.iter().map(|s| (*s).to_owned()).collect();
        expected.insert(header_stem(path));
        assert_eq!(included_headers(path), expected, "{}", path.display());
    };
    for (name, others) in expected {
        with_others(&headers::directory().join(name), others);
    }
    let of_host = [
        "agent", "obs", "policy", "audit", "oracle", "types", "limits",
    ];
    with_others(&host, &of_host);
    let axilog = headers::directory().join("axilog.h");
    assert_eq!(included_headers(&axilog), all);
    assert_eq!(expected.len() + 1, all.len());
}

#[test]
fn every_function_is_documented_in_the_one_form() {
    let mut wrong = Vec::new();
    let mut functions = 0;
    for path in committed_headers() {
        let (header, name) = (fs::read_to_string(&path).unwrap(), header_stem(&path));
        for function in functions_of(&header) {
            functions += 1;
            let faults = faults_of(&function);
            wrong.extend(
                faults
                    .iter()
                    .map(|f| format!("{name}.h: {}: {f}", function.name)),
            );
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(functions > 90, "{functions}");
}

#[test]
fn a_comment_out_of_form_is_told_why() {
    let header = "\
/**
 * whether it fits
 *
 * @param b Bytes.
 * @param b Bytes.
 */
int fits(const uint8_t *a, const char *const *b, uint8_t c[32]);

void bare(void);

/**
 * Clears the flags.
 *
 * @param flags Flags to clear.
 * @return Nothing.
 * @see SRS-004 §25.2
 */
static inline void clear(flags_t *flags)
{
}
";
    let told: Vec<String> = functions_of(header)
        .iter()
        .flat_map(|function| {
            let name = function.name.clone();
            let told = move |fault| format!("{name}: {fault}");
            faults_of(function).into_iter().map(told)
        })
        .collect();
    assert_eq!(
        told,
        [
            "fits: does not begin with a sentence: \"whether it fits\"",
            "fits: @param b, b, but the parameters are a, b, c",
            "fits: no @return",
            "fits: does not say whether the buffer may overlap what is read",
            "fits: no @see with a section of a document",
            "bare: no comment",
            "clear: @return, but it returns nothing",
        ]
    );
}

/// What a reference to a section begins with: the specification, the formats, Addendum A of the bundles, and X-0L.
const SECTIONS: [&str; 4] = ["SRS-004 §", "formats.md §", "Addendum A, A", "X-0L, A"];

/// A function that a header declares, and its comment without the stars.
struct Function {
    name: String,
    returns: bool,
    parameters: Vec<String>,
    /// Whether bytes are written where one parameter points, and another but the flags points somewhere.
    fills_a_buffer: bool,
    comment: String,
}

/// Every function of a header, with a body or without.
fn functions_of(header: &str) -> Vec<Function> {
    let lines: Vec<&str> = header.lines().collect();
    let mut found = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let Some((before, _)) = line.split_once('(') else {
            continue;
        };
        let starts = line.starts_with(|c: char| c.is_ascii_lowercase());
        if !starts || line.starts_with("typedef") {
            continue;
        }
        let declaration = lines[number..].join(" ");
        let (_, rest) = declaration.split_once('(').unwrap();
        let (parameters, _) = rest.split_once(')').unwrap();
        let (result, name) = before.rsplit_once([' ', '*']).unwrap();
        let above = &lines[..number];
        let comment = match above.iter().rposition(|line| *line == "/**") {
            Some(start) if above.last() == Some(&" */") => &above[start + 1..number - 1],
            _ => &[],
        };
        let comment: Vec<&str> = comment
            .iter()
            .map(|line| line.trim_start_matches(" *").trim())
            .collect();
        found.push(Function {
            name: name.to_owned(),
            returns: !result.ends_with("void"),
            parameters: parameters
                .split(',')
                .map(name_of_parameter)
                .filter(|name| name != "void")
                .collect(),
            fills_a_buffer: fills_a_buffer(parameters),
            comment: comment.join("\n"),
        });
    }
    found
}

fn fills_a_buffer(parameters: &str) -> bool {
    let pointers: Vec<&str> = parameters
        .split(',')
        .map(str::trim)
        .filter(|parameter| parameter.contains(['*', '[']) && !parameter.ends_with("*faults"))
        .collect();
    let is_buffer = |p: &&str| p.starts_with("uint8_t ") || p.starts_with("char ");
    pointers.len() > 1 && pointers.iter().any(is_buffer)
}

/// `const char *const *b` and `uint8_t b[32]` as `b`.
fn name_of_parameter(parameter: &str) -> String {
    let declared = parameter.split('[').next().unwrap().trim();
    declared.rsplit([' ', '*']).next().unwrap().to_owned()
}

/// What a function's comment lacks of the form: a first sentence, a `@param` for every parameter in
/// order, a `@return` where there is a result, and the section that the function comes from.
fn faults_of(function: &Function) -> Vec<String> {
    if function.comment.is_empty() {
        return vec!["no comment".to_owned()];
    }
    let mut faults = Vec::new();
    let after = |tag: &str| -> Vec<&str> {
        let lines = function.comment.lines();
        lines.filter_map(|line| line.strip_prefix(tag)).collect()
    };
    let summary = function.comment.split("\n\n").next().unwrap();
    let begins = summary.starts_with(|c: char| c.is_ascii_uppercase());
    if !begins || !summary.ends_with('.') {
        faults.push(format!("does not begin with a sentence: {summary:?}"));
    }
    let documented: Vec<&str> = after("@param ")
        .iter()
        .map(|text| text.split(' ').next().unwrap())
        .collect();
    if documented != function.parameters {
        faults.push(format!(
            "@param {}, but the parameters are {}",
            documented.join(", "),
            function.parameters.join(", ")
        ));
    }
    match (function.returns, after("@return ").len()) {
        (true, 0) => faults.push("no @return".to_owned()),
        (false, 1..) => faults.push("@return, but it returns nothing".to_owned()),
        _ => {}
    }
    let is_section = |text: &&str| SECTIONS.iter().any(|begin| text.starts_with(begin));
    if function.fills_a_buffer && !function.comment.contains("overlap") {
        faults.push("does not say whether the buffer may overlap what is read".to_owned());
    }
    if !after("@see ").iter().any(is_section) {
        faults.push("no @see with a section of a document".to_owned());
    }
    faults
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

fn header_stem(path: &Path) -> String {
    path.file_stem().unwrap().to_str().unwrap().to_owned()
}

/// The options that name the directories of all headers.
fn include_directories() -> Vec<OsString> {
    let directories = [headers::directory(), headers::host_directory()];
    let options = directories.map(|directory| {
        let mut option = OsString::from("-I");
        option.push(directory.parent().unwrap());
        option
    });
    options.into()
}

/// The paths of all headers.
fn committed_headers() -> BTreeSet<PathBuf> {
    let directories = [headers::directory(), headers::host_directory()];
    let files = directories.map(|directory| fs::read_dir(directory).unwrap());
    let files = files.into_iter().flatten();
    files.map(|entry| entry.unwrap().path()).collect()
}
