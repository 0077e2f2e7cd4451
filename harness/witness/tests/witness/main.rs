//! A witness over HTTP: what it signs, what it refuses and with which status, and what it remembers.

mod answers;
mod bench;
mod histories;
mod kills;
mod signatures;
mod states;
