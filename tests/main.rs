//! Tests of the program from outside, as users run it. One binary, one file per subject.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::expect_used, reason = "a test fails by panicking")]

mod agents;
mod bad_input;
mod blobs;
mod catalogue;
mod chapter;
mod checks;
mod concurrency;
mod context;
mod counts;
mod crash;
mod deliverables;
mod emit;
#[cfg(all(feature = "parquet", feature = "sqlite"))]
mod engines;
mod exec;
mod export;
mod export_fleet;
mod export_runs;
#[cfg(all(feature = "parquet", feature = "sqlite"))]
mod export_tables;
mod facts;
mod faults;
mod fix;
mod fold;
mod fuzz;
mod gate;
mod generated;
mod golden;
mod graph;
mod hook;
mod hostile;
mod import;
mod import_agex;
mod import_aos;
mod import_atif;
mod import_codex;
mod import_command;
mod import_copied;
mod import_copilot;
mod import_derived;
mod import_flat;
mod import_gateway;
mod import_gemini;
mod import_opencode;
mod import_openhands;
mod import_pi;
mod init;
mod json;
mod key_order;
mod layering;
mod leaks;
mod list;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(feature = "mcp")]
mod mcp_session;
mod memory;
mod messages;
mod mutation;
mod packaging;
mod page;
mod propose;
mod reading;
mod readme;
mod reports;
mod rounds;
mod schema;
mod search;
mod secrets;
mod session_summary;
mod settings;
mod show;
mod stats;
mod storm;
mod stream;
mod summarize;
mod support;
mod swapped;
mod table_columns;
mod templates;
mod top;
mod traces;
mod transcript;
mod transcript_story;
mod user_templates;
mod validate;
mod visible;
mod waterfall;
mod worker;
