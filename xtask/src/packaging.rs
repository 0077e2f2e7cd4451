//! `cargo xtask packaging`: the installed library, used as a stranger uses it.
//!
//! Needs pkg-config, CMake, a C and a C++ compiler and readelf. Everything happens below one temporary
//! directory. The programs are those of `docs/start-c.md` and `docs/start-cpp.md`, and the README's.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::install::{Options, VERSION, install, uninstall};
use crate::process::{Done, cargo, need, output, root, run, say};

/// Where the tree will be used; it is staged elsewhere, and moved.
const PREFIX: &str = "/opt/axilog";

/// Both languages, their compilers and the pages whose program is built.
const LANGUAGES: [(&str, &str, &str); 2] = [
    ("c", "cc", "docs/start-c.md"),
    ("cpp", "c++", "docs/start-cpp.md"),
];

/// Does all of it.
///
/// # Errors
/// Where anything is not as it should be.
pub fn check() -> Done {
    need("pkg-config", "apt-get install pkg-config")?;
    need("cmake", "apt-get install cmake")?;
    need("readelf", "apt-get install binutils")?;
    let place = std::env::temp_dir().join(format!("axilog-packaging-{}", std::process::id()));
    fs::create_dir(&place)?;
    let done = check_in(&place);
    fs::remove_dir_all(&place)?;
    done
}

fn check_in(place: &Path) -> Done {
    let stage = place.join("stage");
    let stage_text = stage
        .to_str()
        .ok_or("the temporary directory is not UTF-8")?;
    let options = Options::parse(&["--prefix", PREFIX, "--destdir", stage_text])?;

    say("install, and install again over it");
    install(&options)?;
    let first = listing(&stage)?;
    stale(&options)?;
    install(&options)?;
    demand(
        listing(&stage)? == first,
        "a second run changes what is installed",
    )?;
    let installed = stage.join(PREFIX.trim_start_matches('/'));
    library_is_named(&installed)?;
    command_is_whole(&installed)?;

    say("programs, from the staged tree");
    programs(place, &installed, &installed.join("lib"))?;
    versions(place, &installed)?;
    compatibility(place, &installed)?;
    own_step(place, &installed)?;

    say("programs, from the tree moved elsewhere");
    let moved = place.join("moved");
    fs::rename(&installed, &moved)?;
    programs(place, &moved, &moved.join("lib"))?;
    fs::rename(&moved, &installed)?;

    say("another libdir and includedir, the library alone");
    // As Debian has it, where CMake looks too.
    let multi = output(Command::new("cc").arg("-dumpmachine"))?;
    let multi = format!("lib/{}", multi.trim());
    let words = [
        "--prefix",
        PREFIX,
        "--destdir",
        stage_text,
        "--libdir",
        &multi,
        "--includedir=include/sub",
        "--library-only",
    ];
    install(&Options::parse(&words)?)?;
    let files = listing(&stage)?;
    demand(
        files.iter().all(|file| !file.contains("opt/axilog/bin")),
        "the command of the run before is still there",
    )?;
    programs(place, &installed, &installed.join(&multi))?;

    say("the README's commands");
    readme(place)?;

    cinstall(place, &first)?;

    say("uninstall");
    uninstall(&options)?;
    let left = listing(&stage)?;
    demand(left.is_empty(), &format!("uninstall leaves {left:?}"))?;
    demand(uninstall(&options).is_err(), "nothing is uninstalled twice")?;
    say("the installed library is fit for use");
    Ok(())
}

/// A file of an older version, which the next run has to remove.
fn stale(options: &Options) -> Done {
    let manifest = options.staged(&options.manifest());
    let old = format!("{PREFIX}/lib/libaxilog.so.0.0.9");
    fs::write(options.staged(Path::new(&old)), "")?;
    let listed = fs::read_to_string(&manifest)?;
    fs::write(&manifest, format!("{listed}{old}\n"))?;
    Ok(())
}

