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
mod counts;
mod crash;
mod deliverables;
mod emit;
mod exec;
mod export;
mod facts;
mod faults;
mod fix;
mod fold;
mod fuzz;
mod gate;
mod generated;
mod golden;
mod graph;
mod hostile;
mod import;
mod import_codex;
mod import_command;
mod json;
mod key_order;
mod layering;
mod leaks;
mod memory;
mod mutation;
mod propose;
mod reading;
mod reports;
mod rounds;
mod secrets;
mod settings;
mod show;
mod storm;
mod stream;
mod summarize;
mod support;
mod swapped;
mod templates;
mod traces;
mod transcript;
mod user_templates;
mod validate;
mod visible;
mod worker;
