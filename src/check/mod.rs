//! Whether a run holds: one table of checks, one model of findings, reports made from
//! them.

pub mod blobs;
pub mod chapters;
pub mod deliverables;
pub mod derived;
pub mod file_type;
pub mod finding;
mod ids;
pub mod line_scan;
pub mod log;
pub mod mend;
pub mod report;
pub mod requirement;
pub mod state;
pub mod table;
