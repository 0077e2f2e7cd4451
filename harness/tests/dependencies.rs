//! The crates of the harness depend on one another downwards only, as the table of the house has it; no library
//! brings a command line, tables or progress bars; no files of a crate form a circle; and no two public types share a
//! name.
//!
//! The graph comes from `cargo metadata --no-deps` and `cargo tree`, without the network. It is printed:
//! `cargo test -p axilog-harness --test dependencies -- --nocapture`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use axilog_testkit::modules::{find_circle, parse_sources, read_files};
use serde_json::Value;

/// Each crate and the crates of this repository that it may depend on.
const ALLOWED: [(&str, &[&str]); 16] = [
    ("axilog-ledger", CORE),
    ("axilog-oracle", &["axilog-ledger"]),
    ("axilog-bundle", &["axilog-ledger"]),
    ("axilog-exchange", &["axilog-ledger"]),
    (
        "axilog-gateway",
        &[
            "axilog-checkpoints",
            "axilog-connections",
            "axilog-exchange",
            "axilog-heads",
            "axilog-ledger",
            "axilog-oracle",
        ],
    ),
    ("axilog-connections", &[]),
    ("axilog-heads", &["axilog-ledger"]),
    ("axilog-checkpoints", &["axilog-heads", "axilog-ledger"]),
    (
        "axilog-witness",
        &["axilog-connections", "axilog-heads", "axilog-ledger"],
    ),
    ("axilog-mcp", &["axilog-ledger"]),
    ("axilog-memory", SHARED),
    ("axilog-ablation", SHARED),
    ("axilog-x0l", SHARED),
    ("axilog-testkit", SHARED),
    (
        "axilog-host",
        &[
            "axilog-bundle",
            "axilog-exchange",
            "axilog-heads",
            "axilog-ledger",
            "axilog-oracle",
        ],
    ),
    (
        COMMAND,
        &[
            "axilog-ledger",
            "axilog-oracle",
            "axilog-bundle",
            "axilog-checkpoints",
            "axilog-gateway",
            "axilog-heads",
            "axilog-mcp",
            "axilog-memory",
            "axilog-ablation",
            "axilog-witness",
            "axilog-x0l",
        ],
    ),
];

/// The core, which every crate may depend on.
const CORE: &[&str] = &["axilog", "axilog-policyc"];

/// The crates that the systems share.
const SHARED: &[&str] = &["axilog-ledger", "axilog-oracle"];

/// The command, the only crate that talks to people.
const COMMAND: &str = "axilog-harness";

/// The crates of the command line, tables and progress bars, and those that only they bring.
const FOR_THE_COMMAND: [&str; 7] = [
    "clap",
    "clap_builder",
    "clap_derive",
    "comfy-table",
    "console",
    "crossterm",
    "indicatif",
];

/// The crates whose files are searched for circles, by their folders.
const WITHOUT_CIRCLES: [&str; 14] = [
    "harness/ablation",
    "harness/bundle",
    "harness/checkpoints",
    "harness/exchange",
    "harness/gateway",
    "harness/heads",
    "harness/host",
    "harness/ledger",
    "harness/mcp",
    "harness/memory",
    "harness/oracle",
    "harness/witness",
    "harness/x0l",
    "policyc",
];

/// The links that may close a circle, each from a file of a crate to a module: the sources of the canonicalizer, the
/// kernel and its documents are frozen, because runs record the hash of their tokens. After a change to them every
/// run that was recorded before would be replayed with the remark that other code decided in it.
const FROZEN_LINKS: [(&str, &str, &[&str]); 4] = [
    (
        "harness/oracle",
        "src/canonicalizer/mod.rs",
        &["canonicalizer", "frozen"],
    ),
    ("harness/x0l", "src/document/error.rs", &["document"]),
    ("harness/x0l", "src/kernel/decision.rs", &["kernel"]),
    ("harness/x0l", "src/kernel/frozen.rs", &["kernel"]),
];

/// The dependencies of each crate on others of this repository.
type Graph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn the_crates_depend_on_one_another_downwards_only() {
    let graph = read_graph();
    for (name, dependencies) in &graph {
        let dependencies: Vec<&str> = dependencies.iter().map(String::as_str).collect();
        println!("{name} -> {}", dependencies.join(", "));
    }
    assert_eq!(forbidden_arrows(&graph), Vec::<String>::new());
}

