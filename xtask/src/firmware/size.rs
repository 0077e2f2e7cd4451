//! What the library takes of flash and RAM, and what no image of it may hold.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::programs::DEVICE_RAM;
use super::target::{Program, Target};
use crate::declarations::{FORBIDDEN, functions};
use crate::process::Done;

/// Bytes of an image: code with constants, and variables.
#[derive(Clone, Copy)]
pub struct Size {
    pub flash: u32,
    pub ram: u32,
}

/// The sizes of an image's sections, added up.
pub fn of(target: &Target, image: &Path) -> Done<Size> {
    let told = target.ask("size", &[], image)?;
    let row = told.lines().nth(1).unwrap_or_default();
    let mut columns = row.split_whitespace().map(str::parse::<u32>);
    match (columns.next(), columns.next(), columns.next()) {
        (Some(Ok(text)), Some(Ok(data)), Some(Ok(bss))) => Ok(Size {
            flash: text + data,
            ram: data + bss,
        }),
        _ => Err(format!("not what `size` prints: {told}").into()),
    }
}

/// What linking these functions adds to a program that has a table of as many others; and that the
/// image holds nothing that panics, formats or allocates.
pub fn added(target: &Target, library: &Path, name: &str, names: &[String]) -> Done<Size> {
    let image = |name: &str, names: &[String]| {
        let mut text = String::from(
            "#include \"axilog/axilog.h\"\n\nint main(void);\n\n\
             typedef void (*function_t)(void);\n\nstatic volatile function_t all[] = {\n",
        );
        for name in names {
            let _ = writeln!(text, "    (function_t){name},");
        }
        text += "};\n\nint main(void)\n{\n    all[0]();\n    return 0;\n}\n";
        let source = target.place()?.join(format!("{name}.c"));
        fs::write(&source, text)?;
        target.link(&Program {
            name,
            sources: vec![source],
            library,
            libc: false,
            ram: DEVICE_RAM,
            arguments: vec!["-Wno-cast-function-type".into()],
        })
    };
    let with = image(name, names)?;
    no_panic(target, &with, names)?;
    let without = image(&format!("{name}-none"), &vec!["main".into(); names.len()])?;
    let (with, without) = (of(target, &with)?, of(target, &without)?);
    Ok(Size {
        flash: with.flash - without.flash,
        ram: with.ram - without.ram,
    })
}

/// The image holds these functions, and nothing of `core` that panics or formats, no allocator.
pub fn no_panic(target: &Target, image: &Path, names: &[String]) -> Done {
    let listed = target.ask("nm", &[], image)?;
    let symbols: BTreeSet<&str> = listed
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    if let Some(name) = names.iter().find(|name| !symbols.contains(name.as_str())) {
        return Err(format!("{name} is not in {}", image.display()).into());
    }
    let found: Vec<&&str> = symbols
        .iter()
        .filter(|symbol| FORBIDDEN.iter().any(|part| symbol.contains(part)))
        .collect();
    if found.is_empty() {
        Ok(())
    } else {
        Err(format!("{} holds {found:?}", image.display()).into())
    }
}

/// Every function of the headers.
pub fn all_functions() -> Vec<String> {
    let mut names = functions();
    names.sort();
    names
}

/// What firmware that observes, decides and writes its ledger calls, as c-tests/firmware/device.c.
pub fn device_functions() -> Vec<String> {
    [
        "ax_agent_bind",
        "ax_agent_init",
        "ax_agent_observe",
        "ax_agent_observe_control",
        "ax_agent_observe_time",
        "ax_ledger_genesis_entry",
        "ax_ledger_line_write",
        "ax_ledger_set_sink",
        "ax_obs_input_set_complete",
        "ax_policy_init_with_registry",
    ]
    .map(String::from)
    .to_vec()
}
