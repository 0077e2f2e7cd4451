//! `--check`: the sample, built with each package for each processor, writes the ledger that it writes on this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::archives::{PROCESSORS, Processor};
use super::cmake::{build_project, stub};
use super::package::Packages;
use super::{arduino, manifests};
use crate::cargo::{build, cargo};
use crate::process::{
    TaskResult, ensure, print_heading, read_output, require_program, workspace_root,
};

/// An ESP32 chip, and the processor whose archive it links.
const CHIPS: [(&str, &str); 3] = [
    ("esp32c3", "riscv32imc-unknown-none-elf"),
    ("esp32c6", "riscv32imac-unknown-none-elf"),
    ("esp32p4", "riscv32imafc-unknown-none-elf"),
];

/// The options that Zephyr's boards set, and the processor whose archive they link.
const BOARDS: [(&str, &str); 9] = [
    ("ARM;CPU_CORTEX_M;CPU_CORTEX_M0PLUS", "thumbv6m-none-eabi"),
    ("ARM;CPU_CORTEX_M;CPU_CORTEX_M3", "thumbv7m-none-eabi"),
    ("ARM;CPU_CORTEX_M;CPU_CORTEX_M4", "thumbv7em-none-eabi"),
    (
        "ARM;CPU_CORTEX_M;CPU_CORTEX_M4;FP_HARDABI",
        "thumbv7em-none-eabihf",
    ),
    ("ARM;CPU_CORTEX_M;CPU_CORTEX_M33", "thumbv8m.main-none-eabi"),
    (
        "ARM;CPU_CORTEX_M;CPU_CORTEX_M33;FP_HARDABI",
        "thumbv8m.main-none-eabihf",
    ),
    (
        "RISCV;RISCV_ISA_EXT_M;RISCV_ISA_EXT_C",
        "riscv32imc-unknown-none-elf",
    ),
    (
        "RISCV;RISCV_ISA_EXT_A;RISCV_ISA_EXT_C",
        "riscv32imac-unknown-none-elf",
    ),
    (
        "RISCV;RISCV_ISA_EXT_A;FLOAT_HARD",
        "riscv32imafc-unknown-none-elf",
    ),
];

/// Builds the sample with each package, runs it, and tries what the packages refuse.
pub fn check_packages(packages: &Packages) -> TaskResult {
    require_program("cmake", "apt-get install cmake")?;
    let directory = tempfile::Builder::new()
        .prefix("axilog-embedded-")
        .tempdir()?;
    let directory = directory.path();
    let ledger = write_host_ledger(directory)?;

    print_heading("ESP-IDF");
    for (chip, triple) in CHIPS {
        let (build, definitions) = (directory.join(chip), [format!("IDF_TARGET={chip}")]);
        let sample = packages.esp_idf.join("examples/motor");
        build_project(processor(triple)?, &sample, &build, &definitions)?;
        run_sample(processor(triple)?, &build.join("motor.elf"), &ledger)?;
    }
    let refused = build_project(
        processor(CHIPS[0].1)?,
        &packages.esp_idf.join("examples/motor"),
        &directory.join("esp32s3"),
        &["IDF_TARGET=esp32s3".to_owned()],
    );
    expect_refusal(refused, "axilog has no library for esp32s3")?;

    print_heading("Zephyr");
    let module = format!("ZEPHYR_EXTRA_MODULES={}", packages.zephyr.display());
    let zephyr = format!("Zephyr_DIR={}", stub("zephyr").display());
    let sample = packages.zephyr.join("samples/motor");
    for (number, (options, triple)) in BOARDS.iter().enumerate() {
        let build = directory.join(format!("board-{number}"));
        let definitions = [
            module.clone(),
            zephyr.clone(),
            format!("STUB_BOARD={options}"),
        ];
        build_project(processor(triple)?, &sample, &build, &definitions)?;
        run_sample(processor(triple)?, &build.join("zephyr.elf"), &ledger)?;
    }
    let board = "STUB_BOARD=ARM;CPU_CORTEX_A".to_owned();
    let refused = build_project(
        processor(BOARDS[0].1)?,
        &sample,
        &directory.join("board-a"),
        &[module, zephyr, board, "BOARD=my_board".to_owned()],
    );
    expect_refusal(
        refused,
        "axilog has no library for the processor of the board my_board",
    )?;

    print_heading("Arduino");
    arduino::check_library(packages, directory, &ledger)?;

    print_heading("manifests");
    manifests::check_manifests(packages, directory)?;

    print_heading("another size of enums");
    check_enums(packages, directory)
}

