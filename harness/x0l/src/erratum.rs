//! The one syntax erratum of a session, X.E2 (Q29 to Q31; G1): which changes of the base template are
//! changes of form alone.
//!
//! Both texts are cut into tokens. White space, quotes (`"`, `'`, `` ` ``) and the signs `{ } [ ] : ,` are
//! layout and count for nothing. A token is a name in double braces; or a run of letters, digits, `_`
//! and `-`; or any other character by itself. The tokens must be the same, one by one, but that the *name
//! of a field* may be another one. A token is that where the base has it in double quotes before a
//! colon. It becomes one and the same new name at all such places, and may have the new name or the old
//! one where else it stands. A new name begins with a letter, is of letters, digits and `_`, has at most 40
//! characters, and is no other field's name in the base. Determinism: D1.

use std::collections::{BTreeMap, BTreeSet};

use super::fields::{FIELDS, FieldNames};
use super::template::{Template, TemplateError};

/// The longest new name of a field.
const MAX_NAME: usize = 40;

/// Why a text is not a syntax erratum.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ErratumError {
    /// The text is not a template.
    #[error("no template: {0}")]
    Template(#[from] TemplateError),
    /// The text differs in more than names of fields, quoting and layout.
    #[error(
        "line {line}: {found} where the base template has {expected}; an erratum may change the names of fields, quoting and layout, and nothing else"
    )]
    Differs {
        /// The line in the erratum, from 1.
        line: usize,
        /// What the erratum has there.
        found: String,
        /// What the base template has there.
        expected: String,
    },
    /// A new name is malformed, or another field has it.
    #[error("line {line}: the field {from:?} cannot become {to:?}: {reason}")]
    Name {
        /// The line in the erratum, from 1.
        line: usize,
        /// The name in the base.
        from: String,
        /// The name in the erratum.
        to: String,
        /// Why the name is refused.
        reason: &'static str,
    },
    /// The erratum equals the base template.
    #[error("is the base template, byte for byte: there is nothing to correct")]
    Same,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Token<'t> {
    text: &'t str,
    line: usize,
    /// Whether the token stands in double quotes before a colon.
    is_field: bool,
}

/// Parses a base template, whose system part must show every field of an answer.
///
/// # Errors
/// [`TemplateError`].
pub fn parse_base(text: &str) -> Result<Template, TemplateError> {
    let template = Template::parse(text)?;
    let tokens = tokens(text);
    let shown = |name: &str| {
        tokens
            .iter()
            .any(|token| token.is_field && token.text == name)
    };
    match FIELDS.into_iter().find(|name| !shown(name)) {
        Some(name) => Err(TemplateError::FieldNotShown(name)),
        None => Ok(template),
    }
}

/// Parses `erratum` and checks that it changes nothing but the form of `base`.
///
/// The names of the template's fields are those under which answers are read.
///
/// # Errors
/// [`ErratumError`] with the first difference that is more than form.
pub fn apply(base: &Template, erratum: &str) -> Result<Template, ErratumError> {
    let mut changed = Template::parse(erratum)?;
    if changed.text == base.text {
        return Err(ErratumError::Same);
    }
    let (old, new) = (tokens(&base.text), tokens(erratum));
    let fields: BTreeSet<&str> = old
        .iter()
        .filter(|token| token.is_field)
        .map(|token| token.text)
        .collect();
    // New names by old ones, and old ones by new.
    let mut renamed: BTreeMap<&str, &str> = BTreeMap::new();
    let mut taken: BTreeMap<&str, &str> = BTreeMap::new();
    let mut elsewhere = Vec::new();
    for place in 0..old.len().max(new.len()) {
        let (Some(was), Some(is)) = (old.get(place), new.get(place)) else {
            let end = erratum.lines().count();
            return Err(differs(new.get(place), old.get(place), end));
        };
        if !was.is_field {
            if was.text != is.text && fields.contains(was.text) {
                elsewhere.push((was, is));
            } else if was.text != is.text {
                return Err(differs(Some(is), Some(was), is.line));
            }
            continue;
        }
        let refused = |reason| ErratumError::Name {
            line: is.line,
            from: was.text.to_owned(),
            to: is.text.to_owned(),
            reason,
        };
        if *renamed.entry(was.text).or_insert(is.text) != is.text {
            return Err(refused("it has another name elsewhere"));
        }
        if *taken.entry(is.text).or_insert(was.text) != was.text {
            return Err(refused("another field has this name"));
        }
        if was.text != is.text {
            if !is_name(is.text) {
                return Err(refused(
                    "expected a letter and up to 39 letters, digits and '_'",
                ));
            }
            if fields.contains(is.text) {
                return Err(refused("another field has this name"));
            }
        }
    }
    // In prose a field goes by its old name or by its new one.
    match elsewhere
        .into_iter()
        .find(|(was, is)| renamed.get(was.text) != Some(&is.text))
    {
        Some((was, is)) => Err(differs(Some(is), Some(was), is.line)),
        None => {
            changed.field_names = FieldNames::new(renamed.into_iter());
            Ok(changed)
        }
    }
}

