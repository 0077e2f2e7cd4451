//! Compiling and running programs in C and C++, by the compilers, the emulator or the checker that the environment names.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    Cpp,
}

impl Language {
    /// The ending of a source file's name.
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

/// Where `cargo test` put `lib<name>.a` and `lib<name>.so`: beside this test, or, where cargo gives each crate a folder of
/// its own (`build/axilog/HASH/out`, as some nightlies do), in the one that was built last.
pub fn find_libraries(name: &str) -> PathBuf {
    // Not `current_exe`, which is the loader where one was asked to run this test.
    let test = PathBuf::from(env::args_os().next().unwrap());
    let test = test.canonicalize().unwrap();
    let beside = test.parent().unwrap();
    let files = ["a", "so"].map(|ending| format!("lib{name}.{ending}"));
    let has_libraries = |folder: &Path| files.iter().all(|file| folder.join(file).exists());
    if has_libraries(beside) {
        return beside.to_owned();
    }
    let folders = beside.ancestors().nth(2).unwrap().read_dir().unwrap();
    let folders = folders.map(|folder| folder.unwrap().path().join("out"));
    folders
        .filter(|folder| has_libraries(folder))
        .max_by_key(|folder| {
            let library = fs::metadata(folder.join(&files[0])).unwrap();
            library.modified().unwrap()
        })
        .unwrap_or_else(|| {
            panic!(
                "no {} in {beside:?} or a folder near it",
                files.join(" and ")
            )
        })
}

/// The compiler of a language, with its standard; `CC`, `CFLAGS` and their like choose another and add to its options.
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

/// The compiler that cargo names, or the one on the PATH.
pub fn rustc() -> Command {
    Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

/// The triple that the tests were compiled for: `AXILOG_TARGET` where that is not the host's.
pub fn target() -> String {
    env::var("AXILOG_TARGET").unwrap_or_else(|_| host().into())
}

/// A command that runs `program`, by the emulator or checker named in `AXILOG_RUNNER` if there is one.
pub fn runner(program: &Path) -> Command {
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

/// Whether programs are to be linked with the static library alone, as `AXILOG_LIBRARY_KIND` says.
pub fn uses_static_library_only() -> bool {
    match env::var("AXILOG_LIBRARY_KIND").as_deref() {
        Err(_) => false,
        Ok("static") => true,
        Ok(other) => {
            panic!("AXILOG_LIBRARY_KIND is {other:?}; static is the only kind it can name")
        }
    }
}
