//! The command `axilog`, run as people and machines run it.

mod bench;
mod blobs;
mod damage;
mod demo;
mod exits;
#[cfg(feature = "audit")]
mod export;
mod head;
mod interrupted;
mod killed;
#[cfg(feature = "audit")]
mod lint;
mod models;
mod observe;
mod policy;
mod seal;
mod show;
mod stats;
mod vectors;
#[cfg(feature = "x0l")]
mod x0l;
