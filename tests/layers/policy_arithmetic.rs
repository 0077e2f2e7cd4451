//! What is computed with the values of policies, by the syntax tree of the sources.
//!
//! SRS-004 §18.2 (SHALL-030): policy arithmetic goes through the functions of `src/q16.rs`, which C calls as
//! `dvm_add_q16` and the like, and never through raw operators. The values are raw Q16.16 numbers of type `i32`, whose
//! type a syntax tree does not tell, so this test knows by name what else the files compute with.

use std::path::Path;

use axilog_testkit::modules::read_files;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, UnOp};

/// The files in which a policy's value is taken out of an answer, compared, and acted on.
const FILES: [&str; 4] = [
    "src/policy.rs",
    "src/selector.rs",
    "src/json/extract.rs",
    "src/agent/",
];

/// What these files count, by name: places in text and in tables, records, faults, times, and sets of policies. None is a
/// value or a threshold.
const COUNTS: [&str; 10] = [
    "at",
    "count",
    "cursor",
    "depth",
    "evaluated",
    "index",
    "now",
    "scope",
    "sequence",
    "0",
];

/// Beginnings and ends of the names of Rust's arithmetic methods.
const MANNERS: [&str; 5] = ["", "checked_", "overflowing_", "saturating_", "wrapping_"];
const OPERATIONS: [&str; 16] = [
    "add",
    "sub",
    "mul",
    "div",
    "rem",
    "neg",
    "abs",
    "pow",
    "shl",
    "shr",
    "div_euclid",
    "rem_euclid",
    "abs_diff",
    "unsigned_abs",
    "isqrt",
    "midpoint",
];

/// Collects arithmetic on anything that is no count, as `FILE:LINE: TEXT`.
struct Finder<'s> {
    file: &'s str,
    lines: Vec<&'s str>,
    found: Vec<String>,
}

impl Finder<'_> {
    fn judge(&mut self, operand: &Expr, whole: &impl Spanned) {
        if name_of(operand).is_some_and(|name| COUNTS.contains(&name.as_str())) {
            return;
        }
        let line = whole.span().start().line;
        let text = self.lines[line - 1].trim();
        self.found.push(format!("{}:{line}: {text}", self.file));
    }
}

/// The last name of a place: `b` of `a.b`, `*a.b`, `a.b[0]` and `u64::from(a.b)`, `0` of `self.0`; none of what is no
/// place.
fn name_of(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
        Expr::Field(field) => match &field.member {
            syn::Member::Named(name) => Some(name.to_string()),
            syn::Member::Unnamed(index) => Some(index.index.to_string()),
        },
        Expr::Index(index) => name_of(&index.expr),
        Expr::Paren(inner) => name_of(&inner.expr),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => name_of(&unary.expr),
        // A shift of a set, and then one of its bits.
        Expr::Binary(binary) => name_of(&binary.left),
        Expr::Call(call) => name_of(call.args.first()?),
        _ => None,
    }
}

fn is_arithmetic_method(name: &str) -> bool {
    let mut manners = MANNERS
        .iter()
        .filter_map(|manner| name.strip_prefix(manner));
    manners.any(|operation| OPERATIONS.contains(&operation))
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        use BinOp::{
            Add, AddAssign, Div, DivAssign, Mul, MulAssign, Rem, RemAssign, Shl, ShlAssign, Shr,
            ShrAssign, Sub, SubAssign,
        };
        let is_arithmetic = matches!(
            binary.op,
            Add(_)
                | AddAssign(_)
                | Sub(_)
                | SubAssign(_)
                | Mul(_)
                | MulAssign(_)
                | Div(_)
                | DivAssign(_)
                | Rem(_)
                | RemAssign(_)
                | Shl(_)
                | ShlAssign(_)
                | Shr(_)
                | ShrAssign(_)
        );
        if is_arithmetic {
            self.judge(&binary.left, binary);
            // A number that is written out, or that a function gives, is no value by itself.
            if name_of(&binary.right).is_some() {
                self.judge(&binary.right, binary);
            }
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        // A negative literal is a number and computes nothing.
        if matches!(unary.op, UnOp::Neg(_)) && !matches!(*unary.expr, Expr::Lit(_)) {
            self.judge(&unary.expr, unary);
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if is_arithmetic_method(&call.method.to_string()) {
            self.judge(&call.receiver, &call.method);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let (Expr::Path(path), Some(operand)) = (&*call.func, call.args.first()) {
            let segments = &path.path.segments;
            let name = segments.last().map(|segment| segment.ident.to_string());
            let is_of_q16 = segments.len() > 1 && segments[segments.len() - 2].ident == "q16";
            if !is_of_q16
                && segments.len() > 1
                && name.is_some_and(|name| is_arithmetic_method(&name))
            {
                self.judge(operand, call);
            }
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }
}

fn find_arithmetic(file: &str, text: &str) -> Vec<String> {
    let lines = text.lines().collect();
    let mut finder = Finder {
        file,
        lines,
        found: Vec::new(),
    };
    finder.visit_file(&syn::parse_file(text).unwrap());
    finder.found
}

#[test]
fn no_value_of_a_policy_is_computed_with_raw_operators() {
    let files = read_files(Path::new(env!("CARGO_MANIFEST_DIR")));
    let judged: Vec<_> = files
        .iter()
        .filter(|(file, _)| FILES.iter().any(|judged| file.starts_with(judged)))
        .collect();
    assert!(judged.len() > 8, "{}", judged.len());
    let found: Vec<String> = judged
        .iter()
        .flat_map(|(file, text)| find_arithmetic(file, text))
        .collect();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn arithmetic_on_a_value_is_found_in_every_form() {
    for expression in [
        "actual + 1",
        "-actual",
        "self.threshold - actual",
        "count + actual",
        "values[0] << 16",
        "actual.saturating_mul(ONE)",
        "i32::wrapping_add(actual, 1)",
        "policy.threshold.abs()",
        "(actual - threshold) > 0",
        "{ values[index] *= 2; 0 }",
    ] {
        let text = format!("fn f() -> i32 {{\n    {expression}\n}}\n");
        let found = find_arithmetic("src/f.rs", &text);
        assert_eq!(
            found.first(),
            Some(&format!("src/f.rs:2: {expression}")),
            "{found:?}"
        );
    }
    for expression in [
        "q16::add(actual, threshold, faults)",
        "index.wrapping_add(1)",
        "actual > -1",
        "self.cursor + 1",
    ] {
        let text = format!("fn f() -> i32 {{\n    {expression}\n}}\n");
        assert_eq!(find_arithmetic("src/f.rs", &text), Vec::<String>::new());
    }
}
