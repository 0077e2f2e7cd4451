//! The settings of a session, frozen before its first call (B1, Q12, Q49, Q52b).

use axilog::hash::Hash;
use axilog_oracle::TransportSettings;
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};

use super::attempt::FrozenAttempt;
use crate::condition::Condition;
use crate::document;
use crate::document::named_enum;

/// What the name of an input must be.
pub(super) const PLAIN_NAME: &str =
    "a file name of letters, digits, '-', '_' and '.' that begins with none of the latter three";

named_enum! {
    /// The form of a run.
    pub enum RunFormat {
        /// The earlier one: the ledger binds the cycle log at its end only.
        V1 = "X0L:RUN:v1",
        /// The ledger binds each line of the cycle log before the next call.
        V2 = "X0L:RUN:v2",
    }
}

named_enum! {
    /// The temperature of every call, as a text: a document holds no fraction.
    pub enum Temperature {
        /// The only one that is asked with.
        Zero = "0",
    }
}

named_enum! {
    /// Who counts a prompt before it is sent.
    pub enum PromptCount {
        /// The server's own tokenizer.
        Server = "/tokenize",
    }
}

/// The settings that do not change during a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrozenSettings {
    /// The form of the run.
    pub format: RunFormat,
    /// The version of this crate.
    pub axilog: String,
    /// The model's id, exactly as it is sent.
    pub model: String,
    /// The oracle that answers: `openai`, `scripted:FILE` or `recorded:LEDGER`.
    pub oracle: String,
    /// The part of the URL before `/chat/completions`; `None` for an oracle that is not asked over HTTP.
    pub base_url: Option<String>,
    /// How the server is asked; absent for an oracle that is not asked over HTTP, and in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<TransportSettings>,
    /// The file of the model's weights; absent where none was named, and in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<FrozenWeights>,
    /// The model's advertised context length in tokens (Q49).
    pub context_window_size: u64,
    /// The temperature of every call.
    pub temperature: Temperature,
    /// The most tokens of an answer (Q52b).
    pub max_tokens: u64,
    /// The sentinels; absent where no server is asked, and in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentinels: Option<FrozenSentinels>,
    /// A provider's seed, which no call has (Q52c): null, but in runs of earlier versions.
    pub seed: Option<u64>,
    /// The limit B1: tokens per cycle, prompt and answer together.
    pub b1: u64,
    /// The limit B2: tokens per session.
    pub b2: u64,
    /// The source of token counts.
    pub token_source: TokenSource,
    /// Who counts a prompt before it is sent; absent where only its bounds are known, where this machine counts all
    /// tokens, and in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_count: Option<PromptCount>,
    /// The number of cycles per condition.
    pub cycles: u64,
    /// The conditions, in the order they run.
    pub conditions: Vec<FrozenCondition>,
    /// The constitution's file.
    pub constitution: InputFile,
    /// The file of the prompt template in force.
    pub template: InputFile,
    /// The template's hash once more where the template is a syntax erratum (X.E2); `None` for the shipped one.
    #[serde(with = "document::hash")]
    pub erratum: Option<Hash>,
    /// The hash of the head of the run that the erratum corrects; `None` where there is no erratum.
    #[serde(with = "document::hash")]
    pub corrects: Option<Hash>,
    /// The base template, where it is not the shipped one: the template in force, or the one that the erratum
    /// corrects.
    pub base_template: Option<InputFile>,
    /// The canonicalizer's code.
    pub canonicalizer: CodeHashes,
    /// The kernel's code.
    pub kernel: CodeHashes,
    /// The start of the session, in seconds since 1970.
    pub started: u64,
    /// The place of the session among the attempts under its plan; absent where none was committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<FrozenAttempt>,
    /// The place of the session among the corrections of the run that its erratum corrects; absent without one, and in
    /// runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<FrozenAttempt>,
}

/// The prompts that a server is asked before, between and after the conditions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrozenSentinels {
    /// The most tokens of an answer.
    pub max_tokens: u64,
    /// SHA-256 of each prompt, in the order in which they are asked.
    #[serde(with = "document::hash")]
    pub prompts: Vec<Hash>,
}

/// The file of a model's weights, as it was before the first call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrozenWeights {
    /// The name of the file, without its directories.
    pub name: String,
    /// SHA-256 of the file's bytes.
    #[serde(with = "document::hash")]
    pub sha256: Hash,
    /// The size in bytes.
    pub size: u64,
}

/// The hashes that identify the code of the canonicalizer or the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeHashes {
    /// The hash of the source tokens of everything that decides.
    #[serde(with = "document::hash")]
    pub source_hash: Hash,
    /// The hash of what the code makes of fixed inputs.
    #[serde(with = "document::hash")]
    pub self_test_hash: Hash,
}

/// Who counts tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "source", rename_all = "lowercase", deny_unknown_fields)]
pub enum TokenSource {
    /// The oracle, in `usage`: [`TokenSource::API`]. A document has null for the tokenizer and its version.
    Api {
        /// Always null.
        tokenizer: (),
        /// Always null.
        version: (),
    },
    /// A tokenizer on this machine counts.
    Local {
        /// The tokenizer.
        tokenizer: String,
        /// The version of the tokenizer.
        version: String,
    },
}

/// A file below `inputs/`, with the hash of its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputFile {
    /// The name of the file.
    #[serde(deserialize_with = "plain_name")]
    pub name: String,
    /// SHA-256 of the file's bytes.
    #[serde(with = "document::hash")]
    pub sha256: Hash,
}

/// The frozen settings of one condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrozenCondition {
    /// The condition.
    pub id: Condition,
    /// The task file of the condition.
    pub tasks: InputFile,
    /// The corpus of L-B, and of L-D where its prompts quote one.
    pub corpus: Option<InputFile>,
    /// The seed of the order of the tasks; `None` for the order of the file.
    pub order_seed: Option<u64>,
}

impl FrozenSettings {
    /// Every file below `inputs/`, each once.
    #[must_use]
    pub fn inputs(&self) -> Vec<&InputFile> {
        let tasks = self.conditions.iter().map(|condition| &condition.tasks);
        let corpora = self.conditions.iter().filter_map(|c| c.corpus.as_ref());
        let mut files: Vec<&InputFile> = vec![&self.constitution, &self.template];
        for file in self.base_template.iter().chain(tasks).chain(corpora) {
            if !files.contains(&file) {
                files.push(file);
            }
        }
        files
    }
}

impl TokenSource {
    /// The oracle counts, in `usage`.
    pub const API: TokenSource = TokenSource::Api {
        tokenizer: (),
        version: (),
    };
}

fn plain_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    if is_plain_name(&name) {
        Ok(name)
    } else {
        Err(D::Error::invalid_value(Unexpected::Str(&name), &PLAIN_NAME))
    }
}

/// Whether `name` means the same everywhere, and nothing but a file in its directory.
pub(super) fn is_plain_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.len() <= 200
        && name.chars().all(fits)
}
