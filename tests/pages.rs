//! The programs of the pages for C and C++ compile without a warning and print what the pages say.

#[path = "c_suites/build.rs"]
#[allow(dead_code)]
mod build;
#[path = "support/pages.rs"]
mod pages;
mod support;

use build::{Language, Link, Place, link};

/// Builds the programs of a page in their order and runs them in one directory.
fn page(name: &str, language: Language, headers: &[&str]) {
    let place = Place::new(&format!("page-{name}"));
    for how in [Link::Static, Link::Shared] {
        let programs = pages::programs(&format!("docs/{name}.md"), language.extension());
        assert_eq!(programs.len(), 2);
        for (number, (text, printed)) in programs.iter().enumerate() {
            let source = place.0.join(format!("{number}.{}", language.extension()));
            std::fs::write(&source, text).unwrap();
            let object = place.compile(&source, language, headers);
            let program = link(&place, &number.to_string(), language, how, &[&object]);
            assert_eq!(
                program.run_in(&place.0),
                *printed,
                "{name} {number} {how:?}"
            );
        }
    }
}

#[test]
fn start_in_c() {
    page("start-c", Language::C, &[]);
}

#[test]
fn start_in_cpp() {
    let headers = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/bindings/cpp");
    page("start-cpp", Language::Cpp, &[headers]);
}
