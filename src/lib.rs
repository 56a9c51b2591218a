//! x
pub mod chapter;
pub mod check;
pub mod cli;
pub mod conversation;
pub mod event;
pub mod fs;
pub mod import;
pub mod log;
pub mod render;
pub mod run;
pub mod summary;
pub mod transcript;
