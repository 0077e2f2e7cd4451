//! `axilog memory`, as narrators run it.

mod commands;
mod golden;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod killed;
mod ledger;
mod pins;
mod retraction;
mod rules;
mod shown;
