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
mod package;
mod version;

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;

pub use features::FeatureSelection;
use files::{InstalledFile, copy_directory, read_manifest, remove, write};
pub use locations::Locations;
pub use package::{CORE, HOST, Package};
pub use version::VERSION;

use crate::cargo::Metadata;
use crate::process::{TaskResult, ensure, workspace_root};

/// The options of `cargo xtask install`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct InstallOptions {
    /// The directories of the installation.
    #[command(flatten)]
    pub locations: Locations,
    /// Adds libaxilog_host, the library with the ledger file, axilog/host.h and axilog/host.hpp
    #[arg(long)]
    pub host: bool,
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
    let mut files = header_files(locations, &CORE_HEADERS)?;
    files.extend(library_files(
        locations,
        &CORE,
        &build::build_library(&metadata, &CORE)?,
    ));
    files.push(InstalledFile::text(
        locations.libdir().join("pkgconfig/axilog-compat.pc"),
        build_systems::pkg_config_compat(locations),
    ));
    if options.host {
        files.extend(header_files(locations, &HOST_HEADERS)?);
        files.extend(library_files(
            locations,
            &HOST,
            &build::build_library(&metadata, &HOST)?,
        ));
    }
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

/// The directories of the headers, and where they go below the directory for headers.
const CORE_HEADERS: [(&str, &str); 5] = [
    ("include/axilog", "axilog"),
    ("include/compat/axilog", "axilog-compat/axilog"),
    (
        "include/compat/policy/axilog",
        "axilog-compat/policy/axilog",
    ),
    ("bindings/cpp", ""),
    ("bindings/cpp/axilog", "axilog"),
];

/// As [`CORE_HEADERS`], for the host library.
const HOST_HEADERS: [(&str, &str); 2] = [
    ("harness/host/include/axilog", "axilog"),
    ("harness/host/cpp/axilog", "axilog"),
];

fn header_files(
    locations: &Locations,
    directories: &[(&str, &str)],
) -> TaskResult<Vec<InstalledFile>> {
    let mut files = Vec::new();
    for (from, to) in directories {
        let from = workspace_root().join(from);
        files.extend(copy_directory(&from, &locations.includedir().join(to))?);
    }
    Ok(files)
}

/// Lists both forms of a library, and the files by which build systems find it.
fn library_files(
    locations: &Locations,
    package: &Package,
    built: &build::BuiltLibrary,
) -> Vec<InstalledFile> {
    let lib = locations.libdir();
    let Package { name, .. } = package;
    let pkgconfig = lib.join("pkgconfig").join(format!("{name}.pc"));
    let cmake = lib.join("cmake").join(name);
    let native = &built.native_libraries;
    vec![
        InstalledFile::copy(lib.join(package.archive_name()), built.archive.clone()),
        InstalledFile::program(lib.join(package.file_name()), built.shared.clone()),
        InstalledFile::link(lib.join(package.soname()), package.file_name()),
        InstalledFile::link(lib.join(package.link_name()), package.soname()),
        InstalledFile::text(
            pkgconfig,
            build_systems::pkg_config(package, locations, native),
        ),
        InstalledFile::text(
            cmake.join(format!("{name}-config.cmake")),
            build_systems::cmake_config(package, locations, native),
        ),
        InstalledFile::text(
            cmake.join(format!("{name}-config-version.cmake")),
            build_systems::cmake_version(),
        ),
    ]
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The packages of `debian/` are called after the version and the SONAMEs of what they hold.
    #[test]
    fn the_debian_packages_have_the_names_of_this_version() {
        let read = |name: &str| fs::read_to_string(workspace_root().join("debian").join(name));
        let changelog = read("changelog").unwrap();
        let expected = format!("axilog ({})", VERSION.full);
        assert!(changelog.starts_with(&expected), "{changelog}");
        let control = read("control").unwrap();
        for package in [CORE, HOST] {
            // libaxilog_host.so.0.2 is in libaxilog-host0.2, since a Debian package has no underscore in its name.
            let name = package.soname().replace(".so.", "").replace('_', "-");
            assert!(control.contains(&format!("\nPackage: {name}\n")), "{name}");
            assert!(read(&format!("{name}.install")).is_ok(), "{name}");
        }
    }
}
