//! `axilog memory`, as narrators run it.

mod commands;
mod golden;
mod rules;
mod shown;
