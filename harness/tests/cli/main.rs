//! The command `axilog`, run as people and machines run it.

mod ablation;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod attacked;
mod audit;
mod bench;
mod blobs;
mod bundle;
#[cfg(feature = "tokenizer-json")]
#[path = "../../oracle/tests/oracle/byte_level_tokenizer.rs"]
mod byte_level_tokenizer;
mod calibrate;
#[path = "../../oracle/tests/oracle/client.rs"]
#[allow(dead_code, reason = "here the program itself is the client")]
mod client;
#[path = "../../oracle/tests/oracle/clock.rs"]
#[allow(dead_code, reason = "the program has the system's clock")]
mod clock;
mod damage;
mod deceptive_text;
mod demo;
mod deployed_records;
mod derivations;
mod exits;
mod export;
mod gateways;
mod head;
mod hostile_ledgers;
mod input_files;
mod interrupted;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod killed;
mod left_behind;
mod lint;
mod llama;
#[cfg(feature = "tokenizer-json")]
mod llama_ablation;
#[path = "../../oracle/tests/llama/llama_server.rs"]
#[allow(dead_code, reason = "the tests of the client need more of it")]
mod llama_server;
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
#[path = "../../oracle/tests/llama/proxy.rs"]
mod proxy;
mod replaced;
mod report;
mod schemas;
mod seal;
#[path = "../../oracle/tests/oracle/server.rs"]
#[allow(dead_code, reason = "the tests of the client need more of it")]
mod server;
mod server_options;
mod several;
mod show;
mod standard_input;
mod stats;
mod system;
mod times;
#[cfg(feature = "tokenizer-json")]
#[path = "../../oracle/tests/oracle/tokenizer_families.rs"]
mod tokenizer_families;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod traced;
mod unwritable_output;
mod vectors;
mod what_if;
mod x0l;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod x0l_killed;
mod x0l_live;
mod x0l_run;
mod x0l_script;
mod x0l_session;
mod x0l_show;
