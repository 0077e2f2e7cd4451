//! The processors: how a library and a program for each are built, and the emulated machine that runs
//! them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::cargo::{Metadata, cargo};
use crate::process::{
    TaskResult, read_output, require_program, require_rustup, run, workspace_root,
};

/// A processor on which firmware runs.
pub struct Target {
    pub triple: &'static str,
    pub processor: &'static str,
    /// The prefix of the compiler and of the binary utilities.
    tool_prefix: &'static str,
    /// The flags of the compiler for the processor and its calling convention.
    compiler_flags: &'static [&'static str],
    /// Whether its code is Thumb-2, which the walk over the disassembly reads.
    pub has_thumb2: bool,
    /// The emulated machine whose memory is large enough for every vector.
    pub large: Machine,
    /// The emulated machine with little memory.
    pub small: Machine,
    /// The Debian packages with the tools.
    packages: &'static str,
}

/// A machine that QEMU emulates.
#[derive(Clone, Copy)]
pub struct Machine {
    emulator: &'static str,
    pub name: &'static str,
    arguments: &'static [&'static str],
}

/// A machine with a Cortex-M.
pub const fn arm(name: &'static str) -> Machine {
    Machine {
        emulator: "qemu-system-arm",
        name,
        arguments: &[],
    }
}

/// The machine with a RISC-V processor of 32 bits.
pub const RISCV: Machine = Machine {
    emulator: "qemu-system-riscv32",
    name: "virt",
    arguments: &["-bios", "none"],
};

/// The Debian packages for both Arm processors.
const ARM_PACKAGES: &str = "gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm";

/// The processors on which the library is tested.
pub const TARGETS: [Target; 3] = [
    Target {
        triple: "thumbv7em-none-eabihf",
        processor: "Cortex-M4F",
        tool_prefix: "arm-none-eabi-",
        compiler_flags: &[
            "-mcpu=cortex-m4",
            "-mthumb",
            "-mfloat-abi=hard",
            "-mfpu=fpv4-sp-d16",
        ],
        has_thumb2: true,
        large: arm("mps2-an386"),
        small: arm("mps2-an386"),
        packages: ARM_PACKAGES,
    },
    Target {
        triple: "thumbv6m-none-eabi",
        processor: "Cortex-M0",
        tool_prefix: "arm-none-eabi-",
        compiler_flags: &["-mcpu=cortex-m0", "-mthumb"],
        has_thumb2: false,
        // A Cortex-M3, which runs everything that a Cortex-M0 does: no machine with a Cortex-M0 has
        // room for the vectors. The small one is a Cortex-M0.
        large: arm("mps2-an385"),
        small: arm("microbit"),
        packages: ARM_PACKAGES,
    },
    Target {
        triple: "riscv32imac-unknown-none-elf",
        processor: "RV32IMAC",
        tool_prefix: "riscv64-unknown-elf-",
        compiler_flags: &[
            "-march=rv32imac",
            "-mabi=ilp32",
            "--specs=picolibc.specs",
            "--oslib=semihost",
            "--crt0=semihost",
        ],
        has_thumb2: false,
        large: RISCV,
        small: RISCV,
        packages: "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf qemu-system-misc",
    },
];

/// A C program.
pub struct Program<'a> {
    pub name: &'a str,
    /// The files that are compiled and linked: C, assembler or objects.
    pub sources: Vec<PathBuf>,
    pub library: &'a Path,
    /// Whether the program uses functions of the C library that need RAM.
    pub uses_libc: bool,
    /// The bytes of RAM, including the stack.
    pub ram_bytes: u32,
    /// Further arguments of the compiler.
    pub compiler_arguments: Vec<String>,
}

impl Target {
    pub fn is_arm(&self) -> bool {
        self.large.emulator == "qemu-system-arm"
    }

    /// Fails unless every tool is installed; the error names the command that installs the missing one.
    pub fn require_tools(&self) -> TaskResult {
        let install = format!("apt-get install --no-install-recommends {}", self.packages);
        require_program(&format!("{}gcc", self.tool_prefix), &install)?;
        require_program(self.large.emulator, &install)?;
        require_rustup("target", "stable", self.triple)
    }

    /// The directory of the programs for this target; it is created.
    pub fn image_directory(&self) -> TaskResult<PathBuf> {
        let directory = output_directory()?.join("images").join(self.triple);
        fs::create_dir_all(&directory)?;
        Ok(directory)
    }

    /// Compiles one source file into an object.
    pub fn compile_object(&self, source: &Path) -> TaskResult<PathBuf> {
        let object = self
            .image_directory()?
            .join(source.file_name().unwrap_or_default())
            .with_extension("o");
        let mut compiler = self.compiler_command()?;
        compiler.arg("-c").arg("-o").arg(&object).arg(source);
        read_output(&mut compiler)?;
        Ok(object)
    }

