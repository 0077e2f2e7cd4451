//! Reads the sources of a crate and finds circles among its files.
//!
//! A file uses another if a path in it leads to that file's module: every path counts that begins with
//! `crate`, `super`, `self` or the name of a child module, in a `use` as in code. Comments and the modules
//! under `cfg(test)` do not count.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A file's module path; the crate's root is empty.
pub type Module = Vec<String>;

/// One mention of a module in a file.
pub struct Mention {
    pub line: usize,
    pub path: Module,
}

/// A file and the modules that it mentions.
pub struct Source {
    pub file: String,
    pub module: Module,
    pub mentions: Vec<Mention>,
}

/// The Rust files below `src/` of the crate in `directory`, as pairs of name and text.
pub fn read_files(directory: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    collect_files(&directory.join("src"), "src", &mut files);
    files
}

fn collect_files(directory: &Path, name: &str, files: &mut Vec<(String, String)>) {
    let entries = fs::read_dir(directory).unwrap();
    let mut entries: Vec<_> = entries.map(Result::unwrap).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{name}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            collect_files(&entry.path(), &name, files);
        } else if name.ends_with(".rs") {
            files.push((name, fs::read_to_string(entry.path()).unwrap()));
        }
    }
}

/// Parses files into sources.
pub fn parse_sources(files: &[(String, String)]) -> Vec<Source> {
    let modules: BTreeSet<Module> = files.iter().map(|(file, _)| module_of(file)).collect();
    let sources = files.iter();
    sources
        .map(|(file, text)| parse_source(file, text, &modules))
        .collect()
}

/// Describes the first circle among the sources, link by link.
pub fn find_circle(sources: &[Source]) -> Option<String> {
    let mut left: Vec<&Source> = sources.iter().collect();
    // A file that uses no remaining file is in no circle. Only circles and the ways to them stay.
    loop {
        let modules: BTreeSet<&Module> = left.iter().map(|source| &source.module).collect();
        let uses = |source: &&Source| source.mentions.iter().any(|m| modules.contains(&m.path));
        let remaining: Vec<&Source> = left.iter().copied().filter(uses).collect();
        if remaining.len() == left.len() {
            break;
        }
        left = remaining;
    }
    let next = |from: &Source| {
        let used = from.mentions.iter().find_map(|mention| {
            let to = left.iter().find(|source| source.module == mention.path)?;
            Some((mention.line, *to))
        });
        used.unwrap()
    };
    let mut walk = vec![*left.first()?];
    loop {
        let (_, to) = next(walk.last()?);
        if let Some(start) = walk.iter().position(|source| source.file == to.file) {
            let links = walk[start..].iter().map(|from| {
                let (line, to) = next(from);
                format!("{}:{line} uses {}", from.file, to.file)
            });
            let links: Vec<String> = links.collect();
            return Some(format!("a circle: {}", links.join(", ")));
        }
        walk.push(to);
    }
}

fn parse_source(file: &str, text: &str, modules: &BTreeSet<Module>) -> Source {
    let module = module_of(file);
    let tokens: TokenStream = text.parse().unwrap_or_else(|e| panic!("{file}: {e}"));
    let mut paths = Vec::new();
    collect_paths(tokens, &module, &mut paths);
    let mentions = paths.into_iter().filter_map(|(line, scope, path)| {
        let path = resolve(&scope, &path, modules)?;
        (path != module).then_some(Mention { line, path })
    });
    Source {
        file: file.to_owned(),
        mentions: mentions.collect(),
        module,
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
    // The longest beginning that is a file; the rest names an item of that file.
    while !modules.contains(&full) {
        full.pop()?;
    }
    Some(full)
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

/// Reads the path at `at` after `prefix`, and gives where it ends.
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
