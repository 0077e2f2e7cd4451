//! Sessions of the live harness: over real HTTP with everything that goes wrong, and how they end.

#[path = "../../../oracle/tests/oracle/client.rs"]
mod client;
mod ends;
mod inputs;
mod model;
mod place;
#[path = "../../../oracle/tests/oracle/server.rs"]
#[allow(dead_code, reason = "the tests of the client need more of it")]
mod server;
mod whole;
