//! x
pub mod event;
pub mod fs;
pub mod conversation;
pub mod log;
