//! The tables of docs/firmware.md.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use super::instructions::Bound;
use super::size::Size;
use super::target::Target;
use crate::process::{TaskResult, workspace_root};

const BEGIN: &str = "<!-- cargo xtask firmware --write: begin -->\n";
const END: &str = "<!-- end -->\n";

/// The results of one target.
pub struct Measurements<'a> {
    pub target: &'a Target,
    pub digest: String,
    /// The bytes of each public struct.
    pub structs: Vec<(String, u32)>,
    /// The size of all functions of the headers, with NFC and with `nfc-none`.
    pub whole: Size,
    pub whole_ascii: Size,
    /// The size of the functions that the device calls, with NFC and with `nfc-none`.
    pub device: Size,
    pub device_ascii: Size,
    /// The RAM of the device's variables.
    pub variables: u32,
    pub stack: BTreeMap<String, u32>,
    /// What no call uses more of, where the disassembly could be walked.
    pub stack_bounds: BTreeMap<String, u32>,
    pub instructions: BTreeMap<String, Bound>,
}

/// Renders the tables as Markdown.
pub fn render_tables(results: &[Measurements]) -> String {
    let mut out = String::new();
    let _ = write_sizes(&mut out, results);
    let _ = write_structs(&mut out, results);
    let _ = write_stack(&mut out, results);
    let _ = write_instructions(&mut out, results);
    out
}

fn write_sizes(out: &mut String, results: &[Measurements]) -> std::fmt::Result {
    writeln!(out, "### Platforms\n")?;
    for p in results {
        writeln!(
            out,
            "- {} ({}): `{}`",
            p.target.processor, p.target.triple, p.digest
        )?;
    }
    writeln!(out, "\n### Flash\n\nCode and constants in bytes.\n")?;
    writeln!(
        out,
        "| processor | every function | with `nfc-none` | a device | with `nfc-none` | NFC costs |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|")?;
    for p in results {
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} |",
            p.target.processor,
            p.whole.flash,
            p.whole_ascii.flash,
            p.device.flash,
            p.device_ascii.flash,
            p.whole.flash - p.whole_ascii.flash
        )?;
    }
    writeln!(out, "\n### RAM of the example device\n")?;
    writeln!(
        out,
        "| processor | variables and buffers | left for the stack |"
    )?;
    writeln!(out, "|---|---|---|")?;
    for p in results {
        let left = super::programs::DEVICE_RAM - p.variables;
        writeln!(out, "| {} | {} | {left} |", p.target.processor, p.variables)?;
    }
    Ok(())
}

fn write_structs(out: &mut String, results: &[Measurements]) -> std::fmt::Result {
    let processors: Vec<_> = results.iter().map(|p| p.target.processor).collect();
    writeln!(
        out,
        "\n### Structs\n\nBytes of each, all of them the caller's.\n"
    )?;
    writeln!(out, "| type | {} |", processors.join(" | "))?;
    writeln!(out, "|---|{}", "---|".repeat(processors.len()))?;
    let Some(first) = results.first() else {
        return Ok(());
    };
    for (name, _) in &first.structs {
        let size = |p: &Measurements| p.structs.iter().find(|s| s.0 == *name).map(|s| s.1);
        let sizes: Vec<_> = results
            .iter()
            .map(|p| size(p).map_or(String::new(), |size| size.to_string()))
            .collect();
        writeln!(out, "| `{name}` | {} |", sizes.join(" | "))?;
    }
    Ok(())
}

fn write_stack(out: &mut String, results: &[Measurements]) -> std::fmt::Result {
    let processors: Vec<_> = results.iter().map(|p| p.target.processor).collect();
    writeln!(
        out,
        "\n### Stack\n\nThe most that a call was seen to use, in bytes; and what none uses more of.\n"
    )?;
    let bounded: Vec<_> = results
        .iter()
        .filter(|p| !p.stack_bounds.is_empty())
        .collect();
    let bound_heads: String = bounded
        .iter()
        .map(|p| format!(" at most, {} |", p.target.processor))
        .collect();
    writeln!(
        out,
        "| function | {} |{bound_heads}",
        processors.join(" | ")
    )?;
    let columns = processors.len() + bounded.len();
    writeln!(out, "|---|{}", "---|".repeat(columns))?;
    let Some(first) = results.first() else {
        return Ok(());
    };
    let mut names: Vec<&String> = first.stack.keys().collect();
    names.sort_by_key(|name| (std::cmp::Reverse(first.stack[*name]), *name));
    for name in names {
        let bytes: Vec<_> = results
            .iter()
            .map(|p| p.stack.get(name))
            .chain(bounded.iter().map(|p| p.stack_bounds.get(name)))
            .map(|bytes| bytes.map_or(String::new(), u32::to_string))
            .collect();
        writeln!(out, "| `{name}` | {} |", bytes.join(" | "))?;
    }
    Ok(())
}

fn write_instructions(out: &mut String, results: &[Measurements]) -> std::fmt::Result {
    for p in results {
        let bounds = &p.instructions;
        writeln!(out, "\n### Instructions on {}\n", p.target.processor)?;
        let policies: Vec<String> = bounds
            .values()
            .next()
            .map(|bound| bound.counts.keys().map(u64::to_string).collect())
            .unwrap_or_default();
        writeln!(out, "| function | {} | at most |", policies.join(" | "))?;
        writeln!(out, "|---|{}---|", "---|".repeat(policies.len()))?;
        for (name, bound) in bounds {
            let counts: Vec<String> = bound.counts.values().map(u64::to_string).collect();
            writeln!(
                out,
                "| `{name}` | {} | {} + {} n |",
                counts.join(" | "),
                bound.base,
                bound.slope
            )?;
        }
    }
    Ok(())
}

/// Writes the tables between the marks of docs/firmware.md.
pub fn write_tables(tables: &str) -> TaskResult {
    let path = workspace_root().join("docs/firmware.md");
    let text = fs::read_to_string(&path)?;
    let marked = text.split_once(BEGIN).and_then(|(before, rest)| {
        let (_, behind) = rest.split_once(END)?;
        Some((before, behind))
    });
    let (before, behind) = marked.ok_or_else(|| {
        format!(
            "{}: the lines that mark the tables are missing",
            path.display()
        )
    })?;
    fs::write(&path, format!("{before}{BEGIN}\n{tables}\n{END}{behind}"))?;
    Ok(())
}
