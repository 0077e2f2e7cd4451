//! The deepest stack of every exported function. The C suites run with every function behind a wrapper
//! that paints the unused stack before the call and inspects it afterwards (c-tests/firmware/stack.c).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use axilog_testkit::declarations::symbols_of;

use super::programs::{SUITES, c_test_path, program_with_vectors};
use super::size::all_functions;
use super::stack_bound;
use super::target::{Target, output_directory};
use crate::process::{TaskResult, ensure};

/// The most bytes that any call may use.
const LIMIT: u32 = 4352;

/// Measures the most bytes that each function uses in any call of the suites.
pub fn measure_stack(
    target: &Target,
    vectors: &Path,
    library: &Path,
) -> TaskResult<BTreeMap<String, u32>> {
    let names = all_functions();
    let symbols = symbols_of(&names);
    let mut list = String::new();
    for symbol in &symbols {
        let _ = writeln!(list, "FUNCTION({symbol})");
    }
    fs::write(output_directory()?.join("images/functions.h"), list)?;
    let mut wrap = String::from("-Wl");
    for symbol in &symbols {
        let _ = write!(wrap, ",--wrap={symbol}");
    }
    let name_of = |symbol: &str| {
        let index = symbols.iter().position(|other| other == symbol);
        index.and_then(|index| names.get(index)).cloned()
    };

    let mut deepest = BTreeMap::new();
    for (suite, _) in SUITES {
        let mut program = program_with_vectors(suite, vectors, library);
        let name = format!("stack_{suite}");
        program.name = &name;
        program.sources.push(c_test_path("firmware/stack.c"));
        program.sources.push(c_test_path(match target.is_arm() {
            true => "firmware/stack_arm.S",
            false => "firmware/stack_riscv.S",
        }));
        program.compiler_arguments.push(wrap.clone());
        let image = target.link(&program)?;
        let printed = target.large.run(&image, &target.image_directory()?, &[])?;
        for line in printed.lines() {
            let mut words = line.split(' ');
            if let (Some("stack"), Some(function), Some(bytes)) =
                (words.next(), words.next().and_then(name_of), words.next())
            {
                let bytes: u32 = bytes.parse()?;
                let maximum = deepest.entry(function).or_insert(bytes);
                *maximum = bytes.max(*maximum);
            }
        }
    }
    if let Some(name) = names.iter().find(|name| !deepest.contains_key(*name)) {
        return Err(format!("no C suite calls {name}, so its stack is unknown").into());
    }
    let over: Vec<_> = deepest.iter().filter(|&(_, &b)| b > LIMIT).collect();
    ensure(
        over.is_empty(),
        &format!(
            "more than {LIMIT} bytes of stack on {}: {over:?}",
            target.processor
        ),
    )?;
    Ok(deepest)
}

/// Bounds the stack of each function by a walk over the disassembly, and holds the measured figures to it.
pub fn bound_stack(
    target: &Target,
    names: &[String],
    measured: &BTreeMap<String, u32>,
) -> TaskResult<BTreeMap<String, u32>> {
    let image = target.image_directory()?.join("all");
    let bounds = stack_bound::bound_stack(target, &image, names)?;
    for (name, &bytes) in measured {
        let bound = bounds.get(name).copied().unwrap_or_default();
        ensure(
            (bytes..=LIMIT).contains(&bound),
            &format!("{name} used {bytes} bytes of stack; its bound is {bound}, the limit {LIMIT}"),
        )?;
    }
    Ok(bounds)
}
