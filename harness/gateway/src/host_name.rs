//! The name by which a request reaches a gateway that listens on this machine only.
//!
//! A site in a browser can have its own name lead to this machine, and would then read answers, and spend the provider's
//! key, as a page of its own. The header `host` has that name still, and browsers let no site change it.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;

use crate::refusal::Refusal;
use crate::request::error_form;
use crate::response::refuse;

/// Has `router` refuse requests by another name than this machine's or one of `hosts`, where it is reached at an address of
/// this machine only.
pub(crate) fn require_host_name(router: Router, listen: SocketAddr, hosts: Vec<String>) -> Router {
    match listen.ip().is_loopback() {
        true => router.layer(from_fn_with_state(Arc::<[String]>::from(hosts), check_host)),
        false => router,
    }
}

async fn check_host(State(hosts): State<Arc<[String]>>, request: Request, next: Next) -> Response {
    let host = request.headers().get(HOST);
    let name = host.and_then(read_name);
    let is_known = name.as_deref().is_some_and(|name| {
        names_this_machine(name) || hosts.iter().any(|known| known.eq_ignore_ascii_case(name))
    });
    if is_known {
        return next.run(request).await;
    }
    let message = format!(
        "the header host is {:?}; expected 127.0.0.1, localhost or another name of this machine, or one that hosts names in \
         the gateway's configuration",
        name.unwrap_or_default()
    );
    let refusal = Refusal::new(StatusCode::FORBIDDEN, "permission_error", message);
    refuse(&refusal, error_form(request.uri().path()))
}

/// The name in a header `host`, without the port.
fn read_name(host: &HeaderValue) -> Option<String> {
    let authority = host.to_str().ok()?.parse::<Authority>().ok()?;
    Some(authority.host().to_owned())
}

fn names_this_machine(name: &str) -> bool {
    let address = name.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = address
        .parse::<IpAddr>()
        .is_ok_and(|address| address.is_loopback());
    is_loopback || name.eq_ignore_ascii_case("localhost")
}
