//! The frozen kernel of X-0L.

mod constitution;
mod decisions;
mod gates;
mod scene;
