//! Which model answered, as its server says (Q6; B1).

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;

use crate::exchange::ModelAnswer;

/// The most characters of a name that are recorded as they are.
const MOST_NAME: usize = 200;

/// What a server says of who answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderFacts {
    /// The model, as the server names it.
    pub answered_by: Option<String>,
    /// The build or configuration, as the server names it.
    pub system_fingerprint: Option<String>,
}

impl ProviderFacts {
    /// The facts of an answer. Names that differ remain different: a backslash and what is not printable ASCII become
    /// escapes, and a name that is longer than 200 characters then is cut and has the SHA-256 of the whole after it.
    #[must_use]
    pub fn of(answer: &ModelAnswer) -> ProviderFacts {
        ProviderFacts {
            answered_by: answer.model.as_deref().map(write_exact_name),
            system_fingerprint: answer.system_fingerprint.as_deref().map(write_exact_name),
        }
    }

    /// The model's name for a message.
    #[must_use]
    pub fn name_model(&self) -> String {
        match &self.answered_by {
            Some(name) => format!("{name:?}"),
            None => "a model without a name".to_owned(),
        }
    }
}

/// Writes a name that a server gives so that a record can hold it whatever the server sent, and no two names become one:
/// a backslash and what is not printable ASCII are escapes (`\\`, `\u{e9}`), and of a name that is longer than 200
/// characters then, the first 200 stand before the SHA-256 of the whole name.
fn write_exact_name(name: &str) -> String {
    let mut written = String::new();
    for c in name.chars() {
        match c {
            '\\' => written.push_str("\\\\"),
            ' '..='~' => written.push(c),
            _ => written.extend(c.escape_unicode()),
        }
    }
    if written.len() > MOST_NAME {
        written.truncate(MOST_NAME);
        let hash = hex(&sha256(name.as_bytes()));
        written.push_str(&format!("... (SHA-256 {hash})"));
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_names_become_one() {
        let long = "m".repeat(200);
        let names = [
            "m-1".to_owned(),
            "mod\u{e8}l-\u{e9}".to_owned(),
            "mod\u{fc}l-\u{df}".to_owned(),
            "mode\u{300}l-e\u{301}".to_owned(),
            "mod\\u{e8}l-\\u{e9}".to_owned(),
            "mod?l-?".to_owned(),
            "m\t1".to_owned(),
            "m\n1".to_owned(),
            long.clone(),
            format!("{long}1"),
            format!("{long}2"),
            format!("{}\u{e8}", &long[1..]),
            format!("{}\u{e9}", &long[1..]),
        ];
        let written = names.each_ref().map(|name| write_exact_name(name));
        for (n, name) in written.iter().enumerate() {
            assert!(
                name.bytes().all(|byte| matches!(byte, b' '..=b'~')),
                "{name}"
            );
            assert!(name.len() < 300, "{name}");
            assert!(!written[..n].contains(name), "{name}");
        }
        assert_eq!(written[0], "m-1");
        assert_eq!(written[1], "mod\\u{e8}l-\\u{e9}");
        assert_eq!(written[8], long);
        // The name whose text is another's written form cannot be taken for it.
        assert_eq!(write_exact_name(&written[9]).len(), written[9].len());
        assert_ne!(write_exact_name(&written[9]), written[9]);
    }
}
