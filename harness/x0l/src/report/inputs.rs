//! What the writers of the report's files read.

use super::evidence::SessionEvidence;
use crate::kernel::Constitution;
use crate::log::SessionMetadata;
use crate::metrics::Metrics;
use crate::replay::RunReplay;
use crate::review::Review;

/// Everything that the writers of the report's files read.
pub(super) struct ReportInputs<'m> {
    pub(super) replay: &'m RunReplay,
    pub(super) metadata: &'m SessionMetadata,
    pub(super) metrics: &'m Metrics,
    pub(super) review: &'m Review,
    pub(super) constitution: Option<&'m Constitution>,
    pub(super) evidence: &'m SessionEvidence,
}
