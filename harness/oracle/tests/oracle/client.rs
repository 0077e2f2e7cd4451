//! A client with a key, and the files in which the key must not be.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axilog_oracle::{ApiKey, Endpoint, Limits, OpenAi};

pub const KEY: &str = "sk-test-0123456789abcdef";

/// A client with the key that waits no longer than it must.
pub fn client(base_url: &str, timeout: Duration) -> Endpoint {
    let limits = Limits {
        timeout,
        backoff: vec![Duration::from_millis(1); 3],
        max_response_bytes: 1 << 16,
    };
    let key = ApiKey::new(KEY.to_owned()).unwrap();
    Endpoint::OpenAi(Box::new(OpenAi::new(base_url, Some(key), limits).unwrap()))
}

/// Every file below `dir`, with its bytes.
pub fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    all
}

/// No file below `dir` holds `secret`; how many files there are.
#[track_caller]
pub fn nowhere(secret: &str, dir: &Path) -> usize {
    let files = files(dir);
    for (path, bytes) in &files {
        let mut parts = bytes.windows(secret.len());
        let found = parts.any(|part| part == secret.as_bytes());
        assert!(!found, "{}", path.display());
    }
    files.len()
}
