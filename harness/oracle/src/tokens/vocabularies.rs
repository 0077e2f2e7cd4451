//! The vocabularies of OpenAI's models and their names.

use tiktoken_rs::tokenizer::Tokenizer as Vocabulary;

/// The vocabularies by the names that OpenAI gives them.
pub(super) const VOCABULARIES: [(&str, Vocabulary); 7] = [
    ("cl100k_base", Vocabulary::Cl100kBase),
    ("gpt2", Vocabulary::Gpt2),
    ("o200k_base", Vocabulary::O200kBase),
    ("o200k_harmony", Vocabulary::O200kHarmony),
    ("p50k_base", Vocabulary::P50kBase),
    ("p50k_edit", Vocabulary::P50kEdit),
    ("r50k_base", Vocabulary::R50kBase),
];

/// The names of the vocabularies.
pub(super) fn names() -> String {
    VOCABULARIES.map(|(name, _)| name).join(", ")
}
