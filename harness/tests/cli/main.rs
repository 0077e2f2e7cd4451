//! The command `axilog`, run as people and machines run it.

mod ablation;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod attacked;
mod audit;
mod bench;
mod blobs;
mod bundle;
mod calibrate;
mod checkpoints;
mod color;
mod completions;
mod compressed;
mod damage;
mod deceptive_text;
mod demo;
mod deployed_records;
mod derivations;
mod diff;
mod exits;
mod export;
mod fleet;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod gateway;
mod gateways;
mod head;
#[cfg(feature = "heads")]
mod heads;
mod host;
mod host_bundle;
mod hostile_ledgers;
mod input_files;
mod interrupted;
mod json_option;
mod json_schemas;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod killed;
mod left_behind;
mod lint;
mod llama;
#[cfg(feature = "tokenizer-json")]
mod llama_ablation;
mod long_ledger;
#[cfg(unix)]
mod mcp;
mod memory;
mod models;
mod observe;
mod oracles;
#[cfg(unix)]
mod output_files;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(unix)]
mod planted_blobs;
mod policy;
mod replaced;
mod report;
mod report_size;
mod running_values;
mod schemas;
mod seal;
mod server_options;
mod several;
mod show;
mod standard_input;
mod stats;
mod system;
mod tail;
mod times;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod traced;
mod unwritable_output;
mod vectors;
mod what_if;
#[cfg(target_os = "linux")]
mod witness;
mod x0l;
#[cfg(target_os = "linux")]
mod x0l_heads;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod x0l_killed;
mod x0l_live;
mod x0l_plan;
mod x0l_review;
mod x0l_run;
mod x0l_script;
mod x0l_session;
mod x0l_show;
mod x0l_speed;