    /// Compiles and links a program.
    pub fn link(&self, program: &Program) -> TaskResult<PathBuf> {
        let image = self.image_directory()?.join(program.name);
        let mut compiler = self.compiler_command()?;
        compiler
            .arg("-o")
            .arg(&image)
            .args(&program.compiler_arguments)
            .args(&program.sources)
            .arg("-Wl,--gc-sections,-z,noexecstack");
        let c = workspace_root().join("c-tests/firmware");
        if self.is_arm() {
            compiler
                .arg("-nostartfiles")
                .arg("-T")
                .arg(c.join("arm.ld"))
                .arg(format!(
                    "-Wl,--defsym=flash_size=4M,--defsym=ram_size={}",
                    program.ram_bytes
                ))
                .arg(c.join("start_arm.c"))
                .arg(c.join("host_semihosting.c"));
            if program.uses_libc {
                compiler.args(["-DWITH_LIBC", "--specs=rdimon.specs"]);
            } else {
                compiler.arg("-nostdlib");
            }
            compiler.arg(program.library);
        } else {
            compiler
                .arg(format!(
                    "-Wl,--defsym=__flash=0x80000000,--defsym=__flash_size=4M,\
                     --defsym=__ram=0x80400000,--defsym=__ram_size={}",
                    program.ram_bytes
                ))
                .arg(c.join("host_semihosting.c"))
                .arg(program.library);
        }
        read_output(&mut compiler)?;
        Ok(image)
    }

    fn compiler_command(&self) -> TaskResult<Command> {
        let mut compiler = Command::new(format!("{}gcc", self.tool_prefix));
        compiler
            .args(self.compiler_flags)
            .args(["-std=c99", "-Os", "-g", "-ffunction-sections"])
            .args(["-fdata-sections", "-Wall", "-Wextra", "-Wpedantic"])
            .args(["-Wconversion", "-Wshadow", "-Wundef", "-Werror"])
            .arg("-I")
            .arg(workspace_root().join("include"))
            .arg("-I")
            .arg(workspace_root().join("c-tests"))
            .arg("-I")
            .arg(workspace_root().join("c-tests/firmware"))
            .arg("-I")
            .arg(output_directory()?.join("images"));
        Ok(compiler)
    }

    /// The machine code of an image, as text.
    pub fn disassemble(&self, image: &Path) -> TaskResult<String> {
        let mut command = Command::new(format!("{}objdump", self.tool_prefix));
        read_output(command.arg("-d").arg(image))
    }

    /// Runs a tool of the binary utilities on a file and returns what the tool prints.
    pub fn run_binutil(&self, tool: &str, file: &Path) -> TaskResult<String> {
        let mut command = Command::new(format!("{}{tool}", self.tool_prefix));
        read_output(command.arg(file))
    }
}

impl Machine {
    /// Runs an image in `directory` for at most two minutes and returns what it prints.
    ///
    /// # Errors
    /// Where the image does not end with success.
    pub fn run(&self, image: &Path, directory: &Path, arguments: &[&str]) -> TaskResult<String> {
        let mut emulator = Command::new("timeout");
        emulator
            .args(["120", self.emulator, "-M", self.name])
            .args(self.arguments)
            .args(arguments)
            .args(["-nographic", "-monitor", "none", "-serial", "none"])
            .args(["-semihosting-config", "enable=on,target=native", "-kernel"])
            .arg(image)
            .current_dir(directory);
        // The processor and the C library decide to which of the two streams an image prints.
        let output = emulator.stdin(Stdio::null()).output()?;
        let printed = String::from_utf8([output.stdout, output.stderr].concat())?;
        if output.status.success() {
            Ok(printed)
        } else {
            let (image, status) = (image.display(), output.status);
            Err(format!("{image} on {}: {status}\n{printed}", self.name).into())
        }
    }
}

/// Builds `libaxilog.a` and the rlib for a target with these features, and returns the directory of both.
pub fn build_library(triple: &str, features: &str) -> TaskResult<PathBuf> {
    let target = output_directory()?;
    let mut build = cargo();
    build
        .args(["rustc", "--locked", "-p", "axilog", "--lib"])
        .args(["--crate-type", "rlib,staticlib", "--profile", "firmware"])
        .args(["--no-default-features", "--features", features])
        .args(["--target", triple, "--target-dir"])
        .arg(&target);
    run(&mut build)?;
    Ok(target.join(triple).join("firmware"))
}

/// The directory of everything that this task builds, below cargo's target directory.
pub fn output_directory() -> TaskResult<PathBuf> {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    if let Some(directory) = DIRECTORY.get() {
        return Ok(directory.clone());
    }
    let directory = Metadata::read()?.target_directory()?.join("xtask-firmware");
    Ok(DIRECTORY.get_or_init(|| directory).clone())
}
