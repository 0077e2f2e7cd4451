//! Step Awareness Bundles: the rules of Addendum A, the seven prompts, budgets, grammars, history.

mod budgets;
mod catalogue;
mod effects;
mod grammar;
mod grammar_reference;
mod history;
mod place;
mod prompts;
mod rules;
mod schema;
