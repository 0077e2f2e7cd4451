//! The processors: how a library and a program for one are made, and the machine that runs them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::process::{Done, cargo, need, need_rustup, output, root};

/// A processor that firmware runs on.
pub struct Target {
    pub triple: &'static str,
    pub processor: &'static str,
    /// Of the compiler and the binary utilities.
    prefix: &'static str,
    /// The compiler's, for the processor and its calling convention.
    flags: &'static [&'static str],
    /// The emulated machine that has room for every vector, and the small one.
    pub large: Machine,
    pub small: Machine,
    /// Packages of Debian.
    packages: &'static str,
}

/// A machine of QEMU's.
#[derive(Clone, Copy)]
pub struct Machine {
    emulator: &'static str,
    pub name: &'static str,
    arguments: &'static [&'static str],
}

const fn arm(name: &'static str) -> Machine {
    Machine {
        emulator: "qemu-system-arm",
        name,
        arguments: &[],
    }
}

const RISCV: Machine = Machine {
    emulator: "qemu-system-riscv32",
    name: "virt",
    arguments: &["-bios", "none"],
};

const ARM_PACKAGES: &str = "gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm";

pub const TARGETS: [Target; 3] = [
    Target {
        triple: "thumbv7em-none-eabihf",
        processor: "Cortex-M4F",
        prefix: "arm-none-eabi-",
        flags: &[
            "-mcpu=cortex-m4",
            "-mthumb",
            "-mfloat-abi=hard",
            "-mfpu=fpv4-sp-d16",
        ],
        large: arm("mps2-an386"),
        small: arm("mps2-an386"),
        packages: ARM_PACKAGES,
    },
    Target {
        triple: "thumbv6m-none-eabi",
        processor: "Cortex-M0",
        prefix: "arm-none-eabi-",
        flags: &["-mcpu=cortex-m0", "-mthumb"],
        // A Cortex-M3, which runs everything that a Cortex-M0 does: no machine with a Cortex-M0 has
        // room for the vectors. The small one is a Cortex-M0.
        large: arm("mps2-an385"),
        small: arm("microbit"),
        packages: ARM_PACKAGES,
    },
    Target {
        triple: "riscv32imac-unknown-none-elf",
        processor: "RV32IMAC",
        prefix: "riscv64-unknown-elf-",
        flags: &[
            "-march=rv32imac",
            "-mabi=ilp32",
            "--specs=picolibc.specs",
            "--oslib=semihost",
            "--crt0=semihost",
        ],
        large: RISCV,
        small: RISCV,
        packages: "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf qemu-system-misc",
    },
];

/// A C program and what it is linked from.
pub struct Program<'a> {
    pub name: &'a str,
    /// C, assembler or objects.
    pub sources: Vec<PathBuf>,
    pub library: &'a Path,
    /// Whether it uses the C library beyond what needs no RAM.
    pub libc: bool,
    /// Bytes of RAM, stack included.
    pub ram: u32,
    /// More arguments for the compiler.
    pub arguments: Vec<String>,
}

impl Target {
    pub fn is_arm(&self) -> bool {
        self.large.emulator == "qemu-system-arm"
    }

    /// Fails unless every tool is there, naming the command that installs it.
    pub fn need(&self) -> Done {
        let install = format!("apt-get install --no-install-recommends {}", self.packages);
        need(&format!("{}gcc", self.prefix), &install)?;
        need(self.large.emulator, &install)?;
        need_rustup("target", "stable", self.triple)
    }

    /// Builds `libaxilog.a` and the rlib with these features; the directory with both.
    pub fn library(&self, features: &str) -> Done<PathBuf> {
        let target = target_directory();
        let mut build = cargo();
        build
            .args(["rustc", "--quiet", "--locked", "-p", "axilog", "--lib"])
            .args(["--crate-type", "rlib,staticlib", "--profile", "firmware"])
            .args(["--no-default-features", "--features", features])
            .args(["--target", self.triple, "--target-dir"])
            .arg(&target);
        output(&mut build)?;
        Ok(target.join(self.triple).join("firmware"))
    }

