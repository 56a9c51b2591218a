//! Checks whether a run is valid: one table of checks, one model of findings, and reports in
//! several formats.

pub(crate) mod blobs;
pub(crate) mod chapters;
mod created;
pub(crate) mod deliverables;
pub(crate) mod derived;
pub(crate) mod ending;
pub(crate) mod finding;
mod ids;
pub(crate) mod line_scan;
pub(crate) mod log;
pub(crate) mod mend;
mod open_calls;
mod parent_cycles;
mod parents;
mod references;
mod rejections;
pub(crate) mod report;
pub(crate) mod sources;
mod split_secrets;
pub(crate) mod state;
pub(crate) mod table;
pub(crate) mod template_claim;
pub(crate) mod unsupported;
mod versions;
