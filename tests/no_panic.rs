//! The library as firmware links it: no function of it can panic, format or allocate; and what the
//! shared library exports is what the headers declare.
//!
//! architecture.md. The library is built as for a bare target, without std, and every function of
//! the headers is linked into one program with unreferenced sections dropped. Whatever could panic
//! would pull `core::panicking` in. Should one panic all the same, it could not unwind into C: the
//! release profile aborts, and an `extern "C"` function aborts rather than unwinds.

#[path = "c_suites/build.rs"]
#[allow(dead_code)]
mod build;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use axilog_testkit::declarations::{
    Declared, FORBIDDEN, compat_functions, declared, functions, is_implementation, symbols_of,
};

use build::{Language, Place, compiler, libraries, run};

#[test]
fn a_firmware_image_holds_nothing_that_panics() {
    let library = bare_library();
    let place = Place::new("no-panic");
    let mut text = String::from("#include \"axilog/axilog.h\"\n\nint main(void);\n\n");
    for name in compat_functions() {
        let _ = writeln!(text, "void {name}(void);");
    }
    text += "typedef void (*function_t)(void);\n\nstatic volatile function_t all[] = {\n";
    let mut functions = functions();
    functions.extend(compat_functions());
    for name in &functions {
        let _ = writeln!(text, "    (function_t){name},");
    }
    text += "};\n\nint main(void)\n{\n    all[0]();\n    return AX_GOLDEN_GENESIS_HASH[0];\n}\n";
    let object = place.compile_text("image", &text, Language::C);
    let image = place.0.join("image");
    let mut command = compiler(Language::C);
    command
        .arg("-o")
        .arg(&image)
        .arg(&object)
        .arg(&library)
        .args(["-Wl,--gc-sections", "-nodefaultlibs", "-lc"]);
    run(command);

    let symbols = symbols(&image, &[]);
    for name in &symbols_of(&functions) {
        assert!(symbols.contains(name), "{name} is not in the image");
    }
    let found: Vec<&String> = symbols
        .iter()
        .filter(|symbol| FORBIDDEN.iter().any(|part| symbol.contains(part)))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_shared_library_exports_what_the_headers_declare() {
    let exported = symbols(
        &libraries().join("libaxilog.so"),
        &["--dynamic", "--defined-only"],
    );
    let (implementations, symbols): (BTreeSet<String>, BTreeSet<String>) = exported
        .into_iter()
        .partition(|name| is_implementation(name));
    let names: Vec<String> = declared()
        .into_iter()
        .map(|d| match d {
            Declared::Function(name) | Declared::Object(name) => name,
        })
        .chain(compat_functions())
        .collect();
    let declared = BTreeSet::from_iter(symbols_of(&names));
    assert!(declared.len() > 100);
    assert_eq!(symbols, declared);
    // ax_agent_step and axilog_agent_step are the same.
    assert_eq!(implementations.len() + 1, declared.len());
}

/// The static library without std, built by the cargo that runs this test into a directory that
/// later runs find again.
fn bare_library() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no_panic");
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["rustc", "--quiet", "--release", "--offline", "--locked"])
        .args(["-p", "axilog", "--lib", "--crate-type", "staticlib"])
        .args(["--no-default-features", "--features", "panic-handler"])
        .arg("--target-dir")
        .arg(&target);
    run(command);
    let library = target.join("release/libaxilog.a");
    assert!(fs::metadata(&library).is_ok(), "no {}", library.display());
    library
}

/// The names in a symbol table.
fn symbols(file: &Path, arguments: &[&str]) -> BTreeSet<String> {
    let mut command = Command::new("nm");
    command.args(arguments).arg(file);
    run(command)
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .map(|name| name.split('@').next().unwrap_or(name).to_owned())
        .collect()
}
