//! The tokenizer of a server: `/tokenize` of llama.cpp's server and of vLLM.

use std::fmt;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Url};
use serde::Serialize;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use crate::http_client::{build_client, read_body};

/// The time for one count.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The most bytes of a response that are read.
const MAX_RESPONSE_BYTES: usize = 8 << 20;

/// The text by which a server shows that it has a tokenizer.
const PROBE: &str = "one two three";

/// The most tokens of that text: its bytes, and what a tokenizer may put around it.
const MAX_PROBE_TOKENS: u64 = 20;

/// A tokenizer behind the base URL of a server.
pub struct ServerTokenizer {
    url: Url,
    model: String,
    client: Client,
    runtime: Runtime,
}

/// The request for both kinds of servers: llama.cpp reads `content` and `add_special`, vLLM the others.
#[derive(Serialize)]
struct TokenizeRequest<'t> {
    add_special: bool,
    add_special_tokens: bool,
    content: &'t str,
    model: &'t str,
    prompt: &'t str,
}

impl ServerTokenizer {
    /// Finds the tokenizer of `model` at the server whose chat completion stands below `base_url`: at `/tokenize`
    /// beside the `/v1` that ends the URL. It is asked without a key. `None` where the server has no tokenizer.
    #[must_use]
    pub fn find(base_url: &str, model: &str) -> Option<ServerTokenizer> {
        let mut url = Url::parse(base_url).ok()?;
        let path = url.path().trim_end_matches('/');
        let root = path.strip_suffix("/v1").unwrap_or(path);
        url.set_path(&format!("{root}/tokenize"));
        let client = build_client(&url).ok()?;
        let tokenizer = ServerTokenizer {
            url,
            model: model.to_owned(),
            client,
            runtime: Builder::new_current_thread().enable_all().build().ok()?,
        };
        let counted = tokenizer.count(PROBE)?;
        (1..=MAX_PROBE_TOKENS)
            .contains(&counted)
            .then_some(tokenizer)
    }

    /// Counts the tokens of `text` without those that frame a message. `None` where the server does not answer
    /// with its tokens.
    #[must_use]
    pub fn count(&self, text: &str) -> Option<u64> {
        let body = serde_json::to_vec(&TokenizeRequest {
            add_special: false,
            add_special_tokens: false,
            content: text,
            model: &self.model,
            prompt: text,
        });
        let body = self.runtime.block_on(self.post(body.ok()?))?;
        let body: Value = serde_json::from_slice(&body).ok()?;
        body.get("tokens")?
            .as_array()
            .map(|tokens| tokens.len() as u64)
    }

    async fn post(&self, body: Vec<u8>) -> Option<Vec<u8>> {
        let request = self
            .client
            .post(self.url.clone())
            .timeout(TIMEOUT)
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .body(body);
        let response = request.send().await.ok()?;
        if !response.status().is_success() {
            return None;
        }
        read_body(response, MAX_RESPONSE_BYTES).await.ok()
    }
}

impl fmt::Debug for ServerTokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerTokenizer")
            .field("url", &self.url.as_str())
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}
