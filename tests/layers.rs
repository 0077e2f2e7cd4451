//! The modules of `src/` know one another downwards only, and no two files each other.
//!
//! The order is the table of `src/lib.rs`. Every path that begins with `crate`, `super`, `self` or the
//! name of a child module counts, in a `use` as in code; the modules under `cfg(test)` do not.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A file's module path; the crate's root is empty.
type Module = Vec<String>;

/// One mention of a module in a file.
struct Mention {
    line: usize,
    path: Module,
}

struct Source {
    file: String,
    module: Module,
    mentions: Vec<Mention>,
}

#[test]
fn no_module_knows_one_above_it_and_no_files_form_a_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(&root.join("src"), "src", &mut files);
    assert!(files.len() > 50, "{}", files.len());
    let (_, table) = files.iter().find(|(file, _)| file == "src/lib.rs").unwrap();
    let wrong = violations(&files, &floors(table));
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn an_import_from_above_is_named_with_its_file_and_line() {
    let found = check(&[
        (
            "src/low.rs",
            "//! Low.\n\nuse crate::high::{\n    Other,\n};\n",
        ),
        ("src/high.rs", "pub struct Other;\n"),
    ]);
    assert_eq!(
        found,
        ["src/low.rs:4: `low` uses `high`, which stands above it in src/lib.rs"]
    );
}

#[test]
fn a_path_from_above_in_code_is_found_and_one_in_a_comment_or_a_test_is_not() {
    let found = check(&[
        (
            "src/low.rs",
            "/// See [`crate::high::Other`].\nfn f() -> &'static str {\n    crate::high::name()\n}\n\
             #[cfg(test)]\nmod tests {\n    use crate::high::Other;\n}\n",
        ),
        ("src/high.rs", ""),
    ]);
    assert_eq!(
        found,
        ["src/low.rs:3: `low` uses `high`, which stands above it in src/lib.rs"]
    );
}

#[test]
fn a_circle_among_the_files_of_a_folder_is_named_link_by_link() {
    let found = check(&[
        ("src/high/mod.rs", "mod a;\nmod b;\npub use a::A;\n"),
        ("src/high/a.rs", "use super::b::B;\npub struct A(B);\n"),
        (
            "src/high/b.rs",
            "\npub struct B;\nfn f(_: super::a::A) {}\n",
        ),
    ]);
    assert_eq!(
        found,
        ["a circle: src/high/a.rs:1 uses src/high/b.rs, src/high/b.rs:3 uses src/high/a.rs"]
    );
}

#[test]
fn a_module_that_the_table_leaves_out_is_named() {
    let found = check(&[("src/other.rs", "")]);
    assert_eq!(
        found,
        ["src/other.rs: `other` is not in the table of src/lib.rs"]
    );
}

/// The violations of `files` under a table in which `high` stands above `low`.
fn check(files: &[(&str, &str)]) -> Vec<String> {
    let table = "//! | module | |\n//! |---|---|\n//! | [`high`] | |\n//! | `low` | |\n";
    let files: Vec<_> = files
        .iter()
        .map(|&(file, text)| (file.to_owned(), text.to_owned()))
        .collect();
    violations(&files, &floors(table))
}

/// The row of each module in the table of `src/lib.rs`, the highest 0.
fn floors(lib: &str) -> BTreeMap<String, usize> {
    let rows = lib
        .lines()
        .filter_map(|line| line.strip_prefix("//! | ")?.split_once(" |"))
        .map(|(modules, _)| modules);
    rows.skip(1)
        .enumerate()
        .flat_map(|(row, modules)| {
            let names = modules.split('`').skip(1).step_by(2);
            names.map(move |name| (name.to_owned(), row))
        })
        .collect()
}

fn violations(files: &[(String, String)], floors: &BTreeMap<String, usize>) -> Vec<String> {
    let modules: BTreeSet<Module> = files.iter().map(|(file, _)| module_of(file)).collect();
    let sources: Vec<Source> = files
        .iter()
        .map(|(file, text)| read_source(file, text, &modules))
        .collect();
    let mut wrong = Vec::new();
    for source in &sources {
        let Some(own) = source.module.first() else {
            continue;
        };
        let Some(floor) = floors.get(own) else {
            wrong.push(format!(
                "{}: `{own}` is not in the table of src/lib.rs",
                source.file
            ));
            continue;
        };
        for mention in &source.mentions {
            let above = mention
                .path
                .first()
                .filter(|name| floors.get(*name).is_some_and(|row| row < floor));
            if let Some(name) = above {
                let (file, line) = (&source.file, mention.line);
                wrong.push(format!(
                    "{file}:{line}: `{own}` uses `{name}`, which stands above it in src/lib.rs"
                ));
            }
        }
    }
    wrong.extend(circle(&sources));
    wrong
}

