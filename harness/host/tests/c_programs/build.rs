//! Compiling, linking and running C programs against the library.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How a program is linked with the library.
#[derive(Clone, Copy, Debug)]
pub enum Linkage {
    Static,
    Shared,
}

pub const LINKAGES: [Linkage; 2] = [Linkage::Static, Linkage::Shared];

/// A directory of one test's own, removed with it.
pub struct Place(tempfile::TempDir);

/// A linked program, which runs in the directory that it lies in.
pub struct Program {
    path: PathBuf,
}

impl Place {
    pub fn new() -> Place {
        // The temporary directory may hold no programs.
        Place(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Builds a program of a source file of this crate, without a warning.
    pub fn build(&self, source: &Path, linkage: Linkage) -> Program {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let path = self.path(source.file_stem().unwrap().to_str().unwrap());
        let is_cpp = source.extension().is_some_and(|ending| ending == "cpp");
        let (compiler, name) = if is_cpp { ("CXX", "c++") } else { ("CC", "cc") };
        let mut command = Command::new(env::var_os(compiler).unwrap_or_else(|| name.into()));
        match is_cpp {
            true => command
                .args(["-std=c++17", "-I"])
                .arg(root.join("cpp"))
                .arg("-I")
                .arg(root.join("../../bindings/cpp")),
            false => command.args(["-std=c99", "-Wmissing-prototypes", "-Wstrict-prototypes"]),
        };
        command
            .args(["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow"])
            .args(["-Wundef", "-Wwrite-strings", "-Werror", "-g", "-pthread"])
            .arg("-I")
            .arg(root.join("include"))
            .arg("-I")
            .arg(root.join("../../include"))
            .arg("-o")
            .arg(&path)
            .arg(root.join(source));
        let libraries = libraries();
        match linkage {
            Linkage::Static => command
                .arg(libraries.join("libaxilog_host.a"))
                .args(["-ldl", "-lm"]),
            Linkage::Shared => command
                .arg("-L")
                .arg(&libraries)
                .arg("-l:libaxilog_host.so")
                .arg(format!("-Wl,-rpath,{}", libraries.display())),
        };
        run(&mut command);
        Program { path }
    }
}

impl Program {
    /// Runs the program and gives what it prints; it must succeed.
    pub fn run(&self, arguments: &[&str]) -> String {
        run(self.command().args(arguments))
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(self.path.parent().unwrap());
        // Cargo names directories there that may hold an older library.
        command.env_remove("LD_LIBRARY_PATH");
        command
    }
}

/// Where cargo puts the libraries: beside this test.
pub fn libraries() -> PathBuf {
    let test = env::current_exe().unwrap().canonicalize().unwrap();
    let directory = test.parent().unwrap().to_owned();
    for name in ["libaxilog_host.a", "libaxilog_host.so"] {
        assert!(fs::exists(directory.join(name)).unwrap(), "no {name}");
    }
    directory
}

/// Runs a command and gives what it prints; it must succeed.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{:?}: {}\n{errors}",
        command.get_program(),
        output.status
    );
    String::from_utf8(output.stdout).unwrap()
}
