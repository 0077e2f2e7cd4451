//! G7 UI-BAN-SCAN and IMG-BAN-SCAN: the search of source trees for what the document forbids (section 9).

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use axilog_ledger::error::FileError;
use axilog_ledger::input_file::{MAX_INPUT_BYTES, read_input};

use super::ban_patterns::{BanPatterns, FilePatterns};
use super::report::{GateInputs, GateReport};
use crate::error::Result;
use crate::folded_text::fold_case;

/// The directories that are skipped, since they hold no sources.
const SKIPPED: [&str; 4] = [".git", "node_modules", "target", ".venv"];

/// The most endings that the report names of files that were not scanned.
const MAX_ENDINGS: usize = 12;

pub(super) fn check(inputs: &GateInputs, report: &mut GateReport) -> Result<()> {
    let patterns = BanPatterns::read(inputs.patterns.as_deref())?;
    let name = inputs
        .patterns
        .as_ref()
        .map(|path| path.display().to_string());
    report.checked.push(format!(
        "{} patterns for {} languages of {}",
        patterns.count_forbidden(),
        patterns.count_languages(),
        name.as_deref().unwrap_or("the built-in patterns")
    ));
    for source in &inputs.sources {
        let mut scanned = 0_u64;
        let mut unknown: BTreeMap<String, u64> = BTreeMap::new();
        walk(source, &mut |path| {
            let ending = path.extension().and_then(|ending| ending.to_str());
            let ending = fold_case(ending.unwrap_or_default());
            match patterns.find_for(&ending) {
                Some(wanted) => {
                    scanned += 1;
                    scan_file(path, &wanted, report)
                }
                None => {
                    *unknown.entry(ending).or_default() += 1;
                    Ok(())
                }
            }
        })?;
        let source = source.display();
        report
            .checked
            .push(format!("{scanned} files under {source}"));
        report.checked.push(describe_unknown(&unknown));
    }
    if inputs.sources.is_empty() {
        report
            .faults
            .push("no source tree was given; name them with --source".to_owned());
    }
    Ok(())
}

/// Says how many files were not scanned, and which endings they have, the most frequent first.
fn describe_unknown(unknown: &BTreeMap<String, u64>) -> String {
    let mut endings: Vec<(&String, &u64)> = unknown.iter().collect();
    endings.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let describe = |(ending, count): &(&String, &u64)| match ending.is_empty() {
        true => format!("without an ending {count}"),
        false => format!(".{ending} {count}"),
    };
    let named: Vec<String> = endings.iter().take(MAX_ENDINGS).map(describe).collect();
    let total: u64 = unknown.values().sum();
    match total {
        0 => "0 files not scanned".to_owned(),
        _ => format!(
            "{total} files not scanned, of languages that the patterns do not know: {}",
            named.join(", ")
        ),
    }
}

/// Makes the error of a call to the system about a source, for `map_err`.
fn source_error(path: &Path) -> impl FnOnce(io::Error) -> FileError {
    FileError::from_io(path, "read the source")
}

/// Hands every file under `path` to `visit`, in the order of their names. Links inside are not followed.
fn walk(path: &Path, visit: &mut dyn FnMut(&Path) -> Result<()>) -> Result<()> {
    let about = fs::metadata(path).map_err(source_error(path))?;
    if about.is_file() {
        return visit(path);
    }
    if !about.is_dir() {
        return Ok(());
    }
    let entries = fs::read_dir(path).map_err(source_error(path))?;
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in entries {
        let entry = entry.map_err(source_error(path))?;
        let kind = entry.file_type().map_err(source_error(path))?;
        let skipped = SKIPPED.iter().any(|name| entry.file_name() == *name);
        if !skipped && !kind.is_symlink() {
            paths.push(entry.path());
        }
    }
    paths.sort();
    paths.iter().try_for_each(|path| walk(path, visit))
}

fn scan_file(path: &Path, wanted: &FilePatterns<'_>, report: &mut GateReport) -> Result<()> {
    let source = read_input(path, "read the source", MAX_INPUT_BYTES)?;
    for (number, line) in (1u64..).zip(source.split(|byte| *byte == b'\n')) {
        // A pattern that begins with a space looks for the beginning of a word.
        let text = format!(" {}", String::from_utf8_lossy(line)).replace(char::is_whitespace, " ");
        let mut text = fold_case(&text);
        for allowed in &wanted.allowed {
            text = text.replace(allowed, " ");
        }
        for (ban, forbidden) in &wanted.forbidden {
            if text.contains(forbidden) {
                report.faults.push(format!(
                    "{}:{number}: {ban} ({})",
                    path.display(),
                    forbidden.trim()
                ));
            }
        }
    }
    Ok(())
}
