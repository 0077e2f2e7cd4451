//! The blocks of the documentation's pages.

use std::fs;
use std::path::Path;

/// The fenced blocks of a page of the tree, each with its language, in order.
pub fn blocks(page: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = fs::read_to_string(path).unwrap();
    let mut blocks = Vec::new();
    let mut rest = text.as_str();
    while let Some((_, opened)) = rest.split_once("\n```") {
        let (language, opened) = opened.split_once('\n').unwrap();
        let (block, behind) = opened.split_once("\n```\n").unwrap();
        blocks.push((language.to_owned(), format!("{block}\n")));
        rest = behind;
    }
    blocks
}

/// The programs of a page in `language`, and what the block behind each says that it prints.
pub fn programs(page: &str, language: &str) -> Vec<(String, String)> {
    let blocks = blocks(page);
    let of = |text: &str| text == language;
    let found: Vec<_> = blocks
        .windows(2)
        .filter(|pair| of(&pair[0].0) && pair[1].0 == "text")
        .map(|pair| (pair[0].1.clone(), pair[1].1.clone()))
        .collect();
    let all = blocks.iter().filter(|block| of(&block.0)).count();
    assert_eq!(found.len(), all, "{page} has a program without its output");
    found
}
