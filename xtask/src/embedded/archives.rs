//! The processors of the packages, and the static library for each.

use std::path::PathBuf;

use crate::firmware::{Machine, RISCV, arm, build_library};
use crate::process::TaskResult;

/// A processor and calling convention for which the packages have an archive.
pub struct Processor {
    pub triple: &'static str,
    /// The folders of the archive in an Arduino library: the board's `build.mcu`, and where its floating-point unit
    /// changes the calling convention, `build.fpu` and `build.float-abi`.
    pub arduino_folders: &'static [&'static str],
    /// The compiler for it, and its flags.
    pub compiler: Compiler,
    /// The emulated machine that runs its programs; none where QEMU has no machine with this memory map.
    pub machine: Option<Machine>,
}

/// A C compiler with its flags for a processor.
pub struct Compiler {
    pub prefix: &'static str,
    pub flags: &'static [&'static str],
}

const fn gcc_arm(flags: &'static [&'static str]) -> Compiler {
    Compiler {
        prefix: "arm-none-eabi-",
        flags,
    }
}

const fn gcc_riscv(flags: &'static [&'static str]) -> Compiler {
    Compiler {
        prefix: "riscv64-unknown-elf-",
        flags,
    }
}

/// All of them.
pub const PROCESSORS: [Processor; 9] = [
    Processor {
        triple: "thumbv6m-none-eabi",
        arduino_folders: &["cortex-m0", "cortex-m0plus"],
        compiler: gcc_arm(&["-mthumb", "-mcpu=cortex-m0plus"]),
        // A Cortex-M3, which runs everything that a Cortex-M0+ does.
        machine: Some(arm("mps2-an385")),
    },
    Processor {
        triple: "thumbv7m-none-eabi",
        arduino_folders: &["cortex-m3"],
        compiler: gcc_arm(&["-mthumb", "-mcpu=cortex-m3"]),
        machine: Some(arm("mps2-an385")),
    },
    Processor {
        triple: "thumbv7em-none-eabi",
        arduino_folders: &[
            "cortex-m4",
            "cortex-m4/fpv4-sp-d16-softfp",
            "cortex-m7",
            "cortex-m7/fpv5-d16-softfp",
        ],
        compiler: gcc_arm(&[
            "-mthumb",
            "-mcpu=cortex-m4",
            "-mfloat-abi=softfp",
            "-mfpu=fpv4-sp-d16",
        ]),
        machine: Some(arm("mps2-an386")),
    },
    Processor {
        triple: "thumbv7em-none-eabihf",
        arduino_folders: &["cortex-m4/fpv4-sp-d16-hard", "cortex-m7/fpv5-d16-hard"],
        compiler: gcc_arm(&[
            "-mthumb",
            "-mcpu=cortex-m4",
            "-mfloat-abi=hard",
            "-mfpu=fpv4-sp-d16",
        ]),
        machine: Some(arm("mps2-an386")),
    },
    Processor {
        triple: "thumbv8m.main-none-eabi",
        arduino_folders: &["cortex-m33", "cortex-m33/fpv5-sp-d16-softfp"],
        compiler: gcc_arm(&["-mthumb", "-mcpu=cortex-m33", "-mfloat-abi=soft"]),
        machine: None,
    },
    Processor {
        triple: "thumbv8m.main-none-eabihf",
        arduino_folders: &["cortex-m33/fpv5-sp-d16-hard"],
        compiler: gcc_arm(&[
            "-mthumb",
            "-mcpu=cortex-m33",
            "-mfloat-abi=hard",
            "-mfpu=fpv5-sp-d16",
        ]),
        machine: None,
    },
    Processor {
        triple: "riscv32imc-unknown-none-elf",
        arduino_folders: &["esp32c3"],
        compiler: gcc_riscv(&["-march=rv32imc", "-mabi=ilp32"]),
        machine: Some(RISCV),
    },
    Processor {
        triple: "riscv32imac-unknown-none-elf",
        arduino_folders: &["esp32c6", "esp32h2"],
        compiler: gcc_riscv(&["-march=rv32imac", "-mabi=ilp32"]),
        machine: Some(RISCV),
    },
    Processor {
        triple: "riscv32imafc-unknown-none-elf",
        arduino_folders: &["esp32p4"],
        compiler: gcc_riscv(&["-march=rv32imafc", "-mabi=ilp32f"]),
        machine: Some(RISCV),
    },
];

/// A compiled archive.
pub struct Archive {
    pub processor: &'static Processor,
    pub file: PathBuf,
}

/// Compiles the archives.
pub fn build_archives() -> TaskResult<Vec<Archive>> {
    let build = |processor: &'static Processor| -> TaskResult<Archive> {
        let file = build_library(processor.triple, "panic-handler")?.join("libaxilog.a");
        Ok(Archive { processor, file })
    };
    PROCESSORS.iter().map(build).collect()
}
