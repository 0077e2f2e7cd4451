//! The self-test of the padding.

use axilog_ablation::experiment::frame;
use axilog_ablation::invalid::{Reason, Stop};
use axilog_ablation::pad::DEFAULT_PAD;
use axilog_ablation::trap::CommitmentTrap;

use crate::lab::{FLOOR, Watched, tiktoken};

fn tested(
    tokenizer: std::sync::Arc<dyn axilog_oracle::tokens::Tokenizer>,
    pad: &str,
) -> Result<u32, String> {
    match frame(&CommitmentTrap::default(), tokenizer, pad, Some(FLOOR)) {
        Ok((frame, _)) => Ok(frame.pad().token()),
        Err(Stop::Invalid(invalid)) => {
            assert_eq!(invalid.reason, Reason::PadUnstable);
            Err(invalid.detail)
        }
        Err(Stop::Error(error)) => panic!("{error}"),
    }
}

#[test]
fn the_default_is_stable_in_the_vocabularies_of_chat_models() {
    for (name, token) in [
        ("cl100k_base", 1630),
        ("o200k_base", 2127),
        ("o200k_harmony", 2127),
    ] {
        assert_eq!(tested(tiktoken(name), DEFAULT_PAD), Ok(token), "{name}");
    }
}

#[test]
fn unstable_padding_is_found() {
    for (pad, told) in [
        ("", "it is empty"),
        ("\n", "ends a line"),
        (" {", "a meaning in JSON"),
        // One token alone, merged in a row.
        ("x", "2 in a row"),
        (" ", "2 in a row"),
        // More than one token.
        (" qzx", "tokens, and only one"),
        // One token that stays alone in a row, but sticks to letters before it.
        ("The", "it changes the tokens of"),
    ] {
        let told_by = tested(tiktoken("cl100k_base"), pad).unwrap_err();
        assert!(told_by.contains(told), "{pad:?}: {told_by}");
    }
}

/// What a tokenizer does at one place only is found at that place.
#[test]
fn every_part_of_the_test_counts() {
    for (tamper, told) in [
        (
            (|text, tokens| {
                if text == DEFAULT_PAD.repeat(512) {
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
        // A full segment has no padding behind it.
        (
            |text, tokens| {
                if text.starts_with("{} END\nAnswer") {
                    tokens.push(1);
                }
            },
            "0 of it between",
        ),
    ] {
        let found = tested(Watched::new(tamper), DEFAULT_PAD).unwrap_err();
        assert!(found.contains(told), "{found}");
    }
}