#[test]
fn an_arrow_that_the_table_lacks_is_named() {
    let mut graph = read_graph();
    for (from, to) in [
        ("axilog-bundle", "axilog-memory"),
        ("axilog-ledger", "axilog-oracle"),
        ("axilog-gate", "axilog"),
    ] {
        graph.entry(from.into()).or_default().insert(to.into());
    }
    let expected = [
        "axilog-bundle may not depend on axilog-memory",
        "axilog-gate is not in the table of this test",
        "axilog-ledger may not depend on axilog-oracle",
    ];
    assert_eq!(forbidden_arrows(&graph), expected);
}

#[test]
fn no_library_brings_a_command_line_tables_or_progress_bars() {
    for (name, _) in ALLOWED.iter().filter(|(name, _)| *name != COMMAND) {
        let brought = command_line_crates(name);
        assert!(brought.is_empty(), "{name} brings {brought:?}");
    }
    // The same search finds them where they are.
    let brought = command_line_crates(COMMAND);
    for name in ["clap", "clap_builder", "comfy-table", "indicatif"] {
        assert!(brought.contains(name), "{name}: {brought:?}");
    }
    // Nor do the ledger, the bundles and the library for C bring an HTTP client, TLS or a vocabulary.
    let networks = ["reqwest", "hyper", "rustls", "tokio", "tiktoken-rs"];
    for name in ["axilog-ledger", "axilog-bundle", "axilog-host"] {
        let dependencies = normal_dependencies(name);
        let brought = networks.map(|network| dependencies.contains(network));
        assert_eq!(brought, [false; 5], "{name}");
    }
    // The same search finds them where they are.
    let dependencies = normal_dependencies("axilog-oracle");
    for name in networks {
        assert!(dependencies.contains(name), "{name}: {dependencies:?}");
    }
}

#[test]
fn no_files_of_a_crate_form_a_circle() {
    for folder in WITHOUT_CIRCLES {
        let files = read_files(&harness().join("..").join(folder));
        assert!(files.len() > 3, "{folder}: {}", files.len());
        let mut sources = parse_sources(&files);
        for (_, file, module) in FROZEN_LINKS.iter().filter(|link| link.0 == folder) {
            let source = sources.iter_mut().find(|source| source.file == *file);
            let mentions = &mut source.unwrap().mentions;
            let before = mentions.len();
            mentions.retain(|mention| mention.path != *module);
            assert!(mentions.len() < before, "{file} has no such link any more");
        }
        assert_eq!(find_circle(&sources), None, "in {folder}");
    }
}

#[test]
fn no_two_public_types_share_a_name() {
    let mut folders: Vec<&str> = WITHOUT_CIRCLES.to_vec();
    folders.extend([".", "harness"]);
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for folder in folders {
        for (file, text) in read_files(&harness().join("..").join(folder)) {
            for name in text.lines().filter_map(public_type) {
                let place = format!("{folder}/{file}");
                places.entry(name.to_owned()).or_default().insert(place);
            }
        }
    }
    assert!(places.len() > 300, "{}", places.len());
    places.retain(|_, places| places.len() > 1);
    assert_eq!(places, BTreeMap::new());
}

#[test]
fn a_public_type_is_found_by_the_line_that_declares_it() {
    for (line, expected) in [
        ("pub struct Ledger {", Some("Ledger")),
        ("pub enum Failure<'a> {", Some("Failure")),
        ("pub type Hash = [u8; 32];", Some("Hash")),
        ("pub unsafe trait Source: Copy {", Some("Source")),
        ("pub union Word {", Some("Word")),
        ("pub(crate) struct Line(u8);", None),
        ("    pub struct Inner;", None),
        ("/// pub struct Named", None),
    ] {
        assert_eq!(public_type(line), expected, "{line}");
    }
}

