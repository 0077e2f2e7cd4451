//! The table of `docs/rigs.md`: size and offset of all that a rig and the library exchange, in both generations
//! of rigs.

use std::fs;

use super::conformance::{GENERATIONS, HEADERS};
use crate::build::{Language, Link, Place, compiler, link, program, root};

const BEGIN: &str = "<!-- layout: c-tests/compat/layout.c -->\n";
const END: &str = "<!-- end of layout -->\n";

/// One struct as `c-tests/compat/layout.c` prints it.
#[derive(PartialEq)]
struct Layout<'a> {
    name: &'a str,
    bytes: &'a str,
    /// The name of each field, its bytes and its offset.
    fields: Vec<(&'a str, &'a str, &'a str)>,
}

fn read_layouts(printed: &str) -> Vec<Layout<'_>> {
    let mut layouts: Vec<Layout<'_>> = Vec::new();
    for line in printed.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            [name, bytes] => layouts.push(Layout {
                name,
                bytes,
                fields: Vec::new(),
            }),
            [name, bytes, offset] => {
                let (owner, field) = name.split_once('.').unwrap();
                let layout = layouts.last_mut().unwrap();
                assert_eq!(layout.name, owner);
                layout.fields.push((field, bytes, offset));
            }
            _ => panic!("{line}"),
        }
    }
    layouts
}

/// The rows of every struct, and again of each that a rig of a single fault struct has otherwise.
fn write_table(separate: &[Layout<'_>], single: &[Layout<'_>]) -> String {
    let mut table = String::from("| struct, field | bytes | offset |\n|---|---|---|\n");
    assert_eq!(separate.len(), single.len());
    for (layout, other) in separate.iter().zip(single) {
        assert_eq!(layout.name, other.name);
        write_rows(&mut table, layout, "");
        if layout != other {
            write_rows(&mut table, other, " with `AXILOG_COMPAT_1_0`");
        }
    }
    table
}

fn write_rows(table: &mut String, layout: &Layout<'_>, condition: &str) {
    let Layout {
        name,
        bytes,
        fields,
    } = layout;
    *table += &format!("| **`{name}`**{condition} | {bytes} | |\n");
    for (field, bytes, offset) in fields {
        *table += &format!("| `{field}` | {bytes} | {offset} |\n");
    }
}

/// The page says what the compiler does, on the processor that it names.
#[test]
#[cfg_attr(not(target_arch = "x86_64"), ignore = "the table is that of x86-64")]
fn the_page_for_rigs_has_every_size_and_offset() {
    let place = Place::new("compat-layout");
    let source = program("compat/layout", Language::C);
    let [separate, single] = GENERATIONS.map(|generation| {
        let [c, cpp] = [(Language::C, "c"), (Language::Cpp, "c++")].map(|(language, name)| {
            let mut command = compiler(language);
            command.args(["-x", name]);
            let object = place.compile_with(command, HEADERS, &source, generation);
            link(&place, name, language, Link::Static, &[&object]).run()
        });
        assert_eq!(c, cpp);
        c
    });
    let table = write_table(&read_layouts(&separate), &read_layouts(&single));
    let page = fs::read_to_string(root().join("docs/rigs.md")).unwrap();
    let (_, found) = page.split_once(BEGIN).expect("a table that begins");
    let (found, _) = found.split_once(END).expect("a table that ends");
    assert!(
        found == table,
        "docs/rigs.md must have this table:\n{table}"
    );
}