fn differs(found: Option<&Token<'_>>, expected: Option<&Token<'_>>, line: usize) -> ErratumError {
    let told = |token: Option<&Token<'_>>| match token {
        Some(token) => format!("{:?}", token.text),
        None => "its end".to_owned(),
    };
    ErratumError::Differs {
        line: found.map_or(line, |token| token.line),
        found: told(found),
        expected: told(expected),
    }
}

fn is_name(text: &str) -> bool {
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.len() <= MAX_NAME
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(inside)
}

fn is_layout(c: char) -> bool {
    c.is_whitespace() || "\"'`{}[]:,".contains(c)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("{{") {
            rest.find("}}").map_or(rest.len(), |end| end + 2)
        } else if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, behind) = rest.split_at(length);
        if token.len() > 1 && token.starts_with("{{") || !is_layout(first) {
            let quoted = text
                .get(..text.len() - rest.len())
                .is_some_and(|before| before.ends_with('"'));
            let is_field = quoted
                && behind
                    .strip_prefix('"')
                    .is_some_and(|behind| behind.trim_start().starts_with(':'));
            tokens.push(Token {
                text: token,
                line,
                is_field,
            });
        }
        line += token.matches('\n').count();
        rest = behind;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::BASE;

    fn base() -> Template {
        Template::parse(BASE).unwrap()
    }

    #[test]
    fn names_quoting_and_layout_may_change() {
        let base = base();
        for changed in [
            BASE.replace("\"action_type\"", "\"action\""),
            BASE.replace("\"claim\"", "\"what_follows\"")
                .replace("\"candidates\": [", "\"proposals\": [")
                .replace(
                    "0 to {{max_candidates}} candidates",
                    "0 to {{max_candidates}} proposals",
                ),
            BASE.replace("{\"candidates\"", "```\n{\n  \"candidates\"")
                .replace("]}]}", "]}]}\n```"),
            BASE.replace("\"NAME\"", "'NAME'"),
            BASE.replace(". ", ".\n"),
        ] {
            let template = apply(&base, &changed).unwrap();
            assert_ne!(template.hash, base.hash);
            assert_eq!(template.text, changed);
        }
        let names = apply(&base, &BASE.replace("\"action_type\"", "\"action\""));
        let expected = FieldNames::new([("action_type", "action")].into_iter());
        assert_eq!(names.unwrap().field_names, expected);
    }

    /// Q29's own example renames a field of the answer: a base must show all of them.
    #[test]
    fn a_base_shows_every_field() {
        assert_eq!(parse_base(BASE).unwrap(), base());
        for name in FIELDS {
            let without = BASE.replace(&format!("\"{name}\":"), "\"other\":");
            assert_eq!(
                parse_base(&without),
                Err(TemplateError::FieldNotShown(name))
            );
        }
    }

    #[test]
    fn anything_else_is_refused_by_name() {
        let base = base();
        for (from, to, said) in [
            (
                "You propose",
                "You order",
                "line 2: \"order\" where the base template has \"propose\"",
            ),
            (
                "NAME is",
                "Delete is",
                "\"Delete\" where the base template has \"NAME\"",
            ),
            (
                "{{read_roots}}",
                "{{write_roots}}",
                "\"{{write_roots}}\" where",
            ),
            (
                "allows.",
                "allows!",
                "\"!\" where the base template has \".\"",
            ),
            (
                " and no others",
                "",
                "\".\" where the base template has \"and\"",
            ),
            (
                "{{task}}\n",
                "{{task}}\nPlease.",
                "\"Please\" where the base template has its end",
            ),
            (
                "0 to {{max_candidates}} candidates",
                "0 to {{max_candidates}} proposals",
                "\"proposals\" where the base template has \"candidates\"",
            ),
            (
                "\"claim\"",
                "\"text\"",
                "\"claim\" cannot become \"text\": another field has this name",
            ),
            ("\"claim\"", "\"do-it\"", "expected a letter"),
            (
                "\"clause_ref\"",
                "\"fields\"",
                "another field has this name",
            ),
        ] {
            let error = apply(&base, &BASE.replacen(from, to, 1))
                .unwrap_err()
                .to_string();
            assert!(error.contains(said), "{from} -> {to}: {error}");
        }
        assert_eq!(apply(&base, BASE), Err(ErratumError::Same));
        assert!(matches!(apply(&base, ""), Err(ErratumError::Template(_))));
        let cut = BASE.replace("{{task}}\n", "");
        assert!(matches!(apply(&base, &cut), Err(ErratumError::Template(_))));
    }
}
