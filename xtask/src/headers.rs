//! `cargo xtask headers`: the C headers, which cbindgen generates from groups of files in `src/ffi/`
//! (c-abi.md), and the header of the host library, from `harness/host/src/`.
//!
//! `src/ffi/inline/` contains the C that cbindgen cannot express: `NAME_macros.h` goes before the
//! declarations of a header, `NAME.h` after them.

use std::fs;
use std::path::{Path, PathBuf};

use cbindgen::{Builder, Config};

use crate::process::{TaskResult, workspace_root};
use crate::symbols;

/// The headers of a library.
struct Library {
    /// The folder of the headers' sources.
    sources: &'static str,
    /// The folder in which the headers are committed.
    directory: &'static str,
    headers: &'static [Header],
}

const LIBRARIES: [Library; 2] = [
    Library {
        sources: "src/ffi",
        directory: "include/axilog",
        headers: HEADERS,
    },
    Library {
        sources: "harness/host/src",
        directory: "harness/host/include/axilog",
        headers: &[HOST],
    },
];

/// A header and its sources.
struct Header {
    /// The name of the file in `axilog/`, without `.h`.
    name: &'static str,
    /// The first line of the header: its purpose.
    about: &'static str,
    /// The files of the library's sources, without `.rs`; empty for a header that only includes others.
    sources: &'static [&'static str],
    /// The headers of the C library that the header includes.
    standard: &'static [&'static str],
    /// The headers of `axilog/` that the header includes.
    includes: &'static [&'static str],
    /// Types of headers that the header does not include; it names them by their struct tag.
    tags: &'static [&'static str],
}

const HEADERS: &[Header] = &[
    header(
        "limits",
        "Sizes (SRS-004 section 25.1).",
        &["limits"],
        &[],
        &[],
    ),
    header(
        "types",
        "Q16.16, fault flags, return codes, versions (SRS-004 section 25.2).",
        &["types"],
        &["stddef.h", "stdint.h"],
        &[],
    ),
    header(
        "dvm",
        "Saturating Q16.16 arithmetic (SRS-004-SHALL-030).",
        &["dvm"],
        &[],
        &["types"],
    ),
    header("dvec", "The names of the evidence.", &["dvec"], &[], &[]),
    header(
        "sha256",
        "SHA-256.",
        &["sha256"],
        &["stddef.h", "stdint.h"],
        &[],
    ),
    header(
        "commitment",
        "Tagged commitments.",
        &["commitment"],
        &[],
        &["types", "dvec"],
    ),
    header(
        "oracle",
        "Observation types (SRS-004 section 25.3).",
        &["oracle"],
        &[],
        &["types", "limits"],
    ),
    header(
        "obs",
        "Observations: admission, validation, reading (SRS-004 sections 4 to 6).",
        &["obs", "obs_input", "obs_view"],
        &[],
        &["oracle"],
    ),
    header(
        "canonical",
        "The canonical writer (SRS-004-SHALL-006, SHALL-045).",
        &["canonical"],
        &[],
        &["obs"],
    ),
    header(
        "validate",
        "Admissible text (SRS-004-SHALL-042, SHALL-043).",
        &["validate"],
        &[],
        &["types"],
    ),
    header(
        "hash",
        "Hashes of observations (SRS-004-SHALL-046).",
        &["hash"],
        &[],
        &["obs", "sha256", "commitment"],
    ),
    header(
        "audit",
        "The ledger: a hash chain over evidence, its sink, its lines.",
        &["audit", "audit_record", "audit_line"],
        &[],
        &["types", "limits"],
    ),
    Header {
        tags: &["ax_agent_ctx_t"],
        ..header(
            "policy",
            "Policies and their evaluation (SRS-004 sections 17 and 25.4).",
            &["policy", "policy_init", "policy_evaluate"],
            &[],
            &["types", "limits", "audit"],
        )
    },
    Header {
        tags: &["ax_obs_input_t"],
        ..header(
            "agent",
            "The agent (SRS-004 sections 19 and 25.5).",
            &["agent", "agent_observe", "agent_permission", "agent_step"],
            &[],
            &["policy", "audit", "oracle"],
        )
    },
    header(
        "replay",
        "Verification and replay (SRS-004 section 13).",
        &["replay", "replay_lines"],
        &[],
        &["agent"],
    ),
    header(
        "axilog",
        "All of axilog.",
        &[],
        &[],
        &[
            "agent",
            "audit",
            "canonical",
            "commitment",
            "dvec",
            "dvm",
            "hash",
            "limits",
            "obs",
            "oracle",
            "policy",
            "replay",
            "sha256",
            "types",
            "validate",
        ],
    ),
];

