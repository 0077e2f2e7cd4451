//! `cargo xtask misra`: the C headers under cppcheck's rules of MISRA C:2012, compared with `docs/misra.md`.
//!
//! The page has a table of the rules from which a header deviates, with the headers. The task fails where cppcheck finds a
//! deviation that the table lacks, and where the table has one that cppcheck does not find.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::process::{TaskResult, ensure, require_program, workspace_root};

/// The rules, and the files that deviate from each.
type Deviations = BTreeMap<String, BTreeSet<String>>;

/// Compares what cppcheck finds with the page.
///
/// # Errors
/// Where cppcheck is missing or fails, and for a deviation that only one of the two has.
pub fn check_headers() -> TaskResult {
    require_program("cppcheck", "apt-get install cppcheck")?;
    let headers = list_headers()?;
    let found = find_deviations(&headers)?;
    let listed = read_page()?;
    ensure(
        found == listed,
        &format!("cppcheck finds {found:#?}, docs/misra.md lists {listed:#?}"),
    )?;
    let files = headers.len();
    println!(
        "{files} headers deviate from {} rules, as docs/misra.md says",
        found.len()
    );
    Ok(())
}

/// The headers of the core and of the host library, by the names with which programs include them.
fn list_headers() -> TaskResult<Vec<String>> {
    let mut headers = Vec::new();
    for folder in ["include/axilog", "harness/host/include/axilog"] {
        for entry in fs::read_dir(workspace_root().join(folder))? {
            headers.push(format!("axilog/{}", entry?.file_name().to_string_lossy()));
        }
    }
    headers.sort();
    Ok(headers)
}

/// Has cppcheck read a file for each header that includes nothing else, and the C file of the packages for
/// microcontrollers.
fn find_deviations(headers: &[String]) -> TaskResult<Deviations> {
    let directory = tempfile::tempdir()?;
    let mut cppcheck = Command::new("cppcheck");
    cppcheck
        .args(["--quiet", "--addon=misra", "--std=c99", "--platform=unix32"])
        .args(["--enable=style,warning,portability", "--error-exitcode=0"])
        .args(["--suppress=missingIncludeSystem", "--template={file} {id}"])
        .args(["-Iinclude", "-Iharness/host/include"])
        .arg("embedded/common/axilog_layout.c")
        .current_dir(workspace_root());
    for (number, header) in headers.iter().enumerate() {
        let file: PathBuf = directory.path().join(format!("includes_{number}.c"));
        fs::write(&file, format!("#include \"{header}\"\n"))?;
        cppcheck.arg(file);
    }
    // cppcheck writes what it finds to its standard error.
    let output = cppcheck.output()?;
    let text = String::from_utf8([output.stdout, output.stderr].concat())?;
    ensure(output.status.success(), &text)?;
    let mut found = Deviations::new();
    for line in text.lines() {
        let deviation = line.split_once(" misra-c2012-");
        let (file, rule) = deviation.ok_or_else(|| format!("cppcheck says {line:?}"))?;
        found
            .entry(rule.to_owned())
            .or_default()
            .insert(file.to_owned());
    }
    Ok(found)
}

/// Reads the table of the page: rules in the first column, files in the third.
fn read_page() -> TaskResult<Deviations> {
    let page = fs::read_to_string(workspace_root().join("docs/misra.md"))?;
    let mut listed = Deviations::new();
    for line in page.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, rule, _, files, _, _] = cells.as_slice() else {
            continue;
        };
        if rule.starts_with(|first: char| first.is_ascii_digit()) {
            let files = files
                .split(", ")
                .map(|file| file.trim_matches('`').to_owned());
            listed.insert((*rule).to_owned(), files.collect());
        }
    }
    Ok(listed)
}

#[cfg(test)]
mod tests {
    use super::read_page;

    #[test]
    fn the_page_lists_deviations() {
        let listed = read_page().unwrap();
        assert!(listed.values().all(|files| !files.is_empty()));
        assert!(listed.contains_key("2.5"));
    }
}
