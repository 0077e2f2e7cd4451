//! Sessions of the live harness: over real HTTP with every kind of failure, and every way to end.

#[path = "../../../oracle/tests/oracle/client.rs"]
#[allow(dead_code, reason = "the tests of the client need more of it")]
mod client;
#[path = "../../../oracle/tests/oracle/clock.rs"]
#[allow(dead_code, reason = "the tests of the client need more of it")]
mod clock;
mod ends;
mod errata;
mod inputs;
mod model;
mod providers;
#[path = "../../../oracle/tests/oracle/server.rs"]
#[allow(dead_code, reason = "the tests of the client need more of it")]
mod server;
mod session_directory;
mod whole;