/// The SONAME, and the links that lead to the file.
fn library_is_named(installed: &Path) -> Done {
    let lib = installed.join("lib");
    has_soname(&lib)?;
    let soname = VERSION.soname();
    demand(
        fs::read_link(lib.join(&soname))? == Path::new(&VERSION.file())
            && fs::read_link(lib.join("libaxilog.so"))? == Path::new(&soname),
        "the links of the shared library lead elsewhere",
    )
}

fn has_soname(lib: &Path) -> Done {
    let dynamic = output(
        Command::new("readelf")
            .arg("-d")
            .arg(lib.join(VERSION.file())),
    )?;
    demand(
        dynamic.contains(&format!("soname: [{}]", VERSION.soname())),
        "the shared library has not its SONAME",
    )
}

/// The command runs, has a page for each subcommand, and completes.
fn command_is_whole(installed: &Path) -> Done {
    let program = installed.join("bin/axilog");
    let version = output(Command::new(&program).arg("--version"))?;
    demand(
        version.contains(VERSION.full),
        "another axilog is installed",
    )?;
    let help = output(Command::new(&program).arg("--help"))?;
    let (_, commands) = help.split_once("Commands:\n").ok_or("no commands")?;
    // A description goes on in lines that begin further in.
    let names = commands
        .lines()
        .take_while(|line| line.starts_with("  "))
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next());
    for name in names {
        if name == "help" {
            continue;
        }
        let page = installed.join(format!("share/man/man1/axilog-{name}.1"));
        let page = fs::read_to_string(&page).map_err(|e| format!("{}: {e}", page.display()))?;
        demand(page.contains(".TH"), "a manual page is none")?;
    }
    let completion = installed.join("share/bash-completion/completions/axilog");
    run(Command::new("bash").arg("-n").arg(completion))
}

/// Programs in both languages, with pkg-config and with CMake, shared and static.
fn programs(place: &Path, installed: &Path, lib: &Path) -> Done {
    for (language, compiler, page) in LANGUAGES {
        let source = place.join(format!("program.{language}"));
        fs::write(&source, block(page, language)?)?;
        let printed = block(page, "text")?;
        for shared in [true, false] {
            let program = place.join("program");
            let flags = pkg_config(lib, shared)?;
            let mut compile = Command::new(compiler);
            compile.arg(&source).arg("-o").arg(&program);
            if !shared {
                compile.arg("-static");
            }
            run(compile.args(flags.split_whitespace()))?;
            runs(place, &program, lib, shared, &printed)?;
            let program = with_cmake(place, installed, language, shared)?;
            runs(place, &program, lib, shared, &printed)?;
        }
    }
    Ok(())
}

/// What pkg-config says.
fn pkg_config(lib: &Path, shared: bool) -> Done<String> {
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_PATH", lib.join("pkgconfig"));
    command.args(["--cflags", "--libs"]);
    if !shared {
        command.arg("--static");
    }
    output(command.arg("axilog"))
}

/// A CMake project with the one program, configured and built.
fn with_cmake(place: &Path, installed: &Path, language: &str, shared: bool) -> Done<PathBuf> {
    let target = if shared { "axilog" } else { "axilog_static" };
    let link = if shared { "" } else { "-static" };
    let project = format!(
        "cmake_minimum_required(VERSION 3.13)\nproject(stranger C CXX)\n\
         set(CMAKE_CXX_STANDARD 17)\nfind_package(axilog 0.1 REQUIRED)\n\
         add_executable(stranger ../program.{language})\n\
         target_link_libraries(stranger PRIVATE axilog::{target} {link})\n"
    );
    let directory = place.join("cmake");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir(&directory)?;
    fs::write(directory.join("CMakeLists.txt"), project)?;
    let build = directory.join("build");
    output(configure(&directory, installed).arg("-B").arg(&build))?;
    output(Command::new("cmake").arg("--build").arg(&build))?;
    Ok(build.join("stranger"))
}

fn configure(directory: &Path, installed: &Path) -> Command {
    let mut command = Command::new("cmake");
    command.arg("-S").arg(directory);
    command.arg(format!("-DCMAKE_PREFIX_PATH={}", installed.display()));
    command
}

