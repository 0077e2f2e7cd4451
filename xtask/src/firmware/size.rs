//! The flash and RAM that the library needs, and the symbols that no image may contain.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use axilog_testkit::declarations::{FORBIDDEN, functions, symbols_of};

use super::programs::DEVICE_RAM;
use super::target::{Program, Target};
use crate::process::{TaskResult, ensure};

/// The bytes of an image: code with constants in flash, variables in RAM.
#[derive(Clone, Copy)]
pub struct Size {
    pub flash: u32,
    pub ram: u32,
}

/// Measures an image by the sizes of its sections.
pub fn measure_image(target: &Target, image: &Path) -> TaskResult<Size> {
    let printed = target.run_binutil("size", image)?;
    let row = printed.lines().nth(1).unwrap_or_default();
    let mut columns = row.split_whitespace().map(str::parse::<u32>);
    match (columns.next(), columns.next(), columns.next()) {
        (Some(Ok(text)), Some(Ok(data)), Some(Ok(bss))) => Ok(Size {
            flash: text + data,
            ram: data + bss,
        }),
        _ => Err(format!(
            "`size` prints {printed:?}, expected a row that begins with text, data and bss"
        )
        .into()),
    }
}

/// Measures what linking the named functions adds to a program, compared with a program whose table has as
/// many pointers to another function; and checks the symbols of the image.
pub fn measure_added(
    target: &Target,
    library: &Path,
    name: &str,
    names: &[String],
) -> TaskResult<Size> {
    let link_table = |name: &str, names: &[String]| {
        let mut text = String::from(
            "#include \"axilog/axilog.h\"\n\nint main(void);\n\n\
             typedef void (*function_t)(void);\n\nstatic volatile function_t all[] = {\n",
        );
        for name in names {
            let _ = writeln!(text, "    (function_t){name},");
        }
        text += "};\n\nint main(void)\n{\n    all[0]();\n    return 0;\n}\n";
        let source = target.image_directory()?.join(format!("{name}.c"));
        fs::write(&source, text)?;
        target.link(&Program {
            name,
            sources: vec![source],
            library,
            uses_libc: false,
            ram_bytes: DEVICE_RAM,
            compiler_arguments: vec!["-Wno-cast-function-type".into()],
        })
    };
    let image = link_table(name, names)?;
    check_symbols(target, &image, names)?;
    let baseline = link_table(&format!("{name}-none"), &vec!["main".into(); names.len()])?;
    let size = measure_image(target, &image)?;
    let baseline = measure_image(target, &baseline)?;
    Ok(Size {
        flash: size.flash - baseline.flash,
        ram: size.ram - baseline.ram,
    })
}

/// Checks that the image contains the named functions, nothing of `core` that panics or formats, and no
/// allocator.
pub fn check_symbols(target: &Target, image: &Path, names: &[String]) -> TaskResult {
    let listed = target.run_binutil("nm", image)?;
    let symbols: BTreeSet<&str> = listed
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    let mut wanted = symbols_of(names).into_iter();
    if let Some(name) = wanted.find(|name| !symbols.contains(name.as_str())) {
        return Err(format!("{name} is missing in {}", image.display()).into());
    }
    let found: Vec<&&str> = symbols
        .iter()
        .filter(|symbol| FORBIDDEN.iter().any(|part| symbol.contains(part)))
        .collect();
    ensure(
        found.is_empty(),
        &format!(
            "{} contains {found:?}; the library must not panic, format or allocate",
            image.display()
        ),
    )
}

/// Lists every function of the headers.
pub fn all_functions() -> Vec<String> {
    let mut names = functions();
    names.sort();
    names
}

/// Lists the functions that c-tests/firmware/device.c calls to observe, decide and write its ledger.
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