/// The first circle among the files, link by link.
fn circle(sources: &[Source]) -> Option<String> {
    let mut left: Vec<&Source> = sources.iter().collect();
    // A file that no remaining file's path leads on from is in no circle; what stays at the end is.
    loop {
        let names: BTreeSet<&Module> = left.iter().map(|source| &source.module).collect();
        let uses = |source: &&Source| source.mentions.iter().any(|m| names.contains(&m.path));
        let remaining: Vec<&Source> = left.iter().copied().filter(uses).collect();
        if remaining.len() == left.len() {
            break;
        }
        left = remaining;
    }
    let next = |from: &Source| {
        let found = from.mentions.iter().find_map(|mention| {
            let to = left.iter().find(|source| source.module == mention.path)?;
            Some((mention.line, *to))
        });
        found.unwrap()
    };
    let mut walk = vec![*left.first()?];
    loop {
        let (_, to) = next(walk.last()?);
        if let Some(start) = walk.iter().position(|source| source.file == to.file) {
            let links: Vec<String> = walk[start..]
                .iter()
                .map(|from| {
                    let (line, to) = next(from);
                    format!("{}:{line} uses {}", from.file, to.file)
                })
                .collect();
            return Some(format!("a circle: {}", links.join(", ")));
        }
        walk.push(to);
    }
}

fn read_source(file: &str, text: &str, modules: &BTreeSet<Module>) -> Source {
    let module = module_of(file);
    let tokens: TokenStream = text.parse().unwrap_or_else(|e| panic!("{file}: {e}"));
    let mut paths = Vec::new();
    collect_paths(tokens, &module, &mut paths);
    let mentions = paths
        .into_iter()
        .filter_map(|(line, scope, path)| {
            let path = resolve(&scope, &path, modules)?;
            (path != module).then_some(Mention { line, path })
        })
        .collect();
    Source {
        file: file.to_owned(),
        module,
        mentions,
    }
}

/// The file that `path`, written in `scope`, leads to; `None` outside the crate, and for a word alone.
fn resolve(scope: &[String], path: &[String], modules: &BTreeSet<Module>) -> Option<Module> {
    let mut full = scope.to_vec();
    let mut rest = path;
    match path {
        [] | [_] => return None,
        [first, ..] if first == "crate" => full.clear(),
        [first, ..] if first == "self" || first == "super" => {}
        [child, ..] if !modules.contains(&[scope, std::slice::from_ref(child)].concat()) => {
            return None;
        }
        _ => {}
    }
    while let Some((first, behind)) = rest.split_first() {
        match first.as_str() {
            "crate" | "self" => {}
            "super" => drop(full.pop()),
            name => full.push(name.to_owned()),
        }
        rest = behind;
    }
    // The longest part of it that is a file; the rest is an item of that file.
    while !full.is_empty() && !modules.contains(&full) {
        full.pop();
    }
    (!full.is_empty()).then_some(full)
}

/// Every path in `tokens`, with its line and the module it stands in; the branches of a `use` apart.
fn collect_paths(tokens: TokenStream, scope: &[String], found: &mut Vec<(usize, Module, Module)>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    let mut in_tests = false;
    while let Some(token) = tokens.get(at) {
        match token {
            TokenTree::Ident(name) if name == "mod" && is_block(tokens.get(at + 2)) => {
                let inner = [scope, &[tokens[at + 1].to_string()]].concat();
                if let (TokenTree::Group(block), false) = (&tokens[at + 2], in_tests) {
                    collect_paths(block.stream(), &inner, found);
                }
                in_tests = false;
                at += 3;
            }
            TokenTree::Ident(_) => at = collect_path(&tokens, at, &[], scope, found),
            TokenTree::Group(group) => {
                in_tests |= token.to_string().replace(' ', "") == "[cfg(test)]";
                collect_paths(group.stream(), scope, found);
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// Reads the path at `at` behind `prefix`, and gives where it ends.
fn collect_path(
    tokens: &[TokenTree],
    mut at: usize,
    prefix: &[String],
    scope: &[String],
    found: &mut Vec<(usize, Module, Module)>,
) -> usize {
    let line = tokens[at].span().start().line;
    let mut path = prefix.to_vec();
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(name)) => path.push(name.to_string()),
            Some(TokenTree::Group(branches)) if is_block(tokens.get(at)) => {
                let branches: Vec<TokenTree> = branches.stream().into_iter().collect();
                let mut branch = 0;
                while branch < branches.len() {
                    branch = match branches[branch] {
                        TokenTree::Ident(_) => collect_path(&branches, branch, &path, scope, found),
                        _ => branch + 1,
                    };
                }
                return at + 1;
            }
            // The glob of a `use`.
            _ => {
                path.push("*".to_owned());
                found.push((line, scope.to_vec(), path));
                return at;
            }
        }
        at += 1;
        let is_colon = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
        if !(is_colon(tokens.get(at)) && is_colon(tokens.get(at + 1))) {
            found.push((line, scope.to_vec(), path));
            return at;
        }
        at += 2;
    }
}

fn is_block(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace)
}

fn module_of(file: &str) -> Module {
    let path = file.trim_start_matches("src/").trim_end_matches(".rs");
    let parts = path
        .split('/')
        .filter(|part| !["lib", "mod"].contains(part));
    parts.map(str::to_owned).collect()
}

fn collect(directory: &Path, name: &str, files: &mut Vec<(String, String)>) {
    let mut entries: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{name}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &name, files);
        } else if name.ends_with(".rs") {
            files.push((name, fs::read_to_string(entry.path()).unwrap()));
        }
    }
}
