//! The frozen kernel of X-0L.
#![cfg(feature = "x0l")]

mod constitution;
mod decisions;
mod gates;
mod scene;
