//! Writing the packages.

use std::fs;
use std::path::{Path, PathBuf};

use super::archives::Archive;
use crate::cargo::Metadata;
use crate::install::VERSION;
use crate::process::{TaskResult, workspace_root};

/// The folders of the packages.
pub struct Packages {
    pub esp_idf: PathBuf,
    pub zephyr: PathBuf,
    pub arduino: PathBuf,
}

impl Packages {
    pub fn all(&self) -> [&Path; 3] {
        [&self.esp_idf, &self.zephyr, &self.arduino]
    }
}

/// The sample's files, which each package has where its build system expects them.
const SAMPLE: [&str; 2] = ["motor.c", "motor.h"];

/// Writes the packages anew, in place of what earlier runs wrote.
pub fn write_packages(archives: &[Archive]) -> TaskResult<Packages> {
    let target = Metadata::read()?.target_directory()?.join("embedded");
    let folder = |system: &str| target.join(system).join("axilog");
    let packages = Packages {
        esp_idf: folder("esp-idf"),
        zephyr: folder("zephyr"),
        arduino: folder("arduino"),
    };
    for (package, source) in packages
        .all()
        .into_iter()
        .zip(["esp-idf", "zephyr", "arduino"])
    {
        if package.exists() {
            fs::remove_dir_all(package)?;
        }
        copy_templates(&workspace_root().join("embedded").join(source), package)?;
        for license in ["LICENSE-MIT", "LICENSE-APACHE"] {
            fs::copy(workspace_root().join(license), package.join(license))?;
        }
    }
    for package in [&packages.esp_idf, &packages.zephyr] {
        copy_headers(&package.join("include/axilog"))?;
        copy_common(&["axilog_layout.c"], package)?;
        for archive in archives {
            copy_to(
                &archive.file,
                &package.join("lib").join(archive.processor.triple),
            )?;
        }
    }
    let sources = packages.arduino.join("src");
    copy_headers(&sources.join("axilog"))?;
    copy_common(&["axilog_layout.c"], &sources)?;
    for archive in archives {
        for folder in archive.processor.arduino_folders {
            copy_to(&archive.file, &sources.join(folder))?;
        }
    }
    copy_common(&SAMPLE, &packages.esp_idf.join("examples/motor/main"))?;
    copy_common(&SAMPLE, &packages.zephyr.join("samples/motor/src"))?;
    copy_common(&SAMPLE, &packages.arduino.join("examples/Motor"))?;
    Ok(packages)
}

/// Copies a folder whose files are text, and writes the version where a file has `@VERSION@`.
fn copy_templates(from: &Path, to: &Path) -> TaskResult {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_templates(&entry.path(), &to)?;
        } else {
            let text = fs::read_to_string(entry.path())?;
            fs::write(to, text.replace("@VERSION@", VERSION.full))?;
        }
    }
    Ok(())
}

fn copy_headers(to: &Path) -> TaskResult {
    for entry in fs::read_dir(workspace_root().join("include/axilog"))? {
        copy_to(&entry?.path(), to)?;
    }
    Ok(())
}

/// Copies files that several packages have.
fn copy_common(names: &[&str], to: &Path) -> TaskResult {
    let common = workspace_root().join("embedded/common");
    names
        .iter()
        .try_for_each(|name| copy_to(&common.join(name), to))
}

/// Copies a file into a folder, which is created.
fn copy_to(file: &Path, folder: &Path) -> TaskResult {
    fs::create_dir_all(folder)?;
    fs::copy(file, folder.join(file.file_name().unwrap_or_default()))?;
    Ok(())
}
