//! The command `axilog`, run as people and machines run it.

mod bench;
mod blobs;
#[cfg(all(feature = "oracle", feature = "x0l"))]
mod calibrate;
#[cfg(all(feature = "oracle", feature = "x0l"))]
#[path = "../oracle/client.rs"]
#[allow(dead_code, reason = "here the program itself is the client")]
mod client;
mod damage;
mod demo;
mod exits;
#[cfg(feature = "audit")]
mod export;
mod gateways;
mod head;
mod interrupted;
mod killed;
#[cfg(feature = "audit")]
mod lint;
mod models;
mod observe;
#[cfg(feature = "parquet")]
mod parquet;
mod policy;
#[cfg(feature = "audit")]
mod report;
mod seal;
#[cfg(all(feature = "oracle", feature = "x0l"))]
#[path = "../oracle/server.rs"]
#[allow(dead_code, reason = "the tests of the client need more of it")]
mod server;
mod several;
mod show;
mod stats;
mod system;
mod vectors;
mod what_if;
#[cfg(feature = "x0l")]
mod x0l;
#[cfg(all(feature = "oracle", feature = "x0l"))]
mod x0l_killed;
#[cfg(all(feature = "oracle", feature = "x0l"))]
mod x0l_run;
#[cfg(all(feature = "oracle", feature = "x0l"))]
mod x0l_session;
