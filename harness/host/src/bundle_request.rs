//! A request for a bundle, as JSON. Emits no header: the comment of `axh_bundle_build` has the members.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

use axilog_bundle::BundleRequest;
use axilog_bundle::budget::TokenBudget;
use axilog_bundle::builder::Results;
use axilog_bundle::catalogue::Catalogue;
use axilog_bundle::retrieve::History;
use axilog_bundle::value::Object;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::HostError;
use crate::pointer::invalid;

/// A request, as it is given.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GivenRequest<'a> {
    step_id: u32,
    #[serde(default)]
    run_id: String,
    run_number: Option<NonZeroU64>,
    /// Read by the bundle's own reader, which keeps the order of the members.
    #[serde(borrow)]
    results: Option<&'a RawValue>,
    results_path: Option<PathBuf>,
    manifest_path: Option<PathBuf>,
    #[serde(default)]
    state_paths: Vec<PathBuf>,
    #[serde(default)]
    budgets: GivenBudgets,
    #[serde(default)]
    is_chapter_13: bool,
    catalogue_path: Option<PathBuf>,
    #[serde(default)]
    fallback: bool,
    history_path: Option<PathBuf>,
    outcomes: Option<usize>,
    window: Option<NonZeroUsize>,
}

/// The budgets that are not the default ones.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenBudgets {
    ctx_max_tokens: Option<u64>,
    tier0_reserved: Option<u64>,
    tier1_cap: Option<u64>,
    history_cap: Option<u64>,
    telemetry_cap: Option<u64>,
    generation_reserve: Option<u64>,
}

impl GivenRequest<'_> {
    pub(crate) fn parse(text: &[u8]) -> Result<GivenRequest<'_>, HostError> {
        serde_json::from_slice(text)
            .map_err(|error| invalid(format!("request is no request for a bundle: {error}")))
    }

    pub(crate) fn read_catalogue(&self) -> Result<Catalogue, HostError> {
        read_catalogue(self.catalogue_path.as_deref())
    }

    /// The request with its defaults, of a step of `catalogue`.
    pub(crate) fn resolve(self, catalogue: &Catalogue) -> Result<BundleRequest<'_>, HostError> {
        let results = match (self.results, &self.results_path) {
            (None, None) => None,
            (None, Some(path)) => Some(Results::read(path)?),
            (Some(text), None) => {
                let object = Object::parse(text.get().as_bytes()).map_err(HostError::Results)?;
                Some(Results::new(object))
            }
            (Some(_), Some(_)) => {
                return Err(invalid(
                    "request has results and results_path, expected one of them",
                ));
            }
        };
        let mut history = self.history_path.as_deref().map(History::in_directory);
        if let Some(history) = &mut history {
            history.outcomes = self.outcomes.unwrap_or(history.outcomes);
            history.window = self.window.map_or(history.window, NonZeroUsize::get);
        }
        Ok(BundleRequest {
            run_id: self.run_id,
            run_number: self.run_number.map_or(1, NonZeroU64::get),
            results,
            manifest_path: self.manifest_path,
            state_paths: self.state_paths,
            budgets: self.budgets.resolve(),
            is_chapter_13: self.is_chapter_13,
            fallback: self.fallback,
            history,
            ..BundleRequest::new(catalogue, self.step_id)
        })
    }
}

impl GivenBudgets {
    fn resolve(&self) -> TokenBudget {
        let budget = TokenBudget::default();
        let or = |given: Option<u64>, default: u64| given.unwrap_or(default);
        budget
            .clone()
            .with_ctx_max_tokens(or(self.ctx_max_tokens, budget.ctx_max_tokens()))
            .with_tier0_reserved(or(self.tier0_reserved, budget.tier0_reserved()))
            .with_tier1_cap(or(self.tier1_cap, budget.tier1_cap()))
            .with_history_cap(or(self.history_cap, budget.history_cap()))
            .with_telemetry_cap(or(self.telemetry_cap, budget.telemetry_cap()))
            .with_generation_reserve(or(self.generation_reserve, budget.generation_reserve()))
    }
}

/// Reads the catalogue at `path`; the built-in one where there is none.
pub(crate) fn read_catalogue(path: Option<&Path>) -> Result<Catalogue, HostError> {
    Ok(path.map_or_else(Catalogue::built_in, Catalogue::read)?)
}
