//! `cargo xtask install`: the library as C and C++ programs find it, and the command `axilog`.
//!
//! `cargo cinstall` (cargo-c) installs the libraries, the headers and `axilog.pc` too; this task needs
//! cargo alone and adds the CMake package, the command, its manual and its completions. The file
//! `share/axilog/manifest` lists the installed files; a later run, or `cargo xtask uninstall`, removes
//! them by that list.

mod build;
mod build_systems;
mod features;
mod files;
mod locations;
mod version;

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;

pub use features::FeatureSelection;
use files::{InstalledFile, copy_directory, read_manifest, remove, write};
pub use locations::Locations;
pub use version::VERSION;

use crate::cargo::Metadata;
use crate::process::{TaskResult, ensure, workspace_root};

/// The options of `cargo xtask install`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct InstallOptions {
    /// The directories of the installation.
    #[command(flatten)]
    pub locations: Locations,
    /// Leaves out the command, its manual and its completions
    #[arg(long)]
    pub library_only: bool,
    /// The features of the command.
    #[command(flatten)]
    pub features: FeatureSelection,
}

/// Builds and installs the library and, unless it is left out, the command.
///
/// # Errors
/// Where something cannot be built or written; the error names the path.
pub fn install(options: &InstallOptions) -> TaskResult {
    let metadata = Metadata::read()?;
    let locations = &options.locations;
    options.features.check(&metadata)?;
    let mut files = library_files(locations, &build::build_libraries(&metadata)?)?;
    if !options.library_only {
        let built = build::build_command(&metadata, &options.features)?;
        files.extend(command_files(locations, built)?);
    }
    let paths: BTreeSet<PathBuf> = files.iter().map(|file| file.path.clone()).collect();
    for file in &files {
        write(locations, file)?;
    }
    for stale in read_manifest(locations)?.difference(&paths) {
        remove(locations, stale)?;
    }
    let lines: Vec<String> = paths
        .iter()
        .map(|path| format!("{}\n", path.display()))
        .collect();
    let manifest = locations.manifest();
    write(
        locations,
        &InstalledFile::text(manifest.clone(), lines.concat()),
    )?;
    println!(
        "installed axilog {}: {} files, listed in {}",
        VERSION.full,
        paths.len(),
        locations.staged(&manifest).display()
    );
    Ok(())
}

/// Removes the files that the manifest lists, and the directories that become empty.
///
/// # Errors
/// Where there is no manifest, or a file cannot be removed.
pub fn uninstall(locations: &Locations) -> TaskResult {
    let manifest = locations.manifest();
    let paths = read_manifest(locations)?;
    ensure(
        !paths.is_empty(),
        &format!(
            "nothing to uninstall: {} does not exist; name the --prefix and the --destdir of the installation",
            locations.staged(&manifest).display()
        ),
    )?;
    for path in paths.iter().chain([&manifest]) {
        remove(locations, path)?;
    }
    println!("removed axilog: {} files", paths.len());
    Ok(())
}

/// Lists headers, libraries, and the files by which build systems find them.
fn library_files(
    locations: &Locations,
    built: &build::Libraries,
) -> TaskResult<Vec<InstalledFile>> {
    let include = locations.includedir();
    let mut files = Vec::new();
    for (from, to) in [
        ("include/axilog", "axilog"),
        ("include/compat/axilog", "axilog-compat/axilog"),
        (
            "include/compat/policy/axilog",
            "axilog-compat/policy/axilog",
        ),
        ("bindings/cpp", ""),
        ("bindings/cpp/axilog", "axilog"),
    ] {
        files.extend(copy_directory(
            &workspace_root().join(from),
            &include.join(to),
        )?);
    }
    let lib = locations.libdir();
    let pkgconfig = lib.join("pkgconfig");
    let cmake = lib.join("cmake/axilog");
    let native = &built.native_libraries;
    files.extend([
        InstalledFile::copy(lib.join("libaxilog.a"), built.archive.clone()),
        InstalledFile::program(lib.join(VERSION.file_name()), built.shared.clone()),
        InstalledFile::link(lib.join(VERSION.soname()), VERSION.file_name()),
        InstalledFile::link(lib.join("libaxilog.so"), VERSION.soname()),
        InstalledFile::text(
            pkgconfig.join("axilog.pc"),
            build_systems::pkg_config(locations, native),
        ),
        InstalledFile::text(
            pkgconfig.join("axilog-compat.pc"),
            build_systems::pkg_config_compat(locations),
        ),
        InstalledFile::text(
            cmake.join("axilog-config.cmake"),
            build_systems::cmake_config(locations, native),
        ),
        InstalledFile::text(
            cmake.join("axilog-config-version.cmake"),
            build_systems::cmake_version(),
        ),
    ]);
    Ok(files)
}

/// Lists the command, its manual pages and its completions.
fn command_files(
    locations: &Locations,
    built: build::BuiltCommand,
) -> TaskResult<Vec<InstalledFile>> {
    let mut files = vec![InstalledFile::program(
        locations.below_prefix("bin/axilog"),
        built.program,
    )];
    let pages = locations.below_prefix("share/man/man1");
    files.extend(copy_directory(&built.manual.join("man"), &pages)?);
    for (from, to) in [
        ("bash/axilog.bash", "bash-completion/completions/axilog"),
        ("zsh/_axilog", "zsh/site-functions/_axilog"),
        ("fish/axilog.fish", "fish/vendor_completions.d/axilog.fish"),
    ] {
        let to = locations.below_prefix("share").join(to);
        files.push(InstalledFile::copy(to, built.manual.join(from)));
    }
    Ok(files)
}
