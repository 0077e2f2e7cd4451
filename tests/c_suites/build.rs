//! Compiling and linking C programs against the library.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

use axilog_testkit::c_programs::{find_libraries, runner, rustc, target, uses_static_library_only};
use axilog_testkit::c_tables;

pub use axilog_testkit::c_programs::{Language, compiler, run};

/// What a C program needs besides `libaxilog.a` on Linux, where a compiler links it unasked;
/// c-tests/README.md names the same.
pub const NATIVE_LIBRARIES: &[&str] = &["-lgcc_s", "-lc"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    Static,
    /// Statically, with [`NATIVE_LIBRARIES`] and nothing that the compiler adds by itself.
    Documented,
    Shared,
    /// Statically, with the runtimes of AddressSanitizer and UndefinedBehaviorSanitizer; for objects compiled
    /// with `-fsanitize=address` or with both.
    Sanitised,
}

/// The libraries that a suite is linked with, one after the other: both, or the one that `AXILOG_LIBRARY_KIND` names.
pub fn linkages() -> &'static [Link] {
    match uses_static_library_only() {
        true => &[Link::Static],
        false => &[Link::Static, Link::Shared],
    }
}

/// A directory of one test's own, removed with it.
pub struct Place(pub PathBuf);

impl Place {
    pub fn new(name: &str) -> Place {
        Place::within(Path::new(env!("CARGO_TARGET_TMPDIR")), name)
    }

    /// A directory for what programs write, in the temporary directory: that one may be in memory, and may hold no
    /// programs.
    pub fn of_data(name: &str) -> Place {
        Place::within(&env::temp_dir(), name)
    }

    fn within(directory: &Path, name: &str) -> Place {
        // Another compiler, a sanitizer or an emulator may be running the same test at the same time.
        let path = directory.join(format!("c-suites-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    /// Compiles `text` here and gives the object.
    pub fn compile_text(&self, name: &str, text: &str, language: Language) -> PathBuf {
        let source = self.0.join(format!("{name}.{}", language.extension()));
        fs::write(&source, text).unwrap();
        self.compile(&source, language, &[])
    }

    /// Compiles a source file and gives the object.
    pub fn compile(&self, source: &Path, language: Language, arguments: &[&str]) -> PathBuf {
        self.compile_against("include", source, language, arguments)
    }

    /// The same, with the headers of another directory of the tree.
    pub fn compile_against(
        &self,
        headers: &str,
        source: &Path,
        language: Language,
        arguments: &[&str],
    ) -> PathBuf {
        self.compile_with(compiler(language), &[headers], source, arguments)
    }

    /// The same, with another compiler and the headers of several directories, the first of which comes first.
    pub fn compile_with(
        &self,
        mut compiler: Command,
        headers: &[&str],
        source: &Path,
        arguments: &[&str],
    ) -> PathBuf {
        let object = self.0.join(source.file_stem().unwrap()).with_extension("o");
        let warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow"];
        compiler
            .args(warnings)
            .args(arguments)
            .args(["-Wundef", "-Wwrite-strings", "-Werror", "-c", "-o"])
            .arg(&object);
        for directory in headers {
            compiler.arg("-I").arg(root().join(directory));
        }
        compiler.arg("-I").arg(root().join("c-tests")).arg(source);
        run(compiler);
        object
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The source file of a program in `c-tests/`.
pub fn program(name: &str, language: Language) -> PathBuf {
    let directory = root().join("c-tests");
    directory.join(format!("{name}.{}", language.extension()))
}

/// The object with the golden vectors, compiled once. It stays for the next run, which replaces it whole.
pub fn vectors() -> &'static PathBuf {
    static OBJECT: OnceLock<PathBuf> = OnceLock::new();
    OBJECT.get_or_init(|| {
        let place = Place::new("vectors");
        let compiled = place.compile_text("vectors", &c_tables::vectors(), Language::C);
        let object = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("vectors-{}.o", target()));
        fs::rename(compiled, &object).unwrap();
        object
    })
}

/// A linked program.
pub struct Program(pub PathBuf);

impl Program {
    /// Runs it and gives what it prints; it must succeed.
    pub fn run(&self) -> String {
        self.run_in(Path::new("."))
    }

    /// The same, in `directory`.
    pub fn run_in(&self, directory: &Path) -> String {
        run(self.command_in(directory))
    }

    /// A command that runs it in `directory`.
    pub fn command_in(&self, directory: &Path) -> Command {
        let mut command = runner(&self.0);
        command.current_dir(directory);
        // Cargo names directories there that may hold an older libaxilog.so; the one to test is the
        // one that the program was linked with.
        command.env_remove("LD_LIBRARY_PATH");
        command
    }
}

/// Links objects with the library into `<name>-<how>`.
pub fn link(
    place: &Place,
    name: &str,
    language: Language,
    how: Link,
    objects: &[&PathBuf],
) -> Program {
    let (command, program) = link_command(place, name, language, how, objects);
    run(command);
    Program(program)
}

/// The command that links them, and the program that it writes.
pub fn link_command(
    place: &Place,
    name: &str,
    language: Language,
    how: Link,
    objects: &[&PathBuf],
) -> (Command, PathBuf) {
    let program = place.0.join(format!("{name}-{how:?}"));
    let mut command = compiler(language);
    command.arg("-o").arg(&program).args(objects);
    let libraries = libraries();
    match how {
        Link::Static => command.arg(libraries.join("libaxilog.a")),
        Link::Sanitised => command
            .arg("-fsanitize=address,undefined")
            .arg(libraries.join("libaxilog.a")),
        Link::Documented => command
            .arg("-nodefaultlibs")
            .arg(libraries.join("libaxilog.a"))
            .args(NATIVE_LIBRARIES),
        Link::Shared => command
            .arg("-L")
            .arg(&libraries)
            .arg("-l:libaxilog.so")
            .arg(format!("-Wl,-rpath,{}", libraries.display())),
    };
    (command, program)
}

/// Where `cargo test` put the libraries.
pub fn libraries() -> PathBuf {
    find_libraries("axilog")
}

/// What rustc says a static library of this toolchain needs.
pub fn native_static_libraries(place: &Place) -> Vec<String> {
    let source = place.0.join("empty.rs");
    fs::write(&source, "").unwrap();
    let list = place.0.join("native-static-libs");
    let mut command = rustc();
    command
        .args(["--target", &target()])
        .args(["--crate-type=staticlib", "--out-dir"])
        .arg(&place.0)
        .arg(format!("--print=native-static-libs={}", list.display()))
        .arg(&source);
    run(command);
    let list = fs::read_to_string(list).unwrap();
    list.split_whitespace().map(str::to_owned).collect()
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
