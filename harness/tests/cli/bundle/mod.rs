//! `axilog bundle`, as controllers run it.

mod asking;
mod commands;
mod matching;
