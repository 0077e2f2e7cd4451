//! The tests of the core that need no `unsafe` code, a module for each subject.

#![forbid(unsafe_code)]

mod admission_properties;
mod admission_refusals;
mod agent_failed;
mod agent_guards;
mod agent_pieces;
mod agent_table;
mod arithmetic;
mod canonical_json;
mod cases;
mod embedded_json;
mod extraction;
mod hexadecimal;
mod json;
mod json_pointers;
mod ledger_neighbours;
mod ledger_raw_answers;
mod ledger_resume;
mod ledger_rewritten;
mod ledger_sequences;
mod ledger_stretches;
mod ledger_tampering;
mod many_pointers;
mod nfc;
mod observation_strictness;
mod policies;
mod record_formats;
mod selectors;
mod text;
mod writer;
