//! The blocks of the documentation's pages.

use std::fs;
use std::path::Path;

/// Reads the fenced blocks of a page of the tree, each with its language, in order.
pub fn read_blocks(page: &str) -> Vec<(String, String)> {
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

/// Chooses the blocks in `language`.
pub fn in_language<'b>(blocks: &'b [(String, String)], language: &str) -> Vec<&'b str> {
    let found = blocks.iter().filter(|(of, _)| of == language);
    found.map(|(_, block)| block.as_str()).collect()
}
