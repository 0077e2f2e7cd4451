//! Compiling, linking and running C programs against the library.

use std::path::{Path, PathBuf};
use std::process::Command;

use axilog_testkit::c_programs::{
    Language, compiler, find_libraries, runner, uses_static_library_only,
};

pub use axilog_testkit::c_programs::run;

/// How a program is linked with the library.
#[derive(Clone, Copy, Debug)]
pub enum Linkage {
    Static,
    Shared,
}

/// How programs are linked, one after the other.
pub fn linkages() -> Vec<Linkage> {
    match uses_static_library_only() {
        true => vec![Linkage::Static],
        false => vec![Linkage::Static, Linkage::Shared],
    }
}

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
        let language = if is_cpp { Language::Cpp } else { Language::C };
        let mut command = compiler(language);
        if is_cpp {
            for headers in ["cpp", "../../bindings/cpp"] {
                command.arg("-I").arg(root.join(headers));
            }
        }
        command
            .args(["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow"])
            .args(["-Wundef", "-Wwrite-strings", "-Werror", "-pthread"])
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
        run(command);
        Program { path }
    }
}

impl Program {
    /// Runs the program and gives what it prints; it must succeed.
    pub fn run(&self, arguments: &[&str]) -> String {
        let mut command = self.command();
        command.args(arguments);
        run(command)
    }

    pub fn command(&self) -> Command {
        let mut command = runner(&self.path);
        command.current_dir(self.path.parent().unwrap());
        // Cargo names directories there that may hold an older library.
        command.env_remove("LD_LIBRARY_PATH");
        command
    }
}

/// Where cargo puts the libraries.
pub fn libraries() -> PathBuf {
    find_libraries("axilog_host")
}
