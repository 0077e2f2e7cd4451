//! What is frozen before the first call (B1, Q12, Q49, Q52b).

use axilog::hash::Hash;
use axilog_ledger::file::hex;
use serde_json::{Value, json};

use super::Condition;
use super::directory::{PLAIN_NAME, is_plain_name};
use crate::fields::{FromJson, Wrong, whole};

/// The name of this form of a run.
pub(super) const FORMAT: &str = "X0L:RUN:v1";

/// What does not change during a run. The temperature is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frozen {
    /// The version of this crate.
    pub axilog: String,
    /// The model's id, exactly as it is sent.
    pub model: String,
    /// Who answers: `openai`, `scripted:FILE` or `recorded:LEDGER`.
    pub oracle: String,
    /// What stands before `/chat/completions`; `None` for oracles that are not asked over HTTP.
    pub base_url: Option<String>,
    /// The model's advertised context length in tokens (Q49).
    pub context_window_size: u64,
    /// The most tokens of an answer (Q52b).
    pub max_tokens: u64,
    /// The provider's seed, if one was given: metadata only (Q52c).
    pub seed: Option<u64>,
    /// Tokens per cycle, prompt and answer together.
    pub b1: u64,
    /// Tokens per session.
    pub b2: u64,
    /// Who counts tokens.
    pub token_source: TokenSource,
    /// Cycles per condition.
    pub cycles: u64,
    /// The conditions, in the order they run.
    pub conditions: Vec<FrozenCondition>,
    /// The constitution's file.
    pub constitution: File,
    /// The file of the prompt template in force.
    pub template: File,
    /// The template's hash again where it is a syntax erratum (X.E2), not the shipped one.
    pub erratum: Option<Hash>,
    /// The canonicalizer's source hash.
    pub canonicalizer_source_hash: Hash,
    /// The canonicalizer's self-test hash.
    pub canonicalizer_self_test_hash: Hash,
    /// When it began, in seconds since 1970.
    pub started: u64,
}

/// Who counts tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenSource {
    /// The oracle, in `usage`.
    Api,
    /// This machine.
    Local {
        /// The tokenizer.
        tokenizer: String,
        /// Its version.
        version: String,
    },
}

/// A file below `inputs/`, and what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name there.
    pub name: String,
    /// SHA-256 of its bytes.
    pub sha256: Hash,
}

/// A condition as it was frozen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrozenCondition {
    /// Which.
    pub id: Condition,
    /// Its task file.
    pub tasks: File,
    /// Its corpus, where it has one.
    pub corpus: Option<File>,
    /// What its order of tasks is drawn from; `None` for the file's own order.
    pub order_seed: Option<u64>,
}

impl Frozen {
    /// Its fields.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "format": FORMAT,
            "axilog": self.axilog,
            "model": self.model,
            "oracle": self.oracle,
            "base_url": self.base_url,
            "context_window_size": self.context_window_size,
            "temperature": "0",
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "b1": self.b1,
            "b2": self.b2,
            "token_source": self.token_source.to_json(),
            "cycles": self.cycles,
            "conditions": self.conditions.iter().map(FrozenCondition::to_json).collect::<Vec<_>>(),
            "constitution": self.constitution.to_json(),
            "template": self.template.to_json(),
            "erratum": self.erratum.as_ref().map(hex),
            "canonicalizer": {
                "source_hash": hex(&self.canonicalizer_source_hash),
                "self_test_hash": hex(&self.canonicalizer_self_test_hash),
            },
            "started": self.started,
        })
    }

    /// Every file below `inputs/`, each once.
    #[must_use]
    pub fn inputs(&self) -> Vec<&File> {
        let tasks = self.conditions.iter().map(|condition| &condition.tasks);
        let corpora = self.conditions.iter().filter_map(|c| c.corpus.as_ref());
        let mut files: Vec<&File> = vec![&self.constitution, &self.template];
        for file in tasks.chain(corpora) {
            if !files.contains(&file) {
                files.push(file);
            }
        }
        files
    }
}

impl FromJson for Frozen {
    fn from_json(value: &Value) -> Result<Frozen, Wrong> {
        whole(value, |fields| {
            fields.constant("format", FORMAT)?;
            fields.constant("temperature", "0")?;
            let canonicalizer = fields.inner("canonicalizer", |fields| {
                Ok((fields.take("source_hash")?, fields.take("self_test_hash")?))
            })?;
            Ok(Frozen {
                axilog: fields.take("axilog")?,
                model: fields.take("model")?,
                oracle: fields.take("oracle")?,
                base_url: fields.take("base_url")?,
                context_window_size: fields.take("context_window_size")?,
                max_tokens: fields.take("max_tokens")?,
                seed: fields.take("seed")?,
                b1: fields.take("b1")?,
                b2: fields.take("b2")?,
                token_source: fields.take("token_source")?,
                cycles: fields.take("cycles")?,
                conditions: fields.take("conditions")?,
                constitution: fields.take("constitution")?,
                template: fields.take("template")?,
                erratum: fields.take("erratum")?,
                canonicalizer_source_hash: canonicalizer.0,
                canonicalizer_self_test_hash: canonicalizer.1,
                started: fields.take("started")?,
            })
        })
    }
}

impl TokenSource {
    /// Its fields: `source`, and where that is `local` the tokenizer and its version, else null.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let (source, tokenizer, version) = match self {
            TokenSource::Api => ("api", None, None),
            TokenSource::Local { tokenizer, version } => ("local", Some(tokenizer), Some(version)),
        };
        json!({ "source": source, "tokenizer": tokenizer, "version": version })
    }
}

impl FromJson for TokenSource {
    fn from_json(value: &Value) -> Result<TokenSource, Wrong> {
        whole(value, |fields| {
            let source = fields.value("source")?;
            let (tokenizer, version) = (fields.take("tokenizer")?, fields.take("version")?);
            match (source.as_str(), tokenizer, version) {
                (Some("api"), None, None) => Ok(TokenSource::Api),
                (Some("local"), Some(tokenizer), Some(version)) => {
                    Ok(TokenSource::Local { tokenizer, version })
                }
                _ => {
                    let expected = "\"api\", or \"local\" with a tokenizer and its version";
                    Err(Wrong::new(value, expected))
                }
            }
        })
    }
}

impl File {
    fn to_json(&self) -> Value {
        json!({ "name": self.name, "sha256": hex(&self.sha256) })
    }
}

impl FromJson for File {
    fn from_json(value: &Value) -> Result<File, Wrong> {
        whole(value, |fields| {
            let name: String = fields.take("name")?;
            if !is_plain_name(&name) {
                return Err(Wrong::new(&name.into(), PLAIN_NAME).within("name"));
            }
            Ok(File {
                name,
                sha256: fields.take("sha256")?,
            })
        })
    }
}

impl FrozenCondition {
    fn to_json(&self) -> Value {
        json!({
            "id": self.id.as_str(),
            "tasks": self.tasks.to_json(),
            "corpus": self.corpus.as_ref().map(File::to_json),
            "order_seed": self.order_seed,
        })
    }
}

impl FromJson for FrozenCondition {
    fn from_json(value: &Value) -> Result<FrozenCondition, Wrong> {
        whole(value, |fields| {
            Ok(FrozenCondition {
                id: fields.take("id")?,
                tasks: fields.take("tasks")?,
                corpus: fields.take("corpus")?,
                order_seed: fields.take("order_seed")?,
            })
        })
    }
}
