//! G7 UI-BAN-SCAN and IMG-BAN-SCAN: the search of source trees for what the document forbids (section 9).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use axilog_ledger::error::FileError;
use axilog_ledger::input_file::{MAX_INPUT_BYTES, read_input};

use super::report::{GateInputs, GateReport};
use crate::error::{MemoryError, Result};
use crate::folded_text::fold_case;

/// The built-in patterns, and the form of such a file.
const PATTERNS: &str = include_str!("patterns.txt");

/// The directories that are skipped, since they hold no sources.
const SKIPPED: [&str; 4] = [".git", "node_modules", "target", ".venv"];

struct Pattern {
    ban: String,
    endings: Vec<String>,
    text: String,
}

pub(super) fn check(inputs: &GateInputs, report: &mut GateReport) -> Result<()> {
    let (name, text) = match &inputs.patterns {
        None => (Path::new("the built-in patterns"), PATTERNS.to_owned()),
        Some(path) => (path.as_path(), read_patterns(path)?),
    };
    let patterns = parse_patterns(name, &text)?;
    report
        .checked
        .push(format!("{} patterns of {}", patterns.len(), name.display()));
    for source in &inputs.sources {
        let mut files = 0;
        walk(source, &mut |path| {
            files += 1;
            scan_file(path, &patterns, report)
        })?;
        report
            .checked
            .push(format!("{files} files under {}", source.display()));
    }
    if inputs.sources.is_empty() {
        report
            .faults
            .push("no source tree was given; name them with --source".to_owned());
    }
    Ok(())
}

/// Makes the error of a call to the system about a source, for `map_err`.
fn source_error(path: &Path) -> impl FnOnce(io::Error) -> FileError {
    FileError::from_io(path, "read the source")
}

/// Reads a file of patterns, which has 1 MiB at most.
fn read_patterns(path: &Path) -> Result<String> {
    let bytes = read_input(path, "read the patterns", 1 << 20)?;
    String::from_utf8(bytes).map_err(|error| {
        let place = format!("byte {}", error.utf8_error().valid_up_to());
        MemoryError::document(path.display().to_string(), place, "is not UTF-8")
    })
}

fn parse_patterns(name: &Path, text: &str) -> Result<Vec<Pattern>> {
    let mut patterns = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let parts: Vec<&str> = line.splitn(3, '\t').collect();
        let [ban, endings, text] = parts.as_slice() else {
            let place = format!("line {}", number + 1);
            let expected = "three behind one tab each: the ban, endings of files, the text";
            let reason = format!("found {} part(s), expected {expected}", parts.len());
            return Err(MemoryError::document(
                name.display().to_string(),
                place,
                reason,
            ));
        };
        patterns.push(Pattern {
            ban: (*ban).to_owned(),
            endings: endings.split(',').map(fold_case).collect(),
            text: fold_case(text),
        });
    }
    Ok(patterns)
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

fn scan_file(path: &Path, patterns: &[Pattern], report: &mut GateReport) -> Result<()> {
    let ending = path
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default();
    let ending = fold_case(ending);
    let wanted: Vec<&Pattern> = patterns
        .iter()
        .filter(|pattern| pattern.endings.contains(&ending))
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let source = read_input(path, "read the source", MAX_INPUT_BYTES)?;
    for (number, line) in (1u64..).zip(source.split(|byte| *byte == b'\n')) {
        // A pattern that begins with a space looks for the beginning of a word.
        let text = format!(" {}", String::from_utf8_lossy(line)).replace(char::is_whitespace, " ");
        let text = fold_case(&text);
        for pattern in wanted.iter().filter(|pattern| text.contains(&pattern.text)) {
            report.faults.push(format!(
                "{}:{number}: {} ({})",
                path.display(),
                pattern.ban,
                pattern.text.trim()
            ));
        }
    }
    Ok(())
}
