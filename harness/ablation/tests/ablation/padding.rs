//! The self-test of the padding.

use axilog_ablation::AblationError;
use axilog_ablation::environment::{Effects, Environment};
use axilog_ablation::environment_source::open_harbour;
use axilog_ablation::experiment::build_frame;
use axilog_ablation::invalid_run::InvalidReason;
use axilog_ablation::pad::DEFAULT_PAD;
use axilog_ablation::prompt::HEAD;

use crate::support::{MIN_LENGTHS, OneActionWorld, WatchedTokenizer, ids, open_tiktoken};

/// Tests a padding: its token, or why it is unstable.
fn test_padding(
    tokenizer: std::sync::Arc<dyn axilog_oracle::tokens::Tokenizer>,
    pad: &str,
) -> Result<u32, String> {
    match build_frame(&open_harbour().unwrap(), tokenizer, pad, Some(MIN_LENGTHS)) {
        Ok((frame, _)) => Ok(frame.padding().token()),
        Err(AblationError::Invalid(invalid)) => {
            assert_eq!(invalid.reason, InvalidReason::PadUnstable);
            Err(invalid.detail)
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn the_default_is_stable_in_the_vocabularies_of_chat_models() {
    for (name, token) in [
        ("cl100k_base", 1630),
        ("o200k_base", 2127),
        ("o200k_harmony", 2127),
    ] {
        assert_eq!(
            test_padding(open_tiktoken(name), DEFAULT_PAD),
            Ok(token),
            "{name}"
        );
    }
}

#[test]
fn unstable_padding_is_refused() {
    for (pad, expected) in [
        ("", "it is empty"),
        // One token alone, merged in a row.
        ("x", "2 in a row"),
        (" ", "2 in a row"),
        // More than one token.
        ("  X", "it is 2 tokens in a prompt, and only one"),
        // One token that stays alone in a row, but sticks to what stands before it.
        ("•", "it changes the tokens of"),
    ] {
        let detail = test_padding(open_tiktoken("cl100k_base"), pad).unwrap_err();
        assert!(detail.contains(expected), "{pad:?}: {detail}");
    }
}

/// Padding that is stable may still say something, to a model or in this environment.
#[test]
fn padding_that_may_mean_something_is_refused() {
    let refusal = |environment: &dyn Environment, pad: &str| match build_frame(
        environment,
        open_tiktoken("cl100k_base"),
        pad,
        Some(MIN_LENGTHS),
    ) {
        Ok(_) => None,
        Err(AblationError::Padding(meaningful)) => Some(meaningful.reason),
        Err(error) => panic!("{error}"),
    };
    let harbour = open_harbour().unwrap();
    for pad in [" X", " _", " Q", " ."] {
        assert_eq!(refusal(&harbour, pad), None, "{pad:?}");
    }
    let found = refusal(&harbour, " treaty").unwrap();
    assert!(found.contains("6 characters"), "{found}");
    // The names of actions and constraints are words of the prompt, like those of its fixed texts.
    let named = |constraint: &str| OneActionWorld::new(ids(&[constraint]), Effects::default());
    assert_eq!(refusal(&named("long"), " Q"), None);
    for constraint in ["q", "keep-Q", "Q2 or q"] {
        let found = refusal(&named(constraint), " Q").unwrap();
        assert!(found.contains("a word of the prompt's own text"), "{found}");
    }
}

/// A tokenizer that misbehaves at one place only is found out at that place.
#[test]
fn every_part_of_the_self_test_counts() {
    for (tamper, expected) in [
        (
            (|text, tokens| {
                if text == HEAD.to_owned() + &DEFAULT_PAD.repeat(512) {
                    tokens.pop();
                }
            }) as fn(&str, &mut Vec<u32>),
            "512 in a row are 511",
        ),
        (
            |text, tokens| {
                if text == "条約 X" {
                    tokens[0] += 1;
                }
            },
            "the tokens of \"条約\" before it",
        ),
        (
            |text, tokens| {
                if text.ends_with("} X END\nSITUATION\n") {
                    tokens.push(1);
                }
            },
            "1 of it between",
        ),
        // A full segment has no padding after it.
        (
            |text, tokens| {
                if text.starts_with("{} END\nAnswer") {
                    tokens.push(1);
                }
            },
            "0 of it between",
        ),
    ] {
        let detail = test_padding(WatchedTokenizer::new(tamper), DEFAULT_PAD).unwrap_err();
        assert!(detail.contains(expected), "{detail}");
    }
}
