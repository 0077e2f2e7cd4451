//! The deepest stack of every exported function: the C suites run with every function behind a
//! wrapper that paints the unused stack (c-tests/firmware/stack.c).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::programs::{SUITES, c_test, with_vectors};
use super::size::all_functions;
use super::target::{Target, target_directory};
use crate::process::Done;

/// The most that any call may use.
const LIMIT: u32 = 4096;

/// Bytes by function, over everything that the suites do with it.
pub fn measure(target: &Target, vectors: &Path, library: &Path) -> Done<BTreeMap<String, u32>> {
    let names = all_functions();
    let mut list = String::new();
    for name in &names {
        let _ = writeln!(list, "FUNCTION({name})");
    }
    fs::write(target_directory().join("images/functions.h"), list)?;
    let mut wrap = String::from("-Wl");
    for name in &names {
        let _ = write!(wrap, ",--wrap={name}");
    }

    let mut deepest = BTreeMap::new();
    for (suite, _) in SUITES {
        let mut program = with_vectors(suite, vectors, library);
        let name = format!("stack_{suite}");
        program.name = &name;
        program.sources.push(c_test("firmware/stack.c"));
        program.sources.push(c_test(match target.is_arm() {
            true => "firmware/stack_arm.S",
            false => "firmware/stack_riscv.S",
        }));
        program.arguments.push(wrap.clone());
        let image = target.link(&program)?;
        let printed = target.large.run(&image, &target.place()?, &[])?;
        for line in printed.lines() {
            let mut words = line.split(' ');
            if let (Some("stack"), Some(function), Some(bytes)) =
                (words.next(), words.next(), words.next())
            {
                let bytes: u32 = bytes.parse()?;
                let most = deepest.entry(function.to_owned()).or_insert(bytes);
                *most = bytes.max(*most);
            }
        }
    }
    if let Some(name) = names.iter().find(|name| !deepest.contains_key(*name)) {
        return Err(format!("no suite calls {name}").into());
    }
    // It only forwards, and what it forwards to is behind a wrapper of its own.
    let forwarded = deepest.get("axilog_agent_step").copied().unwrap_or(0);
    if let Some(step) = deepest.get_mut("ax_agent_step") {
        *step += forwarded;
    }
    let over: Vec<_> = deepest.iter().filter(|&(_, &b)| b > LIMIT).collect();
    if over.is_empty() {
        Ok(deepest)
    } else {
        Err(format!(
            "more than {LIMIT} bytes of stack on {}: {over:?}",
            target.processor
        )
        .into())
    }
}
