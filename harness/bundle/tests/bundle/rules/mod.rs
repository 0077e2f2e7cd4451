//! The rules of Addendum A, A1 to A7, each by its number.

mod budget;
mod evidence;
mod model;
mod sources;
mod steps;
