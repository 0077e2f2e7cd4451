//! A client with a key, and the search for that key in files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axilog_oracle::{ApiKey, ClientLimits, OpenAiClient, Oracle};

use super::server::Server;

pub const KEY: &str = "sk-test-0123456789abcdef";

/// An endpoint with the key for a server, which waits by the server's clock.
pub fn client(server: &Server) -> Oracle {
    let limits = ClientLimits {
        max_response_bytes: 1 << 16,
        ..ClientLimits::default()
    };
    client_with_limits(server, limits)
}

/// As [`client`], with other limits.
pub fn client_with_limits(server: &Server, limits: ClientLimits) -> Oracle {
    let key = ApiKey::new(KEY.to_owned()).unwrap();
    let client = OpenAiClient::new(&server.base_url, Some(key), limits).unwrap();
    Oracle::OpenAi(Box::new(client.with_clock(Arc::new(server.clock.clone()))))
}

/// Reads every file below `dir`.
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

/// Asserts that no file below `dir` holds `secret`, and gives the number of files.
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
