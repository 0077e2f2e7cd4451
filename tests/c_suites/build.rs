//! Compiling and linking C programs against the library.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

use axilog_testkit::c_tables;

/// What a C program needs besides `libaxilog.a` on Linux, where a compiler links it unasked;
/// c-tests/README.md names the same.
pub const NATIVE_LIBRARIES: &[&str] = &["-lgcc_s", "-lc"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    Cpp,
}

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
    match env::var("AXILOG_LIBRARY_KIND").as_deref() {
        Err(_) => &[Link::Static, Link::Shared],
        Ok("static") => &[Link::Static],
        Ok(other) => {
            panic!("AXILOG_LIBRARY_KIND is {other:?}; static is the only kind it can name")
        }
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

impl Language {
    pub fn extension(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Cpp => "cpp",
        }
    }

    fn standard(self) -> &'static [&'static str] {
        match self {
            Language::C => &["-std=c99", "-Wmissing-prototypes", "-Wstrict-prototypes"],
            Language::Cpp => &["-std=c++17", "-Wmissing-declarations"],
        }
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

/// Where `cargo test` put the libraries: beside this test, or, where cargo gives each crate a folder of its own
/// (`build/axilog/HASH/out`, as nightly does), in the one that was built last.
pub fn libraries() -> PathBuf {
    // Not `current_exe`, which is the loader where one was asked to run this test.
    let test = PathBuf::from(env::args_os().next().unwrap());
    let test = test.canonicalize().unwrap();
    let beside = test.parent().unwrap();
    if has_libraries(beside) {
        return beside.to_owned();
    }
    let folders = beside.ancestors().nth(2).unwrap().read_dir().unwrap();
    let folders = folders.map(|folder| folder.unwrap().path().join("out"));
    folders
        .filter(|folder| has_libraries(folder))
        .max_by_key(|folder| {
            fs::metadata(folder.join("libaxilog.a"))
                .unwrap()
                .modified()
                .unwrap()
        })
        .unwrap_or_else(|| {
            panic!("no libaxilog.a and libaxilog.so in {beside:?} or a folder near it")
        })
}

fn has_libraries(directory: &Path) -> bool {
    ["libaxilog.a", "libaxilog.so"]
        .iter()
        .all(|name| directory.join(name).exists())
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

pub fn compiler(language: Language) -> Command {
    let mut command = cc::Build::new()
        .cpp(language == Language::Cpp)
        .target(&target())
        .host(host())
        .opt_level(0)
        .cargo_metadata(false)
        .no_default_flags(true)
        .get_compiler()
        .to_command();
    command.args(language.standard()).arg("-g");
    command
}

/// Clang, where it is installed and the tests run on the machine that compiles them.
pub fn clang(language: Language) -> Option<Command> {
    let name = match language {
        Language::C => "clang",
        Language::Cpp => "clang++",
    };
    let installed = || Command::new(name).arg("--version").output();
    if !runs_natively() || !installed().is_ok_and(|output| output.status.success()) {
        return None;
    }
    let mut command = Command::new(name);
    command.args(language.standard()).arg("-g");
    Some(command)
}

/// Whether programs run on this machine by themselves, without an emulator or a checker.
pub fn runs_natively() -> bool {
    env::var_os("AXILOG_RUNNER").is_none()
}

fn rustc() -> Command {
    Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

/// The triple that the tests were compiled for: `AXILOG_TARGET` where that is not the host's.
fn target() -> String {
    env::var("AXILOG_TARGET").unwrap_or_else(|_| host().into())
}

/// A command that runs `program`, by the emulator or checker named in `AXILOG_RUNNER` if there is one.
fn runner(program: &Path) -> Command {
    let runner = env::var("AXILOG_RUNNER").unwrap_or_default();
    let mut words = runner.split_whitespace();
    match words.next() {
        Some(first) => {
            let mut command = Command::new(first);
            command.args(words).arg(program);
            command
        }
        None => Command::new(program),
    }
}

/// The triple of the machine that compiles.
fn host() -> &'static str {
    static HOST: OnceLock<String> = OnceLock::new();
    HOST.get_or_init(|| {
        let mut command = rustc();
        command.arg("-vV");
        let version = run(command);
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        host.unwrap().to_owned()
    })
}

/// Runs a command and gives its output; it must succeed.
pub fn run(mut command: Command) -> String {
    let output = command.output();
    // Not `{command:?}`, which tells the whole environment.
    let (program, arguments) = (
        command.get_program(),
        command.get_args().collect::<Vec<_>>(),
    );
    let output = output.unwrap_or_else(|error| panic!("{program:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{program:?} {arguments:?}:\n{errors}"
    );
    String::from_utf8(output.stdout).unwrap()
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
