//! A proxy before a server of the Model Context Protocol (MCP) on standard input and output.
//!
//! A client calls a server's tools with arguments that a model has chosen. The proxy records each call in a ledger and has
//! the ledger's policies judge it *before* the server gets it, and records each result before the client gets it. A call or
//! a result that may not be acted on goes no further: the client gets an error of the tool, with the reason, in its place.
//!
//! | what | recorded as |
//! |---|---|
//! | a call of NAME (`tools/call`) | an answer of the oracle `tool.NAME`: the arguments; its input is the request |
//! | what came of it | an answer of the oracle `result.NAME`: the result or error; its input is the request, derived from the call |
//!
//! Everything else is passed on and not recorded. Messages are passed on in canonical form (RFC 8785), one per line: the
//! other side reads exactly what was judged, whatever it takes for the end of a line. What is no message goes no further, and
//! neither does an answer to a question that nobody asked.
//!
//! [`Proxy`] knows neither processes nor standard streams; it says what becomes of each line.

#![forbid(unsafe_code)]

mod message;
mod proxy;
mod tool_record;

pub use proxy::{LineDecision, MAX_LINE_BYTES, Proxy};
pub use tool_record::Identities;
