//! Checks whether a run is valid: one table of checks, one model of findings, and reports in
//! several formats.

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