/// The processor with this triple.
pub fn processor(triple: &str) -> TaskResult<&'static Processor> {
    let found = PROCESSORS
        .iter()
        .find(|processor| processor.triple == triple);
    found.ok_or_else(|| format!("{triple} is no processor of the packages").into())
}

/// Runs an image where there is a machine for it, and compares the ledger that it prints.
pub fn run_sample(processor: &Processor, image: &Path, ledger: &str) -> TaskResult {
    let Some(machine) = processor.machine else {
        println!("{}: linked", processor.triple);
        return Ok(());
    };
    let directory = image.parent().unwrap_or(image);
    let printed = machine.run(image, directory, &[])?.replace('\r', "");
    ensure(
        printed == ledger,
        &format!(
            "the sample on {} prints another ledger than on this machine:\n{printed}",
            processor.triple
        ),
    )?;
    println!("{}: the ledger of this machine", processor.triple);
    Ok(())
}

/// Builds the sample for this machine, has the command verify the ledger that it writes, and returns the ledger.
fn write_host_ledger(directory: &Path) -> TaskResult<String> {
    print_heading("the sample's ledger on this machine");
    let mut library = cargo();
    library.args(["build", "--release", "--locked", "-p", "axilog", "--lib"]);
    let library = build(&mut library)?;
    let common = workspace_root().join("embedded/common");
    let program = directory.join("motor");
    let mut compiler = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    compiler
        .args([
            "-std=c99",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Dapp_main=main_of_sample",
            "-I",
        ])
        .arg(workspace_root().join("include"))
        .arg("-I")
        .arg(&common)
        .arg("-o")
        .arg(&program)
        .arg(common.join("motor.c"))
        .arg(workspace_root().join("embedded/esp-idf/examples/motor/main/main.c"))
        .arg(main_file(directory)?)
        .arg(library.path("libaxilog.a")?);
    read_output(&mut compiler)?;
    let ledger = read_output(&mut Command::new(program))?;
    let file = directory.join("ledger.jsonl");
    fs::write(&file, &ledger)?;
    let mut command = cargo();
    // The command that the workspace's tests run: a selection of its own would compile another.
    command.args(["test", "--workspace", "--test", "cli", "--no-run"]);
    let command = build(&mut command)?;
    let verified = read_output(
        Command::new(command.path("axilog")?)
            .arg("verify")
            .arg(&file),
    )?;
    print!("{verified}");
    Ok(ledger)
}

fn main_file(directory: &Path) -> TaskResult<PathBuf> {
    let file = directory.join("main.c");
    fs::write(
        &file,
        "void main_of_sample(void);\nint main(void) { main_of_sample(); return 0; }\n",
    )?;
    Ok(file)
}

/// Fails unless a build was refused with this text.
pub fn expect_refusal(result: TaskResult, text: &str) -> TaskResult {
    let Err(error) = result else {
        return Err(format!("a build succeeds where {text:?} was expected").into());
    };
    // CMake breaks its messages into lines.
    let message = error.to_string();
    let words: Vec<&str> = message.split_whitespace().collect();
    ensure(
        words.join(" ").contains(text),
        &format!("expected the refusal {text:?}, found: {error}"),
    )
}

/// A compiler that gives enums four bytes on Arm stops at the package's own file.
fn check_enums(packages: &Packages, directory: &Path) -> TaskResult {
    let processor = processor("thumbv7em-none-eabihf")?;
    let mut compiler = Command::new(format!("{}gcc", processor.compiler.prefix));
    compiler
        .args(processor.compiler.flags)
        .arg("-fno-short-enums")
        .arg("-I")
        .arg(packages.zephyr.join("include"))
        .arg("-c")
        .arg(packages.zephyr.join("axilog_layout.c"))
        .arg("-o")
        .arg(directory.join("layout.o"));
    expect_refusal(
        read_output(&mut compiler).map(drop),
        "compile_arm_with_fshort_enums",
    )
}
