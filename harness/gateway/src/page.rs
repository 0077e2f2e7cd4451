//! The page at `/`: the ledgers, and the calls as they end. It reads and changes nothing.
//!
//! On this machine anybody may look, but for the sites in its browsers (`host_name`). Beyond it an operator's key is asked
//! for.

use std::sync::Arc;

use axilog_ledger::encoding::hex;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY,
    WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::error_form::ErrorForm;
use crate::operator::check_operator;
use crate::refusal::Refusal;
use crate::request::{client_key, refuse_path};
use crate::response::refuse;
use crate::service::Service;

/// The routes of the page.
pub(crate) fn page_router(service: Arc<Service>) -> Router {
    const HTML: &str = include_str!("page/page.html");
    const CSS: &str = include_str!("page/page.css");
    const SCRIPT: &str = include_str!("page/page.js");
    let file = |kind: &'static str, text: &'static str| {
        read(get(async move || respond(kind, Body::from(text))))
    };
    Router::new()
        .route("/", file("text/html; charset=utf-8", HTML))
        .route("/axilog/page.css", file("text/css; charset=utf-8", CSS))
        .route(
            "/axilog/page.js",
            file("text/javascript; charset=utf-8", SCRIPT),
        )
        .route("/axilog/ledgers", read(get(list_ledgers)))
        .route("/axilog/ledgers/{name}/report", read(get(show_report)))
        .route("/axilog/calls", read(get(stream_calls)))
        .route_layer(from_fn_with_state(service.clone(), admit))
        .with_state(service)
}

/// A route that only reads. What else comes there was meant for another one.
fn read(route: MethodRouter<Arc<Service>>) -> MethodRouter<Arc<Service>> {
    route.fallback(async || refuse(&refuse_path(), ErrorForm::OpenAi))
}

/// Admits those who may look.
async fn admit(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    if !request.method().is_safe() {
        return next.run(request).await;
    }
    match check_reader(&service, request.headers()) {
        Ok(()) => protect(next.run(request).await),
        Err(refusal) => {
            let mut response = refuse(&refusal, ErrorForm::OpenAi);
            if refusal.status == StatusCode::UNAUTHORIZED {
                // Browsers ask for the key then; any name will do.
                let scheme = HeaderValue::from_static("Basic realm=\"axilog gateway\"");
                response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
            }
            response
        }
    }
}

fn check_reader(service: &Service, headers: &HeaderMap) -> Result<(), Refusal> {
    if !service.has_page {
        return Err(Refusal::new(
            StatusCode::NOT_FOUND,
            "not_found_error",
            "the gateway has no page (page = false in its configuration)",
        ));
    }
    if !service.is_local {
        return check_operator(service, password(headers).or_else(|| client_key(headers)));
    }
    Ok(())
}

/// The password that a browser sends (RFC 7617), whatever the name.
fn password(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, encoded) = text.split_once(' ')?;
    let decoded = STANDARD.decode(encoded.trim()).ok()?;
    let pair = String::from_utf8(decoded).ok()?;
    let (_, password) = pair.split_once(':')?;
    let is_basic = scheme.eq_ignore_ascii_case("basic");
    is_basic.then(|| password.to_owned())
}

/// Bounds what a browser does with a response: it loads nothing from elsewhere, and no other site reads or frames it.
fn protect(mut response: Response) -> Response {
    const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
    for (name, value) in [
        (
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; \
             form-action 'none'; frame-ancestors 'none'",
        ),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (RESOURCE_POLICY, "same-origin"),
        (CACHE_CONTROL, "no-store"),
    ] {
        let value = HeaderValue::from_static(value);
        response.headers_mut().entry(name).or_insert(value);
    }
    response
}

fn respond(kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    let kind = HeaderValue::from_static(kind);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

async fn stream_calls(State(service): State<Arc<Service>>) -> Response {
    respond("text/event-stream", service.live_calls.stream())
}

/// What a browser may do with a report: run the scripts that are in it, in an origin of its own, and save what they give.
const REPORT_POLICY: &str = "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline'; \
                             style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

async fn show_report(State(service): State<Arc<Service>>, Path(name): Path<String>) -> Response {
    match render_report(service, name).await {
        Ok(page) => {
            let mut response = respond("text/html; charset=utf-8", Body::from(page));
            let policy = HeaderValue::from_static(REPORT_POLICY);
            response
                .headers_mut()
                .insert(CONTENT_SECURITY_POLICY, policy);
            response
        }
        Err(refusal) => refuse(&refusal, ErrorForm::OpenAi),
    }
}

async fn render_report(service: Arc<Service>, name: String) -> Result<Vec<u8>, Refusal> {
    let ledger = service.ledgers.find(&name);
    let ledger = ledger.ok_or_else(|| service.refuse_ledger(&name))?;
    let not_found =
        |message: String| Refusal::new(StatusCode::NOT_FOUND, "not_found_error", message);
    let render = service.report.get().cloned().ok_or_else(|| {
        not_found("the gateway gives no reports (reports = false in its configuration)".to_owned())
    })?;
    if !ledger.was_open() {
        let message = format!("the ledger {name:?} is not begun: it begins with its first call");
        return Err(not_found(message));
    }
    let permit = service.report_permit.clone().acquire_owned().await;
    let rendered = tokio::task::spawn_blocking(move || {
        // Whoever asked may be gone meanwhile; the next report is written after this one all the same.
        let _permit = permit;
        render(&ledger.settings.path)
    });
    let failed = |reason| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "api_error", reason);
    rendered
        .await
        .map_err(|_| Refusal::failed())?
        .map_err(failed)
}

async fn list_ledgers(State(service): State<Arc<Service>>) -> Response {
    let told = tokio::task::spawn_blocking(move || describe(&service));
    match told.await {
        Ok(told) => respond("application/json", Body::from(told.to_string())),
        Err(_) => refuse(&Refusal::failed(), ErrorForm::OpenAi),
    }
}

fn describe(service: &Service) -> Value {
    let ledgers = service.ledgers.all().map(|ledger| {
        let figures = ledger.read_figures();
        let time = figures.as_ref().map_or(0, |figures| figures.time);
        let budget = ledger.budget();
        let limits = budget.map_or_else(Vec::new, |budget| budget.list_limits(time));
        let limits: Vec<Value> = limits
            .iter()
            .map(|limit| json!({ "limit": limit.name, "most": limit.most, "spent": limit.spent }))
            .collect();
        json!({
            "name": ledger.name,
            "path": ledger.settings.path.display().to_string(),
            "begun": ledger.was_open(),
            "state": figures.as_ref().map(|figures| figures.health.as_str()),
            "takes_calls": match &figures {
                Some(figures) => ledger.takes_calls(figures.health),
                None => !ledger.was_open(),
            },
            "records": figures.as_ref().map(|figures| figures.durable.entries),
            "head": figures.as_ref().map(|figures| hex(&figures.durable.head)),
            "limits": limits,
            "report": ledger.was_open() && service.report.get().is_some(),
        })
    });
    json!({
        "calls_in_progress": service.count_calls(),
        "ledgers": ledgers.collect::<Vec<Value>>(),
    })
}
