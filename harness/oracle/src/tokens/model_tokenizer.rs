//! Which tokenizer is a model's own.

use super::error::TokenError;
use super::named_tokenizer::open_tokenizer;
use super::tiktoken::Tiktoken;
use super::tokenizer::Tokenizer;

/// Checks that the tokenizer with the id `tokenizer` may count for `model`: of a model whose own vocabulary is known
/// only that vocabulary may. Of any other model nothing is known, and every tokenizer passes.
///
/// # Errors
/// [`TokenError::ForeignTokenizer`] with the model's own vocabulary.
pub fn check_model_tokenizer(model: &str, tokenizer: &str) -> Result<(), TokenError> {
    match Tiktoken::name_for_model(model) {
        Some(own) if own != tokenizer => Err(TokenError::ForeignTokenizer {
            model: model.to_owned(),
            named: tokenizer.to_owned(),
            own,
        }),
        _ => Ok(()),
    }
}

/// Opens the tokenizer of `model`: the one with this name, as [`open_tokenizer`] takes it, or without a name the
/// vocabulary that is known to be the model's own.
///
/// # Errors
/// [`TokenError::ForeignTokenizer`] where another vocabulary is known to be the model's own;
/// [`TokenError::UnknownModel`] where none is known and none is named; as [`open_tokenizer`].
pub fn open_model_tokenizer(
    model: &str,
    name: Option<&str>,
) -> Result<Box<dyn Tokenizer>, TokenError> {
    let Some(name) = name else {
        return Ok(Box::new(Tiktoken::for_model(model)?));
    };
    let tokenizer = open_tokenizer(name)?;
    check_model_tokenizer(model, tokenizer.id())?;
    Ok(tokenizer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_model_has_one_tokenizer() {
        for (model, named, own) in [
            ("gpt-4o", "cl100k_base", "o200k_base"),
            ("gpt-4o-2024-08-06", "o200k_harmony", "o200k_base"),
            ("gpt-4-0613", "o200k_base", "cl100k_base"),
            ("ft:gpt-3.5-turbo:org::id", "gpt2", "cl100k_base"),
            // A file may describe the same vocabulary; nobody can see that it does.
            ("gpt-4o", "t.json", "o200k_base"),
        ] {
            let error = check_model_tokenizer(model, named).unwrap_err();
            let expected = TokenError::ForeignTokenizer {
                model: model.to_owned(),
                named: named.to_owned(),
                own,
            };
            assert_eq!(error, expected);
            let text = error.to_string();
            for part in [model, named, own, "leave --tokenizer out"] {
                assert!(text.contains(part), "{part}: {text}");
            }
            assert_eq!(check_model_tokenizer(model, own), Ok(()));
            assert_eq!(open_model_tokenizer(model, None).unwrap().id(), own);
            assert_eq!(open_model_tokenizer(model, Some(own)).unwrap().id(), own);
        }
        let opened = open_model_tokenizer("gpt-4o", Some("cl100k_base"));
        assert!(matches!(opened, Err(TokenError::ForeignTokenizer { .. })));
    }

    #[test]
    fn a_model_of_which_nothing_is_known_takes_the_tokenizer_that_is_named() {
        for name in ["cl100k_base", "o200k_base"] {
            assert_eq!(check_model_tokenizer("llama-3-70b", name), Ok(()));
            let opened = open_model_tokenizer("llama-3-70b", Some(name)).unwrap();
            assert_eq!(opened.id(), name);
        }
        let unnamed = open_model_tokenizer("llama-3-70b", None).unwrap_err();
        assert_eq!(unnamed, TokenError::UnknownModel("llama-3-70b".to_owned()));
    }
}
