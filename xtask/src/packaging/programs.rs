//! C and C++ programs that are built from the installed tree, with pkg-config and with CMake.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::LANGUAGES;
use super::pages::read_block;
use super::tree::read_dynamic_section;
use crate::install::{CORE, HOST, Package};
use crate::process::{TaskResult, ensure, read_output, run, workspace_root};

/// Builds the pages' programs in both languages with both tools, shared and static, and compares what
/// they print with the pages.
pub fn check_programs(directory: &Path, installed: &Path, lib: &Path) -> TaskResult {
    for (language, compiler, page) in LANGUAGES {
        let source = directory.join(format!("program.{language}"));
        fs::write(&source, read_block(page, language)?)?;
        let expected = read_block(page, "text")?;
        let program = InstalledProgram {
            directory,
            installed,
            lib,
            package: &CORE,
            source: &source,
        };
        program.check(compiler, &expected)?;
    }
    Ok(())
}

/// Builds the README's program and that of `docs/host.md` in the same ways, against the host library.
pub fn check_host_programs(directory: &Path, installed: &Path) -> TaskResult {
    for (language, compiler, page) in [("c", "cc", "README.md"), ("cpp", "c++", "docs/host.md")] {
        let source = directory.join(format!("host.{language}"));
        fs::write(&source, read_block(page, language)?)?;
        let program = InstalledProgram {
            directory,
            installed,
            lib: &installed.join("lib"),
            package: &HOST,
            source: &source,
        };
        program.check(compiler, "go\nALARM\n")?;
    }
    Ok(())
}

/// A program to build against an installed library.
struct InstalledProgram<'a> {
    directory: &'a Path,
    installed: &'a Path,
    lib: &'a Path,
    package: &'a Package,
    source: &'a Path,
}

impl InstalledProgram<'_> {
    /// Builds the program with both tools, shared and static, and compares what it prints.
    fn check(&self, compiler: &str, expected: &str) -> TaskResult {
        for is_shared in [true, false] {
            let program = self.directory.join("program");
            let flags = self.read_flags(is_shared)?;
            let mut compile = Command::new(compiler);
            compile.arg(self.source).arg("-o").arg(&program);
            if !is_shared {
                compile.arg("-static");
            }
            run(compile.args(flags.split_whitespace()))?;
            let with_cmake = self.build_with_cmake(is_shared)?;
            for program in [program, with_cmake] {
                self.check_linking(&program, is_shared)?;
                let mut command = Command::new(&program);
                // No program begins a ledger over another.
                let place = tempfile::tempdir_in(self.directory)?;
                command.current_dir(&place);
                command.env("LD_LIBRARY_PATH", self.lib);
                let printed = read_output(&mut command)?;
                let source = self.source.display();
                ensure(
                    printed == expected,
                    &format!("{source} prints {printed:?}, expected {expected:?}"),
                )?;
            }
        }
        Ok(())
    }

    /// Reads the compiler's flags from pkg-config.
    fn read_flags(&self, is_shared: bool) -> TaskResult<String> {
        let mut command = Command::new("pkg-config");
        command.env("PKG_CONFIG_PATH", self.lib.join("pkgconfig"));
        command.args(["--cflags", "--libs"]);
        if !is_shared {
            command.arg("--static");
        }
        read_output(command.arg(self.package.name))
    }

    /// Configures and builds a CMake project with the one program.
    fn build_with_cmake(&self, is_shared: bool) -> TaskResult<PathBuf> {
        let name = self.package.name;
        let (ending, link) = if is_shared {
            ("", "")
        } else {
            ("_static", "-static")
        };
        let source = self.source.display();
        let project = format!(
            "cmake_minimum_required(VERSION 3.13)\nproject(stranger C CXX)\n\
             set(CMAKE_CXX_STANDARD 17)\nfind_package({name} 0.2 REQUIRED)\n\
             add_executable(stranger {source})\n\
             target_link_libraries(stranger PRIVATE {name}::{name}{ending} {link})\n"
        );
        let sources = self.directory.join("cmake");
        let _ = fs::remove_dir_all(&sources);
        fs::create_dir(&sources)?;
        fs::write(sources.join("CMakeLists.txt"), project)?;
        let build = sources.join("build");
        read_output(configure(&sources, self.installed).arg("-B").arg(&build))?;
        read_output(Command::new("cmake").arg("--build").arg(&build))?;
        Ok(build.join("stranger"))
    }

    /// Checks that a program needs the shared library, or that it does not.
    fn check_linking(&self, program: &Path, is_shared: bool) -> TaskResult {
        let soname = format!("[{}]", self.package.soname());
        let needs_library = read_dynamic_section(program)?.contains(&soname);
        let expected = if is_shared { "shared" } else { "static" };
        ensure(
            needs_library == is_shared,
            &format!(
                "{} is not linked with the {expected} library",
                program.display()
            ),
        )
    }
}

fn configure(sources: &Path, installed: &Path) -> Command {
    let mut command = Command::new("cmake");
    command.arg("-S").arg(sources);
    command.arg(format!("-DCMAKE_PREFIX_PATH={}", installed.display()));
    command
}