    /// A place for what is made for this target.
    pub fn place(&self) -> Done<PathBuf> {
        let place = target_directory().join("images").join(self.triple);
        fs::create_dir_all(&place)?;
        Ok(place)
    }

    /// Compiles one source into an object.
    pub fn object(&self, source: &Path) -> Done<PathBuf> {
        let object = self.place()?.join(name_of(source)).with_extension("o");
        let mut compiler = self.compiler();
        compiler.arg("-c").arg("-o").arg(&object).arg(source);
        output(&mut compiler)?;
        Ok(object)
    }

    /// Compiles and links a program.
    pub fn link(&self, program: &Program) -> Done<PathBuf> {
        let image = self.place()?.join(program.name);
        let mut compiler = self.compiler();
        compiler
            .arg("-o")
            .arg(&image)
            .args(&program.arguments)
            .args(&program.sources)
            .arg("-Wl,--gc-sections,-z,noexecstack");
        let c = root().join("c-tests/firmware");
        if self.is_arm() {
            compiler
                .arg("-nostartfiles")
                .arg("-T")
                .arg(c.join("arm.ld"))
                .arg(format!(
                    "-Wl,--defsym=flash_size=4M,--defsym=ram_size={}",
                    program.ram
                ))
                .arg(c.join("start_arm.c"))
                .arg(c.join("host_semihosting.c"));
            if program.libc {
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
                    program.ram
                ))
                .arg(c.join("host_semihosting.c"))
                .arg(program.library);
        }
        output(&mut compiler)?;
        Ok(image)
    }

    fn compiler(&self) -> Command {
        let mut compiler = Command::new(format!("{}gcc", self.prefix));
        compiler
            .args(self.flags)
            .args(["-std=c99", "-Os", "-g", "-ffunction-sections"])
            .args(["-fdata-sections", "-Wall", "-Wextra", "-Wpedantic"])
            .args(["-Wconversion", "-Wshadow", "-Wundef", "-Werror"])
            .arg("-I")
            .arg(root().join("include"))
            .arg("-I")
            .arg(root().join("c-tests"))
            .arg("-I")
            .arg(root().join("c-tests/firmware"))
            .arg("-I")
            .arg(target_directory().join("images"));
        compiler
    }

    /// What a tool of the binary utilities says of a file.
    pub fn ask(&self, tool: &str, arguments: &[&str], file: &Path) -> Done<String> {
        let mut command = Command::new(format!("{}{tool}", self.prefix));
        output(command.args(arguments).arg(file))
    }
}

impl Machine {
    /// Runs an image in `directory` for at most two minutes, and gives what it prints; it must
    /// succeed.
    pub fn run(&self, image: &Path, directory: &Path, arguments: &[&str]) -> Done<String> {
        let mut emulator = Command::new("timeout");
        emulator
            .args(["120", self.emulator, "-M", self.name])
            .args(self.arguments)
            .args(arguments)
            .args(["-nographic", "-monitor", "none", "-serial", "none"])
            .args(["-semihosting-config", "enable=on,target=native", "-kernel"])
            .arg(image)
            .current_dir(directory);
        // Which of the two streams depends on the processor and the C library.
        let ran = emulator.stdin(Stdio::null()).output()?;
        let said = String::from_utf8([ran.stdout, ran.stderr].concat())?;
        if ran.status.success() {
            Ok(said)
        } else {
            let image = image.display();
            Err(format!("{image} on {}: {}\n{said}", self.name, ran.status).into())
        }
    }
}

/// Where everything is made: beside what cargo makes.
pub fn target_directory() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
    root().join(target).join("xtask-firmware")
}

fn name_of(source: &Path) -> &Path {
    source.file_name().map_or(source, Path::new)
}
