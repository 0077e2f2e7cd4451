//! A small tokenizer for tests, in the form of a `tokenizer.json`.

use serde_json::{Map, Value, json};

/// The letters by which GPT-2 writes the bytes from 0 to 255.
pub fn byte_letters() -> impl Iterator<Item = char> {
    let mut next = 256;
    (0..=255).map(move |byte| {
        let letter = match byte {
            33..=126 | 161..=172 | 174..=255 => byte,
            _ => {
                next += 1;
                next - 1
            }
        };
        char::from_u32(letter).unwrap()
    })
}

/// Describes a byte-level tokenizer: a token for each byte, written as GPT-2 writes bytes, a token for
/// " X", and the tokens `control`.
pub fn describe_byte_level(control: &[&str]) -> String {
    let letters = byte_letters().zip(0..);
    let mut vocabulary: Map<String, Value> = letters
        .map(|(letter, byte): (char, u32)| (letter.to_string(), byte.into()))
        .collect();
    vocabulary.insert("ĠX".to_owned(), 256.into());
    let control = control.iter().enumerate().map(|(n, text)| {
        json!({
            "id": 1000 + n, "content": text, "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": false, "special": true,
        })
    });
    json!({
        "version": "1.0",
        "truncation": { "direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0 },
        "padding": null,
        "added_tokens": control.collect::<Vec<Value>>(),
        "normalizer": null,
        "pre_tokenizer": { "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true },
        "post_processor": null,
        "decoder": { "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true },
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false,
            "vocab": vocabulary, "merges": ["Ġ X"],
        },
    })
    .to_string()
}
