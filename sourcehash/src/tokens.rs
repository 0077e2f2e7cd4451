//! The tokens of a Rust file as text, a token on each line.
//!
//! The text is made of each token's kind and spelling, and of nothing that a version of `proc-macro2` may choose.

use proc_macro2::{Delimiter, LexError, Punct, Spacing, TokenStream, TokenTree};

/// The operators of two and three characters. The longest one at a place is one token, as for the compiler.
const OPERATORS: [&str; 24] = [
    "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "->", "=>", "::", "..", "+=", "-=", "*=", "/=",
    "%=", "^=", "&=", "|=", "<<=", ">>=", "...", "..=",
];

/// The words with which an item can begin that is left out under `#[cfg(test)]`. `const` is not among them: it
/// can begin a generic parameter too.
const ITEM_WORDS: [&str; 9] = [
    "mod", "use", "fn", "static", "struct", "enum", "impl", "trait", "type",
];

/// Lists the tokens of the file's `text`, without documentation and without what only tests compile.
pub(crate) fn list_tokens(text: &str) -> Result<String, LexError> {
    // The compiler reads line ends so.
    let tokens: TokenStream = text.replace("\r\n", "\n").parse()?;
    let mut lines = String::new();
    write_tokens(tokens, &mut lines);
    Ok(lines)
}

fn write_tokens(stream: TokenStream, lines: &mut String) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut rest = tokens.as_slice();
    while let Some((token, behind)) = rest.split_first() {
        let attributes = count_attributes(rest);
        let (attribute_tokens, item) = rest.split_at(2 * attributes);
        if attribute_tokens.iter().any(is_test_condition)
            && let Some(length) = measure_item(item)
        {
            rest = &item[length..];
        } else if let Some(length) = measure_documentation(rest) {
            rest = &rest[length..];
        } else {
            rest = match token {
                TokenTree::Punct(first) => write_operator(first, behind, lines),
                _ => {
                    write_token(token, lines);
                    behind
                }
            };
        }
    }
}

fn write_token(token: &TokenTree, lines: &mut String) {
    match token {
        TokenTree::Group(group) => {
            let (open, close) = match group.delimiter() {
                Delimiter::Parenthesis => ("(", ")"),
                Delimiter::Brace => ("{", "}"),
                Delimiter::Bracket => ("[", "]"),
                Delimiter::None => ("", ""),
            };
            lines.push_str(&format!("open {open}\n"));
            write_tokens(group.stream(), lines);
            lines.push_str(&format!("close {close}\n"));
        }
        TokenTree::Ident(name) => lines.push_str(&format!("ident {name}\n")),
        TokenTree::Punct(punct) => lines.push_str(&format!("punct {}\n", punct.as_char())),
        TokenTree::Literal(literal) => lines.push_str(&format!("literal {literal}\n")),
    }
}

/// Writes the longest operator that begins with `first`, and gives the tokens after it.
fn write_operator<'a>(
    first: &Punct,
    mut behind: &'a [TokenTree],
    lines: &mut String,
) -> &'a [TokenTree] {
    let mut operator = String::from(first.as_char());
    let mut last = first;
    while last.spacing() == Spacing::Joint
        && let Some((TokenTree::Punct(next), tokens)) = behind.split_first()
    {
        let longer = format!("{operator}{}", next.as_char());
        if !OPERATORS.contains(&longer.as_str()) {
            break;
        }
        (operator, last, behind) = (longer, next, tokens);
    }
    lines.push_str(&format!("punct {operator}\n"));
    behind
}

/// The number of attributes, of two tokens each, with which `tokens` begins.
fn count_attributes(tokens: &[TokenTree]) -> usize {
    let pairs = tokens.chunks(2);
    let attributes = pairs.take_while(|pair| match pair {
        [hash, group] => is_punct(hash, '#') && read_brackets(group).is_some(),
        _ => false,
    });
    attributes.count()
}

/// The number of tokens of the documentation with which `tokens` begins: a comment, or `#[doc = "…"]`.
fn measure_documentation(tokens: &[TokenTree]) -> Option<usize> {
    let (length, group) = match tokens {
        [hash, bang, group, ..] if is_punct(hash, '#') && is_punct(bang, '!') => (3, group),
        [hash, group, ..] if is_punct(hash, '#') => (2, group),
        _ => return None,
    };
    match read_brackets(group)?.as_slice() {
        [TokenTree::Ident(doc), equals, TokenTree::Literal(_)]
            if doc == "doc" && is_punct(equals, '=') =>
        {
            Some(length)
        }
        _ => None,
    }
}

/// Whether `token` is the `[cfg(test)]` of an attribute.
fn is_test_condition(token: &TokenTree) -> bool {
    let Some(content) = read_brackets(token) else {
        return false;
    };
    match content.as_slice() {
        [TokenTree::Ident(cfg), TokenTree::Group(condition)] if cfg == "cfg" => {
            let condition: Vec<TokenTree> = condition.stream().into_iter().collect();
            matches!(condition.as_slice(), [TokenTree::Ident(test)] if test == "test")
        }
        _ => false,
    }
}

/// The number of tokens of the item with which `tokens` begins, up to its first `;` or `{…}` and a `;` after that;
/// `None` where it begins with no word of [`ITEM_WORDS`].
fn measure_item(tokens: &[TokenTree]) -> Option<usize> {
    let visibility = match tokens {
        [TokenTree::Ident(word), TokenTree::Group(group), ..]
            if word == "pub" && group.delimiter() == Delimiter::Parenthesis =>
        {
            2
        }
        [TokenTree::Ident(word), ..] if word == "pub" => 1,
        _ => 0,
    };
    match tokens.get(visibility) {
        Some(TokenTree::Ident(word)) if ITEM_WORDS.iter().any(|item| word == item) => {}
        _ => return None,
    }
    let end = tokens
        .iter()
        .position(|token| is_punct(token, ';') || is_block(token))?;
    let semicolon = tokens.get(end + 1).is_some_and(|t| is_punct(t, ';'));
    Some(end + 1 + usize::from(is_block(&tokens[end]) && semicolon))
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

fn is_block(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// The tokens between the brackets of `token`; `None` where it is no pair of brackets.
fn read_brackets(token: &TokenTree) -> Option<Vec<TokenTree>> {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
            Some(group.stream().into_iter().collect())
        }
        _ => None,
    }
}