#[test]
fn a_circle_is_named_link_by_link() {
    for (files, expected) in [
        (
            [
                ("src/lib.rs", "mod a;\nmod b;\npub use a::A;\n"),
                ("src/a.rs", "use crate::b::B;\npub struct A(B);\n"),
                ("src/b.rs", "\npub struct B(super::a::A);\n"),
            ],
            Some("a circle: src/a.rs:1 uses src/b.rs, src/b.rs:2 uses src/a.rs"),
        ),
        // The root counts: what it gives on is to be taken from where it is.
        (
            [
                ("src/lib.rs", "mod a;\nmod b;\npub use a::A;\n"),
                ("src/a.rs", "use super::Error;\npub struct A(Error);\n"),
                ("src/b.rs", ""),
            ],
            Some("a circle: src/lib.rs:3 uses src/a.rs, src/a.rs:1 uses src/lib.rs"),
        ),
        // Comments and tests do not count.
        (
            [
                ("src/lib.rs", "mod a;\nmod b;\npub use a::A;\n"),
                ("src/a.rs", "use crate::b::B;\npub struct A(B);\n"),
                (
                    "src/b.rs",
                    "//! See [`crate::a::A`].\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n",
                ),
            ],
            None,
        ),
    ] {
        let files = files.map(|(file, text)| (file.to_owned(), text.to_owned()));
        assert_eq!(find_circle(&parse_sources(&files)).as_deref(), expected);
    }
}

/// The name of the public type that a line declares at the outermost level of its file.
fn public_type(line: &str) -> Option<&str> {
    let declaration = line.strip_prefix("pub ")?;
    let declaration = declaration.strip_prefix("unsafe ").unwrap_or(declaration);
    let (kind, rest) = declaration.split_once(' ')?;
    let mut words = rest.split(|c: char| !c.is_alphanumeric() && c != '_');
    let kinds = ["struct", "enum", "union", "trait", "type"];
    words.next().filter(|_| kinds.contains(&kind))
}

/// Describes the dependencies of `graph` that [`ALLOWED`] does not have.
fn forbidden_arrows(graph: &Graph) -> Vec<String> {
    let table: BTreeMap<&str, &[&str]> = ALLOWED.into_iter().collect();
    let mut forbidden = Vec::new();
    for (name, dependencies) in graph {
        let Some(allowed) = table.get(name.as_str()) else {
            forbidden.push(format!("{name} is not in the table of this test"));
            continue;
        };
        for dependency in dependencies {
            if !allowed.contains(&dependency.as_str()) && !CORE.contains(&dependency.as_str()) {
                forbidden.push(format!("{name} may not depend on {dependency}"));
            }
        }
    }
    forbidden
}

/// The normal dependencies among the crates below `harness/`, benches left out, and on the core.
fn read_graph() -> Graph {
    let metadata = run_cargo(&["metadata", "--no-deps", "--frozen", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut graph = Graph::new();
    for package in metadata["packages"].as_array().unwrap() {
        let path = PathBuf::from(text(&package["manifest_path"]));
        if !path.starts_with(harness()) || path.starts_with(harness().join("benches")) {
            continue;
        }
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        let normal = dependencies.filter(|dependency| dependency["kind"].is_null());
        let names = normal.map(|dependency| text(&dependency["name"]));
        let own = names.filter(|name| name.starts_with("axilog"));
        graph.insert(text(&package["name"]), own.collect());
    }
    assert!(graph.len() >= ALLOWED.len(), "{graph:?}");
    graph
}

/// The crates of [`FOR_THE_COMMAND`] among the normal dependencies of `name`.
fn command_line_crates(name: &str) -> BTreeSet<String> {
    let mut dependencies = normal_dependencies(name);
    dependencies.retain(|dependency| FOR_THE_COMMAND.contains(&dependency.as_str()));
    dependencies
}

/// The normal dependencies of `name` with every feature, direct and indirect.
fn normal_dependencies(name: &str) -> BTreeSet<String> {
    let tree = run_cargo(&[
        "tree",
        "--frozen",
        "--package",
        name,
        "--edges",
        "normal",
        "--all-features",
        "--prefix",
        "none",
    ]);
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    let names: BTreeSet<String> = names.map(str::to_owned).collect();
    assert!(names.contains(name) && names.len() > 5, "{tree}");
    names
}

fn run_cargo(arguments: &[&str]) -> String {
    let mut cargo = Command::new(env!("CARGO"));
    let output = cargo.args(arguments).current_dir(harness()).output();
    let output = output.unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn harness() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
