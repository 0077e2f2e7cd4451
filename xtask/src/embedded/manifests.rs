//! What the build systems read of the packages, read by programs of theirs from PyPI: the manifests, and the script that
//! chooses an archive in PlatformIO.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::check::expect_refusal;
use super::cmake::stub;
use super::package::Packages;
use crate::cargo::Metadata;
use crate::process::{TaskResult, ensure, read_output, require_program, run};

/// The packages of PyPI that are used.
const TOOLS: [&str; 5] = [
    "platformio==6.1.*",
    "scons==4.*",
    "kconfiglib==14.*",
    "pyyaml==6.*",
    "idf-component-manager==3.*",
];

/// A board's processor, its compiler's flags, and the folder whose archive PlatformIO links.
const BOARDS: [(&str, &str, &str); 5] = [
    ("cortex-m0plus", "-mthumb", "src/cortex-m0plus"),
    ("cortex-m4", "-mthumb", "src/cortex-m4"),
    (
        "cortex-m4",
        "-mfpu=fpv4-sp-d16 -mfloat-abi=softfp",
        "src/cortex-m4/fpv4-sp-d16-softfp",
    ),
    (
        "cortex-m4",
        "-mfpu=fpv4-sp-d16 -mfloat-abi=hard",
        "src/cortex-m4/fpv4-sp-d16-hard",
    ),
    ("esp32c3", "-march=rv32imc", "src/esp32c3"),
];

/// Has each program read its package.
pub fn check_manifests(packages: &Packages, directory: &Path) -> TaskResult {
    let tools = install_tools()?;
    let mut read = Command::new(tools.join("python"));
    read.arg(stub("read_manifests.py"))
        .args([&packages.arduino, &packages.zephyr])
        .env("PLATFORMIO_CORE_DIR", directory.join("platformio"));
    print!("{}", read_output(&mut read)?);
    let mut pack = Command::new(tools.join("compote"));
    pack.args(["component", "pack", "--name", "axilog", "--dest-dir"])
        .arg(directory)
        .arg("--project-dir")
        .arg(&packages.esp_idf);
    read_output(&mut pack)?;
    println!("idf_component.yml: packed");
    for (processor, flags, folder) in BOARDS {
        let printed = run_script(&tools, packages, processor, flags)?;
        let expected = format!("linked: {} axilog", packages.arduino.join(folder).display());
        ensure(
            printed.lines().any(|line| line == expected),
            &format!(
                "link_archive.py prints {printed:?} for {processor} {flags}, expected {expected:?}"
            ),
        )?;
        println!("{processor} {flags}: {folder}");
    }
    let refused = run_script(&tools, packages, "xtensa", "");
    expect_refusal(
        refused.map(drop),
        "axilog has no archive for the processor 'xtensa'",
    )
}

/// Installs the programs where they are missing, and returns their folder.
fn install_tools() -> TaskResult<PathBuf> {
    require_program("python3", "apt-get install python3 python3-venv")?;
    let environment = Metadata::read()?.target_directory()?.join("embedded/tools");
    let tools = environment.join("bin");
    if !tools.join("compote").exists() {
        run(Command::new("python3")
            .args(["-m", "venv"])
            .arg(&environment))?;
        let mut install = Command::new(tools.join("python"));
        run(install
            .args(["-m", "pip", "install", "--quiet"])
            .args(TOOLS))?;
    }
    Ok(tools)
}

/// Has SCons run the script as PlatformIO does, and returns what the stub prints of it.
fn run_script(
    tools: &Path,
    packages: &Packages,
    processor: &str,
    flags: &str,
) -> TaskResult<String> {
    let mut scons = Command::new(tools.join("scons"));
    scons
        .args(["--silent", "-f"])
        .arg(stub("arduino/SConstruct"))
        .arg("-C")
        .arg(&packages.arduino)
        .env("STUB_CPU", processor)
        .env("STUB_FLAGS", flags);
    read_output(&mut scons)
}