/// Checks which requested versions CMake accepts.
pub fn check_cmake_versions(directory: &Path, installed: &Path) -> TaskResult {
    let sources = directory.join("cmake");
    for (version, is_accepted) in [
        ("0", true),
        ("0.2", true),
        ("0.2.0 EXACT", true),
        ("0.1", false),
        ("0.2.9", false),
        ("0.3", false),
        ("1", false),
    ] {
        let find = format!("find_package(axilog {version} REQUIRED)");
        fs::write(
            sources.join("CMakeLists.txt"),
            format!("cmake_minimum_required(VERSION 3.13)\nproject(stranger C)\n{find}\n"),
        )?;
        let build = sources.join("versions");
        let configured = read_output(configure(&sources, installed).arg("-B").arg(&build));
        let expected = if is_accepted { "accept" } else { "refuse" };
        ensure(
            configured.is_ok() == is_accepted,
            &format!("CMake should {expected} {find}"),
        )?;
        let _ = fs::remove_dir_all(build);
    }
    Ok(())
}

/// Builds programs written for deployed gateways with the flags of `axilog-compat.pc` and the warnings that such
/// rigs are compiled with, runs them with both libraries, and has the installed command verify and audit the
/// ledger of a gateway's day.
pub fn check_compatibility_headers(directory: &Path, installed: &Path) -> TaskResult {
    const WARNINGS: &[&str] = &["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion"];
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_PATH", installed.join("lib/pkgconfig"));
    let flags = read_output(command.args(["--cflags", "--libs", "axilog-compat"]))?;
    let shared: Vec<&str> = flags.split_whitespace().collect();
    let archive = installed.join("lib/libaxilog.a");
    let archive = archive.to_string_lossy();
    let mut linked: Vec<&str> = shared.clone();
    linked.retain(|flag| flag.starts_with("-I"));
    linked.push(&archive);
    let tests = workspace_root().join("c-tests");
    let ledger = directory.join("day.jsonl");
    for (name, expected) in [
        ("shared", "protocol 13\n"),
        ("redeclared", "4 passed, 0 failed\n"),
        ("agent", " passed, 0 failed\n"),
        ("mixed", " passed, 0 failed\n"),
        ("gateway", " 500 refused"),
    ] {
        for library in [&shared, &linked] {
            let program = directory.join("rig");
            let mut compile = Command::new("cc");
            compile
                .args(WARNINGS)
                // mmap is no part of C99.
                .args(["-Wredundant-decls", "-Werror", "-D_DEFAULT_SOURCE"])
                .arg(tests.join(format!("compat/{name}.c")))
                .args(["-o".as_ref(), program.as_os_str()])
                .args(library)
                .arg("-I")
                .arg(&tests);
            run(&mut compile)?;
            let mut command = Command::new(&program);
            if name == "gateway" {
                command.arg(&ledger);
            }
            let printed = read_output(command.env("LD_LIBRARY_PATH", installed.join("lib")))?;
            ensure(
                printed.contains(expected),
                &format!("c-tests/compat/{name}.c prints {printed:?}, expected {expected:?}"),
            )?;
        }
    }
    let command = installed.join("bin/axilog");
    run(Command::new(&command).arg("verify").arg(&ledger))?;
    // Such a ledger names no rules and records no decision; everything that it has is good.
    let audited = Command::new(&command).arg("audit").arg(&ledger).output()?;
    let printed = String::from_utf8_lossy(&audited.stdout);
    ensure(
        printed.starts_with("INCOMPLETE ")
            && printed.contains("10000 recomputed, 0 damaged, 0 missing, 0 left behind")
            && !printed.contains("FAILED"),
        &format!("the audit of the gateway's ledger prints:\n{printed}"),
    )?;
    Ok(())
}

/// Links firmware that defines `ax_agent_step` itself with the installed archive, and runs it.
pub fn check_own_step(directory: &Path, installed: &Path) -> TaskResult {
    let source = directory.join("step.c");
    fs::write(
        &source,
        "#include \"axilog/axilog.h\"\n\
         void ax_agent_step(ax_agent_ctx_t *a, ax_policy_ctx_t *p, const ax_input_t *i, ct_fault_flags_t *f)\n\
         { (void)p; (void)i; (void)f; a->health = AX_HEALTH_DEGRADED; }\n\
         int main(void)\n{\n    ax_agent_ctx_t agent;\n    ct_fault_flags_t faults;\n\
         ct_fault_init(&faults);\n    ax_agent_init(&agent, &faults);\n\
         ax_agent_step(&agent, 0, 0, &faults);\n    return agent.health != AX_HEALTH_DEGRADED;\n}\n",
    )?;
    let program = directory.join("step");
    let mut compile = Command::new("cc");
    compile.arg(&source).arg("-o").arg(&program).arg("-I");
    compile.arg(installed.join("include"));
    run(compile.arg(installed.join("lib/libaxilog.a")))?;
    run(&mut Command::new(&program))
}
