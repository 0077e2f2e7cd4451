//! Small tokenizers of the families of well-known models, in the form of a `tokenizer.json`: each with the normalizer,
//! the pre-tokenizer and the kind of model that its family has, and a vocabulary of our own.

use serde_json::{Map, Value, json};

use super::byte_level_tokenizer::byte_letters;

/// The expression at which Llama 3 splits text, and with single digits Qwen.
const SPLIT: &str = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

/// The families, by name.
pub fn describe_families() -> Vec<(&'static str, String)> {
    let metaspace = |scheme: &str, split: bool| json!({ "type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split });
    let spaces = json!({ "type": "Replace", "pattern": { "String": " " }, "content": "▁" });
    let prepend = json!({ "type": "Prepend", "prepend": "▁" });
    let sequence = |parts: [&Value; 2]| json!({ "type": "Sequence", "normalizers": parts });
    let split_words = json!({ "type": "Split", "pattern": { "String": " " }, "behavior": "MergedWithPrevious", "invert": false });
    let split = |expression: &str| {
        let split = json!({ "type": "Split", "pattern": { "Regex": expression }, "behavior": "Isolated", "invert": false });
        json!({ "type": "Sequence", "pretokenizers": [split, byte_level(false, false)] })
    };
    let bert = json!({
        "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
        "lowercase": true,
    });
    let single_digits = SPLIT.replace("{1,3}", "");
    vec![
        (
            "llama2",
            describe(
                &sequence([&prepend, &spaces]),
                &Value::Null,
                &sentence_piece(),
            ),
        ),
        (
            "mistral",
            describe(&Value::Null, &metaspace("first", false), &sentence_piece()),
        ),
        (
            "always",
            describe(&Value::Null, &metaspace("always", true), &sentence_piece()),
        ),
        ("gemma", describe(&spaces, &split_words, &sentence_piece())),
        (
            "llama3",
            describe(&Value::Null, &split(SPLIT), &byte_pairs(true)),
        ),
        (
            "qwen",
            describe(
                &json!({ "type": "NFC" }),
                &split(&single_digits),
                &byte_pairs(false),
            ),
        ),
        (
            "gpt2",
            describe(&Value::Null, &byte_level(false, true), &byte_pairs(false)),
        ),
        (
            "prefix",
            describe(&Value::Null, &byte_level(true, true), &byte_pairs(false)),
        ),
        (
            "bert",
            describe(
                &bert,
                &json!({ "type": "BertPreTokenizer" }),
                &word_pieces(),
            ),
        ),
        (
            "unigram",
            describe(&Value::Null, &metaspace("always", true), &unigram()),
        ),
    ]
}

/// A file that puts the control token `<s>` before each text, as all but the oldest families do.
fn describe(normalizer: &Value, pre_tokenizer: &Value, model: &Value) -> String {
    json!({
        "version": "1.0",
        "truncation": null,
        "padding": null,
        "added_tokens": [{
            "id": 1, "content": "<s>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
            "special": true,
        }],
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{ "SpecialToken": { "id": "<s>", "type_id": 0 } }, { "Sequence": { "id": "A", "type_id": 0 } }],
            "pair": [{ "Sequence": { "id": "A", "type_id": 0 } }, { "Sequence": { "id": "B", "type_id": 1 } }],
            "special_tokens": { "<s>": { "id": "<s>", "ids": [1], "tokens": ["<s>"] } },
        },
        "decoder": null,
        "model": model,
    })
    .to_string()
}

fn byte_level(add_prefix_space: bool, use_regex: bool) -> Value {
    json!({ "type": "ByteLevel", "add_prefix_space": add_prefix_space, "trim_offsets": true, "use_regex": use_regex })
}

/// The texts as a vocabulary: numbered, from 0 on.
fn number(texts: impl IntoIterator<Item = String>) -> Map<String, Value> {
    let mut vocabulary = Map::new();
    for text in texts {
        let next = vocabulary.len();
        vocabulary.entry(text).or_insert(next.into());
    }
    vocabulary
}

fn controls() -> impl Iterator<Item = String> {
    ["<unk>", "<s>", "</s>"].into_iter().map(String::from)
}

/// The characters of ASCII that are seen, and one that is not ASCII.
fn characters() -> impl Iterator<Item = String> {
    ('!'..='~').chain(['î']).map(String::from)
}

/// Byte pairs that `merges` join, each written with a space between.
fn merge(merges: &[&str]) -> impl Iterator<Item = String> {
    let joined: Vec<String> = merges.iter().map(|pair| pair.replace(' ', "")).collect();
    joined.into_iter()
}

/// SentencePiece's model of Llama 2, Mistral and Gemma: a space is `▁`, and a character without a token is its bytes.
fn sentence_piece() -> Value {
    let merges = [
        "▁ ▁",
        "▁▁ ▁▁",
        "▁ X",
        "▁ E",
        "▁E N",
        "▁EN D",
        "{ \"",
        "\" :",
        "\" ,",
        "\" }",
        "] }",
        "i n",
        "e r",
        "▁ A",
    ];
    let bytes = (0..=255).map(|byte: u8| format!("<0x{byte:02X}>"));
    let vocabulary = controls()
        .chain(bytes)
        .chain(merge(&merges))
        .chain(["▁".to_owned()]);
    json!({
        "type": "BPE", "dropout": null, "unk_token": "<unk>", "continuing_subword_prefix": null,
        "end_of_word_suffix": null, "fuse_unk": true, "byte_fallback": true,
        "vocab": number(vocabulary.chain(characters())), "merges": merges,
    })
}

/// The model of GPT-2, Llama 3 and Qwen: every byte is written as a letter.
fn byte_pairs(ignore_merges: bool) -> Value {
    let merges = [
        "Ġ X", "Ġ E", "ĠE N", "ĠEN D", "{ \"", "\" :", "\" ,", "\" }", "] }", "i n", "e r", "Ċ Ċ",
        "Ġ Ġ", "Ġ A",
    ];
    let letters = byte_letters().map(String::from);
    json!({
        "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
        "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "ignore_merges": ignore_merges,
        "vocab": number(controls().chain(letters).chain(merge(&merges))), "merges": merges,
    })
}

/// BERT's model: words in small letters, whose later pieces begin with `##`.
fn word_pieces() -> Value {
    let words = ["answer", "situation", "end", "##ing", "##er"].map(String::from);
    let later = characters().map(|character| format!("##{character}"));
    let all = controls().chain(characters()).chain(later).chain(words);
    json!({
        "type": "WordPiece", "unk_token": "<unk>", "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100, "vocab": number(all),
    })
}

/// T5's model: the pieces with the best scores.
fn unigram() -> Value {
    let pieces = ["▁X", "▁END", "▁", "in", "er", "\":", "{\"", "\n"].map(String::from);
    let scored = pieces.into_iter().chain(characters()).enumerate();
    let scored = scored.map(|(n, piece)| json!([piece, -1.0 - 0.01 * n as f64]));
    let mut vocabulary = vec![json!(["<unk>", 0.0]), json!(["<s>", 0.0])];
    vocabulary.extend(scored);
    json!({ "type": "Unigram", "unk_id": 0, "vocab": vocabulary, "byte_fallback": false })
}
