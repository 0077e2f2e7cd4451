//! `axilog memory`, as narrators run it.

mod commands;
mod golden;
mod ledger;
mod rules;
mod shown;
