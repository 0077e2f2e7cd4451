//! G7 UI-BAN-SCAN and IMG-BAN-SCAN: source trees without what the document forbids (section 9).

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::{Finding, Given};
use crate::error::{MemoryError, Result};
use crate::fold;

/// The built-in patterns, and the form of such a file.
pub const PATTERNS: &str = include_str!("patterns.txt");

/// Directories that hold nothing anybody wrote here.
const PASSED_OVER: [&str; 4] = [".git", "node_modules", "target", ".venv"];

struct Pattern {
    ban: String,
    endings: Vec<String>,
    text: String,
}

pub(super) fn check(given: &Given, finding: &mut Finding) -> Result<()> {
    let (name, text) = match &given.patterns {
        None => (Path::new("the built-in patterns"), PATTERNS.to_owned()),
        Some(path) => (
            path.as_path(),
            fs::read_to_string(path).map_err(file(path, "read the patterns"))?,
        ),
    };
    let patterns = parse(name, &text)?;
    finding
        .checked
        .push(format!("{} patterns of {}", patterns.len(), name.display()));
    for source in &given.sources {
        let mut files = 0;
        walk(source, &mut |path| {
            files += 1;
            scan(path, &patterns, finding)
        })?;
        finding
            .checked
            .push(format!("{files} files under {}", source.display()));
    }
    if given.sources.is_empty() {
        finding
            .faults
            .push("no source tree was given; name them with --source".to_owned());
    }
    Ok(())
}

fn file(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> MemoryError {
    let path = path.to_owned();
    move |source| MemoryError::File {
        path,
        action,
        source,
    }
}

fn parse(name: &Path, text: &str) -> Result<Vec<Pattern>> {
    let mut patterns = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let parts: Vec<&str> = line.splitn(3, '\t').collect();
        let [ban, endings, text] = parts.as_slice() else {
            return Err(MemoryError::field(
                format!("{}:{}", name.display(), number + 1),
                "the line",
                format!("{} part(s)", parts.len()),
                "three behind one tab each: the ban, endings of files, the text",
            ));
        };
        patterns.push(Pattern {
            ban: (*ban).to_owned(),
            endings: endings.split(',').map(fold::plain).collect(),
            text: fold::plain(text),
        });
    }
    Ok(patterns)
}

/// Hands every file under `path` to `found`, in the order of their names. Links in it are not followed.
fn walk(path: &Path, found: &mut dyn FnMut(&Path) -> Result<()>) -> Result<()> {
    let about = fs::metadata(path).map_err(file(path, "read the source"))?;
    if about.is_file() {
        return found(path);
    }
    if !about.is_dir() {
        return Ok(());
    }
    let entries = fs::read_dir(path).map_err(file(path, "read the source"))?;
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in entries {
        let entry = entry.map_err(file(path, "read the source"))?;
        let kind = entry.file_type().map_err(file(path, "read the source"))?;
        let passed = PASSED_OVER.iter().any(|name| entry.file_name() == *name);
        if !passed && !kind.is_symlink() {
            paths.push(entry.path());
        }
    }
    paths.sort();
    paths.iter().try_for_each(|path| walk(path, found))
}

fn scan(path: &Path, patterns: &[Pattern], finding: &mut Finding) -> Result<()> {
    let ending = path
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default();
    let ending = fold::plain(ending);
    let wanted: Vec<&Pattern> = patterns
        .iter()
        .filter(|pattern| pattern.endings.contains(&ending))
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let mut lines = BufReader::new(fs::File::open(path).map_err(file(path, "read the source"))?);
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        if lines
            .read_until(b'\n', &mut line)
            .map_err(file(path, "read the source"))?
            == 0
        {
            return Ok(());
        }
        number += 1;
        // A pattern that begins with a space looks for the beginning of a word.
        let text = format!(" {}", String::from_utf8_lossy(&line)).replace(char::is_whitespace, " ");
        let text = fold::plain(&text);
        for pattern in wanted.iter().filter(|pattern| text.contains(&pattern.text)) {
            finding.faults.push(format!(
                "{}:{number}: {} ({})",
                path.display(),
                pattern.ban,
                pattern.text.trim()
            ));
        }
    }
}
