//! `cargo xtask install`: the library as C and C++ programs find it, and the command `axilog`.
//!
//! `cargo cinstall` (cargo-c) installs the libraries, the headers and `axilog.pc` too; this needs cargo
//! alone and adds the CMake package, the command, its manual and its completions. What was installed is
//! listed in `share/axilog/manifest`, by which a later run, or `cargo xtask uninstall`, removes it.

mod build;
mod describe;
mod options;

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

pub use describe::VERSION;
pub use options::Options;

use crate::process::{Done, root};

/// What one installed path holds.
enum Contents {
    Copy(PathBuf),
    Text(String),
    Link(String),
}

/// One path to install; `executable` is for programs and shared libraries.
struct File {
    path: PathBuf,
    contents: Contents,
    executable: bool,
}

/// Builds and installs.
///
/// # Errors
/// Where something cannot be built or written, naming the path.
pub fn install(options: &Options) -> Done {
    let built = build::libraries()?;
    let mut files = library(options, &built)?;
    if !options.library_only {
        files.extend(command(options)?);
    }
    let manifest: BTreeSet<PathBuf> = files.iter().map(|file| file.path.clone()).collect();
    for file in &files {
        write(options, file)?;
    }
    for stale in installed(options)?.difference(&manifest) {
        remove(options, stale)?;
    }
    let lines: Vec<String> = manifest
        .iter()
        .map(|path| format!("{}\n", path.display()))
        .collect();
    let list = options.manifest();
    write(options, &text(list.clone(), lines.concat()))?;
    println!(
        "axilog {} is installed: {} files, listed in {}",
        VERSION.full,
        manifest.len(),
        options.staged(&list).display()
    );
    Ok(())
}

/// Removes what the manifest lists, and directories that are empty then.
///
/// # Errors
/// Where there is no manifest, or a file cannot be removed.
pub fn uninstall(options: &Options) -> Done {
    let list = options.manifest();
    let paths = installed(options)?;
    if paths.is_empty() {
        let list = options.staged(&list);
        return Err(format!("nothing is installed there: no {}", list.display()).into());
    }
    for path in paths.iter().chain([&list]) {
        remove(options, path)?;
    }
    println!("axilog is removed: {} files", paths.len());
    Ok(())
}

/// Headers, libraries, and what describes them to other build systems.
fn library(options: &Options, built: &build::Built) -> Done<Vec<File>> {
    let include = options.includedir();
    let mut files = Vec::new();
    for (from, to) in [
        ("include/axilog", "axilog"),
        ("include/compat/axilog", "axilog-compat/axilog"),
        ("bindings/cpp", ""),
        ("bindings/cpp/axilog", "axilog"),
    ] {
        copies(&root().join(from), &include.join(to), &mut files)?;
    }
    let lib = options.libdir();
    files.push(copy(lib.join("libaxilog.a"), built.archive.clone(), false));
    files.push(copy(lib.join(VERSION.file()), built.shared.clone(), true));
    files.push(link(lib.join(VERSION.soname()), VERSION.file()));
    files.push(link(lib.join("libaxilog.so"), VERSION.soname()));
    let pkgconfig = lib.join("pkgconfig");
    let described = describe::pkg_config(options, &built.libraries);
    files.push(text(pkgconfig.join("axilog.pc"), described));
    let described = describe::pkg_config_compat(options);
    files.push(text(pkgconfig.join("axilog-compat.pc"), described));
    let cmake = lib.join("cmake/axilog");
    let described = describe::cmake_config(options, &built.libraries);
    files.push(text(cmake.join("axilog-config.cmake"), described));
    let described = describe::cmake_version();
    files.push(text(cmake.join("axilog-config-version.cmake"), described));
    Ok(files)
}

/// The command, its manual pages and its completions.
fn command(options: &Options) -> Done<Vec<File>> {
    let program = build::command()?;
    let manual = build::manual()?;
    let mut files = vec![copy(options.below("bin/axilog"), program, true)];
    copies(
        &manual.join("man"),
        &options.below("share/man/man1"),
        &mut files,
    )?;
    for (from, to) in [
        ("bash/axilog.bash", "bash-completion/completions/axilog"),
        ("zsh/_axilog", "zsh/site-functions/_axilog"),
        ("fish/axilog.fish", "fish/vendor_completions.d/axilog.fish"),
    ] {
        let to = options.below("share").join(to);
        files.push(copy(to, manual.join(from), false));
    }
    Ok(files)
}

/// Every file of a directory, not those below it.
fn copies(from: &Path, to: &Path, files: &mut Vec<File>) -> Done {
    for entry in fs::read_dir(from).map_err(|error| at(from, &error))? {
        let path = entry?.path();
        if let (true, Some(name)) = (path.is_file(), path.file_name()) {
            files.push(copy(to.join(name), path.clone(), false));
        }
    }
    Ok(())
}

fn copy(path: PathBuf, from: PathBuf, executable: bool) -> File {
    let contents = Contents::Copy(from);
    File {
        path,
        contents,
        executable,
    }
}

fn text(path: PathBuf, text: String) -> File {
    let contents = Contents::Text(text);
    File {
        path,
        contents,
        executable: false,
    }
}

fn link(path: PathBuf, to: String) -> File {
    let contents = Contents::Link(to);
    File {
        path,
        contents,
        executable: false,
    }
}

/// Puts a file in its place in one step, so that who uses the old one keeps it whole.
fn write(options: &Options, file: &File) -> Done {
    let path = options.staged(&file.path);
    let put = || -> io::Result<()> {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        let mut new = path.clone().into_os_string();
        new.push(".new");
        let _ = fs::remove_file(&new);
        match &file.contents {
            Contents::Copy(from) => fs::copy(from, &new).map(drop)?,
            Contents::Text(text) => fs::write(&new, text)?,
            Contents::Link(to) => symlink(to, &new)?,
        }
        if !matches!(file.contents, Contents::Link(_)) {
            let mode = if file.executable { 0o755 } else { 0o644 };
            fs::set_permissions(&new, Permissions::from_mode(mode))?;
        }
        fs::rename(&new, &path).inspect_err(|_| drop(fs::remove_file(&new)))
    };
    put().map_err(|error| at(&path, &error).into())
}

/// The paths that the manifest lists; none where there is no manifest.
fn installed(options: &Options) -> Done<BTreeSet<PathBuf>> {
    let list = options.staged(&options.manifest());
    match fs::read_to_string(&list) {
        Ok(text) => Ok(text.lines().map(PathBuf::from).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(at(&list, &error).into()),
    }
}

/// Removes a file, and the directories above it that are empty then.
fn remove(options: &Options, path: &Path) -> Done {
    let staged = options.staged(path);
    match fs::remove_file(&staged) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(at(&staged, &error).into());
        }
        _ => {}
    }
    let prefix = options.staged(&options.below(""));
    let above = staged.ancestors().skip(1);
    for directory in above.take_while(|directory| *directory != prefix) {
        if !directory.starts_with(&prefix) || fs::remove_dir(directory).is_err() {
            break;
        }
    }
    Ok(())
}

fn at(path: &Path, error: &io::Error) -> String {
    let hint = match error.kind() {
        io::ErrorKind::PermissionDenied => "; choose another --prefix, or stage with --destdir",
        _ => "",
    };
    format!("{}: {error}{hint}", path.display())
}
