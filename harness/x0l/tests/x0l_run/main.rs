//! Sessions of the live harness: over real HTTP with every kind of failure, and every way to end.

mod ends;
mod errata;
mod inputs;
mod model;
mod plans;
mod providers;
mod sentinels;
mod session_directory;
mod speed;
mod weights;
mod whole;