const HOST: Header = header(
    "host",
    "Ledger files for programs on hosts: libaxilog_host.",
    &[
        "status",
        "reason",
        "options",
        "ledger",
        "decision",
        "observe",
        "exchange",
        "derivation",
        "steps",
        "explanation",
        "state",
        "expectations",
        "check",
        "record",
        "record_filter",
        "columns",
        "reader",
        "canonical",
        "canonicalizer",
        "bundle",
        "policy",
        "tool_calls",
        "proof",
        "segment",
    ],
    &[],
    &["agent", "obs"],
);

const fn header(
    name: &'static str,
    about: &'static str,
    sources: &'static [&'static str],
    standard: &'static [&'static str],
    includes: &'static [&'static str],
) -> Header {
    Header {
        name,
        about,
        sources,
        standard,
        includes,
        tags: &[],
    }
}

/// The directory in which the headers of `libaxilog` are committed.
#[must_use]
pub fn directory() -> PathBuf {
    workspace_root().join(LIBRARIES[0].directory)
}

/// The directory in which the header of `libaxilog_host` is committed.
#[must_use]
pub fn host_directory() -> PathBuf {
    workspace_root().join(LIBRARIES[1].directory)
}

/// Generates every header: its path and contents, in the order of the tables.
///
/// # Errors
/// Where a source cannot be read, or cbindgen cannot parse it.
pub fn generate_headers() -> TaskResult<Vec<(PathBuf, String)>> {
    let mut headers = Vec::new();
    for library in LIBRARIES {
        let directory = workspace_root().join(library.directory);
        for header in library.headers {
            let path = directory.join(format!("{}.h", header.name));
            headers.push((path, header.generate(library.sources)?));
        }
    }
    Ok(headers)
}

/// Writes every header into its directory.
///
/// # Errors
/// As [`generate_headers`], and where a file cannot be written.
pub fn write_headers() -> TaskResult {
    for (path, contents) in generate_headers()? {
        fs::create_dir_all(path.parent().unwrap_or(workspace_root()))?;
        fs::write(path, contents)?;
    }
    Ok(())
}

