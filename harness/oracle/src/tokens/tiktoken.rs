//! The vocabularies of OpenAI's models. They ship inside `tiktoken-rs`; nothing is downloaded.

use std::collections::HashSet;
use std::fmt;

use tiktoken_rs::tokenizer::{Tokenizer as Vocabulary, get_tokenizer};
use tiktoken_rs::{CoreBPE, bpe_for_tokenizer};

use super::error::TokenError;
use super::tokenizer::Tokenizer;
use super::vocabularies::VOCABULARIES;

/// The version of the crate that holds the vocabularies and applies them.
const VERSION: &str = "tiktoken-rs 0.12.1";

/// One of the vocabularies of OpenAI's models. Its tables are built once per process, on first use.
#[derive(Clone, Copy)]
pub struct Tiktoken {
    id: &'static str,
    tables: &'static CoreBPE,
}

impl Tiktoken {
    /// Loads the vocabulary of the model with this id, which may be a dated or fine-tuned variant.
    ///
    /// # Errors
    /// [`TokenError::UnknownModel`]: there is no fallback.
    pub fn for_model(model: &str) -> Result<Tiktoken, TokenError> {
        find_vocabulary(model)
            .and_then(Tiktoken::load)
            .ok_or_else(|| TokenError::UnknownModel(model.to_owned()))
    }

    /// The name of the vocabulary of the model with this id, which may be a dated or fine-tuned variant; `None`
    /// where it is not known.
    #[must_use]
    pub fn name_for_model(model: &str) -> Option<&'static str> {
        find_vocabulary(model).map(|(name, _)| name)
    }

    /// Loads the vocabulary with this name.
    ///
    /// # Errors
    /// [`TokenError::UnknownTokenizer`].
    pub fn for_name(name: &str) -> Result<Tiktoken, TokenError> {
        VOCABULARIES
            .into_iter()
            .find(|(known, _)| *known == name)
            .and_then(Tiktoken::load)
            .ok_or_else(|| TokenError::UnknownTokenizer(name.to_owned()))
    }

    fn load((id, vocabulary): (&'static str, Vocabulary)) -> Option<Tiktoken> {
        let tables = bpe_for_tokenizer(vocabulary).ok()?;
        Some(Tiktoken { id, tables })
    }
}

/// Finds the vocabulary of a model among those that have a name.
fn find_vocabulary(model: &str) -> Option<(&'static str, Vocabulary)> {
    let vocabulary = get_tokenizer(model)?;
    VOCABULARIES
        .into_iter()
        .find(|(_, known)| *known == vocabulary)
}

impl Tokenizer for Tiktoken {
    fn id(&self) -> &str {
        self.id
    }

    fn version(&self) -> &str {
        VERSION
    }

    fn encode(&self, text: &str) -> Result<Vec<u32>, TokenError> {
        // `encode_ordinary` gives the same tokens, but panics where the splitting pattern fails, as on a million
        // spaces in a row.
        match self.tables.encode(text, &HashSet::new()) {
            Ok((tokens, _)) => Ok(tokens),
            Err(error) => Err(TokenError::Uncountable {
                bytes: text.len(),
                reason: error.message,
            }),
        }
    }
}

impl fmt::Debug for Tiktoken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tiktoken({}, {VERSION})", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn models_have_their_vocabularies() {
        for (model, id) in [
            ("gpt-4o-2024-08-06", "o200k_base"),
            ("gpt-4-0613", "cl100k_base"),
            ("ft:gpt-3.5-turbo:org::id", "cl100k_base"),
            ("gpt-oss-20b", "o200k_harmony"),
        ] {
            let tokenizer = Tiktoken::for_model(model).unwrap();
            assert_eq!(tokenizer.id(), id);
            assert_eq!(
                tokenizer.encode("a b").unwrap(),
                Tiktoken::for_name(id).unwrap().encode("a b").unwrap()
            );
        }
    }

    #[test]
    fn unknown_names_are_errors_that_say_what_to_do() {
        for error in [
            Tiktoken::for_model("llama-3-70b").unwrap_err(),
            Tiktoken::for_name("o300k_base").unwrap_err(),
        ] {
            let text = error.to_string();
            assert!(text.contains("--tokenizer"), "{text}");
            assert!(text.contains("o200k_base"), "{text}");
        }
    }

    /// The expected ids are published with the vocabularies.
    #[test]
    fn texts_have_the_published_tokens() {
        for (name, text, tokens) in [
            ("cl100k_base", "hello world", vec![15339, 1917]),
            ("o200k_base", "hello world", vec![24912, 2375]),
            ("r50k_base", "hello world", vec![31373, 995]),
            ("cl100k_base", "", vec![]),
        ] {
            let tokenizer = Tiktoken::for_name(name).unwrap();
            assert_eq!(tokenizer.encode(text).unwrap(), tokens, "{name}");
        }
    }

    #[test]
    fn control_tokens_are_split_like_text() {
        let tokenizer = Tiktoken::for_name("cl100k_base").unwrap();
        let tokens = tokenizer.encode("<|endoftext|>").unwrap();
        assert!(tokens.len() > 1 && !tokens.contains(&100_257), "{tokens:?}");
    }

    #[test]
    fn a_chat_counts_its_messages_and_their_frames() {
        let tokenizer = Tiktoken::for_name("o200k_base").unwrap();
        let count = |text| tokenizer.count(text).unwrap();
        let chat = [("system", "Answer in JSON."), ("user", "How fast?")];
        let content = count("Answer in JSON.") + count("How fast?");
        assert_eq!(tokenizer.count_chat(&[]).unwrap(), 3);
        assert_eq!(
            tokenizer.count_chat(&chat).unwrap(),
            3 + 2 * (3 + 1) + content
        );
    }

    /// Text that the splitting pattern cannot match is an error. No text as short as an answer is of that kind.
    #[test]
    fn long_runs_are_counted_or_refused() {
        let tokenizer = Tiktoken::for_name("o200k_base").unwrap();
        for run in [" ", "a", "\u{300}", "1", "\n", "!", "A"] {
            assert!(tokenizer.count(&run.repeat(1 << 16)).is_ok(), "{run:?}");
        }
        let spaces = " ".repeat(2 << 20) + "x";
        let error = tokenizer.count(&spaces).unwrap_err();
        assert!(error.to_string().contains("2097153 bytes"), "{error}");
    }

    /// Runs record the version of the package that is built in.
    #[test]
    fn the_recorded_version_is_that_of_the_package() {
        let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock");
        let lock = std::fs::read_to_string(lock).unwrap();
        let (name, version) = VERSION.split_once(' ').unwrap();
        let entry = format!("name = \"{name}\"\nversion = \"{version}\"");
        assert!(lock.contains(&entry), "{entry}");
    }

    proptest! {
        #[test]
        fn tokens_decode_to_the_text(text in any::<String>()) {
            for (name, _) in VOCABULARIES {
                let tokenizer = Tiktoken::for_name(name).unwrap();
                let tokens = tokenizer.encode(&text).unwrap();
                let bytes = tokenizer.tables.decode_bytes(&tokens).unwrap();
                prop_assert_eq!(bytes, text.as_bytes(), "{}", name);
                prop_assert_eq!(tokenizer.count(&text).unwrap(), tokens.len() as u64);
            }
        }
    }
}
