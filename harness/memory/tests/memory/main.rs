//! The Oracle memory: the log and what is derived from it, locks, recall, crashes, gates.

mod altered_tables;
mod ban_scan;
mod budgets;
mod campaign;
mod campaign_gates;
mod cold_boot;
mod consent;
mod contract;
mod crash;
mod digests;
mod earlier_logs;
mod event_contract;
mod false_alarms;
mod forged;
mod gates;
mod guarding;
mod guesses;
mod hidden_facts;
mod integrity;
mod leak;
mod masks;
mod opened_rules;
mod pictures;
mod recall;
#[cfg(unix)]
mod replaced;
mod retraction;
mod retraction_model;
mod retrieval;
mod search_texts;
mod selection;
mod shown;
mod spellings;
mod spelt_leaks;
mod test_memory;
mod working_sets;