/// The program does what its page says, with the shared library or without any.
fn runs(place: &Path, program: &Path, lib: &Path, shared: bool, expected: &str) -> Done {
    let dynamic = output(Command::new("readelf").arg("-d").arg(program))?;
    demand(
        dynamic.contains(&format!("[{}]", VERSION.soname())) == shared,
        "a program is not linked as it should be",
    )?;
    let mut command = Command::new(program);
    command.current_dir(place).env("LD_LIBRARY_PATH", lib);
    let printed = output(&mut command)?;
    demand(
        printed == expected,
        &format!("a program prints {printed:?}"),
    )
}

/// Which versions CMake finds.
fn versions(place: &Path, installed: &Path) -> Done {
    let directory = place.join("cmake");
    for (asked, found) in [
        ("0", true),
        ("0.1", true),
        ("0.1.0 EXACT", true),
        ("0.0.9", false),
        ("0.1.9", false),
        ("0.2", false),
        ("1", false),
    ] {
        fs::write(
            directory.join("CMakeLists.txt"),
            format!(
                "cmake_minimum_required(VERSION 3.13)\nproject(stranger C)\n\
                 find_package(axilog {asked} REQUIRED)\n"
            ),
        )?;
        let mut command = configure(&directory, installed);
        let configured = output(command.arg("-B").arg(directory.join("versions")));
        demand(
            configured.is_ok() == found,
            &format!("find_package(axilog {asked})"),
        )?;
        let _ = fs::remove_dir_all(directory.join("versions"));
    }
    Ok(())
}

/// A rig written for deployed gateways, by `axilog-compat.pc`.
fn compatibility(place: &Path, installed: &Path) -> Done {
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_PATH", installed.join("lib/pkgconfig"));
    let flags = output(command.args(["--cflags", "--libs", "axilog-compat"]))?;
    let program = place.join("rig");
    let mut compile = Command::new("cc");
    compile
        .arg(root().join("c-tests/compat/shared.c"))
        .arg("-o");
    run(compile.arg(&program).args(flags.split_whitespace()))?;
    let mut command = Command::new(&program);
    let printed = output(command.env("LD_LIBRARY_PATH", installed.join("lib")))?;
    demand(
        printed.contains("protocol 13\n"),
        "the compatibility headers",
    )
}

/// Firmware that defines `ax_agent_step` itself links with the installed archive.
fn own_step(place: &Path, installed: &Path) -> Done {
    let source = place.join("step.c");
    fs::write(
        &source,
        "#include \"axilog/axilog.h\"\n\
         void ax_agent_step(ax_agent_ctx_t *a, ax_policy_ctx_t *p, const ax_input_t *i, ct_fault_flags_t *f)\n\
         { (void)p; (void)i; (void)f; a->health = AX_HEALTH_DEGRADED; }\n\
         int main(void)\n{\n    ax_agent_ctx_t agent;\n    ct_fault_flags_t faults;\n\
         ct_fault_init(&faults);\n    ax_agent_init(&agent, &faults);\n\
         ax_agent_step(&agent, 0, 0, &faults);\n    return agent.health != AX_HEALTH_DEGRADED;\n}\n",
    )?;
    let program = place.join("step");
    let mut compile = Command::new("cc");
    compile.arg(&source).arg("-o").arg(&program).arg("-I");
    compile.arg(installed.join("include"));
    run(compile.arg(installed.join("lib/libaxilog.a")))?;
    run(&mut Command::new(&program))
}

