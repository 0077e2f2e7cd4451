//! The command `axilog`, run as people and machines run it.

mod bench;
mod blobs;
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
mod several;
mod show;
mod stats;
mod system;
mod vectors;
mod what_if;
