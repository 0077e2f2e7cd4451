//! The list of the library's symbols, `symbols/src/list.rs`, which is generated with the headers from the
//! functions of `src/ffi/`.
//!
//! A function there is exported as `axilog_impl_NAME`; the symbol `NAME` forwards to it, or `NAME_v2` where the
//! header renames it. The list repeats the functions' signatures with the types of the C ABI alone.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use syn::{Expr, FnArg, Item, Lit, Pat, ReturnType, Type};

use crate::process::{TaskResult, workspace_root};

/// What the exported name of a function begins with.
pub const PREFIX: &str = "axilog_impl_";

/// The symbol that has a second name: firmware with a step of its own calls the library's by the first.
const SECOND_NAME: (&str, &str) = ("axilog_agent_step", "ax_agent_step");

/// The functions of the deployed C libraries whose structs or fault flags are shorter there, by the header that
/// declares them. A program's object that was compiled against the deployed headers asks for the name and finds
/// nothing; the library's headers rename it.
const RENAMED: &[(&str, &[&str])] = &[
    (
        "agent",
        &["ax_agent_bind", "ax_agent_init", "ax_agent_step"],
    ),
    (
        "audit",
        &["ax_ledger_append", "ax_ledger_genesis", "ax_verify_chain"],
    ),
    (
        "obs",
        &[
            "ax_obs_admit",
            "ax_obs_input_init",
            "ax_obs_input_set_complete",
            "ax_obs_input_set_invalid_output",
            "ax_obs_input_set_timeout",
            "ax_obs_input_set_transport_error",
            "ax_obs_validate",
        ],
    ),
    (
        "policy",
        &[
            "ax_policy_evaluate",
            "ax_policy_evaluate_all",
            "ax_policy_get_registry",
            "ax_policy_has_breach",
            "ax_policy_init",
            "ax_policy_reset_cycle",
            "ax_policy_serialize",
        ],
    ),
    ("validate", &["ax_validate_and_normalise"]),
];

/// What the symbol of a renamed function adds to its name: the version of its structs.
const LAYOUT: &str = "_v2";

/// The macros by which a header renames its functions; a program may rename one itself.
#[must_use]
pub fn rename_in(header: &str) -> String {
    let Some((_, names)) = RENAMED.iter().find(|(name, _)| *name == header) else {
        return String::new();
    };
    let mut macros = String::from(
        "/* An object that was compiled against the deployed C libraries has shorter structs, and must not link.\n \
         * It asks for these functions by their names (docs/rigs.md). */\n",
    );
    for name in *names {
        macros += &format!("#ifndef {name}\n#define {name} {name}{LAYOUT}\n#endif\n");
    }
    macros.push('\n');
    macros
}

/// The symbol of a function.
fn symbol(name: String) -> String {
    let is_renamed = RENAMED
        .iter()
        .any(|(_, names)| names.contains(&name.as_str()));
    if is_renamed { name + LAYOUT } else { name }
}

/// The file that is generated.
#[must_use]
pub fn list_path() -> PathBuf {
    workspace_root().join("symbols/src/list.rs")
}

/// Writes [`list_path`].
///
/// # Errors
/// As [`generate_list`], and where the file cannot be written.
pub fn write_list() -> TaskResult {
    Ok(fs::write(list_path(), generate_list()?)?)
}

/// Generates the list, in the order of the names.
///
/// # Errors
/// Where a source cannot be read or parsed, or a function's type has no counterpart in the C ABI.
pub fn generate_list() -> TaskResult<String> {
    let mut functions = Vec::new();
    collect_functions(&workspace_root().join("src/ffi"), &mut functions)?;
    functions.sort();
    let mut list = String::from(
        "// Generated from src/ffi/ by `cargo xtask headers`; not to be edited.\n\nforward! {\n",
    );
    for (name, target, signature) in functions {
        writeln!(list, "    \"{target}\" => fn {name}{signature};")?;
    }
    list += "}\n";
    Ok(list)
}

/// Gives every function the name in C that the symbol has, for cbindgen.
#[must_use]
pub fn name_as_exported(source: &str) -> String {
    let mut named = String::new();
    for line in source.lines() {
        let exported = line.starts_with(&format!("#[unsafe(export_name = \"{PREFIX}"));
        named += if exported {
            "#[unsafe(no_mangle)]"
        } else {
            line
        };
        named.push('\n');
    }
    named
}

/// Adds the name, the exported name and the signature of every exported function under `directory`.
fn collect_functions(
    directory: &Path,
    functions: &mut Vec<(String, String, String)>,
) -> TaskResult {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect_functions(&path, functions)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let file = syn::parse_file(&fs::read_to_string(&path)?)?;
            for item in file.items {
                let Item::Fn(function) = item else { continue };
                let Some(target) = exported_name(&function.attrs) else {
                    continue;
                };
                let name = function.sig.ident.to_string();
                if target != format!("{PREFIX}{name}") {
                    let path = path.display();
                    return Err(format!("{path}: {name} is exported as {target}").into());
                }
                let signature = write_signature(&function.sig)?;
                if name == SECOND_NAME.0 {
                    let second = SECOND_NAME.1.to_owned();
                    functions.push((symbol(second), target.clone(), signature.clone()));
                }
                functions.push((symbol(name), target, signature));
            }
        }
    }
    Ok(())
}

/// The name in `#[unsafe(export_name = "…")]`.
fn exported_name(attributes: &[syn::Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| {
        let inner: syn::MetaNameValue = attribute
            .path()
            .is_ident("unsafe")
            .then(|| attribute.parse_args().ok())??;
        match inner.value {
            Expr::Lit(literal) if inner.path.is_ident("export_name") => match literal.lit {
                Lit::Str(name) => Some(name.value()),
                _ => None,
            },
            _ => None,
        }
    })
}

fn write_signature(signature: &syn::Signature) -> TaskResult<String> {
    let mut parameters = Vec::new();
    for parameter in &signature.inputs {
        let FnArg::Typed(typed) = parameter else {
            return Err(format!("{}: a receiver", signature.ident).into());
        };
        let Pat::Ident(name) = typed.pat.as_ref() else {
            return Err(format!("{}: a parameter without a name", signature.ident).into());
        };
        parameters.push(format!("{}: {}", name.ident, name_c_type(&typed.ty)?));
    }
    let result = match &signature.output {
        ReturnType::Default => String::new(),
        ReturnType::Type(_, result) => format!(" -> {}", name_c_type(result)?),
    };
    Ok(format!("({}){result}", parameters.join(", ")))
}

/// A type as the C ABI has it: pointers are all alike, and so are the enums of C.
fn name_c_type(of: &Type) -> TaskResult<&'static str> {
    let Type::Path(path) = of else {
        return match of {
            Type::Ptr(_) => Ok("Pointer"),
            _ => Err("a parameter that is neither a pointer nor a number".into()),
        };
    };
    let name = path
        .path
        .segments
        .last()
        .map_or(String::new(), |last| last.ident.to_string());
    Ok(match name.as_str() {
        "c_int" => "c_int",
        "u8" => "u8",
        "i32" | "q16_16_t" => "i32",
        "i64" => "i64",
        "u32" => "u32",
        "u64" => "u64",
        "usize" => "usize",
        // An enum of C that may hold any number, or one that the library returns.
        "MaybeUninit" | "ax_policy_err_t" | "ax_policy_result_t" | "ax_verdict_t"
        | "ax_health_state_t" => "Enum",
        _ => return Err(format!("{name}: a type without a counterpart in the C ABI").into()),
    })
}