/// `cargo cinstall` installs the same headers and libraries under the same names. Only where there is
/// cargo-c, which takes longer to build than all of axilog.
fn cinstall(place: &Path, ours: &[String]) -> Done {
    let version = cargo().args(["cinstall", "--version"]).output()?;
    if !version.status.success() {
        say("cargo cinstall: not checked, there is no cargo-c here (cargo install cargo-c)");
        return Ok(());
    }
    say("cargo cinstall");
    let stage = place.join("cstage");
    let mut command = cargo();
    command
        .args(["cinstall", "-p", "axilog", "--release", "--locked"])
        .args(["--prefix", PREFIX, "--libdir", "lib", "--destdir"])
        .arg(&stage);
    output(&mut command)?;
    let installed = stage.join(PREFIX.trim_start_matches('/'));
    has_soname(&installed.join("lib"))?;
    own_step(place, &installed)?;
    let below = |files: &[String]| -> BTreeSet<String> {
        let names = files.iter().filter_map(|file| file.split_once(PREFIX));
        let names = names.map(|(_, name)| name.to_owned());
        // What cargo-c knows nothing of.
        names
            .filter(|name| name.starts_with("/include") || name.starts_with("/lib/lib"))
            .collect()
    };
    let theirs = below(&listing(&stage)?);
    let ours = below(ours);
    let differ: Vec<_> = ours.symmetric_difference(&theirs).collect();
    demand(
        differ.is_empty(),
        &format!("cargo cinstall differs in {differ:?}"),
    )
}

/// The README and the pages, as a newcomer follows them: the README's commands install below a home
/// directory, build its program and replay what that recorded; the pages' commands build theirs.
fn readme(place: &Path) -> Done {
    let home = place.join("home");
    fs::create_dir(&home)?;
    let shell = |commands: &str, directory: &Path| {
        let mut command = Command::new("sh");
        command.args(["-e", "-c", commands]).current_dir(directory);
        // The paths of whoever runs this would hide what the commands themselves set.
        command.env("HOME", &home).env_remove("LD_LIBRARY_PATH");
        // Cargo and rustup have their own homes below the real one.
        for (variable, directory) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            if let (None, Some(real)) = (std::env::var_os(variable), std::env::var_os("HOME")) {
                command.env(variable, Path::new(&real).join(directory));
            }
        }
        output(&mut command)
    };
    fs::write(place.join("program.c"), block("README.md", "c")?)?;
    shell(&block("README.md", "sh install")?, root())?;
    let printed = shell(&block("README.md", "sh build")?, place)?;
    demand(
        printed.starts_with("ALARM\n") && printed.contains("\nOK "),
        &format!("the README's commands print {printed:?}"),
    )?;
    for (language, _, page) in LANGUAGES {
        let source = place.join(format!("decide.{language}"));
        fs::write(source, block(page, language)?)?;
        let printed = shell(&block(page, "sh build")?, place)?;
        demand(
            printed == block(page, "text")?,
            &format!("the commands of {page} print {printed:?}"),
        )?;
    }
    let project = "cmake_minimum_required(VERSION 3.13)\nproject(decide C)\n";
    let lines = block(LANGUAGES[0].2, "cmake")?;
    fs::write(place.join("CMakeLists.txt"), format!("{project}{lines}"))?;
    let build = "cmake -S . -B page -DCMAKE_PREFIX_PATH=\"$HOME/.local\" && cmake --build page";
    shell(build, place).map(drop)
}

/// The first block of a page in `language`.
fn block(page: &str, language: &str) -> Done<String> {
    let text = fs::read_to_string(root().join(page))?;
    let opening = format!("\n```{language}\n");
    let block = text
        .split_once(&opening)
        .and_then(|(_, rest)| rest.split_once("```"));
    let (block, _) = block.ok_or_else(|| format!("{page} has no block {language}"))?;
    Ok(block.to_owned())
}

/// Every file and link below a directory.
fn listing(directory: &Path) -> Done<Vec<String>> {
    if !directory.exists() {
        return Ok(Vec::new());
    }
    let listed = output(
        Command::new("find")
            .arg(directory)
            .args(["-not", "-type", "d"]),
    )?;
    let mut files: Vec<String> = listed.lines().map(str::to_owned).collect();
    files.sort();
    Ok(files)
}

fn demand(holds: bool, what: &str) -> Done {
    if holds { Ok(()) } else { Err(what.into()) }
}
