//! Registries as source text: Rust for the library, the C layout in Rust for
//! its C surface, C for integrators (SRS-004 section 17.5; c-abi.md,
//! policy.h). Ids are of an alphabet that needs no escape in either language.
//! Determinism class D1.

use core::fmt::Write;

use crate::envelope::{Interval, envelope};
use crate::error::PolicyFileError;
use crate::message;
use crate::policy::{ComparisonOperator, PolicyEntry};

/// Words that are no identifiers in C99 or C++17, or that the emitted file
/// uses at file scope.
const RESERVED: &str = "\
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t \
    char32_t class compl const const_cast constexpr continue decltype default delete do double \
    dynamic_cast else enum explicit export extern false float for friend goto if inline int long \
    mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public \
    register reinterpret_cast restrict return short signed sizeof static static_assert \
    static_cast struct switch template this thread_local throw true try typedef typeid typename \
    union unsigned using virtual void volatile wchar_t while xor xor_eq _Bool _Complex _Imaginary \
    main NULL policies selectors ax_policy_t ax_policy_registry_t";

/// Emits `pub static BUILTIN: [Policy<'static>; N]`.
pub(crate) fn emit_rust(policies: &[PolicyEntry]) -> String {
    let mut out = format!(
        "/// The policies compiled into the library, in the byte order of their ids.\n\
         pub static BUILTIN: [Policy<'static>; {}] = [\n",
        policies.len()
    );
    for policy in policies {
        let comparison = match policy.comparison {
            ComparisonOperator::Gt => "Gt",
            ComparisonOperator::Lt => "Lt",
            ComparisonOperator::Ge => "Ge",
            ComparisonOperator::Le => "Le",
        };
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "    Policy {{ id: \"{}\", threshold: {}, comparison: Comparison::{comparison}, \
             enabled: {}, selector: {:?} }},",
            policy.policy_id, policy.threshold, policy.enabled, policy.selector
        );
    }
    out.push_str("];\n");
    out
}

/// Emits `BUILTIN_POLICIES` and `BUILTIN_SELECTORS`, parallel arrays. The operator
/// is a `MaybeUninit` as in every struct that C fills.
pub(crate) fn emit_rust_ffi(policies: &[PolicyEntry]) -> String {
    let count = policies.len();
    let mut out = format!(
        "/// The policies compiled into the library, in the layout of the C surface.\n\
         pub(super) static BUILTIN_POLICIES: Static<[ax_policy_t; {count}]> = Static([\n"
    );
    for policy in policies {
        let _ = writeln!(
            out,
            "    ax_policy_t {{ policy_id: c\"{}\".as_ptr(), threshold: {}, \
             comparison: core::mem::MaybeUninit::new(ax_policy_cmp_t::AX_POLICY_CMP_{}), \
             enabled: {} }},",
            policy.policy_id,
            policy.threshold,
            policy.comparison.name(),
            u8::from(policy.enabled)
        );
    }
    let _ = write!(
        out,
        "]);\n\n\
         /// The selectors of `BUILTIN_POLICIES`, one for one.\n\
         pub(super) static BUILTIN_SELECTORS: Static<[*const core::ffi::c_char; {count}]> = Static([\n"
    );
    for policy in policies {
        let _ = writeln!(out, "    c{:?}.as_ptr(),", policy.selector);
    }
    out.push_str("]);\n");
    out
}

/// Emits a C99 and C++17 file that defines the registry `symbol`.
pub(crate) fn emit_c(policies: &[PolicyEntry], symbol: &str) -> Result<String, PolicyFileError> {
    check_identifier(symbol)?;
    let mut out = String::from(
        "/* Policy registry, compiled from a policy file (SRS-004 section 17).\n\
         \x20* Generated: change the policy file instead.\n\
         \x20*\n\
         \x20* Permitted values per selector, raw Q16.16 and decimal, both ends included:\n",
    );
    let intervals = envelope(policies);
    for interval in &intervals {
        let _ = writeln!(out, " *   {}", describe_in_comment(interval));
    }
    if intervals.is_empty() {
        out.push_str(" *   no enabled policies, no limits\n");
    }
    out.push_str(" */\n#include \"axilog/policy.h\"\n\n#include <stddef.h>\n\n");
    let arrays = if policies.is_empty() {
        // C99 has no arrays of length zero.
        "NULL, 0, NULL".into()
    } else {
        emit_c_arrays(&mut out, policies);
        format!("policies, {}, selectors", policies.len())
    };
    let _ = write!(
        out,
        "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n\
         extern const ax_policy_registry_t {symbol};\n\
         const ax_policy_registry_t {symbol} = {{ {arrays} }};\n\n\
         #ifdef __cplusplus\n}}\n#endif\n"
    );
    Ok(out)
}

fn emit_c_arrays(out: &mut String, policies: &[PolicyEntry]) {
    out.push_str("static const ax_policy_t policies[] = {\n");
    for policy in policies {
        let threshold = match policy.threshold {
            // 2147483648 is no int, so its negation is none either.
            i32::MIN => "(-2147483647 - 1)".into(),
            other => other.to_string(),
        };
        let _ = writeln!(
            out,
            "    {{ \"{}\", {threshold}, AX_POLICY_CMP_{}, {} }},",
            policy.policy_id,
            policy.comparison.name(),
            u8::from(policy.enabled)
        );
    }
    out.push_str("};\n\nstatic const char *const selectors[] = {\n");
    for policy in policies {
        let _ = writeln!(out, "    \"{}\",", escape_for_c(&policy.selector, "\"?\\"));
    }
    out.push_str("};\n\n");
}

/// Describes an interval in ASCII, without anything that begins or ends a comment.
fn describe_in_comment(interval: &Interval) -> String {
    let values = interval.describe_values().replace('…', "...");
    format!("{}: {values}", escape_for_c(&interval.selector, "*\\"))
}

/// Escapes the characters of `special`, and the bytes that are not printable ASCII, in the
/// octal form of a C string, which ends after three digits whatever follows.
fn escape_for_c(text: &str, special: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if matches!(byte, b' '..=b'~') && !special.as_bytes().contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "\\{byte:03o}");
        }
    }
    out
}

fn check_identifier(symbol: &str) -> Result<(), PolicyFileError> {
    let starts = symbol.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let continues = symbol
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_');
    let reserved = RESERVED.split(' ').any(|word| word == symbol);
    if starts && continues && !reserved {
        return Ok(());
    }
    Err(PolicyFileError {
        line: 0,
        column: 0,
        reason: format!(
            "found the symbol {}, expected a C identifier that is no keyword and not a name of the emitted file",
            message::quote(symbol)
        ),
    })
}
