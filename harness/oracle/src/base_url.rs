//! The base URL of a server, and the URL that its requests go to.

use std::net::IpAddr;

use reqwest::Url;

use crate::error::OracleError;

/// Builds the URL of `path` below `base_url`.
///
/// # Errors
/// [`OracleError::InvalidBaseUrl`], which does not show a URL that may hold a secret.
pub fn request_url(base_url: &str, path: &str) -> Result<Url, OracleError> {
    // A user name, a query or a fragment may hold a secret.
    let shown = if base_url.contains(['@', '?', '#']) {
        "the base URL"
    } else {
        base_url
    };
    let invalid = |reason| OracleError::InvalidBaseUrl {
        url: shown.to_owned(),
        reason,
    };
    let mut url = Url::parse(base_url).map_err(|_| invalid("is not a URL"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(invalid("is neither http nor https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid("has a user name or password in it"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(invalid("has a query or a fragment"));
    }
    let path = format!("{}/{path}", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Ok(url)
}

/// Whether the URL names this machine.
#[must_use]
pub fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let address: Result<IpAddr, _> = address.parse();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_go_behind_the_base_url() {
        for (base, url) in [
            (
                "https://api.openai.com/v1",
                "https://api.openai.com/v1/chat/completions",
            ),
            ("https://h/v1/", "https://h/v1/chat/completions"),
            ("https://h", "https://h/chat/completions"),
        ] {
            assert_eq!(request_url(base, "chat/completions").unwrap().as_str(), url);
        }
    }

    #[test]
    fn bad_base_urls_are_refused_and_secrets_in_them_are_not_shown() {
        for url in ["", "models", "ftp://h", "https://h/?a=b", "https://h/#a"] {
            let error = request_url(url, "chat/completions")
                .unwrap_err()
                .to_string();
            assert!(error.contains("https://api.openai.com/v1"), "{error}");
        }
        for url in ["https://u:secret@h/v1", "u:secret@h", "https://h/?k=secret"] {
            let error = request_url(url, "chat/completions").unwrap_err();
            assert!(!format!("{error} {error:?}").contains("secret"));
        }
    }
}
