//! The installed files: their list, the names of the libraries, and the command with its manual.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::PREFIX;
use crate::install::{CORE, Locations, VERSION};
use crate::process::{TaskResult, ensure, read_output, run};

/// Lists every file and link below a directory, sorted.
pub fn list_files(directory: &Path) -> TaskResult<Vec<String>> {
    if !directory.exists() {
        return Ok(Vec::new());
    }
    let mut find = Command::new("find");
    find.arg(directory).args(["-not", "-type", "d"]);
    let listed = read_output(&mut find)?;
    let mut files: Vec<String> = listed.lines().map(str::to_owned).collect();
    files.sort();
    Ok(files)
}

/// Adds the library of an older version, which the next run of install has to remove.
pub fn add_stale_file(locations: &Locations) -> TaskResult {
    let manifest = locations.staged(&locations.manifest());
    let stale = format!("{PREFIX}/lib/libaxilog.so.0.0.9");
    fs::write(locations.staged(Path::new(&stale)), "")?;
    let listed = fs::read_to_string(&manifest)?;
    fs::write(&manifest, format!("{listed}{stale}\n"))?;
    Ok(())
}

/// Checks the SONAME and the links that lead to the shared library.
pub fn check_library_names(installed: &Path) -> TaskResult {
    let lib = installed.join("lib");
    check_soname(&lib)?;
    let soname = CORE.soname();
    ensure(
        fs::read_link(lib.join(&soname))? == Path::new(&CORE.file_name())
            && fs::read_link(lib.join("libaxilog.so"))? == Path::new(&soname),
        "libaxilog.so does not lead to the installed shared library",
    )
}

/// Checks the SONAME of the shared library in `lib`.
pub fn check_soname(lib: &Path) -> TaskResult {
    let library = lib.join(CORE.file_name());
    ensure(
        read_dynamic_section(&library)?.contains(&format!("soname: [{}]", CORE.soname())),
        &format!("{} has not the SONAME {}", library.display(), CORE.soname()),
    )
}

/// Reads the dynamic section of a program or a library.
pub fn read_dynamic_section(file: &Path) -> TaskResult<String> {
    read_output(Command::new("readelf").arg("-d").arg(file))
}

/// Checks that the command runs, refuses a subcommand that the build left out, has a manual page for each
/// subcommand, and has completions.
pub fn check_command(installed: &Path) -> TaskResult {
    let program = installed.join("bin/axilog");
    let version = read_output(Command::new(&program).arg("--version"))?;
    ensure(
        version.contains(VERSION.full),
        &format!(
            "axilog --version prints {version:?}, expected {}",
            VERSION.full
        ),
    )?;
    let left_out = Command::new(&program)
        .args(["memory", "show", "--json"])
        .output()?;
    let message = String::from_utf8_lossy(&left_out.stderr);
    ensure(
        left_out.status.code() == Some(3) && message.contains("--features memory"),
        &format!(
            "axilog memory, which the build left out, ends with {} and says {message:?}, expected \
             exit code 3 and how to build it",
            left_out.status
        ),
    )?;
    let help = read_output(Command::new(&program).arg("--help"))?;
    let (_, commands) = help
        .split_once("Commands:\n")
        .ok_or("axilog --help lists no commands")?;
    // The further lines of a description begin further to the right.
    let names = commands
        .lines()
        .take_while(|line| line.starts_with("  "))
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help");
    for name in names {
        let page = installed.join(format!("share/man/man1/axilog-{name}.1"));
        let text = fs::read_to_string(&page).map_err(|e| format!("{}: {e}", page.display()))?;
        ensure(
            text.contains(".TH"),
            &format!("{} is not a manual page: it has no .TH", page.display()),
        )?;
    }
    let completion = installed.join("share/bash-completion/completions/axilog");
    run(Command::new("bash").arg("-n").arg(completion))
}