impl Header {
    /// Generates the header from its sources in `folder`.
    fn generate(&self, folder: &str) -> TaskResult<String> {
        let guard = format!("AXILOG_{}_H", self.name.to_uppercase());
        let mut out = format!(
            "/**\n * {}\n *\n * Generated from {folder}/ by `cargo xtask headers`; not to be edited.\n */\n\n#ifndef {guard}\n#define {guard}\n\n",
            self.about
        );
        for name in self.standard {
            out += &format!("#include <{name}>\n");
        }
        for name in self.includes {
            out += &format!("#include \"axilog/{name}.h\"\n");
        }
        if !(self.standard.is_empty() && self.includes.is_empty()) {
            out += "\n";
        }
        out += &symbols::rename_in(self.name);
        let sources = workspace_root().join(folder);
        if let Some(macros) = read_inline_file(&sources, &format!("{}_macros", self.name))? {
            out += &macros;
            out += "\n";
        }
        out += &self.generate_strings(&sources)?;
        if !self.sources.is_empty() {
            out += self.generate_declarations(&sources)?.trim_end();
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        if let Some(inline) = read_inline_file(&sources, self.name)? {
            out += "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
            out += &inline;
            out += "\n#ifdef __cplusplus\n}\n#endif\n";
        }
        out += &format!("\n#endif /* {guard} */\n");
        Ok(out)
    }

    /// Writes the string constants, which cbindgen leaves out, as macros.
    fn generate_strings(&self, sources: &Path) -> TaskResult<String> {
        let mut out = String::new();
        for source in self.sources {
            let text = fs::read_to_string(sources.join(format!("{source}.rs")))?;
            let mut doc = String::new();
            for line in text.lines() {
                if let Some(words) = line.strip_prefix("///") {
                    doc += &format!(" *{words}\n");
                    continue;
                }
                let constant = line
                    .strip_prefix("pub const ")
                    .and_then(|rest| rest.strip_suffix(';')?.split_once(": &str = "));
                if let Some((name, value)) = constant {
                    out += &format!("/**\n{doc} */\n#define {name} {value}\n\n");
                }
                doc.clear();
            }
        }
        Ok(out)
    }

    /// Has cbindgen write the declarations.
    fn generate_declarations(&self, sources: &Path) -> TaskResult<String> {
        let mut config = Config::from_root_or_default(workspace_root());
        let mut builder = Builder::new();
        let edited = tempfile::tempdir()?;
        for source in self.sources {
            let name = format!("{source}.rs");
            let text = fs::read_to_string(sources.join(&name))?;
            config.export.include.extend(find_public_types(&text));
            let path = edited.path().join(name);
            fs::write(&path, symbols::name_as_exported(&text))?;
            builder = builder.with_src(path);
        }
        for tag in self.tags {
            config
                .export
                .rename
                .insert((*tag).to_owned(), format!("struct {tag}"));
        }
        let mut bytes = Vec::new();
        builder.with_config(config).generate()?.write(&mut bytes);
        Ok(edit_generated(&String::from_utf8(bytes)?, self.name))
    }
}

/// Finds the names of the public types in a source. All of them go into the header, whether or not a
/// function uses them.
fn find_public_types(source: &str) -> Vec<String> {
    let name = |line: &str| {
        let rest = ["pub struct ", "pub enum ", "pub type "]
            .iter()
            .find_map(|keyword| line.strip_prefix(keyword))?;
        Some(
            rest.split(|c: char| !c.is_alphanumeric() && c != '_')
                .next()?
                .to_owned(),
        )
    };
    source.lines().filter_map(name).collect()
}

/// Edits generated C where cbindgen has no setting.
fn edit_generated(generated: &str, name: &str) -> String {
    let mut out = String::new();
    for line in drop_safety_sections(generated.trim_start()).lines() {
        let line = match line {
            // The examples, which rustdoc is told the same way.
            " * ```c" => " * @code{.c}".to_owned(),
            " * ```" => " * @endcode".to_owned(),
            _ => parenthesise_value(line),
        };
        // A C caller passes an array itself, not a pointer to it; the callee receives the same.
        out += rewrite_array_parameters(&line).trim_end();
        out.push('\n');
    }
    if name == "agent" {
        // policy.h knows the struct by its tag, so agent.h may define it only once.
        assert!(out.contains("typedef struct ax_agent_ctx_t {"));
    }
    out
}

/// Drops Rust's sections on safety, which end a comment: the parameters say the same to C.
fn drop_safety_sections(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, section)) = rest.split_once(" *\n * # Safety\n") {
        out += before;
        rest = section.find(" */").map_or("", |end| &section[end..]);
    }
    out + rest
}

/// Rewrites `#define NAME -1` as `#define NAME (-1)`.
fn parenthesise_value(line: &str) -> String {
    let macro_and_value = line
        .strip_prefix("#define ")
        .and_then(|m| m.split_once(' '));
    match macro_and_value {
        Some((name, value)) if value.starts_with('-') => format!("#define {name} ({value})"),
        _ => line.to_owned(),
    }
}

/// Rewrites `(*name)[32]` as `name[32]`.
fn rewrite_array_parameters(line: &str) -> String {
    let Some((before, rest)) = line.split_once("(*") else {
        return line.to_owned();
    };
    match rest.split_once(")[") {
        Some((name, after)) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => {
            format!("{before}{name}[{}", rewrite_array_parameters(after))
        }
        _ => format!("{before}(*{}", rewrite_array_parameters(rest)),
    }
}

/// Reads a file of the folder `inline/` among the sources, if it exists.
fn read_inline_file(sources: &Path, name: &str) -> TaskResult<Option<String>> {
    let path = sources.join(format!("inline/{name}.h"));
    Ok(if path.exists() {
        Some(fs::read_to_string(path)?)
    } else {
        None
    })
}
