//! Sessions of the live harness: over real HTTP with everything that goes wrong, and how they end.
#![cfg(all(feature = "oracle", feature = "x0l"))]

#[path = "../oracle/client.rs"]
mod client;
mod ends;
mod inputs;
mod model;
mod place;
#[path = "../oracle/server.rs"]
#[allow(dead_code, reason = "the tests of the client need more of it")]
mod server;
mod whole;
