//! Step Awareness Bundles: the rules of Addendum A, the seven prompts, budgets, grammars, history.
#![cfg(feature = "bundle")]

mod grammar;
mod grammar_reference;
mod place;
mod prompts;
mod rules;
